//! Identity events: what became of who stands behind a name, each once, append-only.
//!
//! The pass `identity` finds them.

use capdex_corpus::identity::IdentityEvent;

use crate::packed::pack;
use crate::sql::{Cells, canonical, execute, rows, seconds};
use crate::{Reader, StoreError, Writer};

impl Writer<'_> {
    /// Adds an event; false, and nothing is changed, if its key is known.
    pub fn record_identity_event(&self, event: &IdentityEvent) -> Result<bool, StoreError> {
        // The key names what happened, so that a night that is run again records nothing twice.
        let sql = "INSERT INTO identity_events (name, at, body) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
        let params = (&event.key, seconds(event.at), pack(canonical(event)?)?);
        Ok(execute(self.connection(), "record an identity event", sql, params)? == 1)
    }
}

impl Reader {
    /// Every event, sorted by (instant, key).
    pub fn identity_events(&self) -> Result<Vec<IdentityEvent>, StoreError> {
        let sql = "SELECT body FROM identity_events ORDER BY at, name";
        rows(self.connection(), "read the identity events", sql, (), |row| row.packed(0, "identity event"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, day};
    use capdex_corpus::identity::EventKind;
    use capdex_model::fact::Severity;

    #[test]
    fn an_event_is_kept_once() {
        let folder = Folder::new();
        let store = folder.store();
        let event = |night| IdentityEvent {
            key: "repository_recreated:github:a/b:7:9".into(),
            kind: EventKind::RepositoryRecreated,
            subject: "github:a/b".into(),
            entity: "github:a/b#2".into(),
            before: "number 7".into(),
            after: "number 9".into(),
            severity: Severity::High,
            details: vec![],
            at: day(night),
        };
        let record = |night| store.write(move |writer| writer.record_identity_event(&event(night))).expect("recorded");
        assert!(record(1));
        assert!(!record(2));
        assert_eq!(store.reader().expect("opens").identity_events().expect("reads"), [event(1)]);
    }
}
