//! `capdex nightly`: the main job.

use capdex_crawlers::http::HttpSettings;
use capdex_dataset::escape;
use capdex_db::Reader;
use capdex_model::time::AsOf;

use super::summary::SummaryOf;
use super::{alerts, summary};
use crate::cli::NightlyArgs;
use crate::clock;
use crate::config::Schedule;
use crate::exit::Exit;
use crate::jobs::plan::{self, SourcePlan};
use crate::jobs::run as jobs;
use crate::options::Global;
use crate::output::{self, Out};

pub(super) fn run(global: &Global, options: &NightlyArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let schedule = Schedule::load(options.config.as_deref())?;
    if options.plan {
        return print_plan(global, &schedule, out);
    }
    let mut context = jobs::open(global, &schedule, &options.recording)?;
    context.gaps.is_strict = options.strict;
    let report = jobs::whole(&context, &schedule.name, jobs::Last::Export(options.out.clone()))?;
    // The run is over: its lock and its pool are given back before anything is printed.
    drop(context);
    summary::print_report(&report, out)?;
    if let Some(written) = &report.written {
        summary::print_ranks(SummaryOf::Dataset, &written.summary, out)?;
    }
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
            summary::first_name(&written.summary.top_rows).unwrap_or_else(|| "CAPABILITY".to_owned())
        ))?;
    }
    Ok(exit_of(&report))
}

/// The exit code of a run. Says on standard error, in one line, why it counts as incomplete.
pub(super) fn exit_of(report: &jobs::RunReport) -> Exit {
    // An interruption comes first: what is incomplete follows from it.
    if report.interrupted {
        return Exit::Interrupted;
    }
    if report.is_incomplete() {
        let why = report.shortfalls.join("; ");
        output::say(format_args!("capdex: incomplete: {} (`capdex status` tells more)", escape::escape(&why)));
    }
    Exit::of(false, report.is_incomplete())
}

/// Prints what a run would cost, and sends nothing.
pub(super) fn print_plan(global: &Global, schedule: &Schedule, out: &mut Out) -> anyhow::Result<Exit> {
    // Resolved without an instant, because a plan sends nothing that would need jitter.
    let resolved = schedule.resolve(0)?;
    let at = global.as_of.unwrap_or_else(|| AsOf(clock::now()));
    let plans = plan::plan(&global.db, &resolved.sources, at)?;
    for plan in &plans {
        let source = &plan.source;
        // Sources that read files of this machine, and those whose items are addresses themselves, have no address of their own.
        let address = match &*plan.base_url {
            "" => String::new(),
            url => format!(" at {}", escape::escape(url)),
        };
        let pace = format!("{}{}", pace(&resolved.http, &plan.base_url), nights(plan));
        // Unknown is told as unknown; a guess would be taken for a promise.
        let Some(listings) = plan.listings else {
            out.line(format_args!(
                "{source}: the directory{address} was never walked to its end, so its size is not known; {pace}"
            ))?;
            continue;
        };
        let listings = escape::count(listings, "listing");
        if plan.requests == Some(0) {
            out.line(format_args!("{source}: {listings}{address}, no request"))?;
            continue;
        }
        out.line(format_args!(
            "{source}: {listings}{address}, at most {} to fetch, about {} and {:.0} s; {pace}",
            escape::count(plan.artifacts, "artifact"),
            escape::bytes(plan.bytes),
            plan.seconds.ceil()
        ))?;
    }
    for (id, reason) in &resolved.skipped {
        out.line(format_args!("{id}: skipped, {reason}"))?;
    }
    out.line(together(&plans))?;
    Ok(Exit::Done)
}

/// The sum of a plan. What is not known is no part of it, and is said.
fn together(plans: &[SourcePlan]) -> String {
    let unknown = plans.iter().filter(|plan| plan.requests.is_none()).count();
    let known = format!(
        "about {} and {}",
        escape::count(plans.iter().filter_map(|plan| plan.requests).sum(), "request"),
        escape::bytes(plans.iter().map(|plan| plan.bytes).sum())
    );
    let of_unknown = || {
        let sources = escape::count(unknown as u64, "source");
        format!("{sources} whose size nobody knows before the first walk; `capdex status` tells it afterwards")
    };
    match unknown {
        0 => format!("Together {known}. Nothing was sent."),
        _ if unknown == plans.len() => format!("Together not known: {}. Nothing was sent.", of_unknown()),
        _ => format!("Together {known}, and {}. Nothing was sent.", of_unknown()),
    }
}

/// The nights that a source takes within its budget of requests; nothing where it has none.
fn nights(plan: &SourcePlan) -> String {
    let Some(budget) = plan.max_requests else { return String::new() };
    let budget = escape::count(budget, "request");
    match plan.runs() {
        Some(runs) => format!("; with {budget} a night about {}", escape::count(runs, "night")),
        None => format!("; with {budget} a night, and in how many nights is not known"),
    }
}

/// The fastest that the host of an address is asked.
fn pace(http: &HttpSettings, base_url: &str) -> String {
    let of_host = http.rate_limits.iter().rev().find(|(address, _)| !base_url.is_empty() && address == base_url);
    match of_host {
        Some((_, limit)) => format!("at most {} a minute", escape::count(u64::from(limit.per_minute), "request")),
        None => {
            let requests = escape::count(u64::from(http.requests_per_second), "request");
            format!("at most {requests} a second to one host")
        }
    }
}
