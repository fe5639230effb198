//! `capdex agent-scan serve`: one mock server of one trial, all of them over HTTP, or the words that its agent is given.

use std::collections::BTreeMap;
use std::io::BufReader;

use capdex_agent_scan::pack::{AgentTest, Pack, Transport};
use capdex_agent_scan::report::{Origin, RUN_SCHEMA, RunHead};
use capdex_agent_scan::trial::TrialId;

use super::test_of;
use crate::agent_runs::folder::RunFolder;
use crate::agent_runs::mock_http;
use crate::agent_runs::mock_server::MockServer;
use crate::agent_runs::run::random_seed;
use crate::cli::AgentServeArgs;
use crate::exit::{Exit, usage};
use crate::output::Out;
use crate::shutdown::shutdown_requested;

pub(super) fn run(pack: &Pack, options: &AgentServeArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let test = test_of(pack, &options.test)?;
    let folder = RunFolder::new(&options.out);
    let head = begun(pack, options, &folder)?;
    // Who starts the agent hears its words too.
    if !test.is_playable(Transport::Mcp, head.hears_words) {
        return Err(usage(format!("the test {} cannot be told from the calls of tools alone", test.id)));
    }
    let trial = TrialId { test: test.id.clone(), number: options.trial, is_twin: options.twin };
    let new = |server: &str| MockServer::new((pack, test), (&head, &folder), trial.clone(), server);
    if let Some(listen) = options.listen {
        if !listen.ip().is_loopback() {
            return Err(usage("mock servers are served on loopback alone"));
        }
        let servers = test.server.iter().map(|server| (server.name.clone(), new(&server.name).without_questions()));
        mock_http::serve(servers.collect(), listen, shutdown_requested(), |address| {
            test.server.iter().try_for_each(|server| out.line(format_args!("http://{address}/{}", server.name)))?;
            // Whoever starts it waits for these lines.
            Ok(out.flush()?)
        })?;
        return Ok(Exit::Done);
    }
    let mut server = new(server_of(test, options)?);
    match options.task {
        Some(turn) => {
            let words = server.turn(turn)?;
            out.line(words.ok_or_else(|| usage(format!("the test {} has {} turns", test.id, test.turn.len())))?)?;
        }
        None => server.serve(BufReader::new(std::io::stdin()), std::io::stdout())?,
    }
    Ok(Exit::Done)
}

/// The server that is meant.
fn server_of<'a>(test: &'a AgentTest, options: &AgentServeArgs) -> anyhow::Result<&'a str> {
    let names: Vec<&str> = test.server.iter().map(|server| server.name.as_str()).collect();
    let known = || usage(format!("the servers of {} are {}: name one with --server", test.id, names.join(", ")));
    match (&options.server, names.as_slice()) {
        (Some(name), names) => names.iter().find(|one| *one == name).copied().ok_or_else(known),
        (None, [only]) => Ok(only),
        (None, [first, ..]) if options.task.is_some() => Ok(first),
        (None, _) => Err(known()),
    }
}

/// The run in the folder, begun where there is none. Two servers may begin it at once.
fn begun(pack: &Pack, options: &AgentServeArgs, folder: &RunFolder) -> anyhow::Result<RunHead> {
    let held = folder.hold()?;
    let head = match folder.head()? {
        Some(head) if head.pack_sha256 != pack.digest || head.transport != Transport::Mcp => {
            return Err(usage("the folder holds another run: name another folder"));
        }
        Some(head) => head,
        None => RunHead {
            schema: RUN_SCHEMA.to_owned(),
            pack: pack.head.id.clone(),
            version: pack.head.version.clone(),
            pack_sha256: pack.digest,
            seed: options.seed.unwrap_or_else(random_seed),
            transport: Transport::Mcp,
            hears_words: false,
            origin: Origin::AgentOwnsTools,
            sandbox: String::new(),
            agent: String::new(),
            sampling: BTreeMap::new(),
            trials: 0,
            twins: 0,
            tests: Vec::new(),
        },
    };
    folder.begin(&head)?;
    drop(held);
    Ok(head)
}
