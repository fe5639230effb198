//! Expressions with gaps, looked for only where a match can begin.
//!
//! A search that begins anywhere follows every beginning that it has passed at once; with a gap between lists of words
//! each place of a text then leads to a state of its own, and states are built instead of text being read. From one
//! beginning on there are few, and fewer still where nobody counts how long a gap is: that is asked first, and nearly
//! always enough. Its matches are those of the expression itself. Must stay linear: where so many beginnings stand so
//! close that the searches from them would read a text many times over, it gives up.

use std::collections::BTreeSet;
use std::ops::Range;
use std::panic::{RefUnwindSafe, UnwindSafe};

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, NFA};
use regex_automata::util::pool::Pool;
use regex_automata::{Anchored as Mode, Input};
use regex_syntax::hir::literal::{ExtractKind, Extractor};
use regex_syntax::hir::{Capture, Hir, HirKind, Look, Repetition};

use capdex_prefilter::is_word;

/// The most reads of each byte of a window, over all searches.
const READ_MOST: usize = 8;
/// The bytes that may be read besides in every window: short ones have beginnings that stand close.
const READ_ANYWAY: usize = 4096;
/// The length of a beginning that is looked at, in bytes.
const LENGTH: usize = 4;
/// The distance behind a beginning in which gaps are not counted, in bytes: without an end of its own a gap reaches to
/// that of its line.
const LOOSE_MOST: usize = 512;
/// The most beginnings that are told apart from other text; each counts in every spelling of its letters.
const BEGINNINGS_MOST: usize = 4096;
/// The memory that the states of one expression may take before they are forgotten.
const STATES: usize = 2 << 20;

/// An expression whose matches begin with one of a few words.
#[derive(Debug)]
pub(super) struct Anchored {
    begins: Begins,
    dfa: DFA,
    /// The same with gaps of any length: few states, which stay near the processor, where each place in a counted gap has a
    /// state of its own.
    loose: DFA,
    caches: Pool<Caches, NewCaches>,
}

/// The states that are known of an expression, and of the same with gaps of any length.
type Caches = (Cache, Cache);
type NewCaches = Box<dyn Fn() -> Caches + Send + Sync + UnwindSafe + RefUnwindSafe>;

/// The result of a search.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SearchOutcome {
    /// The first match.
    Found(Range<usize>),
    /// There is none.
    Nothing,
    /// No match begins before this place; what is behind it is not known.
    GaveUp(usize),
}

impl Anchored {
    /// None for an expression that has no gap, or whose matches can begin with almost anything.
    pub(super) fn of(parsed: &Hir) -> Option<Self> {
        // Without a gap the ordinary engine has few states and is as quick.
        if !has_gap(parsed) {
            return None;
        }
        let begins = Begins::of(parsed)?;
        let (dfa, loose) = (dfa_of(parsed)?, dfa_of(&loosened(parsed))?);
        let (own, own_loose) = (dfa.clone(), loose.clone());
        let caches: NewCaches = Box::new(move || (own.create_cache(), own_loose.create_cache()));
        Some(Self { begins, dfa, loose, caches: Pool::new(caches) })
    }

    /// The bytes that may be read for a window of a length.
    pub(super) const fn budget(length: usize) -> usize {
        READ_ANYWAY.saturating_add(length.saturating_mul(READ_MOST))
    }

    /// The first match in a text that begins in a part of it. Bytes that are read come out of the budget.
    pub(super) fn find(&self, text: &[u8], starts: Range<usize>, budget: &mut usize) -> SearchOutcome {
        let mut from = starts.start;
        let mut cache = None;
        while let Some(at) = self.begins.next(text, from..starts.end) {
            let (cache, loose) = &mut **cache.get_or_insert_with(|| self.caches.get());
            // Tried by the small automaton first, which says no to nearly all beginnings.
            if !self.may_match_at(loose, text, at, budget) {
                from = at + 1;
                continue;
            }
            match self.match_at(cache, text, at, budget) {
                Some(Some(end)) => return SearchOutcome::Found(at..end),
                Some(None) => from = at + 1,
                // The caller goes on with the ordinary engine: slower, but linear whatever the text is.
                None => return SearchOutcome::GaveUp(at),
            }
        }
        SearchOutcome::Nothing
    }

    /// True where a match may begin at a place, by one with gaps of any length: where that takes long it may.
    fn may_match_at(&self, cache: &mut Cache, text: &[u8], at: usize, budget: &mut usize) -> bool {
        // Never more than the budget, so that taking it off below cannot fall under nought.
        let read = LOOSE_MOST.min(*budget);
        let Ok(mut state) = self.loose.start_state_forward(cache, &Input::new(text).range(at..).anchored(Mode::Yes))
        else {
            return true;
        };
        let rest = text.get(at..).unwrap_or_default();
        for (offset, byte) in rest.iter().take(read).enumerate() {
            match self.loose.next_state(cache, state, *byte) {
                Ok(next) => state = next,
                // The cache is full: saying yes costs time, saying no could miss a match.
                Err(_) => return true,
            }
            if state.is_tagged() {
                *budget -= offset;
                return !state.is_dead();
            }
        }
        *budget -= read.min(rest.len());
        rest.len() > read || self.loose.next_eoi_state(cache, state).is_ok_and(|state| state.is_match())
    }

    /// The end of the match that begins at a place, if one does; none where that could not be read to its end.
    fn match_at(&self, cache: &mut Cache, text: &[u8], at: usize, budget: &mut usize) -> Option<Option<usize>> {
        let input = Input::new(text).range(at..).anchored(Mode::Yes);
        let mut state = self.dfa.start_state_forward(cache, &input).ok()?;
        let mut end = None;
        // A state tells of a match only behind the byte that follows it.
        let mut note = |state: LazyStateID, at: usize| {
            if state.is_match() {
                end = Some(at);
            }
        };
        for (offset, byte) in text.get(at..)?.iter().enumerate() {
            state = self.dfa.next_state(cache, state, *byte).ok()?;
            if state.is_tagged() {
                note(state, at + offset);
                if state.is_dead() {
                    *budget = budget.checked_sub(offset)?;
                    return Some(end);
                }
                if state.is_quit() {
                    return None;
                }
            }
            // Looked at as it reads and not at the end: one beginning alone could otherwise read the whole text.
            if offset > *budget {
                return None;
            }
        }
        state = self.dfa.next_eoi_state(cache, state).ok()?;
        note(state, text.len());
        *budget = budget.checked_sub(text.len() - at)?;
        Some(end)
    }
}

/// The automaton for matches of an expression that begin at a place.
fn dfa_of(parsed: &Hir) -> Option<DFA> {
    // Texts may be cut within a letter: the automaton must take any bytes.
    let nfa = NFA::compiler().configure(thompson::Config::new().utf8(false)).build_from_hir(parsed).ok()?;
    // Without the check a small cache is allowed: it is emptied when it is full.
    let config = DFA::config().cache_capacity(STATES).skip_cache_capacity_check(true);
    DFA::builder().configure(config).build_from_nfa(nfa).ok()
}

/// An expression with gaps of any length: what it matches does not hold less.
fn loosened(part: &Hir) -> Hir {
    let all = |parts: &[Hir]| parts.iter().map(loosened).collect();
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) | HirKind::Class(_) => part.clone(),
        HirKind::Capture(Capture { sub, .. }) => loosened(sub),
        HirKind::Repetition(repetition) => {
            let Repetition { min, max, greedy, sub } = repetition;
            let sub = Box::new(loosened(sub));
            // Up to two stays as it is: an optional part is no gap, and loosening it would let far more through.
            let (min, max) = if max.is_none_or(|most| most > 2) { ((*min).min(1), None) } else { (*min, *max) };
            Hir::repetition(Repetition { min, max, greedy: *greedy, sub })
        }
        HirKind::Concat(parts) => Hir::concat(all(parts)),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)),
    }
}

/// True where an expression has a part that may repeat several times, a bounded number of them.
fn has_gap(part: &Hir) -> bool {
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) | HirKind::Class(_) => false,
        HirKind::Capture(capture) => has_gap(&capture.sub),
        HirKind::Repetition(repetition) => repetition.max.is_some_and(|most| most > 2) || has_gap(&repetition.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(has_gap),
    }
}

/// The first bytes of all matches of an expression, in eight groups: a byte has the bit of each group of whose beginnings
/// one has it at that place.
#[derive(Debug)]
struct Begins {
    groups: [[u8; 256]; LENGTH],
    /// True where the edge of a word stands before every match.
    at_edge: bool,
}

impl Begins {
    /// None where a match can begin with anything, or with one letter alone.
    fn of(parsed: &Hir) -> Option<Self> {
        let mut extractor = Extractor::new();
        extractor.kind(ExtractKind::Prefix).limit_class(16).limit_literal_len(LENGTH).limit_total(BEGINNINGS_MOST);
        let sequence = extractor.extract(parsed);
        let literals: Vec<&[u8]> = sequence.literals()?.iter().map(|literal| literal.as_bytes()).collect();
        // One byte stands nearly everywhere: looking only there would spare nothing.
        if literals.iter().any(|literal| literal.len() < 2) {
            return None;
        }
        let folded: BTreeSet<Vec<u8>> = literals.iter().map(|literal| literal.to_ascii_lowercase()).collect();
        let folded: Vec<Vec<u8>> = folded.into_iter().collect();
        let mut groups = [[0; 256]; LENGTH];
        for literal in literals {
            // Beginnings that are alike share a group, so that few others fit it.
            let place = folded.binary_search(&literal.to_ascii_lowercase()).ok()?;
            let group = 1_u8 << (place * 8 / folded.len());
            for (at, table) in groups.iter_mut().enumerate() {
                match literal.get(at) {
                    Some(byte) => table.get_mut(usize::from(*byte)).into_iter().for_each(|groups| *groups |= group),
                    // A beginning that is shorter fits whatever follows it.
                    None => table.iter_mut().for_each(|groups| *groups |= group),
                }
            }
        }
        Some(Self { groups, at_edge: begins_at_edge(parsed) })
    }

    /// The first place of a range at which a match may begin.
    fn next(&self, text: &[u8], range: Range<usize>) -> Option<usize> {
        let end = range.end.min(text.len());
        let mut at = range.start;
        while at < end {
            let rest = text.get(at..end.saturating_add(LENGTH - 1).min(text.len()))?;
            let fits = |window: &[u8; LENGTH]| self.fits(window);
            // The end of the text cuts its last windows short.
            let behind = (rest.len() + 1).saturating_sub(LENGTH);
            let found = rest.array_windows().position(fits).or_else(|| {
                let mut cut = (behind..rest.len()).filter_map(|at| rest.get(at..)).map(<[u8]>::iter);
                cut.position(|bytes| bytes.len() > 1 && self.fits(bytes)).map(|place| behind + place)
            });
            at += found?;
            if at < end && (!self.at_edge || is_edge(text, at)) {
                return Some(at);
            }
            at += 1;
        }
        None
    }

    /// True where bytes may be those with which a match begins, or the first of them.
    fn fits<'a>(&self, bytes: impl IntoIterator<Item = &'a u8>) -> bool {
        let groups = |(table, byte): (&[u8; 256], &u8)| table.get(usize::from(*byte)).copied().unwrap_or(0);
        self.groups.iter().zip(bytes).map(groups).fold(u8::MAX, |all, groups| all & groups) != 0
    }
}

/// True where a word begins or ends before a place.
fn is_edge(text: &[u8], at: usize) -> bool {
    let [before, here] = words_beside(text, at);
    before != here
}

/// True where every match of an expression begins at the edge of a word.
fn begins_at_edge(part: &Hir) -> bool {
    match part.kind() {
        HirKind::Look(look) => *look == Look::WordAscii,
        HirKind::Capture(capture) => begins_at_edge(&capture.sub),
        HirKind::Concat(parts) => parts.first().is_some_and(begins_at_edge),
        HirKind::Alternation(parts) => parts.iter().all(begins_at_edge),
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Repetition(_) => false,
    }
}

/// True where the byte before a place is one of a word, and whether that at the place is.
fn words_beside(text: &[u8], at: usize) -> [bool; 2] {
    [at.checked_sub(1), Some(at)].map(|at| at.and_then(|at| text.get(at)).is_some_and(|byte| is_word(*byte)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::bytes::Regex;

    use capdex_prefilter::parsed;

    use super::super::expression::compile;
    use super::*;

    const EXPRESSIONS: [&str; 5] = [
        r"(?i)\b(?:send|sent)\s+(?:\w+\s+){0,3}(?:keys?|it)\b",
        r"(?:ab|ba)[^.]{0,4}?(?:b|aa)",
        r"(?i)\bab{1,4}\b",
        r"ab(?:a{0,3}$|b)",
        r"(?:aa|ba)(?:a\s*){0,5}\b",
    ];

    fn anchored(text: &str) -> Option<Anchored> {
        Anchored::of(&parsed(text).expect("the pattern is valid"))
    }

    fn all(text: &str, bytes: &[u8]) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
        let (regex, anchored): (Regex, _) = (compile(text).expect("is valid"), anchored(text).expect("it has a gap"));
        let expected = regex.find_iter(bytes).map(|found| found.range()).collect();
        let (mut found, mut from, mut budget) = (Vec::new(), 0, usize::MAX);
        while let SearchOutcome::Found(range) = anchored.find(bytes, from..bytes.len(), &mut budget) {
            from = range.end;
            found.push(range);
        }
        (found, expected)
    }

    #[test]
    fn only_gaps_behind_words_are_worth_it() {
        assert!(anchored(r"\bsend\s+it\b").is_none(), "no gap");
        assert!(anchored(r"\w{3,9}\s+it\b").is_none(), "any word");
        assert!(anchored(r"a{1,4}b").is_none(), "one letter");
        assert!(EXPRESSIONS.iter().all(|text| anchored(text).is_some()));
    }

    #[test]
    fn it_gives_up_before_it_reads_a_text_many_times() {
        let anchored = anchored(r"ab[^.]{0,400}c").expect("it has a gap");
        let text = "ab".repeat(10_000);
        let mut budget = Anchored::budget(text.len());
        let SearchOutcome::GaveUp(at) = anchored.find(text.as_bytes(), 0..text.len(), &mut budget) else {
            panic!("four hundred bytes are read for every two");
        };
        assert!((100..text.len()).contains(&at));
        assert_eq!(anchored.find(b"ab ab.abc", 0..9, &mut 1_000), SearchOutcome::Found(6..9));
        assert_eq!(anchored.find(b"ab ab.abc", 0..6, &mut 1_000), SearchOutcome::Nothing);
    }

    #[test]
    fn a_gap_may_be_longer_than_what_is_read_without_counting() {
        let anchored = anchored(r"ab[^.]{0,900}c").expect("it has a gap");
        let text = |length: usize| format!("ab{}c", "x".repeat(length));
        let found = |length: usize| anchored.find(text(length).as_bytes(), 0..length + 3, &mut 5_000);
        assert_eq!(found(LOOSE_MOST + 100), SearchOutcome::Found(0..LOOSE_MOST + 103));
        assert_eq!([found(LOOSE_MOST - 3), found(901)], [SearchOutcome::Found(0..LOOSE_MOST), SearchOutcome::Nothing]);
    }

    proptest! {
        #[test]
        fn what_is_found_is_what_the_expression_finds(
            text in "(?:[abAB .]|send |it|key|SENT\n|x ){0,40}",
        ) {
            for expression in EXPRESSIONS {
                let (found, expected) = all(expression, text.as_bytes());
                prop_assert_eq!(found, expected, "{}", expression);
            }
        }
    }
}
