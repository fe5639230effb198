//! Terms: how a breakdown is made to add up to the value exactly, and the words that all breakdowns share.
//!
//! Every rubric closes its terms here, so that a breakdown always adds up.

use std::sync::OnceLock;

use capdex_model::capability::Kind;
use capdex_model::points::{self, Points};
use capdex_model::score::{ScoreText, ScoreTexts, Term};

use super::findings::Answered;

/// No rules behind a term.
pub(super) const NO_RULES: ScoreTexts = ScoreTexts::Borrowed(&[]);

/// One line of the arithmetic.
pub(super) fn term(
    label: impl Into<ScoreText>,
    points: Points,
    rules: impl Into<ScoreTexts>,
    note: impl Into<ScoreText>,
) -> Term {
    Term { label: label.into(), points, rules: rules.into(), note: note.into() }
}

/// Adds the term `rounding` where the terms do not yet add up to the value.
pub(super) fn close(terms: &mut Vec<Term>, value: Points, note: &'static str) {
    let rest = value - terms.iter().map(|term| term.points).sum::<Points>();
    if rest != Points::ZERO {
        terms.push(term("rounding", rest, NO_RULES, note));
    }
}

/// Each name once, in order.
pub(super) fn distinct(names: impl IntoIterator<Item = &'static str>) -> ScoreTexts {
    let mut names: Vec<ScoreText> = names.into_iter().map(ScoreText::Borrowed).collect();
    names.sort_unstable();
    names.dedup();
    names.into()
}

/// Adds "3 of 5 rules could look" to what is said. Every score says so a dozen times: no formatting is set up for it.
pub(super) fn push_looked(said: &mut String, answered: Answered) {
    push_number(said, answered.answered);
    said.push_str(" of ");
    push_number(said, answered.asked);
    said.push_str(" rules could look");
}

/// Adds a number in decimal digits.
pub(super) fn push_number(said: &mut String, number: usize) {
    points::push_number(said, number as u64);
}

/// A text that is nearly always made of the same figures for all capabilities of a kind. It is made for the first of
/// them and shared with every other that has the same.
pub(super) struct CachedText<F>([OnceLock<(F, String)>; Kind::ALL.len()]);

impl<F: Copy + PartialEq> CachedText<F> {
    /// Nothing said yet.
    pub(super) const fn new() -> Self {
        Self([const { OnceLock::new() }; Kind::ALL.len()])
    }

    /// The text for the figures, in the words of `say`, which depend on nothing else.
    pub(super) fn said(&'static self, kind: Kind, figures: F, say: impl Fn() -> String) -> ScoreText {
        let first = self.0.get(kind as usize).map(|first| first.get_or_init(|| (figures, say())));
        match first {
            Some((first, said)) if *first == figures => ScoreText::Borrowed(said),
            // Other figures are written afresh and not kept: the first are nearly always the ones that come again.
            _ => ScoreText::Owned(say()),
        }
    }
}
