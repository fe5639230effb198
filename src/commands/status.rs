//! `capdex status`: sources, coverage, queue, gaps and the last runs.

use capdex_db::Reader;
use serde_json::{Value, json};

use crate::cli::{Global, ListFormat, Status};
use crate::exit::Exit;
use crate::output::{self, Out};

/// Runs and gaps shown in the table; JSON shows all gaps.
const SHOWN: usize = 10;

pub(super) fn run(global: &Global, options: &Status, out: &mut Out) -> anyhow::Result<Exit> {
    let reader = super::reader(global)?;
    let status = collect(&reader)?;
    match options.format {
        ListFormat::Table => print(&status, out)?,
        ListFormat::Json => out.line(serde_json::to_string_pretty(&status)?)?,
        ListFormat::Jsonl => out.line(&status)?,
    }
    Ok(Exit::Done)
}

fn collect(reader: &Reader) -> anyhow::Result<Value> {
    let mut sources = Vec::new();
    for state in reader.source_states()? {
        let listings = reader.listings(Some(&state.id))?;
        let held = listings.iter().filter(|listing| listing.state == capdex_db::ListingState::Active).count();
        sources.push(json!({
            "id": state.id,
            "cursor": state.cursor,
            "last_complete": state.last_completed,
            "listings": listings.len(),
            "active": held,
        }));
    }
    let queue: Vec<Value> = reader
        .queue_counts()?
        .into_iter()
        .map(|((kind, state), jobs)| json!({ "kind": kind, "state": state, "jobs": jobs }))
        .collect();
    let gaps: Vec<Value> = reader
        .gaps(true)?
        .into_iter()
        .map(|row| {
            json!({ "stage": row.stage, "listing": row.subject, "subject": row.gap.subject,
                    "reason": row.gap.reason, "detail": row.gap.detail, "first_seen": row.first_seen })
        })
        .collect();
    let runs: Vec<Value> = reader
        .runs(SHOWN)?
        .into_iter()
        .map(|run| {
            json!({ "run": run.id.0, "command": run.command, "as_of": run.as_of, "status": run.status.map_or("running", capdex_db::RunStatus::as_str),
                    "started": run.started, "finished": run.finished, "summary": run.summary })
        })
        .collect();
    let totals = reader.totals()?;
    Ok(json!({
        "schema": "capdex.status/1",
        "sources": sources,
        "totals": { "listings": totals.listings, "snapshots": totals.snapshots, "blobs": totals.blobs,
                    "stored_bytes": totals.stored_bytes, "capabilities": totals.capabilities,
                    "facts": totals.facts, "scores": totals.scores },
        "queue": queue,
        "gaps": gaps,
        "runs": runs,
    }))
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or("-")
}

fn rows<'a>(status: &'a Value, key: &str) -> &'a [Value] {
    status.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn print(status: &Value, out: &mut Out) -> anyhow::Result<()> {
    for source in rows(status, "sources") {
        let number = |key: &str| source.get(key).and_then(Value::as_u64).unwrap_or(0);
        out.line(format_args!(
            "source {}: {} of {} active, last complete walk {}",
            text(source, "id"),
            number("active"),
            output::count(number("listings"), "listing"),
            text(source, "last_complete")
        ))?;
    }
    if let Some(totals) = status.get("totals") {
        let number = |key: &str| totals.get(key).and_then(Value::as_u64).unwrap_or(0);
        out.line(format_args!(
            "store: {}, {}, {} ({}), {}",
            output::count(number("capabilities"), "capability"),
            output::count(number("snapshots"), "snapshot"),
            output::count(number("blobs"), "blob"),
            output::bytes(number("stored_bytes")),
            output::count(number("scores"), "score")
        ))?;
    }
    for row in rows(status, "queue") {
        let jobs = row.get("jobs").and_then(Value::as_u64).unwrap_or(0);
        out.line(format_args!("queue: {} {} {}", text(row, "kind"), text(row, "state"), jobs))?;
    }
    let gaps = rows(status, "gaps");
    for gap in gaps.iter().take(SHOWN) {
        out.line(format_args!(
            "gap: {} {} — {} ({})",
            text(gap, "stage"),
            output::escape(text(gap, "listing")),
            text(gap, "reason"),
            output::escape(text(gap, "detail"))
        ))?;
    }
    if gaps.len() > SHOWN {
        out.line(format_args!("… and {} more gaps (--format json shows all)", gaps.len() - SHOWN))?;
    }
    for run in rows(status, "runs") {
        let number = run.get("run").and_then(Value::as_i64).unwrap_or(0);
        out.line(format_args!(
            "run {number}: {} as of {}: {} (finished {})",
            text(run, "command"),
            text(run, "as_of"),
            text(run, "status"),
            text(run, "finished")
        ))?;
    }
    Ok(())
}
