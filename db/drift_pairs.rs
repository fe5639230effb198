//! Progress of the drift pass: pairs of snapshots and versions of listings.
//!
//! The pass itself compares; a pair is given until it says that it did.

use capdex_corpus::drift::Pins;
use capdex_model::ids::{CapabilityId, ListingKey};
use capdex_model::listing::{Listing, Locator};
use capdex_model::snapshot::Gap;
use capdex_model::time::AsOf;

use crate::baselines::{Baselines, StandingVersion};
use crate::sql::{Cells, execute, first, rows, seconds};
use crate::{Reader, SnapshotId, StoreError, Writer};

/// One snapshot of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotSeen {
    /// By which its bytes are read.
    pub id: SnapshotId,
    /// The locator that they came from.
    pub locator: Locator,
    /// True where all of it could be looked at.
    pub is_whole: bool,
}

/// Two successive snapshots of an identity that could be assessed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotPair {
    /// The identity.
    pub identity: String,
    /// The listing that speaks for it; none where none does.
    pub listing: Option<ListingKey>,
    /// The popularity that its source states for that listing.
    pub popularity: Option<u64>,
    /// Which time it is that the earlier one was followed: a package may go back and forth between two.
    pub turn: i64,
    /// The earlier one.
    pub before: SnapshotSeen,
    /// The current one.
    pub after: SnapshotSeen,
    /// The one since which nothing was told, where that is older than `before`: the last that stood for
    /// thirty days or of which a person was told, else the first.
    pub since: Option<SnapshotSeen>,
    /// The one since which nobody acknowledged a change, where that is neither of them.
    pub accepted: Option<SnapshotSeen>,
}

/// Two successive versions of what a source said of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingPair {
    /// The version before.
    pub before: Listing,
    /// The version that followed.
    pub now: Listing,
    /// The row of the later version, for [`Writer::compared_listing`].
    pub version: i64,
    /// The popularity that its source states.
    pub popularity: Option<u64>,
}

/// A listing that is not at its source any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DepartedListing {
    /// The source's last word.
    pub listing: Listing,
    /// Why it is not there, where that was said.
    pub gap: Option<Gap>,
    /// The popularity that its source stated.
    pub popularity: Option<u64>,
    /// When its state or the reason changed last.
    pub since: AsOf,
}

/// Pairs of one identity that are given at once: as many nights may have died between fetching and comparing.
pub(crate) const MAX_PAIRS: usize = 8;

impl Writer<'_> {
    /// Notes that a pair of snapshots was compared.
    pub fn compared_snapshots(&self, pair: &SnapshotPair, at: AsOf) -> Result<(), StoreError> {
        // One row for each pair with its last turn: a package that goes back and forth adds none.
        let sql = "INSERT INTO drift_pairs (before, after, turn, at) VALUES (?1, ?2, ?3, ?4)
                   ON CONFLICT DO UPDATE SET turn = excluded.turn, at = excluded.at";
        let params = (pair.before.id.0, pair.after.id.0, pair.turn, seconds(at));
        execute(self.connection(), "note a comparison", sql, params).map(drop)
    }

    /// Notes up to which version a listing was compared.
    pub fn compared_listing(&self, key: &ListingKey, version: i64, at: AsOf) -> Result<(), StoreError> {
        let sql = "INSERT INTO compared_listings (listing, version, at)
                   SELECT id, ?3, ?4 FROM listings WHERE source = ?1 AND name = ?2
                   ON CONFLICT DO UPDATE SET version = excluded.version, at = excluded.at";
        let params = (&key.source, &key.name, version, seconds(at));
        execute(self.connection(), "note a comparison", sql, params).map(drop)
    }
}

impl Reader {
    /// Each two successive distinct snapshots of each identity since the last two that were compared, at most the last
    /// eight pairs. Both could be assessed and were scanned; sorted by identity, oldest first. A snapshot that could not be
    /// assessed is passed over: it is neither gone nor new.
    pub fn uncompared_snapshots(&self) -> Result<Vec<SnapshotPair>, StoreError> {
        // The order is that of `identities.rs`. What a release line led to before was scanned under the name that its locator has
        // still. Identities of one snapshot, nearly all, are left out first; of the others
        // only ids are read until it is known that there is something to compare.
        let sql = "WITH several AS (SELECT identity FROM succession GROUP BY identity
                                    HAVING count(DISTINCT snapshot) > 1)
                   SELECT s.identity, s.snapshot, s.id, s.at,
                          NOT EXISTS (SELECT 1 FROM pruned_snapshots p WHERE p.snapshot = s.snapshot)
                   FROM several v
                   JOIN succession s ON s.identity = v.identity
                   JOIN identities i ON i.id = s.identity
                   JOIN snapshots n ON n.id = s.snapshot
                   WHERE n.state <> 'not_assessable'
                     AND (EXISTS (SELECT 1 FROM scans c WHERE c.snapshot = s.snapshot)
                          OR (json_extract(n.locator, '$.type') = 'npm_package'
                              AND i.name <> 'npm:' || json_extract(n.locator, '$.name')
                              AND i.name NOT LIKE 'npm:' || json_extract(n.locator, '$.name') || '?%'))
                   ORDER BY i.name, s.run DESC, s.at DESC, n.artifact DESC, n.tree DESC, n.id DESC";
        let succession = rows(self.connection(), "read the succession", sql, (), |row| {
            Ok((
                row.cell::<i64>(0)?,
                row.cell::<i64>(1)?,
                row.cell::<i64>(2)?,
                row.cell::<i64>(3)?,
                row.cell::<bool>(4)?,
            ))
        })?;
        let mut pairs = Vec::new();
        for of_one in succession.chunk_by(|a, b| a.0 == b.0) {
            // The first of each stretch of one snapshot is the last time that it was the newest.
            let turns: Vec<_> =
                of_one.chunk_by(|a, b| a.1 == b.1).filter_map(|turn| turn.first().zip(turn.last())).collect();
            let stood: Vec<StandingVersion> = turns
                .iter()
                .map(|(last, first)| StandingVersion { snapshot: last.1, since: first.3, is_stored: last.4 })
                .collect();
            let mut of_identity = Vec::new();
            for (at, two) in turns.windows(2).take(MAX_PAIRS).enumerate() {
                let [((identity, after, ..), _), ((_, before, turn, ..), _)] = two else { continue };
                // Pairs older than one that was compared were compared before it, or given up.
                if self.is_compared(*before, *after, *turn)? {
                    break;
                }
                let baselines = self.baselines(*identity, &stood, at)?;
                of_identity.extend(self.pair(*identity, (*before, *after), *turn, baselines)?);
            }
            // Found newest first; events are told in the order in which they came about.
            pairs.extend(of_identity.into_iter().rev());
        }
        Ok(pairs)
    }

    fn snapshot_seen(&self, id: i64) -> Result<Option<SnapshotSeen>, StoreError> {
        let sql = "SELECT locator, state = 'analysed' FROM snapshots WHERE id = ?1";
        first(self.connection(), "read a snapshot", sql, (id,), |row| {
            Ok(SnapshotSeen { id: SnapshotId(id), locator: row.json(0, "locator")?, is_whole: row.cell(1)? })
        })
    }

    pub(crate) fn pair(
        &self,
        identity: i64,
        (before, after): (i64, i64),
        turn: i64,
        baselines: Baselines,
    ) -> Result<Option<SnapshotPair>, StoreError> {
        let seen = |of: Option<i64>| of.map(|of| self.snapshot_seen(of)).transpose().map(Option::flatten);
        let (since, accepted) = (seen(baselines.told)?, seen(baselines.accepted)?);
        let sql = "SELECT i.name, l.source, l.name, l.popularity, o.locator, o.state = 'analysed',
                          n.locator, n.state = 'analysed'
                   FROM identities i
                   JOIN snapshots o ON o.id = ?2
                   JOIN snapshots n ON n.id = ?3
                   LEFT JOIN listings l ON l.id = i.listing
                   WHERE i.id = ?1";
        first(self.connection(), "read a pair of snapshots", sql, (identity, before, after), |row| {
            let source: Option<String> = row.cell(1)?;
            let name: Option<String> = row.cell(2)?;
            let popularity: Option<i64> = row.cell(3)?;
            let seen = |id: i64, column: usize| -> Result<SnapshotSeen, StoreError> {
                Ok(SnapshotSeen {
                    id: SnapshotId(id),
                    locator: row.json(column, "locator")?,
                    is_whole: row.cell(column + 1)?,
                })
            };
            Ok(SnapshotPair {
                identity: row.cell(0)?,
                listing: source.zip(name).map(|(source, name)| ListingKey { source, name }),
                popularity: popularity.and_then(|count| u64::try_from(count).ok()),
                turn,
                before: seen(before, 4)?,
                after: seen(after, 6)?,
                since: since.clone(),
                accepted: accepted.clone(),
            })
        })
    }

    pub(crate) fn is_compared(&self, before: i64, after: i64, turn: i64) -> Result<bool, StoreError> {
        // A later turn than the noted one: the snapshot came back and was followed again, which is news.
        let sql = "SELECT 1 FROM drift_pairs WHERE before = ?1 AND after = ?2 AND turn >= ?3";
        let params = (before, after, turn);
        let found = first(self.connection(), "look up a comparison", sql, params, |row| row.cell::<i64>(0))?;
        Ok(found.is_some())
    }

    /// Each two successive versions of every listing since it was compared last, oldest first, listings in the order of
    /// their keys.
    pub fn uncompared_listings(&self) -> Result<Vec<ListingPair>, StoreError> {
        // A listing's first version has none before it and drops out by the join: it is no change.
        let sql = "SELECT o.body, d.body, v.id, l.popularity FROM listing_versions v
                   JOIN listings l ON l.id = v.listing
                   JOIN json_documents d ON d.id = v.body
                   LEFT JOIN compared_listings c ON c.listing = v.listing
                   JOIN listing_versions w ON w.id = (SELECT max(e.id) FROM listing_versions e
                                                      WHERE e.listing = v.listing AND e.id < v.id)
                   JOIN json_documents o ON o.id = w.body
                   WHERE v.id > ifnull(c.version, 0)
                   ORDER BY l.source, l.name, v.id";
        rows(self.connection(), "read new versions of listings", sql, (), |row| {
            let popularity: Option<i64> = row.cell(3)?;
            Ok(ListingPair {
                before: row.packed(0, "listing")?,
                now: row.packed(1, "listing")?,
                version: row.cell(2)?,
                popularity: popularity.and_then(|count| u64::try_from(count).ok()),
            })
        })
    }

    /// The listings that spoke once and are gone, of all that are or of those that went at or after an instant; sorted by
    /// key.
    pub fn departed_listings(&self, since: Option<AsOf>) -> Result<Vec<DepartedListing>, StoreError> {
        let sql = "SELECT d.body, l.gap, l.popularity, l.changed FROM listings l
                   JOIN json_documents d ON d.id = l.body
                   WHERE l.state = 'gone' AND l.changed >= ?1 ORDER BY l.source, l.name";
        let since = since.map_or(i64::MIN, seconds);
        rows(self.connection(), "read the listings that are gone", sql, (since,), |row| {
            let popularity: Option<i64> = row.cell(2)?;
            Ok(DepartedListing {
                listing: row.packed(0, "listing")?,
                gap: row.json_if_any(1, "gap")?,
                popularity: popularity.and_then(|count| u64::try_from(count).ok()),
                since: row.as_of(3)?,
            })
        })
    }

    /// Every version of a listing with the instant at which it was first said, oldest first.
    pub fn listing_history(&self, key: &ListingKey) -> Result<Vec<(Listing, AsOf)>, StoreError> {
        let sql = "SELECT d.body, v.at FROM listing_versions v
                   JOIN listings l ON l.id = v.listing JOIN json_documents d ON d.id = v.body
                   WHERE l.source = ?1 AND l.name = ?2 ORDER BY v.id";
        rows(self.connection(), "read a listing's history", sql, (&key.source, &key.name), |row| {
            Ok((row.packed(0, "listing")?, row.as_of(1)?))
        })
    }

    /// The pins of a capability in the scan that counts; none where it is not there now.
    pub fn current_pins(&self, capability: &CapabilityId) -> Result<Option<Pins>, StoreError> {
        let sql = "SELECT p.body FROM capabilities k
                   JOIN identities i ON i.id = k.identity
                   JOIN scan_results r ON r.scan = i.scan AND r.capability = k.id
                   JOIN json_documents p ON p.id = r.pins
                   WHERE k.digest = ?1";
        first(self.connection(), "read pins", sql, (capability.0.as_bytes(),), |row| row.packed(0, "pins"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, day, digest, list, listing, not_assessable, record, scan, scan_of, start_run};
    use capdex_model::listing::Claim;

    fn versions(store: &crate::Store) -> Vec<(Option<String>, Option<String>)> {
        let pairs = store.reader().expect("opens").uncompared_snapshots().expect("reads");
        let version = |seen: &SnapshotSeen| seen.locator.version().map(str::to_owned);
        pairs.iter().map(|pair| (version(&pair.before), version(&pair.after))).collect()
    }

    #[test]
    fn a_pair_is_given_until_it_was_compared() {
        let folder = Folder::new();
        let store = folder.store();
        let text = |version: &str| Some(version.to_owned());
        scan_of(&store, "alone", "1", 1);
        let store_night = |version: &str, night: i64| {
            start_run(&store, night);
            scan_of(&store, "a", version, night);
        };
        for (night, version) in (1..).zip(["1", "2", "3"]) {
            store_night(version, night);
        }
        let both = [(text("1"), text("2")), (text("2"), text("3"))];
        assert_eq!(versions(&store), both, "the second night died before it was compared");
        let compare = |night: i64| {
            for pair in store.reader().expect("opens").uncompared_snapshots().expect("reads") {
                store.write(move |writer| writer.compared_snapshots(&pair, day(night))).expect("noted");
            }
            assert_eq!(versions(&store), []);
        };
        compare(3);
        store_night("2", 4);
        assert_eq!(versions(&store), [(text("3"), text("2"))], "it went back");
        compare(4);
        store_night("3", 5);
        assert_eq!(versions(&store), [(text("2"), text("3"))], "and forth again");
        compare(5);
    }

    #[test]
    fn what_could_not_be_assessed_is_neither_gone_nor_new() {
        let folder = Folder::new();
        let store = folder.store();
        start_run(&store, 1);
        scan_of(&store, "a", "1", 1);
        start_run(&store, 2);
        let failed = record(&store, "a", &not_assessable("a", "2", "no answer"), 2);
        scan(&store, failed, "rules", &digest("claims"), &[], 2);
        assert_eq!(versions(&store), []);
        start_run(&store, 3);
        scan_of(&store, "a", "2", 3);
        assert_eq!(versions(&store), [(Some("1".into()), Some("2".into()))], "from the first to the third night");
    }

    #[test]
    fn each_two_versions_of_a_listing_are_given_once() {
        let folder = Folder::new();
        let store = folder.store();
        for (night, licence) in (1..).zip(["one", "two", "three"]) {
            let mut said = listing("a", "1");
            said.claims.license = Claim::Known(licence.into());
            list(&store, &said, night);
        }
        let reader = store.reader().expect("opens");
        let pairs = reader.uncompared_listings().expect("reads");
        let licences: Vec<_> =
            pairs.iter().map(|pair| (pair.before.claims.license.clone(), pair.now.claims.license.clone())).collect();
        let known = |text: &str| Claim::Known(text.to_owned());
        assert_eq!(licences, [(known("one"), known("two")), (known("two"), known("three"))]);
        let (key, version) = (pairs[1].now.key.clone(), pairs[1].version);
        store.write(move |writer| writer.compared_listing(&key, version, day(3))).expect("noted");
        assert_eq!(reader.uncompared_listings().expect("reads"), []);
        assert_eq!(reader.listing_history(&crate::fixtures::key("a")).expect("reads").len(), 3);
    }

    #[test]
    fn a_listing_that_went_is_given_with_its_last_word_and_one_that_never_spoke_is_not() {
        let folder = Folder::new();
        let store = folder.store();
        list(&store, &listing("a", "1"), 1);
        list(&store, &listing("b", "1"), 1);
        let gap = Gap::new("npm:a", capdex_model::snapshot::GapReason::TakenDown, "a placeholder");
        let (went, told) = (gap.clone(), gap.clone());
        store
            .write(move |writer| {
                for name in ["a", "never"] {
                    writer.mark_listing(&crate::fixtures::key(name), crate::ListingState::Gone, Some(&went), day(5))?;
                }
                Ok(())
            })
            .expect("marked");
        let departed = |since| store.reader().expect("opens").departed_listings(since).expect("reads");
        let expected = DepartedListing { listing: listing("a", "1"), gap: Some(told), popularity: None, since: day(5) };
        assert_eq!(departed(None), [expected]);
        assert_eq!(departed(Some(day(5))).len(), 1);
        assert_eq!(departed(Some(day(6))), []);
        list(&store, &listing("a", "1"), 7);
        assert_eq!(departed(None), [], "it is back");
    }
}
