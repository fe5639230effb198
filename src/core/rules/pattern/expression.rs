//! One regular expression of a data rule, compiled when it is first needed: most never are.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

/// An expression over bytes with ASCII classes, which keep matching fast; `(?i)` is up to each.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub(super) struct Expression {
    text: String,
    compiled: OnceLock<Regex>,
}

impl From<String> for Expression {
    fn from(text: String) -> Self {
        Self { text, compiled: OnceLock::new() }
    }
}

impl Expression {
    /// As it is written.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The expression, ready to match.
    pub(super) fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| compile(&self.text).expect("a test compiles every expression of every rule"))
    }

    /// Its matches within a stretch of some bytes that cuts none of them, in order.
    pub(super) fn find_within<'a>(
        &'a self,
        bytes: &'a [u8],
        stretch: Range<usize>,
    ) -> impl Iterator<Item = Range<usize>> {
        let held = bytes.get(..stretch.end).unwrap_or(bytes);
        let mut from = stretch.start;
        std::iter::from_fn(move || {
            let found = self.regex().find_at(held, from.min(held.len()))?.range();
            from = found.end.max(found.start + 1);
            (from <= held.len() + 1).then_some(found)
        })
    }

    /// Whether it occurs in some bytes.
    pub(super) fn occurs_in(&self, bytes: &[u8]) -> bool {
        self.regex().is_match(bytes)
    }
}

/// Compiles one expression.
pub(super) fn compile(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text).unicode(false).build()
}
