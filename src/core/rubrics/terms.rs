//! Terms: how a breakdown is made to add up to the value exactly.
//!
//! Must not know any rubric's numbers.

use crate::points::Points;
use crate::score::Term;

use super::findings::Answered;

/// One line of the arithmetic.
pub(super) fn term(label: impl Into<String>, points: Points, rules: Vec<String>, note: impl Into<String>) -> Term {
    Term { label: label.into(), points, rules, note: note.into() }
}

/// Adds the term `rounding` where the terms do not yet add up to the value.
pub(super) fn close(terms: &mut Vec<Term>, value: Points, note: &str) {
    let rest = value - terms.iter().map(|term| term.points).sum::<Points>();
    if rest != Points::ZERO {
        terms.push(term("rounding", rest, Vec::new(), note));
    }
}

/// Each rule once, in order.
pub(super) fn distinct<'a>(rules: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let rules: std::collections::BTreeSet<&str> = rules.into_iter().collect();
    rules.into_iter().map(str::to_owned).collect()
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
    if number >= 10 {
        push_number(said, number / 10);
    }
    said.push(char::from(b"0123456789".get(number % 10).copied().unwrap_or(b'0')));
}
