//! Two nights of a store side by side: what an agent could newly do with what changed between them.
//!
//! The nights compared already, and their events tell it. Nothing is fetched or scanned.

use capdex_corpus::drift::{self, Change, DriftClass, DriftKind, Effect, Newly};
use capdex_dataset::program::{Program, program};
use capdex_db::{DriftEvent, Reader};
use capdex_model::fact::Severity;
use capdex_model::time::{AsOf, Timestamp};
use serde::Serialize;

use super::record::NewlyRecord;
use crate::instant;

/// Letters of a day at the beginning of an instant.
const DAY: usize = 10;

/// The instant up to which a text means the nights of a store: an RFC 3339 instant, or the end of a day. None for a text that says
/// no time.
pub fn end_of(text: &str) -> Option<Timestamp> {
    const DAY_S: i64 = 86_400;
    // A path may be called 7d or yesterday; only what begins with a whole date is one.
    let begins = text.get(..DAY).filter(|day| day.bytes().filter(|byte| *byte == b'-').count() == 2)?;
    instant::parse(begins)?;
    let instant = instant::parse(text)?;
    Some(if text.len() == DAY { Timestamp::from_unix_seconds(instant.unix_seconds() + DAY_S - 1) } else { instant })
}

/// The last night of a store up to an instant; none where there is none yet.
///
/// # Errors
/// Errors of the store.
pub fn night_until(reader: &Reader, end: Timestamp) -> anyhow::Result<Option<AsOf>> {
    let runs = reader.runs(usize::MAX)?;
    Ok(runs.into_iter().filter(|run| run.finished.is_some()).map(|run| run.as_of).filter(|at| at.0 <= end).max())
}

/// What changed after one night, up to another, in the order of the events.
///
/// # Errors
/// Errors of the store.
pub fn between(reader: &Reader, before: AsOf, after: AsOf) -> anyhow::Result<Vec<DriftEvent>> {
    let mut events = reader.drift_events(Some(before))?;
    events.retain(|event| event.at > before && event.at <= after);
    // The gravest first; a stable sort keeps the order of the nights among equals.
    events.sort_by_key(|event| std::cmp::Reverse(event.severity));
    Ok(events)
}

/// What an agent could newly do by an event.
pub fn newly(event: &DriftEvent) -> Vec<(Newly, &Effect)> {
    drift::newly(event.effects.iter())
}

/// The comparison as the object of schema `capdex.diff-nights/1`. Texts come from strangers: escape them where they are shown.
#[derive(Clone, Debug, Serialize)]
pub struct NightsRecord<'a> {
    schema: &'static str,
    /// The program that says so.
    #[serde(flatten)]
    program: &'static Program,
    from: AsOf,
    to: AsOf,
    events: Vec<EventRecord<'a>>,
}

#[derive(Clone, Debug, Serialize)]
struct EventRecord<'a> {
    at: AsOf,
    slug: &'a str,
    from_version: Option<&'a str>,
    to_version: Option<&'a str>,
    kind: DriftKind,
    class: DriftClass,
    severity: Severity,
    newly: Vec<NewlyRecord<'a>>,
    changes: &'a [Change],
    diff: &'a [String],
}

impl<'a> NightsRecord<'a> {
    /// Puts a comparison together.
    pub fn new(from: AsOf, to: AsOf, events: &'a [DriftEvent]) -> Self {
        let events = events.iter().map(|event| EventRecord {
            at: event.at,
            slug: &event.slug,
            from_version: event.from_version.as_deref(),
            to_version: event.to_version.as_deref(),
            kind: event.kind,
            class: event.class,
            severity: event.severity,
            newly: newly(event).into_iter().map(NewlyRecord::of).collect(),
            changes: &event.changes,
            diff: &event.diff,
        });
        Self { schema: "capdex.diff-nights/1", program: program(), from, to, events: events.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_means_its_end_and_a_path_no_time() {
        let end = |text| end_of(text).map(|end| end.to_string());
        assert_eq!(end("2026-11-20").as_deref(), Some("2026-11-20T23:59:59Z"));
        assert_eq!(end("2026-11-20T01:00:00Z").as_deref(), Some("2026-11-20T01:00:00Z"));
        for text in ["7d", "yesterday", "2026-11-20.tgz", "npm:kit@2026-11-20", "./2026-11-20", "20-11-2026x"] {
            assert_eq!(end(text), None, "{text}");
        }
    }
}
