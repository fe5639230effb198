//! `PackedCapability`: what an export reads of a capability, by one statement and not unpacked.
//!
//! A statement for each part would go through the same rows again and again.

use capdex_corpus::drift::Reach;
use capdex_model::capability::Capability;
use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::listing::Claim;
use capdex_model::snapshot::Completeness;
use capdex_model::surface::SurfaceInventory;
use capdex_model::time::AsOf;
use rusqlite::Row;
use serde::Deserialize;

use crate::facts::{PackedFacts, stored_at};
use crate::packed::unpack;
use crate::reach::PackedReach;
use crate::sql::{Cells, first};
use crate::surfaces::PackedSurfaces;
use crate::{CurrentCapability, CurrentPlace, ListingState, Reader, SnapshotId, StoreError};

/// A capability as it stands now with all that an export says of it but its scores, so that another thread can unpack it.
#[derive(Clone, Debug)]
pub struct PackedCapability {
    description: Vec<u8>,
    slug: String,
    listing: ListingKey,
    /// What the listing says; none where it says nothing any more.
    listing_body: Option<Vec<u8>>,
    listing_state: ListingState,
    identity: String,
    version: Option<String>,
    /// None where everything could be looked at.
    completeness: Option<Vec<u8>>,
    facts_sha256: Digest,
    first_seen: AsOf,
    revision_as_of: AsOf,
    snapshot: SnapshotId,
    ruleset: Digest,
    /// Its facts.
    pub facts: PackedFacts,
    surfaces: Option<PackedSurfaces>,
    reach: PackedReach,
}

/// What a listing says of where the thing comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListingOrigin {
    /// The address of the source repository; none where it states none.
    pub repository: Option<String>,
    /// The other things that it names.
    pub references: Vec<ListingKey>,
}

/// The two parts of a listing that say it: of all other claims nothing is unpacked.
#[derive(Deserialize)]
struct OnlyOrigin {
    claims: OnlyRepository,
    #[serde(default)]
    references: Vec<ListingKey>,
}

#[derive(Deserialize)]
struct OnlyRepository {
    #[serde(default)]
    repository: Claim<String>,
}

/// The one part of a capability that is asked for before all of it is read.
#[derive(Deserialize)]
struct OnlyFiles {
    files: Vec<String>,
}

impl PackedCapability {
    /// The capability. [`StoreError::Corrupt`] where it is damaged.
    pub fn capability(&self) -> Result<CurrentCapability, StoreError> {
        let described: Capability = unpack(&self.description, "capability")?;
        let completeness = self.completeness.as_ref().map(|body| unpack(body, "completeness")).transpose()?;
        Ok(CurrentCapability {
            capability: Capability { slug: self.slug.clone(), ..described },
            listing: self.listing.clone(),
            identity: self.identity.clone(),
            version: self.version.clone(),
            listing_state: self.listing_state,
            completeness: completeness.unwrap_or(Completeness::Analysed),
            facts: self.facts_sha256,
            first_seen: self.first_seen,
            revision_as_of: self.revision_as_of,
            snapshot: self.snapshot,
            ruleset: self.ruleset,
        })
    }

    /// What its listing says of where it comes from; nothing where the listing says nothing any more.
    pub fn origin(&self) -> Result<ListingOrigin, StoreError> {
        let Some(body) = &self.listing_body else { return Ok(ListingOrigin::default()) };
        let OnlyOrigin { claims, references } = unpack(body, "listing")?;
        let repository = match claims.repository {
            Claim::Known(repository) if !repository.is_empty() => Some(repository),
            _ => None,
        };
        Ok(ListingOrigin { repository, references })
    }

    /// Its surfaces; none where its scan listed none.
    pub fn surfaces(&self) -> Result<Option<SurfaceInventory>, StoreError> {
        self.surfaces.as_ref().map(PackedSurfaces::unpack).transpose()
    }

    /// Its hosts and permissions; none where its scan is of before they were kept.
    pub fn reach(&self) -> Result<Option<Reach>, StoreError> {
        self.reach.unpack()
    }
}

/// All of it. The row of the scan leads to the capability and so to its identity; each further row has a number.
const AT_PLACE: &str = "
    SELECT f.body, a.digest, a.id, f.id, f.digest, d.body, k.slug, k.first_seen, i.name, l.source, l.name, l.state,
           e.named, b.body, n.version, n.at, n.id, c.ruleset, s.body, p.body, r.completeness
    FROM scan_results r
    JOIN capabilities k ON k.id = r.capability
    JOIN identities i ON i.id = k.identity
    JOIN scans c ON c.id = r.scan AND c.id = i.scan
    JOIN snapshots n ON n.id = i.snapshot
    JOIN listings l ON l.id = i.listing
    JOIN listing_identities e ON e.identity = i.id AND e.listing = l.id
    JOIN json_documents d ON d.id = r.description
    JOIN json_documents p ON p.id = r.pins
    JOIN facts f ON f.id = r.facts
    LEFT JOIN rule_defaults a ON a.id = f.defaults
    LEFT JOIN json_documents b ON b.id = l.body
    LEFT JOIN scan_surfaces u ON u.scan_result = r.id
    LEFT JOIN json_documents s ON s.id = u.document
    WHERE r.id = ?1";

impl Reader {
    /// The capability at a place, packed. [`StoreError::Unknown`] where none is there any more.
    pub fn packed_capability(&self, place: &CurrentPlace) -> Result<PackedCapability, StoreError> {
        let found = first(self.connection(), "read a capability", AT_PLACE, (place.revision,), |row| {
            // Nearly all were read whole, and share one document that says so.
            let completeness = if place.is_analysed { None } else { Some(self.document(row.cell(20)?)?) };
            self.packed(row, completeness)
        })?;
        found.ok_or_else(|| StoreError::Unknown { what: "capability", key: place.revision.to_string() })
    }

    fn packed(&self, row: &Row<'_>, completeness: Option<Vec<u8>>) -> Result<PackedCapability, StoreError> {
        let state = ListingState::of_word(&row.cell::<String>(11)?)?;
        let is_named: bool = row.cell(12)?;
        Ok(PackedCapability {
            facts: stored_at(self, row, row.cell(3)?)?,
            facts_sha256: row.digest(4)?,
            description: row.cell(5)?,
            slug: row.cell(6)?,
            first_seen: row.as_of(7)?,
            identity: row.cell(8)?,
            listing: ListingKey { source: row.cell(9)?, name: row.cell(10)? },
            // The listing is there but names another package now: for this one it is as good as gone.
            listing_state: if is_named { state } else { ListingState::Gone },
            listing_body: row.cell(13)?,
            version: row.cell(14)?,
            revision_as_of: row.as_of(15)?,
            snapshot: SnapshotId(row.cell(16)?),
            ruleset: row.digest(17)?,
            surfaces: row.cell::<Option<Vec<u8>>>(18)?.map(PackedSurfaces),
            reach: PackedReach(row.cell(19)?),
            completeness,
        })
    }

    fn document(&self, id: i64) -> Result<Vec<u8>, StoreError> {
        let sql = "SELECT body FROM json_documents WHERE id = ?1";
        let found = first(self.connection(), "read a document", sql, (id,), |row| row.cell(0))?;
        found.ok_or_else(|| StoreError::Unknown { what: "document", key: id.to_string() })
    }

    /// The snapshot and the paths of the files of the capability at a place.
    pub fn files_at(&self, place: &CurrentPlace) -> Result<(SnapshotId, Vec<String>), StoreError> {
        let OnlyFiles { files } = unpack(&self.document(place.description)?, "capability")?;
        Ok((place.snapshot, files))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, gap, list, listing, mark, scan_of};
    use crate::sql::rows;

    #[test]
    fn a_place_is_read_without_looking_at_everything() {
        let folder = Folder::new();
        let reader = folder.store().reader().expect("opens");
        let sql: &'static str = format!("EXPLAIN QUERY PLAN {AT_PLACE}").leak();
        let steps: Vec<String> = rows(reader.connection(), "explain", sql, (1,), |row| row.cell(3)).expect("explains");
        assert!(steps.len() >= 14, "{steps:#?}");
        assert!(steps.iter().all(|step| step.starts_with("SEARCH ")), "{steps:#?}");
    }

    #[test]
    fn what_is_packed_is_what_stands() {
        let folder = Folder::new();
        let store = folder.store();
        let mut named = listing("a", "1");
        named.claims.repository = Claim::Known("https://a.test/a".into());
        list(&store, &named, 1);
        scan_of(&store, "a", "1", 1);
        scan_of(&store, "b", "1", 1);
        let reader = store.reader().expect("opens");
        for (place, current) in reader.current_places().expect("reads").iter().zip(reader.current().expect("reads")) {
            let packed = reader.packed_capability(place).expect("reads");
            assert_eq!(packed.capability().expect("unpacks"), current);
            let facts = packed.facts.unpack().expect("unpacks");
            assert_eq!(Some(facts), reader.facts(&current.facts).expect("reads"));
            let files = reader.files_at(place).expect("reads");
            assert_eq!(files, (current.snapshot, current.capability.files));
            let stored = reader.listing(&current.listing).expect("reads").expect("is there").listing;
            let origin = packed.origin().expect("unpacks");
            assert_eq!(
                origin.repository.as_ref(),
                stored.as_ref().and_then(|listing| listing.claims.repository.known())
            );
            assert_eq!(origin.references, stored.map(|listing| listing.references).unwrap_or_default());
        }
        mark(&store, &named.key, ListingState::Gone, Some(gap("a")), 2);
        let place = reader.current_places().expect("reads").remove(0);
        let packed = reader.packed_capability(&place).expect("reads");
        assert_eq!(packed.capability().expect("unpacks").listing_state, ListingState::Gone);
    }
}
