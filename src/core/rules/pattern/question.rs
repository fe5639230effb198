//! Questions: what rules in code look for in whole texts of skills, answered with the help of the gate.
//!
//! The gate has passed such a text anyway, for all data rules; that it looks for some literals more costs nothing. Must
//! not know who asks.

use std::ops::Range;
use std::sync::OnceLock;

use crate::evidence::document::{Document, Language, Noted};
use crate::rules::code;

use super::expression::Expression;
use super::gate::{Need, Passing};
use super::literals::Sight;
use super::stretch::{Stretch, find_in};

/// An expression over bytes with ASCII classes that is looked for in the text of a skill.
pub(in crate::rules) struct Question {
    text: &'static str,
    expression: OnceLock<Expression>,
    /// What every match holds on the line where it begins and few lines do: all of them.
    signs: (&'static [&'static str], OnceLock<Vec<Expression>>),
    /// Its number among all questions, where it is asked of whole texts.
    number: OnceLock<Option<usize>>,
}

impl Question {
    /// A question; `(?i)` is up to each.
    pub(in crate::rules) const fn new(text: &'static str) -> Self {
        Self { text, expression: OnceLock::new(), signs: (&[], OnceLock::new()), number: OnceLock::new() }
    }

    /// A question whose matches all hold some signs on the line where they begin, which are too short or too many for the
    /// gate: other lines are passed over. The rarest comes first.
    pub(in crate::rules) const fn signed(text: &'static str, signs: &'static [&'static str]) -> Self {
        let signs = (signs, OnceLock::new());
        Self { text, expression: OnceLock::new(), signs, number: OnceLock::new() }
    }

    /// Where the first match lies among the first bytes of a document.
    pub(in crate::rules) fn first_in(&self, document: &Document, most: usize) -> Option<Range<usize>> {
        self.all_in(document, most, 1).pop()
    }

    /// Where the first matches lie among the first bytes of a document, so many at most.
    pub(in crate::rules) fn all_in(&self, document: &Document, most: usize, places: usize) -> Vec<Range<usize>> {
        let text = document.text.as_bytes();
        let text = text.get(..most).unwrap_or(text);
        match self.noted(document) {
            Some(noted) => {
                let whole =
                    || noted.iter().map(|(starts, end)| Stretch { starts: starts.clone(), end: *end }).collect();
                let stretches = match self.signs() {
                    [] => whole(),
                    [sign, others @ ..] => signed_lines(sign, others, noted, text),
                };
                find_in(&stretches, self.expression(), text).take(places).collect()
            }
            None => self.expression().regex().find_iter(text).take(places).map(|found| found.range()).collect(),
        }
    }

    /// Whether a match lies in a part of a document.
    pub(in crate::rules) fn occurs_at(&self, document: &Document, part: &Range<usize>) -> bool {
        let near = |(starts, end): &(Range<usize>, usize)| starts.start < part.end && *end > part.start;
        let may = self.noted(document).is_none_or(|noted| noted.iter().any(near));
        let text = document.text.as_bytes().get(part.clone()).unwrap_or_default();
        may && self.signs().iter().all(|sign| sign.occurs_in(text)) && self.occurs_in(text)
    }

    fn signs(&self) -> &[Expression] {
        let (signs, expressions) = &self.signs;
        expressions.get_or_init(|| signs.iter().map(|sign| Expression::from((*sign).to_owned())).collect())
    }

    /// Where a match may begin and end in a document, where the gate has noted it.
    fn noted<'a>(&self, document: &'a Document) -> Option<&'a Noted> {
        let number = self.number.get_or_init(|| code::questions().position(|other| std::ptr::eq(self, other)));
        document.noted.get()?.get((*number)?)
    }

    /// Whether a match lies in a part of a text.
    pub(in crate::rules) fn occurs_in(&self, part: &[u8]) -> bool {
        self.expression().occurs_in(part)
    }

    fn expression(&self) -> &Expression {
        self.expression.get_or_init(|| Expression::from(self.text.to_owned()))
    }
}

/// The lines that hold a sign and the others with it, and in which matches may begin; each with the line behind it, in
/// order.
fn signed_lines(sign: &Expression, others: &[Expression], noted: &Noted, text: &[u8]) -> Vec<Stretch> {
    let end_of = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        rest.iter().position(|byte| *byte == b'\n').map_or(text.len(), |length| from + length + 1)
    };
    let (Some((first, _)), Some((last, _))) = (noted.first(), noted.last()) else { return Vec::new() };
    let began = text.get(..first.start).and_then(|before| before.iter().rposition(|byte| *byte == b'\n'));
    let (mut stretches, mut from, mut part) = (Vec::new(), began.map_or(0, |at| at + 1), 0);
    let until = text.get(..end_of(last.end)).unwrap_or(text);
    while let Some(found) = sign.regex().find_at(until, from) {
        let before = text.get(from..found.start()).unwrap_or_default();
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(from, |at| from + at + 1);
        from = end_of(found.end());
        while noted.get(part).is_some_and(|(starts, _)| starts.end <= start) {
            part += 1;
        }
        let line = text.get(start..from).unwrap_or_default();
        if noted.get(part).is_some_and(|(starts, _)| starts.start < from)
            && others.iter().all(|other| other.occurs_in(line))
        {
            stretches.push(Stretch { starts: start..from, end: end_of(from) });
        }
    }
    stretches
}

/// What the questions need of a text, in their order: they look at its first bytes, which may end within a word.
pub(super) fn needs() -> impl Iterator<Item = Need> {
    code::questions().map(|question| Need::seen(question.text, Sight::Part))
}

/// Notes where a Markdown text can answer the questions, whose numbers in the gate begin at `first`.
pub(super) fn note(document: &Document, passing: &Passing<'_>, first: usize) {
    if document.language != Language::Markdown {
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
