//! `capdex status`: sources, coverage, queue, gaps and the last runs.

use capdex_dataset::escape;
use capdex_model::time::Timestamp;

use crate::cli::{ListFormat, StatusArgs};
use crate::exit::Exit;
use crate::options::Global;
use crate::output::Out;
use capdex_dataset::views::ledger::{SourceReport, WalkReport};
use capdex_dataset::views::status::{
    GapView, NotifierView, RunView, ScheduleView, SourceStatusView, StatusView, TotalsView,
};

/// Gaps shown in the table; JSON shows all.
const SHOWN: usize = 10;

pub(super) fn run(global: &Global, options: &StatusArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let status = StatusView::of(&super::reader(global)?)?;
    match options.format {
        ListFormat::Table => print(&status, out)?,
        ListFormat::Json => out.json_pretty(&status)?,
        ListFormat::Jsonl => out.json(&status)?,
    }
    Ok(Exit::Done)
}

fn print(status: &StatusView, out: &mut Out) -> anyhow::Result<()> {
    status.sources.iter().try_for_each(|source| print_source(source, out))?;
    print_totals(&status.totals, out)?;
    for row in &status.queue {
        out.line(format_args!("queue: {} {} {}", row.kind, row.state, row.jobs))?;
    }
    print_gaps(&status.gaps, out)?;
    status.alerts.sinks.iter().flatten().try_for_each(|sink| print_notifier(sink, out))?;
    status.daemon.iter().try_for_each(|schedule| print_schedule(schedule, out))?;
    status.runs.iter().try_for_each(|run| print_run(run, out))
}

/// A line about a source, and one about its last walk.
fn print_source(source: &SourceStatusView, out: &mut Out) -> anyhow::Result<()> {
    let (outcome, report) = source.last();
    // A skipped source has no figures, and zeros would read as an empty directory.
    if let Some(SourceReport::Skipped { detail }) = report {
        out.line(format_args!("source {}: skipped, {detail}", source.id()))?;
        return Ok(());
    }
    let (active, listings, held, last_complete) = match source {
        SourceStatusView::Asked(asked) => (asked.active, asked.listings, asked.held, asked.last_complete),
        SourceStatusView::NeverAsked(_) => (0, 0, 0, None),
    };
    out.line(format_args!(
        "source {}: {active} of {} active, last complete walk {}",
        source.id(),
        escape::count(listings, "listing"),
        last_complete.map_or_else(dash, |at| at.to_string())
    ))?;
    if let Some(SourceReport::Walked(walk)) = report {
        print_walk(outcome.unwrap_or("-"), walk, out)?;
    }
    if held > 0 {
        out.line(format_args!(
            "  {} missing and held back: look why, then `capdex sources accept-removals {}`",
            escape::count(held, "listing"),
            source.id()
        ))?;
    }
    Ok(())
}

fn print_walk(outcome: &str, walk: &WalkReport, out: &mut Out) -> anyhow::Result<()> {
    // An error explains more than the reason for which the walk stopped.
    let why = walk.error.as_deref().or(walk.stopped.as_deref());
    out.line(format_args!(
        "  last walk ({}) {outcome}: {} on {}, {} new, {} changed, {} gone, {} failed; {} ({} not modified), {}{}",
        walk.mode,
        escape::count(walk.listed, "entry"),
        escape::count(walk.pages, "page"),
        walk.new,
        walk.changed,
        walk.gone,
        walk.failed,
        escape::count(walk.requests, "request"),
        walk.not_modified,
        escape::bytes(walk.bytes),
        why.map_or_else(String::new, |why| format!(" — {}", escape::escape(why)))
    ))?;
    Ok(())
}

fn print_totals(totals: &TotalsView, out: &mut Out) -> anyhow::Result<()> {
    out.line(format_args!(
        "store: {}, {}, {} ({}), {}",
        escape::count(totals.capabilities, "capability"),
        escape::count(totals.snapshots, "snapshot"),
        escape::count(totals.blobs, "blob"),
        escape::bytes(totals.stored_bytes),
        escape::count(totals.scores, "score")
    ))?;
    Ok(())
}

fn print_gaps(gaps: &[GapView], out: &mut Out) -> anyhow::Result<()> {
    for gap in gaps.iter().take(SHOWN) {
        out.line(format_args!(
            "gap: {} {} — {} ({})",
            gap.stage,
            escape::escape(&gap.listing),
            gap.reason.as_str(),
            escape::escape(&gap.detail)
        ))?;
    }
    if gaps.len() > SHOWN {
        out.line(format_args!("… and {} more gaps (--format json shows all)", gaps.len() - SHOWN))?;
    }
    Ok(())
}

fn print_notifier(sink: &NotifierView, out: &mut Out) -> anyhow::Result<()> {
    let failing = match sink.failures {
        0 => String::new(),
        failures => format!(
            "; {} in a row, not tried before {} — {}",
            escape::count(u64::from(failures), "failure"),
            instant(sink.next_try),
            escape::escape(sink.error.as_deref().unwrap_or("-"))
        ),
    };
    out.line(format_args!(
        "sink {}: {} sent, {} waiting{failing}",
        sink.sink,
        escape::count(sink.sent, "message"),
        sink.waiting
    ))?;
    Ok(())
}

fn print_schedule(schedule: &ScheduleView, out: &mut Out) -> anyhow::Result<()> {
    let last = schedule
        .last
        .as_ref()
        .map_or_else(|| "not due yet".to_owned(), |last| format!("last due {}: {}", last.due, last.outcome));
    out.line(format_args!("daemon: {} ({} UTC), {last}", escape::escape(&schedule.schedule), schedule.cron))?;
    Ok(())
}

/// A line about a run, and one with the time that each of its stages took.
fn print_run(run: &RunView, out: &mut Out) -> anyhow::Result<()> {
    out.line(format_args!(
        "run {}: {} as of {}: {} (finished {})",
        run.run,
        run.command.as_deref().unwrap_or("-"),
        run.as_of,
        run.status,
        instant(run.finished)
    ))?;
    if let Some(first) = run.stages.first() {
        let took: Vec<String> =
            run.stages.iter().map(|stage| format!("{} {:.1} s", stage.stage, stage.seconds)).collect();
        out.line(format_args!("  from {}: {}", first.began, took.join(", ")))?;
    }
    Ok(())
}

fn instant(at: Option<Timestamp>) -> String {
    at.map_or_else(dash, |at| at.to_string())
}

fn dash() -> String {
    "-".to_owned()
}
