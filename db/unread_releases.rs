//! Unread releases: the newest thing of a package of which nothing could be read, after one that could be.
//!
//! Pairs of snapshots that were both read are in `drift_pairs`; which gaps say something of the package decides the pass.

use capdex_model::snapshot::{Completeness, Gap};

use crate::baselines::Baselines;
use crate::drift_pairs::SnapshotPair;
use crate::sql::{Cells, first, rows};
use crate::{Reader, StoreError};

/// A release of which nothing could be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadRelease {
    /// The last one that could be read, and this one. Nothing older is compared with it.
    pub pair: SnapshotPair,
    /// Why nothing of it could be read: sorted, never empty.
    pub gaps: Vec<Gap>,
}

impl Reader {
    /// The releases that stand now, of which nothing could be read, and that were not told yet; sorted by identity. One after which
    /// nothing that could be read is stored is left out.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn unread_releases(&self) -> Result<Vec<UnreadRelease>, StoreError> {
        const WHAT: &str = "read the releases that could not be read";
        let sql = "SELECT i.id, n.id, d.body FROM identities i
                   JOIN snapshots n ON n.id = i.snapshot
                   JOIN json_documents d ON d.id = n.completeness
                   WHERE n.state = 'not_assessable' ORDER BY i.name";
        let standing = rows(self.connection(), WHAT, sql, (), |row| {
            Ok((row.cell::<i64>(0)?, row.cell::<i64>(1)?, row.packed::<Completeness>(2, "completeness")?))
        })?;
        let mut releases = Vec::new();
        for (identity, after, completeness) in standing {
            let sql = "SELECT s.snapshot, max(s.id) FROM succession s JOIN snapshots n ON n.id = s.snapshot
                       WHERE s.identity = ?1 AND n.state <> 'not_assessable'
                         AND NOT EXISTS (SELECT 1 FROM pruned_snapshots p WHERE p.snapshot = s.snapshot)
                       GROUP BY s.snapshot ORDER BY max(s.id) DESC LIMIT 1";
            let last =
                first(self.connection(), WHAT, sql, (identity,), |row| Ok((row.cell::<i64>(0)?, row.cell::<i64>(1)?)))?;
            let Some((before, turn)) = last else { continue };
            if self.is_compared(before, after, turn)? {
                continue;
            }
            let pair = self.pair(identity, (before, after), turn, Baselines::default())?;
            releases.extend(pair.map(|pair| UnreadRelease { pair, gaps: completeness.gaps().to_vec() }));
        }
        Ok(releases)
    }
}

#[cfg(test)]
mod tests {
    use crate::fixtures::{Folder, day, not_assessable, record, scan_of, start_run};

    #[test]
    fn a_release_that_could_not_be_read_is_given_once_and_only_after_one_that_could() {
        let folder = Folder::new();
        let store = folder.store();
        let unread = || store.reader().expect("opens").unread_releases().expect("reads");
        start_run(&store, 1);
        scan_of(&store, "a", "1", 1);
        record(&store, "never-read", &not_assessable("never-read", "1", "refused"), 1);
        assert_eq!(unread(), []);
        start_run(&store, 2);
        record(&store, "a", &not_assessable("a", "2", "refused"), 2);
        let found = unread();
        let [release] = found.as_slice() else { panic!("one: {found:?}") };
        let version = |seen: &crate::SnapshotSeen| seen.locator.version().map(str::to_owned);
        assert_eq!((version(&release.pair.before), version(&release.pair.after)), (Some("1".into()), Some("2".into())));
        assert_eq!(release.gaps.len(), 1);
        let pair = release.pair.clone();
        store.write(move |writer| writer.compared_snapshots(&pair, day(2))).expect("noted");
        start_run(&store, 3);
        record(&store, "a", &not_assessable("a", "2", "refused"), 3);
        assert_eq!(unread(), [], "it was told");
    }
}
