//! `Score` and its breakdown: the result of a rubric over the facts, to the last term.
//!
//! One form for all rubrics, however each computes.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::digest::Digest;
use crate::points::Points;

/// A text of a score. Nearly all are the same for every capability: those are lent and not copied.
pub type ScoreText = Cow<'static, str>;

/// Some texts, which are lent where they are always the same.
pub type ScoreTexts = Cow<'static, [ScoreText]>;

/// The text that a score follows: the rubric's id, its version, and the digest of its numbers and our page about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RubricRef {
    /// The id, such as `saferskills/seed`.
    pub id: ScoreText,
    /// The version of our reading of it.
    pub version: ScoreText,
    /// SHA-256 over the rubric's numbers file and our page about it.
    pub text: Digest,
}

impl RubricRef {
    /// True for one of the four published methods; their variants and the verdict stand beside them.
    pub fn is_seed(&self) -> bool {
        self.id.ends_with("/seed")
    }
}

/// A share between 0 and 1 in thousandths: the part of the rubric's questions that could be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Coverage(u16);

impl Coverage {
    /// Nothing could be answered.
    pub const NONE: Self = Self(0);
    /// Everything could be answered.
    pub const FULL: Self = Self(1000);

    /// `answered` of `asked`, rounded down; nothing asked is nothing answered.
    pub fn of(answered: usize, asked: usize) -> Self {
        // Rounded down, so that only an answer to every question shows as full coverage.
        let thousandths = answered.saturating_mul(1000).checked_div(asked).unwrap_or(0).min(1000);
        Self(u16::try_from(thousandths).unwrap_or(1000))
    }

    /// Takes thousandths; more than 1000 is 1000.
    pub const fn thousandths(thousandths: u16) -> Self {
        Self(if thousandths > 1000 { 1000 } else { thousandths })
    }

    /// The thousandths.
    pub const fn as_thousandths(self) -> u16 {
        self.0
    }

    /// The JSON number, `0`, `0.5`, `0.125` or `1`.
    pub fn to_json(self) -> Value {
        match self.0 {
            // A whole number is written without a decimal, as `Points` are.
            0 => json!(0),
            1000 => json!(1),
            thousandths => json!(f64::from(thousandths) / 1000.0),
        }
    }
}

/// One line of the arithmetic. The points of all terms add up to the score's value exactly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Term {
    /// The name of the line, in the rubric's own words: `security`, `finding pipe-to-shell`, `ceiling critical`.
    pub label: ScoreText,
    /// The points that it adds or takes.
    pub points: Points,
    /// The rules whose facts it rests on.
    pub rules: ScoreTexts,
    /// The computation in words, for a person: `35 % of 60`, `3 x high`.
    pub note: ScoreText,
}

/// The result of a rubric over the facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Score {
    /// The text that it follows.
    pub rubric: RubricRef,
    /// The value on the rubric's own scale; none where the rubric publishes none for the kind or lacks its data.
    pub value: Option<Points>,
    /// The grade as the rubric names it, or `n/a`.
    pub grade: ScoreText,
    /// The share of the rubric's questions that could be answered.
    pub coverage: Coverage,
    /// The arithmetic; empty where there is no value.
    pub terms: Vec<Term>,
    /// Named parts on the rubric's own scales, in its order: sub-scores, layers, checks.
    pub parts: Vec<ScorePart>,
    /// The hard constraints and ceilings that took hold, in the rubric's words.
    pub caps: Vec<ScoreText>,
    /// Why there is no value; empty where there is one.
    pub reason: ScoreText,
}

/// A named part of a score with its own scale and state, such as a sub-score or a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScorePart {
    /// Its name in the rubric.
    pub name: ScoreText,
    /// Its value; none where it could not be determined.
    pub value: Option<Points>,
    /// The share of it that could be answered.
    pub coverage: Coverage,
    /// The things that were and were not determined, for a person.
    pub note: ScoreText,
}

impl Score {
    /// A score with no value, and why.
    pub fn none(rubric: RubricRef, coverage: Coverage, reason: impl Into<ScoreText>) -> Self {
        Self {
            rubric,
            value: None,
            grade: "n/a".into(),
            coverage,
            terms: Vec::new(),
            parts: Vec::new(),
            caps: Vec::new(),
            reason: reason.into(),
        }
    }

    /// True where the terms add up to the value.
    pub fn adds_up(&self) -> bool {
        match self.value {
            Some(value) => self.terms.iter().map(|term| term.points).sum::<Points>() == value,
            None => self.terms.is_empty(),
        }
    }
}

/// The one word for what to do about a capability, from ok to block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Band {
    /// Everything that counts was looked at, and nothing of weight was found.
    Ok,
    /// Keep an eye on it.
    Watch,
    /// Review before use.
    Caution,
    /// Do not use.
    Block,
    /// Not enough was seen to say.
    Unknown,
}

impl Band {
    /// Every band.
    pub const ALL: [Self; 5] = [Self::Ok, Self::Watch, Self::Caution, Self::Block, Self::Unknown];

    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Watch => "watch",
            Self::Caution => "caution",
            Self::Block => "block",
            Self::Unknown => "unknown",
        }
    }
}

/// What to do about a capability, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The band.
    pub band: Band,
    /// The finding or gap that decides, in one sentence; it quotes strangers.
    pub reason: String,
    /// (strictest − mildest) / 3 over the known bands of the four methods, in thousandths; none with fewer than two.
    pub disagreement: Option<Coverage>,
}
