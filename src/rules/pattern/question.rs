//! Questions: what rules in code look for in whole texts of skills, answered with the help of the prefilter.
//!
//! The prefilter has passed such a text anyway, for all data rules; that it looks for some literals more costs nothing.
//! Must not know who asks.

use std::ops::Range;
use std::sync::OnceLock;

use capdex_evidence::document::{Document, Noted};
use capdex_evidence::language::Language;

use super::expression::Expression;
use super::prefilter::{Candidates, RequiredLiterals};
use super::search_window::{SearchWindow, find_in};

/// An expression over bytes with ASCII classes that is looked for in the text of a skill.
pub(crate) struct Question {
    text: &'static str,
    expression: OnceLock<Expression>,
    /// Signs that every match holds on the line where it begins, and few lines do: all of them.
    signs: (&'static [&'static str], OnceLock<Vec<Expression>>),
    /// Its number among all questions, where it is asked of whole texts and the engine stands.
    number: OnceLock<usize>,
}

impl Question {
    /// A question; `(?i)` is up to each.
    pub(crate) const fn new(text: &'static str) -> Self {
        Self::signed(text, &[])
    }

    /// A question whose matches all hold some signs on the line where they begin, of which the quickest to find comes
    /// first: lines without are passed over, which an expression of many states is worth.
    pub(crate) const fn signed(text: &'static str, signs: &'static [&'static str]) -> Self {
        let signs = (signs, OnceLock::new());
        Self { text, expression: OnceLock::new(), signs, number: OnceLock::new() }
    }

    /// True where a match lies in a document: a question without signs.
    pub(crate) fn occurs(&self, document: &Document) -> bool {
        let (text, regex) = (document.text.as_bytes(), self.expression().regex());
        match self.noted(document) {
            Some(noted) => noted.first().is_some_and(|(starts, _)| regex.is_match_at(text, starts.start)),
            None => regex.is_match(text),
        }
    }

    /// The first matches in a document, so many at most.
    pub(crate) fn all_in(&self, document: &Document, places: usize) -> Vec<Range<usize>> {
        let text = document.text.as_bytes();
        match self.noted(document) {
            Some(noted) => {
                let whole = |(starts, end): &(Range<usize>, usize)| SearchWindow { starts: starts.clone(), end: *end };
                let windows = match self.signs() {
                    [] => noted.iter().map(whole).collect(),
                    // Expressions of many states are slow even in windows: lines without the signs are left out first.
                    [sign, others @ ..] => signed_lines(sign, others, noted, text),
                };
                find_in(&windows, self.expression(), text).take(places).collect()
            }
            None => self.expression().regex().find_iter(text).take(places).map(|found| found.range()).collect(),
        }
    }

    /// The first match in some text by itself.
    pub(crate) fn first_in(&self, text: &str) -> Option<Range<usize>> {
        self.expression().regex().find(text.as_bytes()).map(|found| found.range())
    }

    fn signs(&self) -> &[Expression] {
        let (signs, expressions) = &self.signs;
        expressions.get_or_init(|| signs.iter().map(|sign| Expression::from((*sign).to_owned())).collect())
    }

    /// The windows of possible matches in a document, where the prefilter has noted it.
    fn noted<'a>(&self, document: &'a Document) -> Option<&'a Noted> {
        // Whoever noted a document has numbered all questions before.
        document.noted.get()?.get(*self.number.get()?)
    }

    /// Its needs, with its number among all questions from now on: they look at parts of a text, but at whole words.
    pub(super) fn numbered(&self, number: usize) -> RequiredLiterals {
        self.number.get_or_init(|| number);
        RequiredLiterals::of(self.text)
    }

    fn expression(&self) -> &Expression {
        self.expression.get_or_init(|| Expression::from(self.text.to_owned()))
    }
}

/// The lines on which matches may begin and which hold a sign and the others with it; each with the line behind it, in
/// order.
fn signed_lines(sign: &Expression, others: &[Expression], noted: &Noted, text: &[u8]) -> Vec<SearchWindow> {
    let is_break = |byte: &u8| *byte == b'\n';
    let line_of =
        |at: usize| text.get(..at).and_then(|before| before.iter().rposition(is_break)).map_or(0, |at| at + 1);
    let end_of = |at: usize| {
        text.get(at..).and_then(|rest| rest.iter().position(is_break)).map_or(text.len(), |length| at + length + 1)
    };
    let (mut windows, mut from) = (Vec::new(), 0);
    for (starts, _) in noted {
        from = from.max(line_of(starts.start));
        let until = text.get(..end_of(starts.end)).unwrap_or(text);
        while let Some(found) = until.get(from..).and_then(|_| sign.regex().find_at(until, from)) {
            let start = line_of(found.start());
            from = end_of(found.end());
            let line = text.get(start..from).unwrap_or_default();
            if others.iter().all(|other| other.occurs_in(line)) {
                windows.push(SearchWindow { starts: start..from, end: end_of(from) });
            }
        }
        from = from.max(until.len());
    }
    windows
}

/// Notes where a Markdown text can answer the questions that have these numbers in the prefilter.
pub(super) fn note(document: &Document, candidates: &Candidates<'_>, numbers: Range<usize>) {
    // Skills are Markdown; of other texts nobody asks these questions.
    if document.language != Language::Markdown {
        return;
    }
    let windows = |number: usize| -> Noted {
        // An empty list is an answer: nothing in this text can match.
        if candidates.expressions().binary_search(&number).is_err() {
            return Vec::new();
        }
        candidates.windows(number).into_iter().map(|window| (window.starts, window.end)).collect()
    };
    document.noted.get_or_init(|| numbers.map(windows).collect());
}
