//! Questions: what rules in code look for in whole texts of skills, and some in every text, answered with the help of the prefilter.
//!
//! The prefilter has passed such a text anyway, for all data rules; that it looks for some literals more costs nothing.
//! Must not know who asks.

use std::ops::Range;
use std::sync::OnceLock;

use capdex_evidence::document::{Document, Noted};
use capdex_evidence::language::Language;

use super::expression::Expression;
use super::prefilter::Candidates;
use super::search_window::{SearchWindow, find_in};
use crate::questions::EVERYWHERE;

/// An expression over bytes with ASCII classes that is looked for in a whole text.
pub(crate) struct Question {
    /// Its number among all questions.
    number: usize,
    text: &'static str,
    expression: OnceLock<Expression>,
}

impl Question {
    /// A question by its number among all; `(?i)` is up to each.
    pub(crate) const fn new(number: usize, text: &'static str) -> Self {
        Self { number, text, expression: OnceLock::new() }
    }

    /// The expression.
    pub(crate) const fn text(&self) -> &'static str {
        self.text
    }

    /// True where a match lies in a document.
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
                let windows: Vec<SearchWindow> = noted.iter().map(whole).collect();
                find_in(&windows, self.expression(), text).take(places).collect()
            }
            None => self.expression().regex().find_iter(text).take(places).map(|found| found.range()).collect(),
        }
    }

    /// The first match in some text by itself.
    pub(crate) fn first_in(&self, text: &str) -> Option<Range<usize>> {
        self.expression().regex().find(text.as_bytes()).map(|found| found.range())
    }

    /// The windows of possible matches in a document, where the prefilter has noted it.
    fn noted<'a>(&self, document: &'a Document) -> Option<&'a Noted> {
        document.noted.get()?.get(self.number)
    }

    fn expression(&self) -> &Expression {
        self.expression.get_or_init(|| Expression::from(self.text.to_owned()))
    }
}

/// Notes where a text can answer the questions that have these numbers in the prefilter: all of them in Markdown, which
/// skills are; in other texts those that are asked everywhere.
pub(super) fn note(document: &Document, candidates: &Candidates<'_>, mut numbers: Range<usize>) {
    if document.language != Language::Markdown {
        numbers.end = numbers.end.min(numbers.start + EVERYWHERE);
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
