//! One regular expression of a data rule, compiled when it is first needed: most never are.

use std::sync::OnceLock;

use capdex_prefilter::parsed;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use super::anchored::Anchored;
use super::sign::{least, sign_of};

/// An expression over bytes with ASCII classes, which keep matching fast; `(?i)` is up to each.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub(super) struct Expression {
    text: String,
    compiled: OnceLock<Regex>,
    /// The same, for those that are looked for only where they can begin.
    anchored: OnceLock<Option<Anchored>>,
    /// What every match holds in one piece, for those with gaps, and the shortest window in which it is looked for.
    sign: OnceLock<Option<(Regex, usize)>>,
}

impl From<String> for Expression {
    fn from(text: String) -> Self {
        Self { text, compiled: OnceLock::new(), anchored: OnceLock::new(), sign: OnceLock::new() }
    }
}

impl Expression {
    /// The text of the expression, for tests to tell which it is.
    #[cfg(test)]
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The expression, ready to match.
    pub(super) fn regex(&self) -> &Regex {
        self.compiled.get_or_init(|| compile(&self.text).expect("a test compiles every expression of every rule"))
    }

    /// The expression, ready to be looked for where it can begin; none where that is not worth it.
    pub(super) fn anchored(&self) -> Option<&Anchored> {
        // Kept also where it is not worth it, so that nobody works that out again.
        self.anchored.get_or_init(|| Anchored::of(&parsed(&self.text)?)).as_ref()
    }

    /// False where no match lies in some bytes behind a place, for want of a piece that every match holds; asked only where
    /// so many bytes are behind it that looking for the piece pays.
    pub(super) fn may_occur_behind(&self, bytes: &[u8], from: usize) -> bool {
        /// The windows in which a piece is looked for first, in bytes: a long piece is rare, and worth it in short ones.
        const SHORT: usize = 1024;
        const SHORT_OF_LONG: usize = 256;
        const LONG_PIECE: usize = 12;
        let length = bytes.len().saturating_sub(from);
        if length < SHORT_OF_LONG {
            return true;
        }
        let sign = self.sign.get_or_init(|| {
            let sign = sign_of(&parsed(&self.text)?)?;
            let shortest = if least(&sign) >= LONG_PIECE { SHORT_OF_LONG } else { SHORT };
            Some((compile(&sign.to_string()).ok()?, shortest))
        });
        let worth = sign.as_ref().filter(|(_, shortest)| length >= *shortest);
        worth.is_none_or(|(sign, _)| sign.is_match_at(bytes, from))
    }

    /// True where it occurs in some bytes.
    pub(super) fn occurs_in(&self, bytes: &[u8]) -> bool {
        self.regex().is_match(bytes)
    }
}

/// Compiles one expression, as [`parsed`] reads it: plans are drawn from what is run.
pub(super) fn compile(text: &str) -> Result<Regex, regex::Error> {
    // Gaps and long lists of words together have many states: with less room the engine falls back to a slow walk.
    RegexBuilder::new(text).unicode(false).dfa_size_limit(2 << 20).build()
}
