//! Collisions of names as of the last night, and what they are found from.
//!
//! The pass `collision` finds them.

use capdex_corpus::collision::{Collision, CollisionCue};
use capdex_corpus::drift::Pins;
use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::time::AsOf;

use crate::facts::facts_id;
use crate::packed::pack;
use crate::sql::{Cells, canonical, execute, rows, seconds};
use crate::{Reader, SnapshotId, StoreError, Writer};

/// An MCP server that is there now, with its pinned tools.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    /// The capability's readable name.
    pub slug: String,
    /// The listing that speaks for its package.
    pub listing: ListingKey,
    /// Its pins.
    pub pins: Pins,
    /// The digest of its facts.
    pub facts: Digest,
    /// Cues in the facts that speak for more than a shared name; none while nobody looked.
    pub cues: Option<Vec<CollisionCue>>,
    /// Its snapshot, by which the texts of its tools can be read again.
    pub snapshot: SnapshotId,
}

impl Writer<'_> {
    /// Keeps what in facts speaks for more than a shared name.
    ///
    /// [`StoreError::Unknown`] for facts that are not stored.
    pub fn keep_cues(&self, facts: &Digest, cues: &[CollisionCue]) -> Result<(), StoreError> {
        let id = facts_id(self.connection(), facts)?
            .ok_or_else(|| StoreError::Unknown { what: "facts", key: facts.to_string() })?;
        let sql = "INSERT INTO collision_cues (facts, body) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        execute(self.connection(), "keep the cues of facts", sql, (id, canonical(&cues)?)).map(drop)
    }

    /// Adds a collision, or what is found of it now, which keeps the night that found it first; true where it is new.
    pub fn put_collision(&self, collision: &Collision, at: AsOf) -> Result<bool, StoreError> {
        const WHAT: &str = "store a collision";
        let body = pack(canonical(collision)?)?;
        let sql = "INSERT INTO collisions (name, at, body) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
        if execute(self.connection(), WHAT, sql, (&collision.key, seconds(at), &body))? == 1 {
            return Ok(true);
        }
        // `at` stays: a reader wants to know since when it stands, not when it was looked at last.
        let sql = "UPDATE collisions SET body = ?2 WHERE name = ?1";
        execute(self.connection(), WHAT, sql, (&collision.key, &body)).map(|_| false)
    }

    /// Takes out a collision that is found no more.
    pub fn drop_collision(&self, key: &str) -> Result<(), StoreError> {
        execute(self.connection(), "take out a collision", "DELETE FROM collisions WHERE name = ?1", (key,)).map(drop)
    }
}

impl Reader {
    /// Every MCP server with tools whose listing is there and names it, sorted by slug.
    pub fn offered(&self) -> Result<Vec<Offered>, StoreError> {
        // From the servers on: they are few of all that stands, and in this order nothing is read of the others.
        let sql = "SELECT k.slug, l.source, l.name, p.body, f.digest, c.body, i.snapshot
                   FROM capabilities k
                   CROSS JOIN identities i ON i.id = k.identity
                   JOIN listings l ON l.id = i.listing AND l.state <> 'gone'
                   JOIN listing_identities e ON e.identity = i.id AND e.listing = l.id AND e.named = 1
                   JOIN scan_results r ON r.scan = i.scan AND r.capability = k.id
                   JOIN json_documents p ON p.id = r.pins
                   JOIN facts f ON f.id = r.facts
                   LEFT JOIN collision_cues c ON c.facts = f.id
                   WHERE k.kind = 'mcp_server'
                   ORDER BY k.slug, k.digest";
        let all = rows(self.connection(), "read the servers with tools", sql, (), |row| {
            let mut pins: Pins = row.packed(3, "pins")?;
            // Of the pins only tools are compared; those of all files would fill memory for nothing.
            pins.files.clear();
            pins.reach = None;
            Ok(Offered {
                slug: row.cell(0)?,
                listing: ListingKey { source: row.cell(1)?, name: row.cell(2)? },
                pins,
                facts: row.digest(4)?,
                cues: row.json_if_any(5, "cues")?,
                snapshot: SnapshotId(row.cell(6)?),
            })
        })?;
        // A server whose tools could not be read has no name that could collide.
        Ok(all.into_iter().filter(|server| !server.pins.tools.is_empty()).collect())
    }

    /// Every collision with the night that found it first, what weighs most first, then by key.
    pub fn collisions(&self) -> Result<Vec<(Collision, AsOf)>, StoreError> {
        let sql = "SELECT body, at FROM collisions ORDER BY name";
        let mut all: Vec<(Collision, AsOf)> = rows(self.connection(), "read the collisions", sql, (), |row| {
            Ok((row.packed(0, "collision")?, row.as_of(1)?))
        })?;
        // Severity stands in the packed body, where SQL cannot sort by it.
        all.sort_by(|(one, _), (other, _)| {
            other.severity.cmp(&one.severity).then_with(|| (one.class, &one.key).cmp(&(other.class, &other.key)))
        });
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, day, facts, scan_of};
    use capdex_corpus::collision::CollisionClass;
    use capdex_model::fact::Severity;

    fn collision(key: &str, class: CollisionClass, parties: u64) -> Collision {
        Collision {
            key: key.into(),
            of: "tool".into(),
            class,
            severity: class.severity(),
            name: "gmail_send".into(),
            entity: Some("npm:b".into()),
            holder: Some("npm-b".into()),
            target: None,
            parties,
            reasons: vec![],
        }
    }

    #[test]
    fn a_collision_keeps_its_first_night_while_it_is_found() {
        let folder = Folder::new();
        let store = folder.store();
        let put = |collision: Collision, night| store.write(move |writer| writer.put_collision(&collision, day(night)));
        assert!(put(collision("a", CollisionClass::Shared, 2), 1).expect("stored"));
        assert!(!put(collision("a", CollisionClass::Shared, 3), 2).expect("stored"));
        assert!(put(collision("z", CollisionClass::Shadow, 2), 2).expect("stored"));
        let read = || store.reader().expect("opens").collisions().expect("reads");
        assert_eq!(
            read(),
            [(collision("z", CollisionClass::Shadow, 2), day(2)), (collision("a", CollisionClass::Shared, 3), day(1))]
        );
        assert_eq!(read()[0].0.severity, Severity::High);
        store.write(|writer| writer.drop_collision("a")).expect("taken out");
        assert_eq!(read().len(), 1);
    }

    #[test]
    fn cues_are_kept_with_their_facts() {
        let folder = Folder::new();
        let store = folder.store();
        scan_of(&store, "a", "1", 1);
        let cues = vec![CollisionCue { rule: "tool-shadowing".into(), severity: Severity::High, evidence: "x".into() }];
        store.write(move |writer| writer.keep_cues(&facts("a").digest(), &cues)).expect("kept");
        let unknown = store.write(|writer| writer.keep_cues(&facts("none").digest(), &[]));
        assert!(matches!(unknown, Err(StoreError::Unknown { .. })));
        // The fixtures' capability has no tools.
        assert_eq!(store.reader().expect("opens").offered().expect("reads"), []);
    }
}
