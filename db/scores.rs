//! Scores: what rubrics made of facts, once for each facts, rubric text and, where ages count, day.
//!
//! Must not know what a score means.

use std::collections::BTreeMap;

use capdex_core::digest::Digest;
use capdex_core::points::Points;
use capdex_core::score::{Coverage, RubricRef, Score};
use rusqlite::Connection;
use serde::Deserialize;

use crate::documents::{pack, unpack};
use crate::facts::{FactsId, facts_id};
use crate::sql::{Cells, execute, first, id_of, insert, rows};
use crate::{Reader, StoreError, Writer};

/// A score ready to be stored: what takes time is done, so that the writing thread only writes.
#[derive(Clone, Debug)]
pub struct PackedScore {
    facts: FactsId,
    rubric: RubricRef,
    day: Option<i64>,
    body: Vec<u8>,
}

impl PackedScore {
    /// Packs a score of stored facts. `day` (days since the epoch) is given for rubrics that depend on it, and for no
    /// others.
    pub fn new(facts: FactsId, day: Option<i64>, score: &Score) -> Result<Self, StoreError> {
        let text = serde_json::to_string(score)
            .map_err(|error| StoreError::Refused { what: "score", detail: error.to_string() })?;
        Ok(Self { facts, rubric: score.rubric.clone(), day, body: pack(text)? })
    }
}

impl Writer<'_> {
    /// Stores scores of stored facts; what is there already stays. `day` (days since the epoch) is given for rubrics
    /// that depend on it, and for no others. [`StoreError::Unknown`] where the facts are not stored.
    pub fn record_scores(&self, facts: &Digest, day: Option<i64>, scores: &[Score]) -> Result<(), StoreError> {
        let id = facts_id(self.connection(), facts)?;
        let id = FactsId(id.ok_or_else(|| StoreError::Unknown { what: "facts", key: facts.to_string() })?);
        let packed: Vec<PackedScore> =
            scores.iter().map(|score| PackedScore::new(id, day, score)).collect::<Result<_, _>>()?;
        self.record_packed_scores(&packed)
    }

    /// The same for scores that were packed elsewhere.
    pub fn record_packed_scores(&self, scores: &[PackedScore]) -> Result<(), StoreError> {
        let conn = self.connection();
        // A unique index takes no two nulls for equal, so the writer looks before it inserts, in the same step.
        let sql = "INSERT INTO scores (facts, rubric, day, body) SELECT ?1, ?2, ?3, ?4
                   WHERE NOT EXISTS (SELECT 1 FROM scores WHERE facts = ?1 AND rubric = ?2 AND day IS ?3)";
        let mut rubrics: BTreeMap<&RubricRef, i64> = BTreeMap::new();
        for score in scores {
            let rubric = match rubrics.get(&score.rubric) {
                Some(known) => *known,
                None => {
                    let id = put_rubric(conn, &score.rubric)?;
                    rubrics.insert(&score.rubric, id);
                    id
                }
            };
            execute(conn, "store a score", sql, (score.facts.0, rubric, score.day, &score.body))?;
        }
        Ok(())
    }
}

/// Stores a rubric's reference unless it is there; its id.
fn put_rubric(conn: &Connection, rubric: &RubricRef) -> Result<i64, StoreError> {
    if let Some(id) = rubric_id(conn, rubric)? {
        return Ok(id);
    }
    let sql = "INSERT INTO rubrics (name, version, digest) VALUES (?1, ?2, ?3)";
    insert(conn, "store a rubric", sql, (&rubric.id, &rubric.version, rubric.text.as_bytes()))
}

fn rubric_id(conn: &Connection, rubric: &RubricRef) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT id FROM rubrics WHERE name = ?1 AND version = ?2 AND digest = ?3";
    id_of(conn, "look up a rubric", sql, (&rubric.id, &rubric.version, rubric.text.as_bytes()))
}

/// A score as it is stored, so that another thread can read it.
#[derive(Clone, Debug)]
pub struct StoredScore(Vec<u8>);

impl StoredScore {
    /// The score. [`StoreError::Corrupt`] where it is damaged.
    pub fn unpack(&self) -> Result<Score, StoreError> {
        unpack(&self.0, "score")
    }

    /// The score without the arithmetic behind it: quicker, and enough for verdict and rank.
    pub fn outline(&self) -> Result<Score, StoreError> {
        let Outline { rubric, value, grade, coverage, caps, reason } = unpack(&self.0, "score")?;
        Ok(Score { value, grade, caps, ..Score::none(rubric, coverage, reason) })
    }
}

/// What is read of a score as an outline.
#[derive(Deserialize)]
struct Outline {
    rubric: RubricRef,
    value: Option<Points>,
    grade: String,
    coverage: Coverage,
    caps: Vec<String>,
    reason: String,
}

/// Rubric texts by where they lie in this file; none for one under which nothing was ever scored.
#[derive(Clone, Debug)]
pub struct RubricIds(Vec<Option<i64>>);

impl Reader {
    /// Where these rubric versions lie.
    pub fn rubric_ids(&self, rubrics: &[RubricRef]) -> Result<RubricIds, StoreError> {
        let conn = self.connection();
        rubrics.iter().map(|rubric| rubric_id(conn, rubric)).collect::<Result<_, _>>().map(RubricIds)
    }

    /// What [`Reader::scores`] gives, as it is stored.
    pub fn stored_scores(&self, facts: FactsId, rubrics: &RubricIds, day: i64) -> Result<Vec<StoredScore>, StoreError> {
        let sql = "SELECT rubric, body FROM scores WHERE facts = ?1 AND (day IS NULL OR day = ?2)
                   ORDER BY day IS NULL";
        let found = rows(self.connection(), "read the scores", sql, (facts.0, day), |row| {
            Ok((row.cell::<i64>(0)?, row.cell::<Vec<u8>>(1)?))
        })?;
        let mut found: Vec<Option<(i64, Vec<u8>)>> = found.into_iter().map(Some).collect();
        let mut of = |rubric: &i64| {
            found.iter_mut().find(|score| score.as_ref().is_some_and(|(id, _)| id == rubric)).and_then(Option::take)
        };
        Ok(rubrics.0.iter().flatten().filter_map(&mut of).map(|(_, body)| StoredScore(body)).collect())
    }

    /// The facts of current capabilities that this rubric has not scored (on this day, where one is given), each once, in
    /// the order in which they lie in the file.
    pub fn unscored(&self, rubric: &RubricRef, day: Option<i64>) -> Result<Vec<FactsId>, StoreError> {
        let conn = self.connection();
        // An id that no row has stands for a rubric that never scored anything.
        let rubric = rubric_id(conn, rubric)?.unwrap_or(-1);
        let sql = "SELECT DISTINCT r.facts FROM identities i JOIN revisions r ON r.scan = i.scan
                   WHERE NOT EXISTS (SELECT 1 FROM scores s WHERE s.facts = r.facts AND s.rubric = ?1 AND s.day IS ?2)
                   ORDER BY r.facts";
        rows(conn, "look for unscored facts", sql, (rubric, day), |row| row.cell(0).map(FactsId))
    }

    /// The scores of facts under these rubric versions, in their order; a rubric without a score is left out. Of a
    /// rubric that depends on the day that of `day`, of another its only one.
    pub fn scores(&self, facts: &Digest, rubrics: &[RubricRef], day: i64) -> Result<Vec<Score>, StoreError> {
        let conn = self.connection();
        let Some(facts) = facts_id(conn, facts)? else { return Ok(Vec::new()) };
        let sql = "SELECT body FROM scores WHERE facts = ?1 AND rubric = ?2 AND (day IS NULL OR day = ?3)
                   ORDER BY day IS NULL LIMIT 1";
        let mut scores = Vec::with_capacity(rubrics.len());
        for rubric in rubrics {
            if let Some(rubric) = rubric_id(conn, rubric)? {
                scores.extend(first(conn, "read a score", sql, (facts, rubric, day), |row| row.packed(0, "score"))?);
            }
        }
        Ok(scores)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, digest, facts, scan_of, scan_with, score};

    #[test]
    fn a_score_is_kept_once_for_each_text_version_and_day() {
        let folder = Folder::new();
        let store = folder.store();
        scan_of(&store, "a", "1", 1);
        let of = facts("a").digest();
        let record = |day: Option<i64>, scores: Vec<Score>| {
            store.write(move |writer| writer.record_scores(&of, day, &scores)).expect("stored");
        };
        let (ageless, daily) = (score("saferskills/seed", "1", 70), score("agentscore/seed", "1", 50));
        record(None, vec![ageless.clone()]);
        record(None, vec![ageless.clone(), score("saferskills/seed", "2", 71)]);
        record(Some(5), vec![daily.clone()]);
        record(Some(6), vec![score("agentscore/seed", "1", 49)]);
        record(Some(5), vec![score("agentscore/seed", "1", 1)]);
        let reader = store.reader().expect("opens");
        assert_eq!(reader.totals().expect("counts").scores, 4);
        let rubrics = [daily.rubric.clone(), ageless.rubric.clone(), score("none", "1", 0).rubric];
        assert_eq!(reader.scores(&of, &rubrics, 5).expect("reads"), [daily, ageless.clone()]);
        assert_eq!(reader.scores(&of, &rubrics, 7).expect("reads"), [ageless], "no score of that day");
        let ids = reader.rubric_ids(&rubrics).expect("reads");
        let facts = reader.current_facts().expect("reads")[0];
        for day in [5, 6, 7] {
            let stored = reader.stored_scores(facts, &ids, day).expect("reads");
            let stored: Vec<Score> = stored.iter().map(|score| score.unpack().expect("whole")).collect();
            assert_eq!(stored, reader.scores(&of, &rubrics, day).expect("reads"), "day {day}");
            let outlines = reader.stored_scores(facts, &ids, day).expect("reads");
            for (score, outline) in stored.into_iter().zip(outlines) {
                let outlined = outline.outline().expect("whole");
                assert_eq!(outlined, Score { terms: Vec::new(), parts: Vec::new(), ..score });
            }
        }
        assert_eq!(reader.scores(&digest("none"), &rubrics, 5).expect("reads"), []);
    }

    #[test]
    fn what_is_unscored_depends_on_text_version_and_day() {
        let folder = Folder::new();
        let store = folder.store();
        scan_of(&store, "a", "1", 1);
        scan_of(&store, "b", "1", 1);
        let a = facts("a").digest();
        let one = score("x", "1", 1);
        let reader = store.reader().expect("opens");
        let both = reader.unscored(&one.rubric, None).expect("reads");
        assert_eq!(both, reader.current_facts().expect("reads"));
        let [_, b] = both[..] else { panic!("two facts") };
        let packed = reader.packed_facts(&both).expect("reads");
        let unpacked: Vec<_> = packed.iter().map(|facts| facts.unpack().expect("whole")).collect();
        assert_eq!(unpacked, [facts("a"), facts("b")]);
        let stored = one.clone();
        store.write(move |writer| writer.record_scores(&a, None, &[stored])).expect("stored");
        assert_eq!(reader.unscored(&one.rubric, None).expect("reads"), [b]);
        assert_eq!(reader.unscored(&one.rubric, Some(9)).expect("reads"), both);
        assert_eq!(reader.unscored(&score("x", "2", 1).rubric, None).expect("reads"), both);
        let other_text = RubricRef { text: digest("another text"), ..one.rubric.clone() };
        assert_eq!(reader.unscored(&other_text, None).expect("reads"), both);
    }

    #[test]
    fn facts_that_nothing_has_any_more_need_no_score() {
        let folder = Folder::new();
        let store = folder.store();
        scan_of(&store, "a", "1", 1);
        scan_with(&store, "a", "2", 2, "a2");
        let unscored = store.reader().expect("opens").unscored(&score("x", "1", 1).rubric, None).expect("reads");
        let reader = store.reader().expect("opens");
        let unpacked = reader.packed_facts(&unscored).expect("reads");
        assert_eq!(unpacked.iter().map(|facts| facts.unpack().expect("whole")).collect::<Vec<_>>(), [facts("a2")]);
        assert!(matches!(reader.packed_facts(&[FactsId(99)]), Err(StoreError::Unknown { what: "facts", .. })));
    }

    #[test]
    fn scores_of_unknown_facts_are_refused() {
        let folder = Folder::new();
        let result = folder.store().write(|writer| writer.record_scores(&digest("none"), None, &[score("x", "1", 1)]));
        assert!(matches!(result, Err(StoreError::Unknown { what: "facts", .. })));
    }
}
