//! Questions: what rules in code look for in whole texts of skills, answered with the help of the gate.
//!
//! The gate has passed such a text anyway, for all data rules; that it looks for some literals more costs nothing. Must
//! not know who asks.

use std::ops::Range;
use std::sync::OnceLock;

use crate::evidence::document::{Document, Noted};
use crate::rules::code;

use super::expression::Expression;
use super::gate::{Need, Passing};
use super::literals::Sight;
use super::stretch::{Stretch, find_in};

/// An expression over bytes with ASCII classes that is looked for in the text of a skill.
pub(in crate::rules) struct Question {
    text: &'static str,
    expression: OnceLock<Expression>,
}

impl Question {
    /// A question; `(?i)` is up to each.
    pub(in crate::rules) const fn new(text: &'static str) -> Self {
        Self { text, expression: OnceLock::new() }
    }

    /// Where the first match lies among the first bytes of a document.
    pub(in crate::rules) fn first_in(&self, document: &Document, most: usize) -> Option<Range<usize>> {
        self.all_in(document, most, 1).pop()
    }

    /// Where the first matches lie among the first bytes of a document, so many at most.
    pub(in crate::rules) fn all_in(&self, document: &Document, most: usize, places: usize) -> Vec<Range<usize>> {
        let text = document.text.as_bytes();
        let text = text.get(..most).unwrap_or(text);
        let number = code::questions().position(|other| std::ptr::eq(self, other));
        match number.and_then(|number| document.noted.get()?.get(number)) {
            Some(noted) => {
                let stretches: Vec<Stretch> =
                    noted.iter().map(|(starts, end)| Stretch { starts: starts.clone(), end: *end }).collect();
                find_in(&stretches, self.expression(), text).take(places).collect()
            }
            None => self.expression().regex().find_iter(text).take(places).map(|found| found.range()).collect(),
        }
    }

    /// Whether a match lies in a part of a text.
    pub(in crate::rules) fn occurs_in(&self, part: &[u8]) -> bool {
        self.expression().occurs_in(part)
    }

    fn expression(&self) -> &Expression {
        self.expression.get_or_init(|| Expression::from(self.text.to_owned()))
    }
}

/// What the questions need of a text, in their order: they look at its first bytes, which may end within a word.
pub(super) fn needs() -> impl Iterator<Item = Need> {
    code::questions().map(|question| Need::seen(question.text, Sight::Part))
}

/// Notes where a skill's text can answer the questions, whose numbers in the gate begin at `first`.
pub(super) fn note(document: &Document, passing: &Passing<'_>, first: usize) {
    let is_skill = document.path.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
    if !is_skill {
        return;
    }
    let stretches = |number: usize| -> Noted {
        if passing.expressions().binary_search(&number).is_err() {
            return Vec::new();
        }
        passing.stretches(number).into_iter().map(|stretch| (stretch.starts, stretch.end)).collect()
    };
    document.noted.get_or_init(|| (first..).zip(code::questions()).map(|(number, _)| stretches(number)).collect());
}
