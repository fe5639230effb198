//! `capdex agent-scan run`: the tests with a model behind a chat endpoint.

use std::collections::BTreeMap;
use std::time::Duration;

use capdex_agent_scan::pack::{Pack, Transport};
use capdex_agent_scan::report::{Origin, RUN_SCHEMA, RunHead};
use capdex_crawlers::http::Secret;

use super::{shown, test_of};
use crate::agent_runs::endpoint::{ChatEndpoint, EndpointOptions};
use crate::agent_runs::folder::RunFolder;
use crate::agent_runs::run::{self, RunEnd};
use crate::cli::AgentRunArgs;
use crate::exit::{Exit, usage};
use crate::output::Out;

pub(super) fn run(pack: &Pack, options: &AgentRunArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let folder = RunFolder::new(&options.out);
    let head = head(pack, options, &folder)?;
    let key = options.key_env.as_deref().map(|name| {
        let value = std::env::var(name).ok().filter(|value| !value.is_empty());
        value.ok_or_else(|| usage(format!("the variable {name} holds no key")))
    });
    let mut model = ChatEndpoint::open(&EndpointOptions {
        url: options.endpoint.clone(),
        model: options.model.clone(),
        key: key.transpose()?.map(|key| Secret::new(format!("Bearer {key}"))),
        temperature: options.temperature,
        max_tokens: options.max_tokens,
        deadline: Duration::from_secs(options.timeout),
    })?;
    folder.begin(&head)?;
    match run::play(pack, &head, &folder, &mut model)? {
        RunEnd::Whole => {}
        RunEnd::Interrupted => return Ok(Exit::Interrupted),
        RunEnd::Unanswered => {
            anyhow::bail!("the endpoint did not answer three trials in a row; the same command goes on")
        }
    }
    let report = run::graded(pack, head, &folder)?;
    run::say_end(&report, &options.out);
    shown(&report, &options.report, out)
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
    let there = folder.head()?.map(|head| head.seed);
    Ok(RunHead {
        schema: RUN_SCHEMA.to_owned(),
        pack: pack.head.id.clone(),
        version: pack.head.version.clone(),
        pack_sha256: pack.digest,
        seed: options.seed.or(there).unwrap_or_else(run::random_seed),
        transport: Transport::Chat,
        hears_words: true,
        origin: Origin::MockOnly,
        agent: options.model.clone(),
        sampling,
        trials: options.trials,
        twins: options.twins,
        tests: tests.into_iter().map(|(_, id)| id).collect(),
    })
}
