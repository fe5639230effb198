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
        ListFormat::Json => out.json_pretty(&status)?,
        ListFormat::Jsonl => out.line(&status)?,
    }
    Ok(Exit::Done)
}

/// The status as the formats and the service give it.
pub(crate) fn collect(reader: &Reader) -> anyhow::Result<Value> {
    let mut sources = Vec::new();
    let walks = reader.last_walks()?;
    let walk_of = |id: &str| walks.iter().find(|walk| walk.source == id);
    for state in reader.source_states()? {
        let (active, listings) = reader.listing_counts(&state.id)?;
        let walk = walk_of(&state.id);
        sources.push(json!({
            "id": state.id,
            "cursor": state.cursor,
            "watermark": state.watermark,
            "last_complete": state.last_completed,
            "last_whole": state.last_whole,
            "listings": listings,
            "active": active,
            "held": state.held,
            "last_outcome": walk.map(|walk| walk.outcome.as_str()),
            "last_walk": walk.map(|walk| &walk.report),
        }));
    }
    let never_asked = walks.iter().filter(|walk| sources.iter().all(|source| text(source, "id") != walk.source));
    let never_asked: Vec<Value> = never_asked
        .map(|walk| json!({ "id": walk.source, "last_outcome": walk.outcome.as_str(), "last_walk": walk.report }))
        .collect();
    sources.extend(never_asked);
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
    let sinks: Vec<Value> = reader
        .sink_states()?
        .into_iter()
        .map(|sink| {
            json!({ "sink": sink.name, "waiting": sink.queued, "sent": sink.sent, "failures": sink.failures,
                    "next_try": (sink.failures > 0).then_some(sink.next_try), "error": sink.error })
        })
        .collect();
    let mut daemon = Vec::new();
    for (name, cron) in reader.timetable()? {
        let last = reader.last_due(&name)?.map(|run| {
            json!({ "due": run.due, "missed_before": run.missed, "tries": run.tries, "started": run.started,
                    "finished": run.finished, "outcome": run.outcome.map_or("open", capdex_db::DueOutcome::as_str) })
        });
        daemon.push(json!({ "schedule": name, "cron": cron, "last": last }));
    }
    let totals = reader.totals()?;
    Ok(json!({
        "schema": "capdex.status/1",
        "sources": sources,
        "totals": { "listings": totals.listings, "snapshots": totals.snapshots, "blobs": totals.blobs,
                    "stored_bytes": totals.stored_bytes, "capabilities": totals.capabilities,
                    "facts": totals.facts, "scores": totals.scores },
        "queue": queue,
        "gaps": gaps,
        "alerts": { "raised": reader.alert_count()?, "sinks": sinks },
        "daemon": daemon,
        "runs": runs,
    }))
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or("-")
}

fn rows<'a>(status: &'a Value, key: &str) -> &'a [Value] {
    status.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A line about what is known of a source, and one about its last walk.
fn print_source(source: &Value, out: &mut Out) -> anyhow::Result<()> {
    let walk = source.get("last_walk").unwrap_or(&Value::Null);
    if text(source, "last_outcome") == "skipped" {
        out.line(format_args!("source {}: skipped, {}", text(source, "id"), text(walk, "detail")))?;
        return Ok(());
    }
    let number = |value: &Value, key: &str| value.get(key).and_then(Value::as_u64).unwrap_or(0);
    out.line(format_args!(
        "source {}: {} of {} active, last complete walk {}",
        text(source, "id"),
        number(source, "active"),
        output::count(number(source, "listings"), "listing"),
        text(source, "last_complete")
    ))?;
    if walk.is_object() {
        let why = [text(walk, "error"), text(walk, "stopped")].into_iter().find(|why| *why != "-");
        out.line(format_args!(
            "  last walk ({}) {}: {} on {}, {} new, {} changed, {} gone, {} failed; {} ({} not modified), {}{}",
            text(walk, "mode"),
            text(source, "last_outcome"),
            output::count(number(walk, "listed"), "entry"),
            output::count(number(walk, "pages"), "page"),
            number(walk, "new"),
            number(walk, "changed"),
            number(walk, "gone"),
            number(walk, "failed"),
            output::count(number(walk, "requests"), "request"),
            number(walk, "not_modified"),
            output::bytes(number(walk, "bytes")),
            why.map_or_else(String::new, |why| format!(" — {}", output::escape(why)))
        ))?;
    }
    if number(source, "held") > 0 {
        out.line(format_args!(
            "  {} missing and held back: look why, then `capdex confirm {}`",
            output::count(number(source, "held"), "listing"),
            text(source, "id")
        ))?;
    }
    Ok(())
}

fn print(status: &Value, out: &mut Out) -> anyhow::Result<()> {
    for source in rows(status, "sources") {
        print_source(source, out)?;
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
    for sink in status.get("alerts").map_or(&[][..], |alerts| rows(alerts, "sinks")) {
        let number = |key: &str| sink.get(key).and_then(Value::as_u64).unwrap_or(0);
        let failing = match number("failures") {
            0 => String::new(),
            failures => format!(
                "; {} in a row, not tried before {} — {}",
                output::count(failures, "failure"),
                text(sink, "next_try"),
                output::escape(text(sink, "error"))
            ),
        };
        out.line(format_args!(
            "sink {}: {} sent, {} waiting{failing}",
            text(sink, "sink"),
            output::count(number("sent"), "message"),
            number("waiting")
        ))?;
    }
    for row in rows(status, "daemon") {
        let last = row.get("last").filter(|last| last.is_object()).map_or_else(
            || "not due yet".to_owned(),
            |last| format!("last due {}: {}", text(last, "due"), text(last, "outcome")),
        );
        out.line(format_args!(
            "daemon: {} ({} UTC), {last}",
            output::escape(text(row, "schedule")),
            text(row, "cron")
        ))?;
    }
    rows(status, "runs").iter().try_for_each(|run| print_run(run, out))
}

/// A line about a run, and one about how long each of its stages took.
fn print_run(run: &Value, out: &mut Out) -> anyhow::Result<()> {
    let number = run.get("run").and_then(Value::as_i64).unwrap_or(0);
    out.line(format_args!(
        "run {number}: {} as of {}: {} (finished {})",
        text(run, "command"),
        text(run, "as_of"),
        text(run, "status"),
        text(run, "finished")
    ))?;
    let stages = run.get("summary").map_or(&[][..], |summary| rows(summary, "stages"));
    if let Some(first) = stages.first() {
        let seconds = |stage: &Value| stage.get("seconds").and_then(Value::as_f64).unwrap_or(0.0);
        let took: Vec<String> =
            stages.iter().map(|stage| format!("{} {:.1} s", text(stage, "stage"), seconds(stage))).collect();
        out.line(format_args!("  from {}: {}", text(first, "began"), took.join(", ")))?;
    }
    Ok(())
}
