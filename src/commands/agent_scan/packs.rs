//! `capdex agent-scan packs` and `compare`: what can be played, and two reports side by side.

use capdex_agent_scan::Interval;
use capdex_agent_scan::compare::{self, Comparison, TestChange};
use capdex_agent_scan::pack::{AgentTest, Pack};
use serde_json::{Value, json};

use crate::agent_runs::run::{WithProgram, read_report};
use crate::cli::{AgentCompareArgs, AgentPacksArgs, ListFormat};
use crate::exit::{Exit, usage};
use crate::output::Out;

pub(super) fn list(pack: &Pack, options: &AgentPacksArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let item = |test: &AgentTest| {
        json!({
            "number": test.number, "id": test.id, "title": test.title, "family": test.family, "severity": test.severity,
            "owasp": test.owasp, "atlas": test.atlas, "saferskills": test.saferskills, "transports": test.transports,
            "servers": test.server.iter().map(|server| &server.name).collect::<Vec<_>>(), "turns": test.turn.len(),
        })
    };
    let items: Vec<Value> = pack.tests.iter().map(item).collect();
    match options.format {
        ListFormat::Json => out.json_pretty(&WithProgram::of(&json!({
            "schema": "capdex.agent-packs/1", "id": pack.head.id, "version": pack.head.version, "title": pack.head.title,
            "sha256": pack.digest, "min_trials": pack.head.min_trials, "items": items,
        })))?,
        ListFormat::Jsonl => items.iter().try_for_each(|item| out.json(item))?,
        ListFormat::Table => {
            out.line(format_args!("{} {}: {}", pack.head.id, pack.head.version, pack.head.title))?;
            for test in &pack.tests {
                let severity = test.severity.as_str();
                out.line(format_args!("{:02} {:22} {severity:9} {}", test.number, test.id, test.title))?;
            }
        }
    }
    Ok(Exit::Done)
}

pub(super) fn compare(options: &AgentCompareArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let (before, after) = (read_report(&options.before)?, read_report(&options.after)?);
    let comparison = compare::compare(&before, &after).map_err(usage)?;
    match options.format {
        ListFormat::Json => out.json_pretty(&WithProgram::of(&comparison))?,
        ListFormat::Jsonl => comparison.tests.iter().try_for_each(|test| out.json(test))?,
        ListFormat::Table => table(&comparison, out)?,
    }
    Ok(Exit::Done)
}

fn table(comparison: &Comparison, out: &mut Out) -> anyhow::Result<()> {
    let [before, after] =
        comparison.scores.map(|score| score.map_or_else(|| "n/a".to_owned(), |value| value.to_string()));
    out.line(format_args!("{}: score {before} before, {after} after", comparison.pack))?;
    let rate = |interval: Option<Interval>| match interval {
        Some(Interval { low, high }) => format!("{:.0}-{:.0} %", low * 100.0, high * 100.0),
        None => "-".to_owned(),
    };
    for TestChange { id, verdicts, intervals, is_changed, .. } in &comparison.tests {
        let [old, new] = verdicts.map(|verdict| verdict.as_str());
        let [low, high] = intervals.map(rate);
        let word = if *is_changed { "changed" } else { "" };
        out.line(format_args!("{id:22} {old:14} {low:10} {new:14} {high:10} {word}"))?;
    }
    Ok(())
}
