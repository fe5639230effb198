//! Baselines: the versions of a package since which nobody was told of a change or acknowledged one, so that a change that is
//! spread over nights counts as one.
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

/// The snapshots that a release is compared with beside the one before it, where they are older than that.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Baselines {
    /// The one since which nobody was told of a change.
    pub(crate) told: Option<i64>,
    /// The one since which nobody acknowledged one, where that is another: an alert that nobody answered accepts nothing.
    pub(crate) accepted: Option<i64>,
}

impl Reader {
    /// The baselines of the version at a place. `stood` begins with the newest.
    pub(crate) fn baselines(
        &self,
        identity: i64,
        stood: &[StandingVersion],
        at: usize,
    ) -> Result<Baselines, StoreError> {
        let Some(older) = stood.get(at..).filter(|older| older.len() > 2) else { return Ok(Baselines::default()) };
        let names = self.names_of_events(identity)?;
        let told = self.last(&names, "SELECT max(at) FROM alerts WHERE name >= ?1 AND name < ?2")?;
        let told = last_known(older, told);
        let accepted = self.last(&names, "SELECT max(at) FROM acks WHERE alert >= ?1 AND alert < ?2")?;
        let accepted = last_known(older, accepted);
        Ok(Baselines { told, accepted: accepted.filter(|_| accepted != told) })
    }

    /// What the names of all alerts of drift in an identity begin with: those of its capabilities.
    fn names_of_events(&self, identity: i64) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT digest FROM capabilities WHERE identity = ?1";
        let ids: Vec<Option<[u8; 32]>> =
            rows(self.connection(), "read the capabilities of an identity", sql, (identity,), |row| row.cell(0))?;
        let name = |id: [u8; 32]| format!("drift:{}:", CapabilityId(Digest::from_bytes(id)));
        Ok(ids.into_iter().flatten().map(name).collect())
    }

    /// The last instant that a query over a range of names gives.
    fn last(&self, names: &[String], sql: &'static str) -> Result<Option<i64>, StoreError> {
        let mut last = None;
        for name in names {
            let end = format!("{name}~");
            let found =
                first(self.connection(), "read when an alert was raised", sql, (name, &end), |row| row.cell(0))?;
            last = last.max(found.flatten());
        }
        Ok(last)
    }
}

/// The last version that stood for thirty days or at an instant, of those before the newest two; the oldest where none did.
fn last_known(older: &[StandingVersion], instant: Option<i64>) -> Option<i64> {
    let is_known = |two: &[StandingVersion]| {
        let [next, it] = two else { return false };
        next.since - it.since >= STOOD_SECONDS || instant.is_some_and(|at| it.since <= at && at < next.since)
    };
    let place = older.windows(2).position(is_known).map_or(older.len() - 1, |place| place + 1);
    // What was pruned cannot be read: the oldest after it that can be is the nearest to it.
    let known = older.get(2..=place).unwrap_or_default().iter().rev().find(|it| it.is_stored);
    known.map(|it| it.snapshot)
}

#[cfg(test)]
mod tests {
    use capdex_model::alert::ack::Ack;
    use capdex_model::digest::Digest;

    use crate::SnapshotSeen;
    use crate::fixtures::{Folder, alert, capability_id, day, scan_of, start_run};

    /// The version from which each night's release is compared beside the one before; `told` is the night of an alert, `pruned` that
    /// of a version without bytes.
    fn since(nights: &[i64], told: Option<i64>, pruned: Option<i64>) -> Vec<Option<String>> {
        baselines(nights, told, None, pruned).into_iter().map(|(since, _)| since).collect()
    }

    /// The same with the version since which no alert was acknowledged; `acknowledged` is the night of that.
    fn baselines(
        nights: &[i64],
        told: Option<i64>,
        acknowledged: Option<i64>,
        pruned: Option<i64>,
    ) -> Vec<(Option<String>, Option<String>)> {
        let folder = Folder::new();
        let store = folder.store();
        let key = format!("drift:{}:from:to", capability_id("npm:a", ""));
        for (version, night) in ["1", "2", "3", "a", "b"].into_iter().zip(nights) {
            start_run(&store, *night);
            let id = scan_of(&store, "a", version, *night);
            if pruned == Some(*night) {
                store.write(move |writer| writer.mark_pruned(&[id], day(9))).expect("marked");
            }
            if told == Some(*night) {
                let (alert, at) = (alert(&key, 0), day(*night));
                store.write(move |writer| writer.raise(&alert, at)).expect("raised");
            }
            if acknowledged == Some(*night) {
                let ack = Ack {
                    number: 0,
                    about: "npm-a".into(),
                    rule: "recipient".into(),
                    content: Digest::of(b""),
                    alert: key.clone(),
                    reason: "known".into(),
                    at: day(*night),
                    expires: None,
                };
                store.write(move |writer| writer.acknowledge(&ack).map(drop)).expect("acknowledged");
            }
        }
        let pairs = store.reader().expect("opens").uncompared_snapshots().expect("reads");
        let version = |seen: &Option<SnapshotSeen>| seen.as_ref()?.locator.version().map(str::to_owned);
        pairs.iter().map(|pair| (version(&pair.since), version(&pair.accepted))).collect()
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
    fn an_alert_that_nobody_acknowledged_accepts_nothing() {
        let text = |version: &str| Some(version.to_owned());
        let nights = [1, 2, 3, 4, 5];
        let told_alone = [(None, None), (text("1"), None), (None, text("1")), (text("3"), text("1"))];
        assert_eq!(baselines(&nights, Some(3), None, None), told_alone);
        let both = [(None, None), (text("1"), None), (None, None), (text("3"), None)];
        assert_eq!(baselines(&nights, Some(3), Some(3), None), both);
    }

    #[test]
    fn what_was_pruned_is_not_read() {
        let text = |version: &str| Some(version.to_owned());
        assert_eq!(since(&[1, 2, 3, 4], None, Some(1)), [None, None, text("2")]);
    }
}
