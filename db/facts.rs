//! Facts: what the rules said, stored once for each digest.
//!
//! Must not know which capabilities they are about: revisions do.

use capdex_core::capability::Kind;
use capdex_core::digest::Digest;
use capdex_core::fact::{Confidence, Fact, Facts, Outcome, Place, Severity};
use capdex_core::ids::RuleId;
use capdex_core::time::AsOf;
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::documents::{pack, unpack};
use crate::sql::{Cells, canonical, first, id_of, insert, rows, seconds};
use crate::{Reader, StoreError};

/// Facts as their body holds them. Most say that nothing was found or could not be, in a few words: written as such
/// they take a quarter of the room and of the time to read. A body without `plain` holds all facts in their order.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    kind: Kind,
    facts: Vec<Fact>,
    #[serde(default)]
    plain: Vec<Plain>,
}

/// Rule, its version, what it says, and what was missing.
type Plain = (RuleId, u32, Outcome, String);

impl Body {
    fn of(facts: &Facts) -> Self {
        let mut body = Self { kind: facts.kind, facts: Vec::new(), plain: Vec::new() };
        for fact in facts.all() {
            let plain = (fact.rule.clone(), fact.version, fact.outcome, fact.evidence.clone());
            if whole(plain.clone()) == *fact {
                body.plain.push(plain);
            } else {
                body.facts.push(fact.clone());
            }
        }
        body
    }

    fn whole(self) -> Facts {
        let plain = self.plain.into_iter().map(whole);
        Facts::new(self.kind, plain.chain(self.facts).collect())
    }
}

fn whole((rule, version, outcome, evidence): Plain) -> Fact {
    Fact {
        rule,
        version,
        outcome,
        severity: Severity::Info,
        confidence: Confidence::High,
        place: Place::default(),
        evidence,
        value: Value::Null,
    }
}

/// Packs facts; `text` is their canonical JSON, which is kept where the short form would not give them back.
fn pack_facts(facts: &Facts, text: String) -> Result<Vec<u8>, StoreError> {
    let body = Body::of(facts);
    let short = serde_json::to_string(&body)
        .map_err(|error| StoreError::Refused { what: "facts", detail: error.to_string() })?;
    pack(if body.whole() == *facts { short } else { text })
}

pub(crate) fn unpack_facts(body: &[u8]) -> Result<Facts, StoreError> {
    let body: Body = unpack(body, "facts")?;
    Ok(body.whole())
}

/// Facts by where they lie in this file: quicker than by their digest, and meaningless outside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FactsId(pub(crate) i64);

/// Facts as they are stored, so that another thread can read them.
#[derive(Clone, Debug)]
pub struct PackedFacts {
    /// Where they lie.
    pub id: FactsId,
    body: Vec<u8>,
}

impl PackedFacts {
    /// The facts. [`StoreError::Corrupt`] where they are damaged.
    pub fn unpack(&self) -> Result<Facts, StoreError> {
        unpack_facts(&self.body)
    }
}

/// Stores facts unless they are there; their id.
pub(crate) fn put_facts(conn: &Connection, facts: &Facts, at: AsOf) -> Result<i64, StoreError> {
    // Serialised once for the digest and the body: `Facts::digest` is the digest of this text.
    let text = canonical(facts)?;
    let digest = Digest::of(text.as_bytes());
    if let Some(id) = facts_id(conn, &digest)? {
        return Ok(id);
    }
    let sql = "INSERT INTO facts (digest, body, at) VALUES (?1, ?2, ?3)";
    insert(conn, "store facts", sql, (digest.as_bytes(), pack_facts(facts, text)?, seconds(at)))
}

/// The id of stored facts.
pub(crate) fn facts_id(conn: &Connection, digest: &Digest) -> Result<Option<i64>, StoreError> {
    id_of(conn, "look up facts", "SELECT id FROM facts WHERE digest = ?1", (digest.as_bytes(),))
}

impl Reader {
    /// The facts of every current capability, each once, in the order in which they lie in the file.
    pub fn current_facts(&self) -> Result<Vec<FactsId>, StoreError> {
        let sql = "SELECT DISTINCT r.facts FROM identities i JOIN revisions r ON r.scan = i.scan ORDER BY r.facts";
        rows(self.connection(), "read the current facts", sql, (), |row| row.cell(0).map(FactsId))
    }

    /// Some facts as they are stored, in the order asked for. [`StoreError::Unknown`] where they are not.
    pub fn packed_facts(&self, ids: &[FactsId]) -> Result<Vec<PackedFacts>, StoreError> {
        let sql = "SELECT body FROM facts WHERE id = ?1";
        ids.iter()
            .map(|id| {
                let body = first(self.connection(), "read facts", sql, (id.0,), |row| row.cell(0))?;
                let body = body.ok_or_else(|| StoreError::Unknown { what: "facts", key: id.0.to_string() })?;
                Ok(PackedFacts { id: *id, body })
            })
            .collect()
    }

    /// The facts of a digest; none where they are not stored.
    pub fn facts(&self, digest: &Digest) -> Result<Option<Facts>, StoreError> {
        let sql = "SELECT body FROM facts WHERE digest = ?1";
        let body = first(self.connection(), "read facts", sql, (digest.as_bytes(),), |row| row.cell::<Vec<u8>>(0))?;
        body.map(|body| unpack_facts(&body)).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, day, facts};

    #[test]
    fn plain_facts_are_written_shortly_and_every_body_gives_back_what_was_stored() {
        let plain = |rule: &str, outcome, evidence: &str| whole((RuleId::new(rule), 1, outcome, evidence.to_owned()));
        let mut all: Vec<Fact> = facts("a").all().cloned().collect();
        all.push(plain("absent", Outcome::False, ""));
        all.push(plain("blind", Outcome::Unavailable, "no tool could be read"));
        let measured = Fact { value: Value::from(3), ..plain("measured", Outcome::True, "") };
        all.extend([measured.clone(), Fact { severity: Severity::Low, ..measured }]);
        let stored = Facts::new(Kind::Skill, all);
        let body = Body::of(&stored);
        assert_eq!((body.plain.len(), body.facts.len()), (2, 3));
        let text = canonical(&stored).expect("serialises");
        for body in [pack_facts(&stored, text.clone()), pack(text)] {
            let read = unpack_facts(&body.expect("packs")).expect("reads");
            assert_eq!((&read, read.digest()), (&stored, stored.digest()));
        }
        // Two facts that only their severity tells apart, the plain one second: the order is kept.
        let twice = plain("twice", Outcome::False, "");
        let twice = Facts::new(Kind::Skill, vec![Fact { severity: Severity::Low, ..twice.clone() }, twice]);
        let body = pack_facts(&twice, canonical(&twice).expect("serialises")).expect("packs");
        assert_eq!(unpack_facts(&body).expect("reads").digest(), twice.digest());
    }

    #[test]
    fn facts_are_stored_once_under_their_own_digest() {
        let folder = Folder::new();
        let store = folder.store();
        let ids = store.write(|writer| {
            let put = |name, night| put_facts(writer.connection(), &facts(name), day(night));
            Ok([put("a", 1)?, put("b", 1)?, put("a", 2)?])
        });
        let [first, other, again] = ids.expect("written");
        assert!(first == again && first != other);
        let reader = store.reader().expect("opens");
        let stored = reader.facts(&facts("a").digest()).expect("reads");
        assert_eq!(stored, Some(facts("a")));
        assert_eq!(stored.expect("stored").digest(), facts("a").digest());
        assert_eq!(reader.facts(&Digest::of(b"none")).expect("reads"), None);
    }
}
