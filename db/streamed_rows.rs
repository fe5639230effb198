//! Tables with more rows than memory should hold, visited row by row in a fixed order.
//!
//! The same questions with all answers at once stand in the file of their table group.

use capdex_corpus::identity::{Identified, IdentityEvent};
use capdex_model::alert::Raised;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Locator};
use rusqlite::Row;
use serde::Deserialize;

use crate::entities::identified;
use crate::listings::stored;
use crate::sql::{Cells, each, rows};
use crate::{DriftEvent, Reader, StoreError, StoredListing};

/// The number of listings of a source in each state, and of its open gaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceCounts {
    /// The source.
    pub source: String,
    /// Listings that were there at the last visit.
    pub active: u64,
    /// Listings that are no longer there.
    pub gone: u64,
    /// Listings that could not be read.
    pub failed: u64,
    /// Things of it that could not be looked at.
    pub open_gaps: u64,
}

/// What a listing says that its package needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Its artifacts.
    pub locators: Vec<Locator>,
    /// The names of the packages that it needs, sorted.
    pub names: Vec<String>,
}

#[derive(Deserialize)]
struct OnlyNeeds {
    locators: Vec<Locator>,
    claims: OnlyDependencies,
}

#[derive(Deserialize)]
struct OnlyDependencies {
    #[serde(default)]
    dependencies: Claim<Vec<String>>,
}

impl Reader {
    /// Counts the listings of every source that has any, sorted by source.
    pub fn source_counts(&self) -> Result<Vec<SourceCounts>, StoreError> {
        // A gap's subject is the key of its listing, which begins with the source.
        let sql = "SELECT source, count(*) FILTER (WHERE state = 'active'), count(*) FILTER (WHERE state = 'gone'),
                          count(*) FILTER (WHERE state = 'failed'),
                          (SELECT count(*) FROM gaps WHERE resolved IS NULL AND subject GLOB l.source || ':*')
                   FROM listings l GROUP BY source ORDER BY source";
        rows(self.connection(), "count the listings", sql, (), |row| {
            Ok(SourceCounts {
                source: row.cell(0)?,
                active: row.count(1)?,
                gone: row.count(2)?,
                failed: row.count(3)?,
                open_gaps: row.count(4)?,
            })
        })
    }

    /// Every listing, sorted by key.
    pub fn each_listing<E: From<StoreError>>(
        &self,
        visit: impl FnMut(StoredListing) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = "SELECT l.source, l.name, d.body, l.state, l.gap, l.first_seen, l.changed
                   FROM listings l LEFT JOIN json_documents d ON d.id = l.body ORDER BY l.source, l.name";
        each(self.connection(), "read the listings", sql, (), stored, visit)
    }

    /// What each listing says that its package needs, sorted by key; those that say nothing of it are left out, and of all else
    /// that a listing says nothing is unpacked.
    pub fn each_needing<E: From<StoreError>>(
        &self,
        mut visit: impl FnMut(ListingKey, Needs) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = "SELECT l.source, l.name, d.body FROM listings l
                   JOIN json_documents d ON d.id = l.body ORDER BY l.source, l.name";
        let needs = |row: &Row<'_>| {
            let OnlyNeeds { locators, claims } = row.packed(2, "listing")?;
            let key = ListingKey { source: row.cell(0)?, name: row.cell(1)? };
            Ok(match claims.dependencies {
                Claim::Known(names) => Some((key, Needs { locators, names })),
                Claim::Absent | Claim::Unknown => None,
            })
        };
        each(self.connection(), "read the dependencies", sql, (), needs, |found| match found {
            Some((key, needs)) => visit(key, needs),
            None => Ok(()),
        })
    }

    /// The entity of each listing, sorted by listing.
    pub fn each_identified<E: From<StoreError>>(
        &self,
        visit: impl FnMut(Identified) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = "SELECT l.source, l.name, e.name, m.edges FROM listings l
                   JOIN entity_members m ON m.listing = l.id
                   JOIN entities e ON e.id = m.entity ORDER BY l.source, l.name";
        each(self.connection(), "read the entities", sql, (), identified, visit)
    }

    /// Every drift event, sorted by (instant, key).
    pub fn each_drift_event<E: From<StoreError>>(
        &self,
        visit: impl FnMut(DriftEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = "SELECT body FROM drift_events ORDER BY at, name";
        each(self.connection(), "read the drift events", sql, (), |row| row.packed(0, "drift event"), visit)
    }

    /// Every identity event, sorted by (instant, key).
    pub fn each_identity_event<E: From<StoreError>>(
        &self,
        visit: impl FnMut(IdentityEvent) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = "SELECT body FROM identity_events ORDER BY at, name";
        each(self.connection(), "read the identity events", sql, (), |row| row.packed(0, "identity event"), visit)
    }

    /// Every alert as it was raised last, sorted by (instant, key).
    pub fn each_raised<E: From<StoreError>>(&self, visit: impl FnMut(Raised) -> Result<(), E>) -> Result<(), E> {
        let sql =
            "SELECT coalesce((SELECT v.body FROM alert_versions v WHERE v.alert = a.id ORDER BY v.id DESC LIMIT 1),
                             a.body), a.at FROM alerts a ORDER BY a.at, a.name";
        let decode = |row: &rusqlite::Row<'_>| Ok(Raised { alert: row.packed(0, "alert")?, at: row.as_of(1)? });
        each(self.connection(), "read the alerts", sql, (), decode, visit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ListingState;
    use crate::fixtures::{Folder, day, gap, key, list, listing, mark};

    #[test]
    fn listings_are_counted_by_source_and_state() {
        let folder = Folder::new();
        let store = folder.store();
        for name in ["a", "b", "c"] {
            list(&store, &listing(name, "1"), 1);
        }
        mark(&store, &key("b"), ListingState::Gone, Some(gap("b")), 2);
        store.write(|writer| writer.record_gap("fetch", "npm:c", &gap("c"), day(2))).expect("written");
        let counts = store.reader().expect("opens").source_counts().expect("counts");
        assert_eq!(counts, [SourceCounts { source: "npm".into(), active: 2, gone: 1, failed: 0, open_gaps: 1 }]);
    }

    #[test]
    fn visiting_gives_what_reading_at_once_gives_and_an_error_ends_it() {
        let folder = Folder::new();
        let store = folder.store();
        for name in ["b", "a", "c"] {
            list(&store, &listing(name, "1"), 1);
        }
        let reader = store.reader().expect("opens");
        let mut seen = Vec::new();
        let visit = |listing| {
            seen.push(listing);
            Ok::<(), StoreError>(())
        };
        reader.each_listing(visit).expect("reads");
        assert_eq!(seen, reader.listings(None).expect("reads"));
        let mut count = 0;
        let stopped = reader.each_listing(|_| {
            count += 1;
            Err(StoreError::Abandoned("enough".into()))
        });
        assert!(matches!(stopped, Err(StoreError::Abandoned(_))));
        assert_eq!(count, 1);
    }
}
