//! `capdex nightly`: the main job.

use capdex_dataset::escape;
use capdex_db::Reader;
use capdex_model::time::AsOf;

use super::{alerts, summary};
use crate::cli::NightlyArgs;
use crate::clock;
use crate::config::Schedule;
use crate::exit::Exit;
use crate::jobs::{plan, run as jobs};
use crate::options::Global;
use crate::output::Out;

pub(super) fn run(global: &Global, options: &NightlyArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let schedule = Schedule::load(options.config.as_deref())?;
    if options.plan {
        return print_plan(global, &schedule, out);
    }
    let context = jobs::open(global, &schedule, &options.recording)?;
    let report = jobs::whole(&context, &schedule.name, jobs::Last::Export(options.out.clone()))?;
    // The run is over: its lock and its pool are given back before anything is printed.
    drop(context);
    summary::print_ranked(&report, out)?;
    summary::print_report(&report, out)?;
    if let Some(as_of) = report.written.as_ref().map(|written| written.as_of) {
        alerts::print_new(&Reader::open(&global.db, &capdex_rules::INDEX)?, &report.alerts, as_of, out)?;
    }
    if let Some(written) = &report.written {
        out.line(format_args!(
            "Dataset: {} ({} in {} files, {}). Next: capdex explain {} · capdex verify {0}",
            options.out.display(),
            escape::count(written.capabilities, "capability"),
            written.files,
            escape::bytes(written.bytes),
            summary::first_name(written).unwrap_or_else(|| "CAPABILITY".to_owned())
        ))?;
    }
    Ok(exit_of(&report))
}

/// The exit code of a run.
pub(super) fn exit_of(report: &jobs::RunReport) -> Exit {
    // An interruption comes first: what is incomplete follows from it.
    if report.interrupted { Exit::Interrupted } else { Exit::of(false, report.is_incomplete()) }
}

/// Prints what a run would cost, and sends nothing.
pub(super) fn print_plan(global: &Global, schedule: &Schedule, out: &mut Out) -> anyhow::Result<Exit> {
    // Resolved without an instant, because a plan sends nothing that would need jitter.
    let resolved = schedule.resolve(0)?;
    let at = global.as_of.unwrap_or_else(|| AsOf(clock::now()));
    let plans = plan::plan(&global.db, &resolved.sources, at)?;
    for plan in &plans {
        // Unknown is told as unknown; a guess would be taken for a promise.
        let Some(listings) = plan.listings else {
            out.line(format_args!(
                "{}: the directory at {} was never walked to its end, so its size is not known",
                plan.source,
                escape::escape(&plan.base_url)
            ))?;
            continue;
        };
        out.line(format_args!(
            "{}: {} at {}, at most {} to fetch, about {} and {:.0} s",
            plan.source,
            escape::count(listings, "listing"),
            escape::escape(&plan.base_url),
            escape::count(plan.artifacts, "artifact"),
            escape::bytes(plan.bytes),
            plan.seconds.ceil()
        ))?;
    }
    for (id, reason) in &resolved.skipped {
        out.line(format_args!("{id}: skipped, {reason}"))?;
    }
    out.line(format_args!(
        "Together about {} and {}. Nothing was sent.",
        escape::count(plans.iter().filter_map(|plan| plan.requests).sum(), "request"),
        escape::bytes(plans.iter().map(|plan| plan.bytes).sum())
    ))?;
    Ok(Exit::Done)
}
