//! Alerts: what was raised for a person, each key once.
//!
//! Must not know how alerts are sent.

use capdex_core::alert::Alert;
use capdex_core::time::AsOf;

use crate::documents::pack;
use crate::sql::{Cells, canonical, execute, rows, seconds};
use crate::{Reader, StoreError, Writer};

impl Writer<'_> {
    /// Raises an alert; false, and nothing is changed, if its key was raised before.
    pub fn raise(&self, alert: &Alert, at: AsOf) -> Result<bool, StoreError> {
        let sql = "INSERT INTO alerts (name, at, body) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
        let params = (&alert.key, seconds(at), pack(canonical(alert)?)?);
        Ok(execute(self.connection(), "raise an alert", sql, params)? == 1)
    }
}

impl Reader {
    /// Every alert with the as-of instant at which it was raised, sorted by (instant, key).
    pub fn alerts(&self) -> Result<Vec<(Alert, AsOf)>, StoreError> {
        let sql = "SELECT body, at FROM alerts ORDER BY at, name";
        rows(self.connection(), "read the alerts", sql, (), |row| Ok((row.packed(0, "alert")?, row.as_of(1)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, capability_id, day};
    use capdex_core::fact::Severity;

    fn alert(key: &str, details: usize) -> Alert {
        Alert {
            key: key.into(),
            pass: "drift".into(),
            class: "same_version".into(),
            capability: Some(capability_id("npm:a", "")),
            subject: "npm-a".into(),
            severity: Severity::High,
            title: "changed under the same version".into(),
            why: String::new(),
            fix: String::new(),
            content: None,
            details: vec!["a detail".into(); details],
            diff: Vec::new(),
            scores: Vec::new(),
            members: Vec::new(),
            reproduce: String::new(),
            reach: 0,
        }
    }

    #[test]
    fn an_alert_is_raised_once_and_keeps_its_first_night() {
        let folder = Folder::new();
        let store = folder.store();
        let raise = |key, details, night| {
            store.write(move |writer| writer.raise(&alert(key, details), day(night))).expect("raised")
        };
        assert!(raise("drift:b", 0, 1));
        assert!(raise("drift:a", 100, 1));
        assert!(!raise("drift:b", 7, 2));
        let alerts = store.reader().expect("opens").alerts().expect("reads");
        assert_eq!(alerts, [(alert("drift:a", 100), day(1)), (alert("drift:b", 0), day(1))]);
    }
}
