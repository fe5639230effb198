//! The needs of an expression: the literals that must stand in its matches, near them, or anywhere in a text with one.

use super::literals::{LiteralPlan, LiteralSet, Sight};
use super::parsed;
use super::reach::MatchReach;

/// The needs of an expression.
#[derive(Clone, Debug, Default)]
pub struct RequiredLiterals {
    /// In every match, and how far a match reaches.
    pub(crate) within: Option<LiteralPlan>,
    pub(crate) reach: Option<MatchReach>,
    /// With which matches begin.
    pub(crate) begins: Option<LiteralSet>,
    /// At most so many bytes from every match that counts.
    pub(crate) near: Vec<(LiteralPlan, usize)>,
    /// Anywhere in the text.
    beside: Vec<LiteralPlan>,
}

impl RequiredLiterals {
    /// The needs of an expression by itself, in a text of whole words.
    pub fn of(pattern: &str) -> Self {
        let parsed = parsed(pattern);
        let known = parsed.as_ref().map(|parsed| LiteralPlan::with_beginning(parsed, Sight::Whole));
        let (within, begins) = known.unwrap_or_default();
        Self { within, reach: parsed.as_ref().and_then(MatchReach::of), begins, ..Self::default() }
    }

    /// The surroundings of an expression, with the needs of the expression itself.
    pub fn with(self, own: Self) -> Self {
        Self { within: own.within, reach: own.reach, begins: own.begins, ..self }
    }

    /// With what must stand within so many bytes of a match that counts.
    pub fn near(mut self, plan: LiteralPlan, bytes: usize) -> Self {
        self.near.push((plan, bytes));
        self
    }

    /// With what must stand anywhere in a text with a match that counts.
    pub fn beside(mut self, plan: LiteralPlan) -> Self {
        self.beside.push(plan);
        self
    }

    pub(crate) fn plans(&self) -> impl Iterator<Item = &LiteralPlan> {
        self.within.iter().chain(self.near.iter().map(|(plan, _)| plan)).chain(&self.beside)
    }
}
