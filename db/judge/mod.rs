//! The judge's units, requests and answers: what was asked, what came back, and what it was read as.
//!
//! Requests and answers are only ever added. A request stands here before it is sent. Findings are a pure function of unit and
//! answer, and kept beside them so that a replay can tell that they are.

mod standing;
#[cfg(test)]
mod tests;

use capdex_judge::answer::Reading;
use capdex_judge::prompt::{Ballot, PromptVersion};
use capdex_judge::unit::{JudgePart, JudgeUnit, UNIT_FORM};
use capdex_judge::wire::JudgeModel;
use capdex_judge::{Unanswered, key};
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::time::AsOf;
use rusqlite::{Connection, Row};
use serde::{Deserialize, Serialize};

use crate::sql::{Cells, canonical, each, execute, first, id_of, insert, seconds};
use crate::{Reader, StoreError, Writer, json_documents};

pub use standing::{JudgePartRow, StandingUnit, Unprepared};

const READ: &str = "read what the judge was asked";
const KEEP: &str = "keep what the judge was asked";
/// The outcome of an answer that counts.
const USED: &str = "used";

/// The number of a unit in this file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnitId(pub(crate) i64);

/// Whose answers count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeUse {
    /// The model, with the form in which it is asked.
    pub model: JudgeModel,
    /// Answers that a finding needs: 1, or 2 with the questions put both ways.
    pub votes: u32,
    /// The kinds that it is asked about; servers alone where it says nothing.
    #[serde(default = "servers")]
    pub kinds: Vec<Kind>,
}

fn servers() -> Vec<Kind> {
    vec![Kind::McpServer]
}

impl JudgeUse {
    /// The ballots that it takes.
    pub const fn ballots(&self) -> &'static [Ballot] {
        if self.votes > 1 { &[Ballot::Questions, Ballot::Inverted] } else { &[Ballot::Questions] }
    }
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeCall {
    /// The unit that it is about.
    pub unit: UnitId,
    /// The key under which its answer counts.
    pub key: Digest,
    /// The instant of the run.
    pub at: AsOf,
    /// The version of the prompt.
    pub prompt: PromptVersion,
    /// Which of two.
    pub ballot: Ballot,
    /// The model.
    pub model: JudgeModel,
    /// The digest of its body.
    pub request: Digest,
    /// The most tokens that it may cost.
    pub reserved_in: u64,
    /// The same of its answer.
    pub reserved_out: u64,
}

/// What came of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeAnswer {
    /// What it was read as.
    pub outcome: Result<Reading, Unanswered>,
    /// The body of the answer as it came, where it is a text.
    pub body: Option<String>,
    /// The model that answered, as it names itself.
    pub answered_by: String,
    /// The state of its system, as it names it.
    pub fingerprint: String,
    /// From the first step to the last byte.
    pub latency_ms: u64,
    /// Tokens that it cost.
    pub tokens_in: u64,
    /// The same of its answer.
    pub tokens_out: u64,
}

impl JudgeAnswer {
    /// What came of a question that nobody answered. It cost nothing and took no time unless the caller says otherwise.
    pub const fn without(why: Unanswered) -> Self {
        Self {
            outcome: Err(why),
            body: None,
            answered_by: String::new(),
            fingerprint: String::new(),
            latency_ms: 0,
            tokens_in: 0,
            tokens_out: 0,
        }
    }
}

/// A request with its unit and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredJudgement {
    /// Its number.
    pub id: i64,
    /// The request.
    pub call: JudgeCall,
    /// The unit.
    pub unit: JudgeUnit,
    /// What came of it; none where the program ended before.
    pub answer: Option<JudgeAnswer>,
}

/// What was asked since an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JudgeSpent {
    /// Requests.
    pub calls: u64,
    /// Tokens; of a request without an answer the most that it may have cost.
    pub tokens_in: u64,
    /// The same of answers.
    pub tokens_out: u64,
}

impl Writer<'_> {
    /// Keeps the parts of what a scan found. A server without a tool has none, and is not looked at again either.
    pub fn put_judge_parts(&self, server: &Unprepared, parts: &[JudgePart]) -> Result<(), StoreError> {
        let conn = self.connection();
        let sql =
            "INSERT OR IGNORE INTO judge_parts (scan_result, form, part, unit, places) VALUES (?1, ?2, ?3, ?4, ?5)";
        let put = |number: u32, unit: Option<i64>, places: &[capdex_model::fact::Place]| {
            let values = (server.revision, UNIT_FORM, number, unit, json_documents::put(conn, &places)?);
            execute(conn, KEEP, sql, values).map(drop)
        };
        for (number, part) in (0..).zip(parts) {
            match part {
                JudgePart::Unit(unit, places) => put(number, Some(unit_row(conn, unit)?), places)?,
                JudgePart::TooLong(place) => put(number, None, std::slice::from_ref(place))?,
            }
        }
        if parts.is_empty() { put(0, None, &[]) } else { Ok(()) }
    }

    /// Keeps units that are no server's, such as labelled ones; the number of each.
    pub fn put_judge_units(&self, units: &[JudgeUnit]) -> Result<Vec<UnitId>, StoreError> {
        units.iter().map(|unit| unit_row(self.connection(), unit).map(UnitId)).collect()
    }

    /// Keeps that a request goes out; its number.
    pub fn begin_judge_call(&self, call: &JudgeCall) -> Result<i64, StoreError> {
        let sql = "INSERT INTO judge_calls (key, unit, at, prompt, ballot, model, request, reserved_in, reserved_out)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let (prompt, ballot, model) = (call.prompt.number(), call.ballot.as_str(), canonical(&call.model)?);
        let (key, request) = (call.key.as_bytes(), call.request.as_bytes());
        let reserved = (number(call.reserved_in)?, number(call.reserved_out)?);
        let values = (key, call.unit.0, seconds(call.at), prompt, ballot, model, request, reserved.0, reserved.1);
        insert(self.connection(), KEEP, sql, values)
    }

    /// Keeps what came of a request. [`StoreError::Refused`] where that is known already.
    pub fn end_judge_call(&self, call: i64, answer: &JudgeAnswer) -> Result<(), StoreError> {
        let conn = self.connection();
        let (outcome, reading) = match &answer.outcome {
            Ok(reading) => (USED, Some(json_documents::put(conn, reading)?)),
            Err(why) => (why.as_str(), None),
        };
        let body = answer.body.as_ref().map(|body| json_documents::put(conn, body)).transpose()?;
        let sql = "INSERT OR IGNORE INTO judge_answers
                   (call, outcome, body, answered_by, fingerprint, latency_ms, tokens_in, tokens_out, reading)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let (latency, tokens) = (number(answer.latency_ms)?, (number(answer.tokens_in)?, number(answer.tokens_out)?));
        let (by, fingerprint) = (&answer.answered_by, &answer.fingerprint);
        let values = (call, outcome, body, by, fingerprint, latency, tokens.0, tokens.1, reading);
        if execute(conn, KEEP, sql, values)? == 1 {
            return Ok(());
        }
        Err(StoreError::Refused { what: "answer", detail: format!("request {call} has one already") })
    }

    /// Keeps whose answers count from now on.
    pub fn set_judge_use(&self, judge: &JudgeUse) -> Result<(), StoreError> {
        let sql =
            "INSERT INTO judge_use (one, body) VALUES (1, ?1) ON CONFLICT (one) DO UPDATE SET body = excluded.body";
        execute(self.connection(), KEEP, sql, (canonical(judge)?,)).map(drop)
    }
}

/// A count as a column holds it.
fn number(count: u64) -> Result<i64, StoreError> {
    i64::try_from(count).map_err(|error| StoreError::Refused { what: "count", detail: error.to_string() })
}

fn unit_row(conn: &Connection, unit: &JudgeUnit) -> Result<i64, StoreError> {
    let digest = unit.digest();
    let known = "SELECT id FROM judge_units WHERE digest = ?1";
    if let Some(id) = id_of(conn, READ, known, (digest.as_bytes(),))? {
        return Ok(id);
    }
    let sql = "INSERT INTO judge_units (digest, document) VALUES (?1, ?2)";
    insert(conn, KEEP, sql, (digest.as_bytes(), json_documents::put(conn, unit)?))
}

/// The columns of a request with its unit and its answer, as [`judgement`] decodes them.
macro_rules! judgement_sql {
    ($rest:literal) => {
        concat!(
            "SELECT c.id, c.unit, c.key, c.at, c.prompt, c.ballot, c.model, c.request, c.reserved_in, c.reserved_out,
                    d.body, a.outcome, b.body, a.answered_by, a.fingerprint, a.latency_ms, a.tokens_in, a.tokens_out, g.body
             FROM judge_calls c
             JOIN judge_units u ON u.id = c.unit
             JOIN json_documents d ON d.id = u.document
             LEFT JOIN judge_answers a ON a.call = c.id
             LEFT JOIN json_documents b ON b.id = a.body
             LEFT JOIN json_documents g ON g.id = a.reading ",
            $rest
        )
    };
}

fn judgement(row: &Row<'_>) -> Result<StoredJudgement, StoreError> {
    let corrupt = |detail: String| StoreError::Corrupt { what: "request of the judge", detail };
    let prompt: u32 = row.cell(4)?;
    let call = JudgeCall {
        unit: UnitId(row.cell(1)?),
        key: row.digest(2)?,
        at: row.as_of(3)?,
        prompt: PromptVersion::of(prompt).ok_or_else(|| corrupt(format!("there is no prompt {prompt}")))?,
        ballot: row.cell::<String>(5)?.parse().map_err(corrupt)?,
        model: row.json(6, "model of the judge")?,
        request: row.digest(7)?,
        reserved_in: row.count(8)?,
        reserved_out: row.count(9)?,
    };
    let outcome = match row.cell::<Option<String>>(11)?.as_deref() {
        None => None,
        Some(USED) => Some(Ok(row.packed(18, "reading of an answer")?)),
        Some(why) => Some(Err(why.parse().map_err(corrupt)?)),
    };
    let answer = outcome.map(|outcome| -> Result<JudgeAnswer, StoreError> {
        let body = row.cell::<Option<Vec<u8>>>(12)?;
        Ok(JudgeAnswer {
            outcome,
            body: body.map(|body| crate::packed::unpack(&body, "answer of the judge")).transpose()?,
            answered_by: row.cell(13)?,
            fingerprint: row.cell(14)?,
            latency_ms: row.count(15)?,
            tokens_in: row.count(16)?,
            tokens_out: row.count(17)?,
        })
    });
    let answer = answer.transpose()?;
    Ok(StoredJudgement { id: row.cell(0)?, call, unit: row.packed(10, "unit of the judge")?, answer })
}

impl Reader {
    /// Whose answers count; none where no judge was ever asked.
    pub fn judge_use(&self) -> Result<Option<JudgeUse>, StoreError> {
        let sql = "SELECT body FROM judge_use WHERE one = 1";
        first(self.connection(), READ, sql, (), |row| row.json(0, "use of the judge"))
    }

    /// The request under a key that counts, with what came of it: the first with an answer that counts, else the newest.
    pub fn judgement(&self, key: &Digest) -> Result<Option<StoredJudgement>, StoreError> {
        let sql = judgement_sql!(
            "WHERE c.key = ?1 ORDER BY ifnull(a.outcome, '') = 'used' DESC,
                    CASE WHEN a.outcome = 'used' THEN c.id ELSE -c.id END LIMIT 1"
        );
        first(self.connection(), READ, sql, (key.as_bytes(),), judgement)
    }

    /// Every request, in the order in which they went out, with what came of each.
    pub fn each_judgement<E: From<StoreError>>(
        &self,
        visit: impl FnMut(StoredJudgement) -> Result<(), E>,
    ) -> Result<(), E> {
        each(self.connection(), READ, judgement_sql!("ORDER BY c.id"), (), judgement, visit)
    }

    /// What was asked at an instant and later.
    pub fn judge_spent(&self, since: AsOf) -> Result<JudgeSpent, StoreError> {
        let sql = "SELECT count(*), ifnull(sum(ifnull(a.tokens_in, c.reserved_in)), 0),
                          ifnull(sum(ifnull(a.tokens_out, c.reserved_out)), 0)
                   FROM judge_calls c LEFT JOIN judge_answers a ON a.call = c.id WHERE c.at >= ?1";
        let spent = first(self.connection(), READ, sql, (seconds(since),), |row| {
            Ok(JudgeSpent { calls: row.count(0)?, tokens_in: row.count(1)?, tokens_out: row.count(2)? })
        })?;
        Ok(spent.unwrap_or_default())
    }

    /// The unit of a number. [`StoreError::Unknown`] where there is none.
    pub fn judge_unit(&self, id: UnitId) -> Result<JudgeUnit, StoreError> {
        let sql = "SELECT d.body FROM judge_units u JOIN json_documents d ON d.id = u.document WHERE u.id = ?1";
        let found = first(self.connection(), READ, sql, (id.0,), |row| row.packed(0, "unit of the judge"))?;
        found.ok_or_else(|| StoreError::Unknown { what: "unit of the judge", key: id.0.to_string() })
    }

    /// What came of the questions about a unit to the model that counts, one for each ballot; none of a ballot that was not asked.
    pub fn judgements_of(
        &self,
        unit: &JudgeUnit,
        judge: &JudgeUse,
    ) -> Result<Vec<Option<StoredJudgement>>, StoreError> {
        let of = |ballot: &Ballot| self.judgement(&key::key(unit, PromptVersion::CURRENT, *ballot, &judge.model));
        judge.ballots().iter().map(of).collect()
    }
}
