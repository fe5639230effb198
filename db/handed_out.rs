//! What rows of directories hand out: the packages that they name and the archives that they pin, as they stand now.
//!
//! The pass `handed_out` says what follows for the rows.

use capdex_model::ids::{CapabilityId, ListingKey};
use capdex_model::listing::Listing;
use capdex_model::snapshot::Completeness;

use crate::facts::FactsId;
use crate::sql::{Cells, first, rows};
use crate::{Reader, StoreError};

/// The artifact of an identity as it stands now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingArtifact {
    /// The version of its snapshot, where it has one.
    pub version: Option<String>,
    /// Its capabilities in the scan that counts.
    pub capabilities: Vec<StandingCapability>,
}

/// A capability of an artifact as it stands now, as far as its verdict asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandingCapability {
    /// Its id.
    pub id: CapabilityId,
    /// Its facts.
    pub facts: FactsId,
    /// True where all of it was looked at.
    pub is_whole: bool,
}

impl Reader {
    /// The listings that are there and name a package of npm or PyPI, or more than one artifact; sorted by key.
    pub fn handing_out(&self) -> Result<Vec<Listing>, StoreError> {
        let sql = "SELECT d.body FROM listings l JOIN json_documents d ON d.id = l.body
                   WHERE l.state = 'active'
                     AND (EXISTS (SELECT 1 FROM listing_references r WHERE r.listing = l.id AND r.source IN ('npm', 'pypi'))
                          OR (SELECT count(*) FROM listing_identities e WHERE e.listing = l.id AND e.named = 1) > 1)
                   ORDER BY l.source, l.name";
        rows(self.connection(), "read what rows hand out", sql, (), |row| row.packed(0, "listing"))
    }

    /// The listings that are there, are known by their own text alone and are servers by it, sorted by key. What a server
    /// itself listed at its endpoint is that server, and left out.
    pub fn rows_of_servers(&self) -> Result<Vec<Listing>, StoreError> {
        let sql = "SELECT d.body FROM listings l JOIN json_documents d ON d.id = l.body
                   JOIN identities i ON i.listing = l.id JOIN snapshots n ON n.id = i.snapshot
                   WHERE l.state = 'active' AND json_extract(n.locator, '$.type') = 'inline'
                     AND l.source <> 'mcp' AND l.source NOT IN (SELECT id FROM sources WHERE kind = 'mcp')
                     AND EXISTS (SELECT 1 FROM scan_results r JOIN capabilities k ON k.id = r.capability
                                 WHERE r.scan = i.scan AND k.kind = 'mcp_server')
                   ORDER BY l.source, l.name";
        rows(self.connection(), "read rows of servers", sql, (), |row| row.packed(0, "listing"))
    }

    /// The capabilities of an identity as they stand now, sorted.
    pub fn capabilities_of(&self, identity: &str) -> Result<Vec<CapabilityId>, StoreError> {
        let sql = "SELECT k.digest FROM identities i JOIN scan_results r ON r.scan = i.scan
                   JOIN capabilities k ON k.id = r.capability WHERE i.name = ?1 ORDER BY k.digest";
        rows(self.connection(), "read the capabilities of a row", sql, (identity,), |row| {
            row.digest(0).map(CapabilityId)
        })
    }

    /// The artifact of an identity; none where nothing of it was ever fetched.
    pub fn standing_artifact(&self, identity: &str) -> Result<Option<StandingArtifact>, StoreError> {
        const WHAT: &str = "read an artifact";
        let sql = "SELECT n.version FROM identities i JOIN snapshots n ON n.id = i.snapshot WHERE i.name = ?1";
        let Some(version) = first(self.connection(), WHAT, sql, (identity,), |row| row.cell(0))? else {
            return Ok(None);
        };
        let sql = "SELECT k.digest, r.facts, q.body FROM identities i JOIN scan_results r ON r.scan = i.scan
                   JOIN capabilities k ON k.id = r.capability
                   JOIN json_documents q ON q.id = r.completeness WHERE i.name = ?1 ORDER BY r.id";
        let capabilities = rows(self.connection(), WHAT, sql, (identity,), |row| {
            let completeness: Completeness = row.packed(2, "completeness")?;
            let is_whole = completeness == Completeness::Analysed;
            Ok(StandingCapability { id: CapabilityId(row.digest(0)?), facts: FactsId(row.cell(1)?), is_whole })
        })?;
        Ok(Some(StandingArtifact { version, capabilities }))
    }

    /// The listing behind a reference, at a source of the kind that it names; none where none is there.
    pub fn referred(&self, reference: &ListingKey) -> Result<Option<Listing>, StoreError> {
        // The source that is called like its kind speaks first, then the others by their names.
        let sql = "SELECT d.body FROM listings l JOIN json_documents d ON d.id = l.body
                   WHERE l.name = ?2 AND l.state = 'active'
                     AND (l.source = ?1 OR l.source IN (SELECT id FROM sources WHERE kind = ?1))
                   ORDER BY l.source <> ?1, l.source LIMIT 1";
        first(self.connection(), "read what is referred to", sql, (&reference.source, &reference.name), |row| {
            row.packed(0, "listing")
        })
    }
}
