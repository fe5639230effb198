//! `capdex agent-scan run`: the tests with a model behind a chat endpoint, or with an agent that is started.

use std::collections::BTreeMap;
use std::time::Duration;

use capdex_agent_scan::pack::{Pack, Transport};
use capdex_agent_scan::report::{Origin, RUN_SCHEMA, RunHead};
use capdex_crawlers::http::Secret;

use super::{shown, test_of};
use crate::agent_runs::drive::{self, BUBBLEWRAP, DriveOptions, DrivenAgent, Sandbox};
use crate::agent_runs::endpoint::{ChatEndpoint, EndpointOptions};
use crate::agent_runs::folder::RunFolder;
use crate::agent_runs::run::{self, Player, RunEnd};
use crate::cli::{AgentRunArgs, ServedOver};
use crate::exit::{Exit, usage};
use crate::output::Out;

pub(super) fn run(pack: &Pack, options: &AgentRunArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let folder = RunFolder::new(&options.out);
    let head = head(pack, options, &folder)?;
    let mut player = player(options)?;
    folder.begin(&head)?;
    match run::play(pack, &head, &folder, &mut player)? {
        RunEnd::Whole => {}
        RunEnd::Interrupted => return Ok(Exit::Interrupted),
        RunEnd::Unanswered => {
            anyhow::bail!("nobody answered in three trials in a row; the same command goes on")
        }
    }
    let report = run::graded(pack, head, &folder)?;
    run::say_end(&report, &options.out);
    shown(&report, &options.report, out)
}

fn is_over_http(options: &AgentRunArgs) -> bool {
    options.servers == ServedOver::Http
}

/// The model or the agent that is asked for.
fn player(options: &AgentRunArgs) -> anyhow::Result<Player> {
    let key = options.key_env.as_deref().map(|name| {
        let value = std::env::var(name).ok().filter(|value| !value.is_empty());
        value.ok_or_else(|| usage(format!("the variable {name} holds no key")))
    });
    let (key, deadline) = (key.transpose()?, Duration::from_secs(options.timeout));
    let (endpoint, model) = (options.endpoint.clone(), options.model.clone());
    if let Some(id) = &options.drive {
        let profile = drive::profile(id)?;
        let program = options.program.clone().unwrap_or_else(|| profile.program.clone().into());
        let key = key.unwrap_or_else(|| "none".to_owned());
        let sandbox = if options.allow_own_tools { None } else { Some(Sandbox::find()?) };
        let is_over_http = is_over_http(options);
        let options = DriveOptions { profile, program, endpoint, model, key, deadline, sandbox, is_over_http };
        return Ok(Player::Agent(Box::new(DrivenAgent::new(options)?)));
    }
    let (temperature, max_tokens) = (options.temperature, options.max_tokens);
    let key = key.map(|key| Secret::new(format!("Bearer {key}")));
    let options = EndpointOptions { url: endpoint, model, key, temperature, max_tokens, deadline };
    Ok(Player::Model(ChatEndpoint::open(&options)?))
}

/// What is asked for. The seed of a run that is there already is kept where none is named.
fn head(pack: &Pack, options: &AgentRunArgs, folder: &RunFolder) -> anyhow::Result<RunHead> {
    let mut tests = options
        .tests
        .iter()
        .map(|text| test_of(pack, text).map(|test| (test.number, test.id.clone())))
        .collect::<anyhow::Result<Vec<_>>>()?;
    tests.sort();
    tests.dedup();
    let mut sampling = BTreeMap::new();
    sampling.extend(options.temperature.map(|value| ("temperature".to_owned(), value.to_string())));
    sampling.extend(options.max_tokens.map(|value| ("max_tokens".to_owned(), value.to_string())));
    let is_in_sandbox = options.drive.is_some() && !options.allow_own_tools;
    let there = folder.head()?.map(|head| head.seed);
    Ok(RunHead {
        schema: RUN_SCHEMA.to_owned(),
        pack: pack.head.id.clone(),
        version: pack.head.version.clone(),
        pack_sha256: pack.digest,
        seed: options.seed.or(there).unwrap_or_else(run::random_seed),
        transport: if options.drive.is_some() { Transport::Mcp } else { Transport::Chat },
        hears_words: true,
        sandbox: if is_in_sandbox { BUBBLEWRAP } else { "" }.to_owned(),
        origin: if options.drive.is_some() { Origin::AgentOwnsTools } else { Origin::MockOnly },
        agent: match &options.drive {
            Some(id) if is_over_http(options) => format!("{id} with {}, servers over HTTP", options.model),
            Some(id) => format!("{id} with {}", options.model),
            None => options.model.clone(),
        },
        sampling,
        trials: options.trials,
        twins: options.twins,
        tests: tests.into_iter().map(|(_, id)| id).collect(),
    })
}
