//! `capdex drift`: what changed, from the store.

use capdex_core::passes::drift::Change;
use capdex_core::time::AsOf;
use capdex_db::{DriftEvent, Reader};
use serde_json::json;

use super::listed;
use crate::cli::{Drift, Global};
use crate::exit::{Exit, usage};
use crate::output::{self, Out};

/// Changes shown for one event in the table; the other formats show all.
const CHANGES: usize = 12;

pub(super) fn run(global: &Global, options: &Drift, out: &mut Out) -> anyhow::Result<Exit> {
    let reader = super::reader(global)?;
    let since = options.since.as_deref().map(|text| since(&reader, text)).transpose()?;
    let events = reader.drift_events(since)?;
    let items: Vec<_> = events.iter().map(to_json).collect();
    listed::print(options.format, "capdex.drift/1", &items, out, |out| table(&events, out))?;
    Ok(Exit::Done)
}

/// A run's number, an RFC 3339 instant, or a date.
pub(super) fn since(reader: &Reader, text: &str) -> anyhow::Result<AsOf> {
    if let Ok(number) = text.parse::<i64>() {
        let runs = reader.runs(usize::MAX)?;
        let run = runs.iter().find(|run| run.id.0 == number);
        return run.map(|run| run.as_of).ok_or_else(|| usage(format!("there is no run {number}")));
    }
    let instant = if text.contains('T') { text.to_owned() } else { format!("{text}T00:00:00Z") };
    instant.parse().map_err(|_| usage(format!("{text:?} is neither a run's number nor a date such as 2026-11-21")))
}

fn to_json(event: &DriftEvent) -> serde_json::Value {
    json!({
        "schema": "capdex.drift/1",
        "slug": event.slug,
        "capability": event.capability.to_string(),
        "kind": event.kind.as_str(),
        "from_sha256": event.from.map(|digest| digest.hex()),
        "to_sha256": event.to.map(|digest| digest.hex()),
        "from_version": event.from_version,
        "to_version": event.to_version,
        "as_of": event.at,
        "changes": event.changes,
    })
}

fn table(events: &[DriftEvent], out: &mut Out) -> anyhow::Result<()> {
    if events.is_empty() {
        out.line("No drift: nothing that was seen twice has changed.")?;
    }
    for event in events {
        let version = |version: &Option<String>| version.clone().unwrap_or_else(|| "-".into());
        out.line(format_args!(
            "{}  {}  {}  {} -> {}",
            event.at,
            event.kind.as_str(),
            output::escape(&event.slug),
            output::escape(&version(&event.from_version)),
            output::escape(&version(&event.to_version)),
        ))?;
        for Change { what, part, subject } in event.changes.iter().take(CHANGES) {
            out.line(format_args!("    {what} {part} {}", output::escape(subject)))?;
        }
        let more = event.changes.len().saturating_sub(CHANGES);
        if more > 0 {
            out.line(format_args!("    … and {more} more (--format jsonl shows all)"))?;
        }
    }
    Ok(())
}
