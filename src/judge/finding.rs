//! `JudgeFinding`: one thing that a model says, with the words of ours that it rests on.

use serde::{Deserialize, Serialize};

use crate::check::Check;

/// What a model says of one text of one tool. The quote is a range of our own bytes; no word of the model is kept in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgeFinding {
    /// The number of the tool in its unit, from 0.
    pub tool: usize,
    /// The question.
    pub check: Check,
    /// The text: a JSON Pointer from the tool, such as `/description`, or `/name`.
    pub field: String,
    /// The first byte of the quote in that text.
    pub start: usize,
    /// The byte after its last.
    pub end: usize,
}
