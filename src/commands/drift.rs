//! `capdex drift`: what changed, from the store.

use super::list_output;
use crate::cli::{DriftArgs, ListFormat};
use crate::config::Schedule;
use crate::exit::{Exit, usage};
use crate::instant;
use crate::jobs::{JobContext, run as jobs};
use crate::options::{Global, RecordingArgs};
use crate::output::{self, Out};
use capdex_dataset::escape;
use capdex_dataset::export::ranked_capability;
use capdex_dataset::views::drift::{ChangeView, DriftView, SCHEMA};
use capdex_db::Reader;
use capdex_model::time::AsOf;

/// Changes shown for one event in the table; the other formats show all.
const CHANGES: usize = 12;
/// Effects shown likewise.
const EFFECTS: usize = 8;
/// Lines of a diff shown likewise.
const LINES: usize = 24;

pub(super) fn run(global: &Global, options: &DriftArgs, out: &mut Out) -> anyhow::Result<Exit> {
    // Before the events are read, so that what the re-hash found is among them.
    let exit = if options.rehash { rehash(global, options, out)? } else { Exit::Done };
    let reader = super::reader(global)?;
    let since = options.since.as_deref().map(|text| since(global, &reader, text)).transpose()?;
    let events = reader.drift_events(since)?;
    let events: Vec<DriftView<'_>> = events.iter().map(DriftView::of).collect();
    list_output::print(options.format, SCHEMA, &events, out, |out| table(&events, out))?;
    Ok(exit)
}

/// Fetches and hashes again everything that claims to be unchanged, and compares what came.
fn rehash(global: &Global, options: &DriftArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let schedule = Schedule::load(options.config.as_deref())?;
    // No validators and no watermarks: a host that lies about being unchanged is what this looks for.
    let context = JobContext { ignore_validators: true, ..jobs::open(global, &schedule, &RecordingArgs::default())? };
    let report = jobs::rehash(&context)?;
    // Other formats are read by programs, which want nothing but items.
    if options.format == ListFormat::Table {
        out.line(format_args!(
            "Fetched and hashed again: {}, {} not as before, {} could not be fetched.",
            escape::count(report.items, "artifact"),
            report.done,
            report.failed
        ))?;
    }
    Ok(if context.stop.is_asked() { Exit::Interrupted } else { Exit::of(false, report.failed > 0) })
}

/// A run's number, an RFC 3339 instant, a date, or days before the last run.
pub(super) fn since(global: &Global, reader: &Reader, text: &str) -> anyhow::Result<AsOf> {
    // A run's number first: no date is a bare number.
    if let Ok(number) = text.parse::<i64>() {
        let runs = reader.runs(usize::MAX)?;
        let run = runs.iter().find(|run| run.id.0 == number);
        return run.map(|run| run.as_of).ok_or_else(|| usage(format!("there is no run {number}")));
    }
    let instant = instant::since(text, ranked_capability::as_of(global.as_of, reader)?);
    let wanted = "write a run's number, a date such as 2026-11-21, yesterday, or 7d";
    instant.map(AsOf).ok_or_else(|| usage(format!("{text:?} says no time: {wanted}")))
}

fn table(events: &[DriftView<'_>], out: &mut Out) -> anyhow::Result<()> {
    if events.is_empty() {
        out.line("No drift: nothing that was seen twice has changed.")?;
    }
    events.iter().try_for_each(|event| entry(event, out))
}

fn entry(event: &DriftView<'_>, out: &mut Out) -> anyhow::Result<()> {
    let severity = output::styled(output::severity_style(event.severity), event.severity.as_str());
    out.line(format_args!(
        "{}  {}  {} ({}) {severity}  {}  {} -> {}, version moved: {}",
        event.as_of,
        event.kind.as_str(),
        event.class.as_str(),
        event.class.name(),
        escape::escape(event.slug),
        escape::escape(event.from_version.unwrap_or("-")),
        escape::escape(event.to_version.unwrap_or("-")),
        event.moved.as_str(),
    ))?;
    for effect in event.effects.iter().take(EFFECTS) {
        let detail = if effect.detail.is_empty() { String::new() } else { format!(": {}", effect.detail) };
        out.line(format_args!(
            "    {} {}  {}",
            effect.kind,
            escape::escape(effect.subject),
            escape::escape(&format!("{}{detail}", effect.kind.title()))
        ))?;
    }
    for ChangeView { part, subject, what } in event.changes.iter().take(CHANGES) {
        out.line(format_args!("    {what} {part} {}", escape::escape(subject)))?;
    }
    for score in &event.scores {
        let (before, after) = (score.before.unwrap_or("none"), score.after.unwrap_or("none"));
        out.line(format_args!("    score {}: {before} -> {after}", score.rubric))?;
    }
    for line in event.diff.iter().take(LINES) {
        out.line(format_args!("    | {}", escape::escape(line)))?;
    }
    // One sum for all three lists, because the reader only needs to know that there is more.
    let more = event.changes.len().saturating_sub(CHANGES)
        + event.effects.len().saturating_sub(EFFECTS)
        + event.diff.len().saturating_sub(LINES);
    if more > 0 {
        out.line(format_args!("    … and {more} more (--format jsonl shows all)"))?;
    }
    Ok(())
}
