//! `judge estimate` and `judge run`.

use capdex_dataset::escape;
use capdex_db::UnitId;
use serde_json::json;

use super::super::list_output;
use super::{now, settings};
use crate::capability_lookup;
use crate::cli::{JudgeEstimateArgs, JudgeRunArgs};
use crate::exit::{Exit, usage};
use crate::jobs::run::runtime;
use crate::judge_runs::endpoint::JudgeEndpoint;
use crate::judge_runs::estimate::estimate as cost_of;
use crate::judge_runs::prepare::prepare;
use crate::judge_runs::run::{JudgeRun, JudgeRunReport, JudgeScope};
use crate::options::Global;
use crate::output::Out;
use crate::shutdown::{ShutdownFlag, shutdown_requested};

pub(super) fn estimate(global: &Global, options: &JudgeEstimateArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let (settings, _) = settings(&options.schedule)?;
    prepare(&global.db, &settings.kinds)?;
    let reader = super::super::reader(global)?;
    let cost = cost_of(&reader, &settings.to_use())?;
    let price = settings
        .prices
        .map(|prices| (prices.cost(cost.tokens_in, cost.tokens_out), prices.cost(cost.most_in, cost.most_out)));
    let item = json!({
        "schema": "capdex.judge_estimate/1", "units": cost.units, "calls": cost.calls, "tokens_in": cost.tokens_in,
        "tokens_out": cost.tokens_out, "most_in": cost.most_in, "most_out": cost.most_out,
        "cost": price.map(|(about, _)| about), "most_cost": price.map(|(_, most)| most),
    });
    list_output::print(options.format, "capdex.judge_estimate/1", &[item], out, |out| {
        out.line(format_args!(
            "{} of what stands; {} without an answer that counts",
            escape::count(cost.units, "unit"),
            escape::count(cost.calls, "request")
        ))?;
        out.line(format_args!(
            "about {} tokens to {} and {} back; at most {} and {}",
            cost.tokens_in,
            escape::escape(&settings.model.name),
            cost.tokens_out,
            cost.most_in,
            cost.most_out
        ))?;
        match price {
            Some((about, most)) => {
                out.line(format_args!("about {about:.2} at the prices of the schedule, at most {most:.2}"))?
            }
            None => out.line("no price is known: give [judge] price_in and price_out")?,
        }
        out.line("Nothing was sent.")?;
        Ok(())
    })?;
    Ok(Exit::Done)
}

pub(super) fn run(global: &Global, options: &JudgeRunArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let (settings, contact) = settings(&options.schedule)?;
    let endpoint = JudgeEndpoint::open(&settings, &contact)?;
    // Opened first, so that a store that is not there is told before anything else.
    let reader = super::super::reader(global)?;
    prepare(&global.db, &settings.kinds)?;
    let only: Vec<UnitId> = match &options.only {
        None => Vec::new(),
        Some(name) => {
            let current = capability_lookup::find(&reader, name)?;
            let parts = reader.judge_parts(&current.capability.id)?;
            let units: Vec<UnitId> = parts.into_iter().filter_map(|part| Some(part.unit?.0)).collect();
            if units.is_empty() {
                return Err(usage(format!("{} has no tools to ask about", current.capability.slug)));
            }
            units
        }
    };
    let stop = ShutdownFlag::default();
    let runtime = runtime()?;
    let report = runtime.block_on(async {
        let wish = stop.clone();
        tokio::spawn(async move {
            shutdown_requested().await;
            wish.ask();
        });
        let run = JudgeRun { path: &global.db, settings: &settings, at: now(global), stop };
        run.ask(&endpoint, &JudgeScope { only, max_calls: options.max_calls, ..JudgeScope::default() }).await
    })?;
    told(&report, out)?;
    if report.is_interrupted {
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::of(false, !report.unanswered.is_empty()))
}

/// What a run did, in a few lines.
pub(super) fn told(report: &JudgeRunReport, out: &mut Out) -> anyhow::Result<()> {
    out.line(format_args!(
        "{}; {} {} with {}; {} of before",
        escape::count(report.calls, "request"),
        escape::count(report.used, "answer"),
        if report.used == 1 { "counts," } else { "count," },
        escape::count(report.findings, "finding"),
        escape::count(report.known, "answer")
    ))?;
    for (why, count) in &report.unanswered {
        out.line(format_args!("  {count} without an answer that counts: {why}"))?;
    }
    if report.is_broken_off {
        out.line("Too many requests failed in a row; the others wait.")?;
    }
    Ok(())
}
