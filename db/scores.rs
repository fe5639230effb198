//! Scores: what rubrics made of facts, once for each facts and rubric text and, where ages count, for the days on which it holds.
//!
//! A body holds a score's outline; its terms and parts are a breakdown that other scores may share. Bodies of before version
//! 13 hold the whole score.

use std::borrow::Cow;
use std::collections::BTreeMap;

use capdex_model::digest::Digest;
use capdex_model::points::Points;
use capdex_model::score::{Coverage, RubricRef, Score, ScoreText};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use crate::facts::{FactsId, facts_id};
use crate::packed::{pack, unpack, written};
use crate::score_breakdowns::{BreakdownId, BreakdownText};
use crate::sql::{Cells, id_of, insert, rows};
use crate::{Reader, StoreError, Writer};

/// The days on which a score holds that depends on ages (days since the epoch).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoredDays {
    /// The day on which it was computed.
    pub from: i64,
    /// The first day on which it may be another.
    pub until: i64,
}

impl ScoredDays {
    /// One day alone.
    pub const fn only(day: i64) -> Self {
        Self { from: day, until: day.saturating_add(1) }
    }
}

/// A score ready to be stored: what takes time is done, so that the writing thread only writes.
#[derive(Clone, Debug)]
pub struct PackedScore {
    facts: FactsId,
    rubric: RubricRef,
    days: Option<ScoredDays>,
    body: Vec<u8>,
    breakdown: BreakdownText,
}

/// The content of a body. The rubric stands in a column.
#[derive(Serialize, Deserialize)]
struct Outline<'a> {
    value: Option<Points>,
    grade: Cow<'a, str>,
    coverage: Coverage,
    caps: Cow<'a, [ScoreText]>,
    reason: Cow<'a, str>,
}

impl PackedScore {
    /// Packs a score of stored facts. `days` are given for rubrics that depend on them, and for no others.
    pub fn new(facts: FactsId, days: Option<ScoredDays>, score: &Score) -> Result<Self, StoreError> {
        let Score { value, grade, coverage, caps, reason, .. } = score;
        let (value, coverage) = (*value, *coverage);
        let (grade, reason) = (Cow::Borrowed(&**grade), Cow::Borrowed(&**reason));
        let outline = Outline { value, grade, coverage, caps: caps.into(), reason };
        let body = pack(written(&outline, "score")?)?;
        Ok(Self { facts, rubric: score.rubric.clone(), days, body, breakdown: BreakdownText::of(score)? })
    }
}

impl Writer<'_> {
    /// Stores scores of stored facts; what is there already stays. `day` (days since the epoch), on which alone they hold, is
    /// given for rubrics that depend on it, and for no others. [`StoreError::Unknown`] where the facts are not stored.
    pub fn record_scores(&self, facts: &Digest, day: Option<i64>, scores: &[Score]) -> Result<(), StoreError> {
        let id = facts_id(self.connection(), facts)?;
        let id = FactsId(id.ok_or_else(|| StoreError::Unknown { what: "facts", key: facts.to_string() })?);
        let packed: Vec<PackedScore> = scores
            .iter()
            .map(|score| PackedScore::new(id, day.map(ScoredDays::only), score))
            .collect::<Result<_, _>>()?;
        self.record_packed_scores(&packed)
    }

    /// The same for scores that were packed elsewhere.
    pub fn record_packed_scores(&self, scores: &[PackedScore]) -> Result<(), StoreError> {
        let conn = self.connection();
        // A unique index takes no two nulls for equal, so the writer looks before it inserts, in the same step.
        let known = "SELECT id FROM scores WHERE facts = ?1 AND rubric = ?2 AND day IS ?3";
        let sql = "INSERT INTO scores (facts, rubric, day, until, body, breakdown) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        // A batch has few rubrics and many scores: each rubric is looked up once.
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
            let key = (score.facts.0, rubric, score.days.map(|days| days.from));
            if id_of(conn, "look up a score", known, key)?.is_none() {
                let breakdown = score.breakdown.put(conn)?;
                let until = score.days.map(|days| days.until);
                insert(conn, "store a score", sql, (key.0, key.1, key.2, until, &score.body, breakdown))?;
            }
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
    insert(conn, "store a rubric", sql, (&*rubric.id, &*rubric.version, rubric.text.as_bytes()))
}

fn rubric_id(conn: &Connection, rubric: &RubricRef) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT id FROM rubrics WHERE name = ?1 AND version = ?2 AND digest = ?3";
    id_of(conn, "look up a rubric", sql, (&*rubric.id, &*rubric.version, rubric.text.as_bytes()))
}

/// A score as it is stored, so that another thread can read it.
#[derive(Clone, Debug)]
pub struct StoredScore {
    rubric: RubricRef,
    body: Vec<u8>,
    /// Its breakdown; none for a score of before version 13, which stands whole in its body.
    pub breakdown: Option<BreakdownId>,
}

impl StoredScore {
    /// The score without its terms and parts: quicker, and enough for verdict and rank. [`StoreError::Corrupt`] where it is
    /// damaged.
    pub fn outline(&self) -> Result<Score, StoreError> {
        let Outline { value, grade, coverage, caps, reason } = unpack(&self.body, "score")?;
        let (grade, caps, reason) = (grade.into_owned().into(), caps.into_owned(), reason.into_owned());
        Ok(Score { value, grade, caps, ..Score::none(self.rubric.clone(), coverage, reason) })
    }

    /// The score where it stands whole in its body; its outline else.
    pub fn whole(&self) -> Result<Score, StoreError> {
        match self.breakdown {
            None => unpack(&self.body, "score"),
            Some(_) => self.outline(),
        }
    }
}

/// Rubric texts by where they lie in this file; none for one under which nothing was ever scored.
#[derive(Clone, Debug)]
pub struct RubricIds(Vec<(RubricRef, Option<i64>)>);

impl Reader {
    /// The rows of these rubric versions.
    pub fn rubric_ids(&self, rubrics: &[RubricRef]) -> Result<RubricIds, StoreError> {
        let conn = self.connection();
        let with_id = |rubric: &RubricRef| Ok((rubric.clone(), rubric_id(conn, rubric)?));
        rubrics.iter().map(with_id).collect::<Result<_, _>>().map(RubricIds)
    }

    /// The scores of [`Reader::scores`] as they are stored, without the breakdowns.
    pub fn stored_scores(&self, facts: FactsId, rubrics: &RubricIds, day: i64) -> Result<Vec<StoredScore>, StoreError> {
        let sql = "SELECT rubric, body, breakdown FROM scores
                   WHERE facts = ?1 AND (day IS NULL OR day = ?2 OR day < ?2 AND until > ?2)
                   ORDER BY day IS NULL, day DESC";
        let known = |rubric: i64| rubrics.0.iter().find(|(_, id)| *id == Some(rubric)).map(|(rubric, _)| rubric);
        let found = rows(self.connection(), "read the scores", sql, (facts.0, day), |row| {
            // Another text of a rubric, or one that nobody asks for.
            let Some(rubric) = known(row.cell(0)?) else { return Ok(None) };
            let breakdown = row.cell::<Option<i64>>(2)?.map(BreakdownId);
            Ok(Some(StoredScore { rubric: rubric.clone(), body: row.cell(1)?, breakdown }))
        })?;
        // Each is taken once; the order puts the score of the latest day first, and one that has no day last.
        let mut found: Vec<Option<StoredScore>> = found;
        let mut of = |(rubric, _): &(RubricRef, _)| {
            found.iter_mut().find(|score| score.as_ref().is_some_and(|score| score.rubric == *rubric))?.take()
        };
        Ok(rubrics.0.iter().filter_map(&mut of).collect())
    }

    /// The facts of current capabilities that this rubric has not scored, for this day where one is given. Each comes once,
    /// in the order in which they lie in the file.
    pub fn unscored(&self, rubric: &RubricRef, day: Option<i64>) -> Result<Vec<FactsId>, StoreError> {
        let conn = self.connection();
        // An id that no row has stands for a rubric that never scored anything.
        let rubric = rubric_id(conn, rubric)?.unwrap_or(-1);
        let sql = "SELECT DISTINCT r.facts FROM identities i JOIN scan_results r ON r.scan = i.scan
                   WHERE NOT EXISTS (SELECT 1 FROM scores s WHERE s.facts = r.facts AND s.rubric = ?1
                                     AND (s.day IS ?2 OR s.day < ?2 AND s.until > ?2))
                   ORDER BY r.facts";
        rows(conn, "look for unscored facts", sql, (rubric, day), |row| row.cell(0).map(FactsId))
    }

    /// The scores of facts under these rubric versions, in their order; a rubric without a score is left out. A rubric that
    /// depends on the day gives the score of `day`, another its only one.
    pub fn scores(&self, facts: &Digest, rubrics: &[RubricRef], day: i64) -> Result<Vec<Score>, StoreError> {
        let Some(facts) = facts_id(self.connection(), facts)? else { return Ok(Vec::new()) };
        let whole = |stored: StoredScore| match stored.breakdown {
            None => stored.whole(),
            Some(breakdown) => self.breakdown(breakdown)?.fill(stored.outline()?),
        };
        self.stored_scores(FactsId(facts), &self.rubric_ids(rubrics)?, day)?.into_iter().map(whole).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, digest, facts, list, listing, scan_of, scan_with, score};
    use crate::sql::{execute, first};

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
            let whole = reader.scores(&of, &rubrics, day).expect("reads");
            assert_eq!(stored.len(), whole.len(), "day {day}");
            for (score, stored) in whole.into_iter().zip(stored) {
                let breakdown = reader.breakdown(stored.breakdown.expect("one")).expect("stored");
                let texts = breakdown.texts().expect("whole");
                assert_eq!(texts.terms.get(), serde_json::to_string(&score.terms).expect("serialises"));
                assert_eq!(texts.parts.get(), serde_json::to_string(&score.parts).expect("serialises"));
                let outlined = stored.outline().expect("whole");
                assert_eq!(outlined, Score { terms: Vec::new(), parts: Vec::new(), ..score });
            }
        }
        assert_eq!(reader.scores(&digest("none"), &rubrics, 5).expect("reads"), []);
    }

    #[test]
    fn breakdowns_that_are_alike_are_stored_once_and_bodies_of_earlier_versions_are_read() {
        let folder = Folder::new();
        let store = folder.store();
        let mut of = Vec::new();
        for name in ["a", "b"] {
            scan_of(&store, name, "1", 1);
            let (facts, score) = (facts(name).digest(), score("saferskills/seed", "1", 70));
            store.write(move |writer| writer.record_scores(&facts, None, &[score])).expect("stored");
            of.push(facts);
        }
        let one = score("saferskills/seed", "1", 70);
        let count = "SELECT count(*) FROM score_breakdowns";
        let before = serde_json::to_string(&one).expect("serialises");
        let counted = store.write(move |writer| {
            let conn = writer.connection();
            let sql = "UPDATE scores SET body = ?1, breakdown = NULL WHERE id = 1";
            execute(conn, "write as before", sql, (pack(before)?,))?;
            first(conn, "count", count, (), |row| row.cell::<i64>(0))
        });
        assert_eq!(counted.expect("counts"), Some(1));
        let reader = store.reader().expect("opens");
        for facts in &of {
            let read = reader.scores(facts, std::slice::from_ref(&one.rubric), 5).expect("reads");
            assert_eq!(read, std::slice::from_ref(&one));
        }
        let ids = reader.rubric_ids(std::slice::from_ref(&one.rubric)).expect("reads");
        let stored = |facts| reader.stored_scores(facts, &ids, 5).expect("reads").pop().expect("a score");
        let [whole, other] = [0, 1].map(|at| stored(reader.current_facts().expect("reads")[at]));
        assert_eq!(whole.whole().expect("reads"), one);
        let (_, id, breakdown) = reader.breakdown_of(&one).expect("reads");
        assert!(whole.breakdown.is_none());
        assert!(id == other.breakdown);
        assert!(id.is_some());
        let outline = other.outline().expect("reads");
        assert_eq!(breakdown.fill(outline).expect("reads"), one);
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

    #[test]
    fn a_score_holds_on_its_days_and_gives_way_to_a_later_one() {
        let folder = Folder::new();
        let store = folder.store();
        list(&store, &listing("a", "1"), 1);
        scan_of(&store, "a", "1", 1);
        let of = facts("a").digest();
        let rubric = score("x/seed", "1", 1).rubric;
        let unscored = |day: i64| store.reader().expect("opens").unscored(&rubric, Some(day)).expect("reads").len();
        let points = |day: i64| {
            let scores = store.reader().expect("opens").scores(&of, std::slice::from_ref(&rubric), day).expect("reads");
            scores.first().and_then(|score| score.value)
        };
        let id = store.reader().expect("opens").unscored(&rubric, Some(10)).expect("reads").pop().expect("one");
        let record = |from: i64, until: i64, points: i64| {
            let packed =
                PackedScore::new(id, Some(ScoredDays { from, until }), &score("x/seed", "1", points)).expect("packs");
            store.write(move |writer| writer.record_packed_scores(&[packed])).expect("stored");
        };
        record(10, 20, 1);
        assert_eq!([9, 10, 19, 20].map(unscored), [1, 0, 0, 1]);
        assert_eq!([9, 10, 19, 20].map(|day| points(day).is_some()), [false, true, true, false]);
        // Scored again by hand on a day on which the first one holds.
        record(12, i64::MAX, 2);
        assert_eq!([11, 12, 400].map(points), [1, 2, 2].map(|value| Some(Points::whole(value))));
        assert_eq!(unscored(400), 0);
    }
}
