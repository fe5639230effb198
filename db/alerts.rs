//! Alerts: what was raised for a person, each key once, and what a pass says of it now.
//!
//! Messages to sinks stand in `messages`.

use capdex_model::alert::{Alert, Raised};
use capdex_model::time::AsOf;

use crate::packed::pack;
use crate::sql::{Cells, canonical, execute, first, id_of, rows, seconds};
use crate::{Reader, StoreError, Writer};

impl Writer<'_> {
    /// Raises an alert; false if its key was raised before. Then nothing is changed, unless it is at other content or of
    /// another severity now. Such a version is kept beside the first one and counts from now on.
    pub fn raise(&self, alert: &Alert, at: AsOf) -> Result<bool, StoreError> {
        const WHAT: &str = "raise an alert";
        let known = id_of(self.connection(), WHAT, "SELECT id FROM alerts WHERE name = ?1", (&alert.key,))?;
        let body = pack(canonical(alert)?)?;
        let Some(id) = known else {
            let sql = "INSERT INTO alerts (name, at, body) VALUES (?1, ?2, ?3)";
            return execute(self.connection(), WHAT, sql, (&alert.key, seconds(at), body)).map(|_| true);
        };
        // The newest version is compared, not the first: a severity that rises and falls again is two changes.
        let sql = "SELECT coalesce((SELECT body FROM alert_versions WHERE alert = ?1 ORDER BY id DESC LIMIT 1),
                                   (SELECT body FROM alerts WHERE id = ?1))";
        let said = first(self.connection(), WHAT, sql, (id,), |row| row.packed::<Alert>(0, "alert"))?;
        // Details may be worded anew every night; only these two are news to whoever was told before.
        if said.is_none_or(|said| (said.content, said.severity) != (alert.content, alert.severity)) {
            let sql = "INSERT INTO alert_versions (alert, at, body) VALUES (?1, ?2, ?3)";
            execute(self.connection(), WHAT, sql, (id, seconds(at), body))?;
        }
        Ok(false)
    }
}

impl Reader {
    /// Every alert as its pass has it now, with the night that raised it first, sorted by (night, key).
    pub fn raised(&self) -> Result<Vec<Raised>, StoreError> {
        let sql =
            // `a.at` stays the night that raised the alert; only the body follows the newest version.
            "SELECT coalesce((SELECT v.body FROM alert_versions v WHERE v.alert = a.id ORDER BY v.id DESC LIMIT 1),
                                   a.body), a.at FROM alerts a ORDER BY a.at, a.name";
        rows(self.connection(), "read the alerts", sql, (), |row| {
            Ok(Raised { alert: row.packed(0, "alert")?, at: row.as_of(1)? })
        })
    }

    /// The number of alerts that were ever raised.
    pub fn alert_count(&self) -> Result<u64, StoreError> {
        let count =
            first(self.connection(), "count the alerts", "SELECT count(*) FROM alerts", (), |row| row.count(0))?;
        Ok(count.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, alert, day};
    use capdex_model::fact::Severity;

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
        let alerts = store.reader().expect("opens").raised().expect("reads");
        let raised = |key, details| Raised { alert: alert(key, details), at: day(1) };
        assert_eq!(alerts, [raised("drift:a", 100), raised("drift:b", 0)]);
        assert_eq!(store.reader().expect("opens").alert_count().expect("counts"), 2);
    }

    #[test]
    fn other_content_or_severity_counts_from_then_on() {
        let folder = Folder::new();
        let store = folder.store();
        let mut said = alert("drift:a", 1);
        for (severity, content) in
            [(Severity::High, "1"), (Severity::Low, "1"), (Severity::Low, "2"), (Severity::Low, "2")]
        {
            (said.severity, said.content) = (severity, Some(crate::fixtures::digest(content)));
            let said = said.clone();
            store.write(move |writer| writer.raise(&said, day(1))).expect("raised");
        }
        assert_eq!(store.reader().expect("opens").raised().expect("reads"), [Raised { alert: said, at: day(1) }]);
        let versions = "SELECT count(*) FROM alert_versions";
        let count = store.write(move |writer| id_of(writer.connection(), "count", versions, ())).expect("counts");
        assert_eq!(count, Some(2), "what stays as it is adds nothing");
    }
}
