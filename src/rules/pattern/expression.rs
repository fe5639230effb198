//! One regular expression of a data rule: how it is matched depends on how much is asked of it.
//!
//! Most expressions are asked about a few kilobytes in a whole night: they are [walked](super::walk), which takes one small
//! automaton. Those that are asked often get the tables with which long texts are searched quickest: these take several
//! times as long to make, and memory for each thread.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use capdex_prefilter::parsed;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use super::anchored::Anchored;
use super::sign::{least, sign_of};
use super::walk::Walk;

/// The bytes that an expression walks at least before it gets tables.
const WALKED_LEAST: usize = 8 << 10;
/// And one of so many of the bytes that all rules together have scanned, so that in a long night too only those get tables that
/// are asked often: were every one to walk as much as that, a night would take a twentieth more.
const WALKED_OF: usize = 8 << 10;

/// The bytes of all texts that were scanned.
static SCANNED: AtomicUsize = AtomicUsize::new(0);

/// Notes so many bytes of a text that rules look at.
pub(super) fn note_scanned(bytes: usize) {
    SCANNED.fetch_add(bytes, Ordering::Relaxed);
}

/// All expressions by their texts: cards share many, and each is worked out once.
static KNOWN: LazyLock<Mutex<BTreeMap<Arc<str>, Expression>>> = LazyLock::new(Mutex::default);

/// An expression over bytes with ASCII classes, which keep matching fast; `(?i)` is up to each.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "String")]
pub(super) struct Expression(Arc<Matchers>);

/// What an expression is matched with, each made when it is first needed: most never are.
#[derive(Debug)]
struct Matchers {
    text: Arc<str>,
    walk: OnceLock<Option<Walk>>,
    /// The bytes that were walked.
    walked: AtomicUsize,
    regex: OnceLock<Regex>,
    /// The same, for those that are looked for only where they can begin.
    anchored: OnceLock<Option<Box<Anchored>>>,
    /// What every match holds in one piece, for those with gaps, and the shortest window in which it is looked for.
    sign: OnceLock<Option<(Regex, usize)>>,
}

impl From<String> for Expression {
    fn from(text: String) -> Self {
        let text: Arc<str> = text.into();
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(text).or_insert_with_key(|text| Self(Arc::new(Matchers::of(Arc::clone(text))))).clone()
    }
}

impl Matchers {
    fn of(text: Arc<str>) -> Self {
        let (walk, walked) = (OnceLock::new(), AtomicUsize::new(0));
        Self { text, walk, walked, regex: OnceLock::new(), anchored: OnceLock::new(), sign: OnceLock::new() }
    }
}

impl Expression {
    /// The text of the expression, for tests to tell which it is.
    #[cfg(test)]
    pub(super) fn text(&self) -> &str {
        &self.0.text
    }

    /// The expression with the tables that search long texts.
    pub(super) fn regex(&self) -> &Regex {
        self.0.regex.get_or_init(|| compile(&self.0.text).expect("a test compiles every expression of every rule"))
    }

    /// The expression, ready to be looked for where it can begin; none where that is not worth it.
    pub(super) fn anchored(&self) -> Option<&Anchored> {
        // Kept also where it is not worth it, so that nobody works that out again.
        let anchored = self.0.anchored.get_or_init(|| Anchored::of(&parsed(&self.0.text)?).map(Box::new));
        anchored.as_deref()
    }

    /// The expression, ready to walk so many bytes; none for one that has tables or walked much already, or has too many states.
    pub(super) fn walk(&self, bytes: usize) -> Option<&Walk> {
        let may_walk = WALKED_LEAST.saturating_add(SCANNED.load(Ordering::Relaxed) / WALKED_OF);
        // What may be walked grows with what is scanned: who has tables by then is quicker with them.
        let has_tables = self.0.regex.get().is_some() || self.0.anchored.get().is_some();
        if has_tables || self.0.walked.load(Ordering::Relaxed) > may_walk {
            return None;
        }
        self.0.walked.fetch_add(bytes, Ordering::Relaxed);
        self.0.walk.get_or_init(|| Walk::of(&parsed(&self.0.text)?)).as_ref()
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
        let sign = self.0.sign.get_or_init(|| {
            let sign = sign_of(&parsed(&self.0.text)?)?;
            let shortest = if least(&sign) >= LONG_PIECE { SHORT_OF_LONG } else { SHORT };
            Some((compile(&sign.to_string()).ok()?, shortest))
        });
        let worth = sign.as_ref().filter(|(_, shortest)| length >= *shortest);
        worth.is_none_or(|(sign, _)| sign.is_match_at(bytes, from))
    }

    /// True where it occurs in some bytes.
    pub(super) fn occurs_in(&self, bytes: &[u8]) -> bool {
        let walked = self.walk(bytes.len()).and_then(|walk| walk.occurs_in(bytes));
        walked.unwrap_or_else(|| self.regex().is_match(bytes))
    }

    /// The first match in some bytes.
    pub(super) fn find(&self, bytes: &[u8]) -> Option<Range<usize>> {
        let walked = self.walk(bytes.len()).and_then(|walk| walk.find(bytes, 0));
        walked.unwrap_or_else(|| self.regex().find(bytes).map(|found| found.range()))
    }
}

/// Compiles one expression, as [`parsed`] reads it: plans are drawn from what is run.
pub(super) fn compile(text: &str) -> Result<Regex, regex::Error> {
    // Gaps and long lists of words together have many states: with less room the engine falls back to a slow walk.
    RegexBuilder::new(text).unicode(false).dfa_size_limit(2 << 20).build()
}
