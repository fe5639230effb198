//! Untold: the version of a package since which nobody was told of a change, so that a change that is spread over nights
//! counts as one.
//!
//! The pass itself compares and raises.

use capdex_model::digest::Digest;
use capdex_model::ids::CapabilityId;

use crate::sql::{Cells, first, rows};
use crate::{Reader, StoreError};

/// A version that stood for so long was looked at by whoever looks: thirty days.
const STOOD_SECONDS: i64 = 30 * 86_400;

/// A snapshot and the time from which it was the newest.
pub(crate) struct StandingVersion {
    /// The row of the snapshot.
    pub(crate) snapshot: i64,
    /// In seconds.
    pub(crate) since: i64,
    /// True where its bytes are there still.
    pub(crate) is_stored: bool,
}

impl Reader {
    /// The snapshot since which nothing was told when the version at a place came, where that is older than the one before
    /// it. `stood` begins with the newest.
    pub(crate) fn untold_since(
        &self,
        identity: i64,
        stood: &[StandingVersion],
        at: usize,
    ) -> Result<Option<i64>, StoreError> {
        let Some(older) = stood.get(at..).filter(|older| older.len() > 2) else { return Ok(None) };
        let told = self.told_at(identity)?;
        let is_known = |two: &[StandingVersion]| {
            let [next, it] = two else { return false };
            next.since - it.since >= STOOD_SECONDS || told.is_some_and(|told| it.since <= told && told < next.since)
        };
        let place = older.windows(2).position(is_known).map_or(older.len() - 1, |place| place + 1);
        // What was pruned cannot be read: the oldest after it that can be is the nearest to it.
        let known = older.get(2..=place).unwrap_or_default().iter().rev().find(|it| it.is_stored);
        Ok(known.map(|it| it.snapshot))
    }

    /// When a person was last told of a change of anything in an identity.
    fn told_at(&self, identity: i64) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT digest FROM capabilities WHERE identity = ?1";
        let ids: Vec<Option<[u8; 32]>> =
            rows(self.connection(), "read the capabilities of an identity", sql, (identity,), |row| row.cell(0))?;
        let mut last = None;
        for id in ids.into_iter().flatten() {
            // Events of drift and their alerts are named after the capability.
            let name = format!("drift:{}:", CapabilityId(Digest::from_bytes(id)));
            let sql = "SELECT max(at) FROM alerts WHERE name >= ?1 AND name < ?2";
            let end = format!("{name}~");
            let told =
                first(self.connection(), "read when an alert was raised", sql, (&name, &end), |row| row.cell(0))?;
            last = last.max(told.flatten());
        }
        Ok(last)
    }
}

#[cfg(test)]
mod tests {
    use crate::fixtures::{Folder, capability_id, day, scan_of, start_run};
    use capdex_model::alert::Alert;
    use capdex_model::fact::Severity;

    fn alert(key: String) -> Alert {
        Alert {
            key,
            pass: "drift".into(),
            class: "recipient".into(),
            capability: None,
            subject: "npm-a".into(),
            severity: Severity::High,
            title: String::new(),
            why: String::new(),
            fix: String::new(),
            content: None,
            details: Vec::new(),
            evidence: Vec::new(),
            diff: Vec::new(),
            scores: Vec::new(),
            members: Vec::new(),
            reproduce: String::new(),
            reach: 0,
        }
    }

    /// The version from which each night's release is compared beside the one before; `told` is the night of an alert, `pruned` that
    /// of a version without bytes.
    fn since(nights: &[i64], told: Option<i64>, pruned: Option<i64>) -> Vec<Option<String>> {
        let folder = Folder::new();
        let store = folder.store();
        for (version, night) in ["1", "2", "3", "a", "b"].into_iter().zip(nights) {
            start_run(&store, *night);
            let id = scan_of(&store, "a", version, *night);
            if pruned == Some(*night) {
                store.write(move |writer| writer.mark_pruned(&[id], day(9))).expect("marked");
            }
            if told == Some(*night) {
                let capability = capability_id("npm:a", "");
                let key = format!("drift:{capability}:from:to");
                let (alert, at) = (alert(key), day(*night));
                store.write(move |writer| writer.raise(&alert, at)).expect("raised");
            }
        }
        let pairs = store.reader().expect("opens").uncompared_snapshots().expect("reads");
        pairs.iter().map(|pair| pair.since.as_ref()?.locator.version().map(str::to_owned)).collect()
    }

    #[test]
    fn a_release_is_compared_with_the_last_version_that_stood_or_was_told() {
        let text = |version: &str| Some(version.to_owned());
        assert_eq!(since(&[1, 2, 3, 4], None, None), [None, text("1"), text("1")]);
        assert_eq!(since(&[1, 2, 32, 33], None, None), [None, None, text("2")], "the second stood for thirty days");
        assert_eq!(since(&[1, 2, 31, 32], None, None), [None, text("1"), text("1")], "one day less");
        assert_eq!(since(&[1, 2, 3, 4, 5], Some(3), None), [None, text("1"), None, text("3")]);
    }

    #[test]
    fn what_was_pruned_is_not_read() {
        let text = |version: &str| Some(version.to_owned());
        assert_eq!(since(&[1, 2, 3, 4], None, Some(1)), [None, None, text("2")]);
    }
}
