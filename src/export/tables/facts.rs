//! The table `facts`: every outcome of every rule, from which scores are computed again.
//!
//! Of two hundred answers about a capability nearly all say that nothing was found. Those stand once in the table `answers`;
//! a row here holds what was answered otherwise, and gives all facts back, to the digest.

use capdex_db::ExceptionTexts;
use capdex_model::facts::SparseFacts;

use super::{Column, Json, Rows, Table, Text, column};
use crate::export::cell::{Cell, Row};

pub(super) const TABLE: Table = Table {
    name: "facts",
    about: "every fact about one content, from which scores are recomputed",
    columns: COLUMNS,
    rows: Rows::Ranked,
};

const COLUMNS: &[Column] = &[
    column("facts_sha256", Text, "SHA-256 (hex) over the canonical JSON of all facts"),
    column("kind", Text, "the kind of the capability that they are about"),
    column(
        "usual",
        Text,
        "yes: every rule that neither `told` nor `silent` names answered what `answers` has for it and this kind; no: those \
         are all facts",
    ),
    column("told", Json, "facts that say more than that: what is there, with place, evidence or value"),
    column(
        "silent",
        Json,
        "answers without any of it that are not the usual ones: `[rule, version, outcome, evidence]`",
    ),
];

/// The row of facts, in the order of the columns. `texts` are theirs where the store holds them.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn row(digest: &str, facts: &SparseFacts, texts: Option<ExceptionTexts>) -> anyhow::Result<Row> {
    let (over_defaults, told, silent) = match texts {
        Some(ExceptionTexts { facts, outcomes }) => {
            (true, Cell::text(facts).into_json(), Cell::text(outcomes).into_json())
        }
        None => {
            let written = facts.exceptions();
            (written.over_defaults, Cell::json(&written.facts)?, Cell::json(&written.outcomes)?)
        }
    };
    let usual = Cell::text(if over_defaults { "yes" } else { "no" });
    Ok(vec![Cell::text(digest), Cell::text(facts.kind.as_str()), usual, told, silent])
}
