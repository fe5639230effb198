//! `capdex agent-scan keep`, `kept` and `publish`: runs in the store, and what exports may carry of them.

use std::collections::BTreeSet;

use capdex_agent_scan::pack::Pack;
use capdex_agent_scan::report::{Origin, Report};
use capdex_dataset::agent_runs::{self, AgentRun};
use capdex_dataset::escape;
use capdex_db::KeptAgentTrial;
use capdex_model::time::AsOf;
use serde_json::json;

use super::super::{list_output, summary};
use super::shown;
use crate::agent_runs::folder::RunFolder;
use crate::agent_runs::formats::AgentFormat;
use crate::cli::{AgentKeepArgs, AgentKeptArgs, AgentPublishArgs, ListFormat};
use crate::clock;
use crate::exit::{Exit, usage};
use crate::options::Global;
use crate::output::Out;

/// The schema of the list of runs.
const LIST_SCHEMA: &str = "capdex.agent-runs/1";

fn now(global: &Global) -> AsOf {
    global.as_of.unwrap_or_else(|| AsOf(clock::now()))
}

pub(super) fn keep(global: &Global, pack: &Pack, options: &AgentKeepArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let (folder, shown) = (RunFolder::new(&options.run), options.run.display());
    let head = folder.head()?.ok_or_else(|| usage(format!("{shown} holds no run")))?;
    if head.origin == Origin::Submitted {
        return Err(usage(format!("{shown} was handed in, and nobody saw it happen: it is not kept")));
    }
    let transcripts = folder.transcripts()?;
    // Graded here and now: a report that lies in the folder may say anything.
    let report = Report::of(pack, head, &transcripts)
        .map_err(|error| usage(format!("the transcripts in {shown} cannot be graded: {error}")))?;
    let graded: BTreeSet<&str> = report.tests.iter().flat_map(|test| &test.trials).map(|one| &*one.trial).collect();
    let trials: Vec<KeptAgentTrial> = transcripts
        .iter()
        .map(|one| KeptAgentTrial { trial: one.head.trial.to_string(), transcript: one.to_text() })
        .collect();
    if trials.is_empty() {
        return Err(usage(format!("{shown} holds no trial")));
    }
    if let Some(odd) = trials.iter().find(|one| !graded.contains(one.trial.as_str())) {
        return Err(usage(format!("{shown} holds a trial that its run did not ask for: {}", odd.trial)));
    }
    let (name, at, count) = (report.run_name(), now(global), trials.len() as u64);
    let (of, document) = (name.clone(), serde_json::to_value(&report)?);
    let is_new = super::super::decide(global, &options.waiting, move |decisions| {
        decisions.keep_agent_run((&of, at), &document, &trials)
    })?;
    let trials = escape::count(count, "trial");
    match is_new {
        true => out.line(format_args!(
            "{name}: kept with {trials}; `capdex agent-scan publish {name}` lets exports carry it"
        ))?,
        false => out.line(format_args!("{name}: was kept before, with {trials}"))?,
    }
    Ok(Exit::Done)
}

pub(super) fn kept(global: &Global, options: &AgentKeptArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let reader = super::super::reader(global)?;
    if let Some(name) = &options.run {
        let run = agent_runs::of(&reader, name)?.ok_or_else(|| usage(no_run(name)))?;
        return shown(&run.report, &options.report, out);
    }
    if !options.report.fail_on.is_empty() {
        return Err(usage("--fail-on is about one run: name it"));
    }
    let runs = agent_runs::all(&reader)?;
    let format = match options.report.format {
        AgentFormat::Table => ListFormat::Table,
        AgentFormat::Json => ListFormat::Json,
        _ => return Err(usage("the list of runs has --format table and json; name a run for its report")),
    };
    let item = |run: &AgentRun| {
        let Report { run: head, score, .. } = &run.report;
        json!({ "run": run.name, "kept": run.kept, "is_published": run.is_published, "agent": head.agent,
                "pack": head.pack, "pack_version": head.version, "score": score.value, "grade": score.grade,
                "observed": score.penalties.len(), "trials": run.trials.len() })
    };
    let items: Vec<_> = runs.iter().map(item).collect();
    list_output::print(format, LIST_SCHEMA, &items, out, |out| list(&runs, out))?;
    Ok(Exit::Done)
}

fn list(runs: &[AgentRun], out: &mut Out) -> anyhow::Result<()> {
    if runs.is_empty() {
        return Ok(out.line("No run was kept; `capdex agent-scan keep DIR` keeps one")?);
    }
    let mut table = summary::table();
    table.set_header(["run", "kept", "agent", "pack", "observed", "score", "published"]);
    for run in runs {
        let score = &run.report.score;
        table.add_row([
            run.name.clone(),
            run.kept.to_string(),
            escape::escape(&run.report.run.agent).into_owned(),
            run.report.pack_name(),
            format!("{} of {}", score.penalties.len(), run.report.tests.len()),
            score.value.map_or_else(|| "-".to_owned(), |value| value.to_string()),
            if run.is_published { "yes" } else { "no" }.to_owned(),
        ]);
    }
    Ok(out.line(table)?)
}

fn no_run(name: &str) -> String {
    format!("there is no run {name:?}; `capdex agent-scan kept` lists them")
}

pub(super) fn publish(global: &Global, options: &AgentPublishArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let reader = super::super::reader(global)?;
    if reader.agent_runs()?.iter().all(|run| run.name != options.run) {
        return Err(usage(no_run(&options.run)));
    }
    let (name, at, is_published) = (options.run.clone(), now(global), !options.withdraw);
    let of = name.clone();
    let is_new = super::super::decide(global, &options.waiting, move |decisions| {
        decisions.publish_agent_run(&of, is_published, at)
    })?;
    let said = match (is_published, is_new) {
        (true, true) => "the next export carries its verdicts and the digests of its transcripts",
        (true, false) => "was published before",
        (false, true) => "no further export carries it; copies of before stay with whoever has them",
        (false, false) => "was not published",
    };
    out.line(format_args!("{name}: {said}"))?;
    Ok(Exit::Done)
}
