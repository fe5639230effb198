//! Terms: how a breakdown is made to add up to the value exactly.
//!
//! Must not know any rubric's numbers.

use crate::points::Points;
use crate::score::Term;

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
