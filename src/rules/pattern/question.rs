//! Questions: what rules in code look for in whole texts of skills, and some in every text, answered with the help of the prefilter.
//!
//! The prefilter has passed such a text anyway, for all data rules; that it looks for some literals more costs nothing.
//! Must not know who asks.

use std::ops::Range;
use std::sync::OnceLock;

use capdex_evidence::document::{Document, Noted};
use capdex_evidence::language::Language;

use super::ENGINE;
use super::expression::Expression;
use super::prefilter::{Candidates, PrefilterHits};
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

    /// False where no match can lie in a document: told without looking for one.
    pub(crate) fn may_occur(&self, document: &Document) -> bool {
        self.noted(document).is_none_or(|noted| !noted.is_empty())
    }

    /// True where a match lies in a document.
    pub(crate) fn occurs(&self, document: &Document) -> bool {
        !self.all_in(document, 1).is_empty()
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

    /// The lines of a document on which a match begins, in order and each once, with their first byte.
    pub(crate) fn lines<'a>(&self, document: &'a Document) -> impl Iterator<Item = (usize, &'a str)> + use<'a> {
        let found = self.all_in(document, usize::MAX);
        let mut lines: Vec<(usize, usize)> = found.iter().map(|found| document.line_at(found.start)).collect();
        lines.dedup();
        lines.into_iter().filter_map(|(start, end)| Some((start, document.text.get(start..end)?)))
    }

    /// The first match in some text by itself.
    pub(crate) fn first_in(&self, text: &str) -> Option<Range<usize>> {
        self.expression().find(text.as_bytes())
    }

    /// The windows of possible matches in a document; none for a question that is not asked of its language.
    fn noted<'a>(&self, document: &'a Document) -> Option<&'a Noted> {
        document.noted.get_or_init(|| pass_over(document)).get(self.number)
    }

    fn expression(&self) -> &Expression {
        self.expression.get_or_init(|| Expression::from(self.text.to_owned()))
    }
}

/// Where the text of a document can answer the questions that have these numbers in the prefilter: all of them in Markdown,
/// which skills are; in other texts those that are asked everywhere.
pub(super) fn answers(document: &Document, candidates: &Candidates<'_>, mut numbers: Range<usize>) -> Vec<Noted> {
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
    numbers.map(windows).collect()
}

/// The answers of a text that the data rules did not read as it is written: where its language has escapes they read what
/// these stand for.
fn pass_over(document: &Document) -> Vec<Noted> {
    let mut hits = PrefilterHits::default();
    let candidates = ENGINE.prefilter.candidates(document.text.as_bytes(), &mut hits);
    answers(document, &candidates, ENGINE.questions.clone())
}
