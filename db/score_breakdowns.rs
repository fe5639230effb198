//! Breakdowns: the terms and parts of scores, stored once for all scores that have the same.
//!
//! The scores that refer to them stand in `scores`.

use capdex_model::digest::Digest;
use capdex_model::score::{Score, ScorePart, Term};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::packed::{pack, unpack, written};
use crate::sql::{Cells, first, id_of, insert};
use crate::{Reader, StoreError};

/// A breakdown by where it lies in this file. Meaningless outside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BreakdownId(pub(crate) i64);

/// Terms and parts as they are written.
#[derive(Serialize)]
struct BreakdownToWrite<'a> {
    terms: &'a [Term],
    parts: &'a [ScorePart],
}

/// Terms and parts as they are read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ParsedBreakdown {
    terms: Vec<Term>,
    parts: Vec<ScorePart>,
}

/// Terms and parts as JSON texts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BreakdownTexts {
    /// The arithmetic.
    pub terms: Box<RawValue>,
    /// Sub-scores, layers or checks.
    pub parts: Box<RawValue>,
}

/// A breakdown as its text. It is packed only where it is stored: of fifty scores forty-nine have one that is there.
#[derive(Clone, Debug)]
pub(crate) struct BreakdownText {
    digest: Digest,
    text: String,
}

impl BreakdownText {
    pub(crate) fn of(score: &Score) -> Result<Self, StoreError> {
        // Hashed as it is written: the digest only tells equal texts, which needs no canonical form.
        let text = written(&BreakdownToWrite { terms: &score.terms, parts: &score.parts }, "breakdown")?;
        Ok(Self { digest: Digest::of(text.as_bytes()), text })
    }

    /// Stores it unless it is there; its id.
    pub(crate) fn put(&self, conn: &Connection) -> Result<i64, StoreError> {
        // Looked up before it is packed: packing is what takes time.
        if let Some(BreakdownId(id)) = self.id(conn)? {
            return Ok(id);
        }
        let sql = "INSERT INTO score_breakdowns (digest, body) VALUES (?1, ?2)";
        insert(conn, "store a breakdown", sql, (self.digest.as_bytes(), pack(self.text.clone())?))
    }

    fn id(&self, conn: &Connection) -> Result<Option<BreakdownId>, StoreError> {
        let sql = "SELECT id FROM score_breakdowns WHERE digest = ?1";
        id_of(conn, "look up a breakdown", sql, (self.digest.as_bytes(),)).map(|id| id.map(BreakdownId))
    }
}

/// A breakdown as it is stored, so that another thread can read it.
#[derive(Clone, Debug)]
pub struct StoredBreakdown(Vec<u8>);

impl StoredBreakdown {
    /// Its texts. [`StoreError::Corrupt`] where it is damaged.
    pub fn texts(&self) -> Result<BreakdownTexts, StoreError> {
        unpack(&self.0, "breakdown")
    }

    /// The score that an outline becomes with it.
    pub fn fill(&self, outline: Score) -> Result<Score, StoreError> {
        let ParsedBreakdown { terms, parts } = unpack(&self.0, "breakdown")?;
        Ok(Score { terms, parts, ..outline })
    }
}

impl Reader {
    /// A stored breakdown. [`StoreError::Unknown`] where there is none.
    pub fn breakdown(&self, id: BreakdownId) -> Result<StoredBreakdown, StoreError> {
        let sql = "SELECT body FROM score_breakdowns WHERE id = ?1";
        let body = first(self.connection(), "read a breakdown", sql, (id.0,), |row| row.cell(0))?;
        body.map(StoredBreakdown).ok_or_else(|| StoreError::Unknown { what: "breakdown", key: id.0.to_string() })
    }

    /// The breakdown of a score that stands whole in its body, as all did before version 13 of the schema. With it come its
    /// text's digest and the row of an equal one, where there is one.
    pub fn breakdown_of(&self, score: &Score) -> Result<(Digest, Option<BreakdownId>, StoredBreakdown), StoreError> {
        let breakdown = BreakdownText::of(score)?;
        let id = breakdown.id(self.connection())?;
        // Not packed: `unpack` reads plain JSON as well as a frame.
        Ok((breakdown.digest, id, StoredBreakdown(breakdown.text.into_bytes())))
    }
}
