//! Drift events: what changed between nights, each once, append-only.
//!
//! The drift pass finds them.

use capdex_corpus::drift::{Change, DriftClass, DriftKind, Effect, VersionChange};
use capdex_model::alert::ScoreChange;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::CapabilityId;
use capdex_model::time::AsOf;
use serde::{Deserialize, Serialize};

use crate::packed::pack;
use crate::sql::{Cells, canonical, execute, rows, seconds};
use crate::{Reader, StoreError, Writer};

/// A change of one capability between two of its snapshots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriftEvent {
    /// Stable over nights: the same event found again has the same key.
    pub key: String,
    /// Which capability.
    pub capability: CapabilityId,
    /// Its readable name.
    pub slug: String,
    /// The kind of change.
    pub kind: DriftKind,
    /// The digest over its files before; none where it is new.
    pub from: Option<Digest>,
    /// The digest over its files after; none where it is gone.
    pub to: Option<Digest>,
    /// The version before, where there was one.
    pub from_version: Option<String>,
    /// The version after, where there is one.
    pub to_version: Option<String>,
    /// The changes, path by path and tool by tool, sorted.
    pub changes: Vec<Change>,
    /// The depth of the change. Events of earlier programs have none of this and what follows.
    #[serde(default)]
    pub class: DriftClass,
    /// Its severity.
    #[serde(default = "info")]
    pub severity: Severity,
    /// Its effects, the gravest first.
    #[serde(default)]
    pub effects: Vec<Effect>,
    /// The move of the version, if any.
    #[serde(default)]
    pub moved: VersionChange,
    /// The changes of the scores.
    #[serde(default)]
    pub scores: Vec<ScoreChange>,
    /// Changed lines, each with its sign before it; secrets masked.
    #[serde(default)]
    pub diff: Vec<String>,
    /// When it was found.
    pub at: AsOf,
}

const fn info() -> Severity {
    Severity::Info
}

impl Writer<'_> {
    /// Adds an event; false, and nothing is changed, if its key is known.
    pub fn record_drift(&self, event: &DriftEvent) -> Result<bool, StoreError> {
        // The key names the change itself, so that a pass that runs again after a crash adds nothing.
        let sql = "INSERT INTO drift_events (name, at, body) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
        let params = (&event.key, seconds(event.at), pack(canonical(event)?)?);
        Ok(execute(self.connection(), "record a drift event", sql, params)? == 1)
    }
}

impl Reader {
    /// The events found at or after an instant, or all, sorted by (instant, key).
    pub fn drift_events(&self, since: Option<AsOf>) -> Result<Vec<DriftEvent>, StoreError> {
        let sql = "SELECT body FROM drift_events WHERE at >= ?1 ORDER BY at, name";
        let since = since.map_or(i64::MIN, seconds);
        rows(self.connection(), "read the drift events", sql, (since,), |row| row.packed(0, "drift event"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, capability_id, day};

    fn event(key: &str, night: i64) -> DriftEvent {
        DriftEvent {
            key: key.into(),
            capability: capability_id("npm:a", ""),
            slug: "npm-a-package".into(),
            kind: DriftKind::Changed,
            from: Some(Digest::of(b"before")),
            to: Some(Digest::of(b"after")),
            from_version: Some("1".into()),
            to_version: None,
            changes: vec![Change { what: "added".into(), part: "file".into(), subject: "b.js".into() }],
            class: DriftClass::Surface,
            severity: Severity::Info,
            effects: Vec::new(),
            moved: VersionChange::Yes,
            scores: Vec::new(),
            diff: Vec::new(),
            at: day(night),
        }
    }

    #[test]
    fn an_event_of_an_earlier_program_is_read() {
        let mut text = serde_json::to_value(event("a", 1)).expect("serialises");
        for later in ["class", "severity", "effects", "moved", "scores", "diff"] {
            text.as_object_mut().expect("an object").remove(later);
        }
        let read: DriftEvent = serde_json::from_value(text).expect("parses");
        assert_eq!(read.class, DriftClass::Editorial);
        assert_eq!(read.severity, Severity::Info);
        assert_eq!(read.moved, VersionChange::Unversioned);
    }

    #[test]
    fn an_event_is_kept_once_and_found_by_its_night() {
        let folder = Folder::new();
        let store = folder.store();
        let record = |key, night| store.write(move |writer| writer.record_drift(&event(key, night))).expect("recorded");
        assert!(record("b", 1));
        assert!(record("a", 2));
        assert!(record("c", 1));
        assert!(!record("b", 3));
        let reader = store.reader().expect("opens");
        assert_eq!(reader.drift_events(None).expect("reads"), [event("b", 1), event("c", 1), event("a", 2)]);
        assert_eq!(reader.drift_events(Some(day(2))).expect("reads"), [event("a", 2)]);
        assert_eq!(reader.drift_events(Some(day(3))).expect("reads"), []);
    }
}
