//! The walk of an expression through some bytes, from state to state, without a table of its own: the way of those that are
//! asked about little.
//!
//! It notes which states it has been in at which places, so that its time is bounded by their number times the bytes. All
//! expressions note in the same memory, one after the other.

use std::cell::RefCell;
use std::ops::Range;

use regex_automata::Input;
use regex_automata::nfa::thompson::backtrack::{BoundedBacktracker, Cache};
use regex_automata::nfa::thompson::{Config, NFA, WhichCaptures};
use regex_syntax::hir::Hir;

/// The memory of a walk, in bytes: what a window of a kilobyte needs with a few hundred states. It is written anew for each.
const NOTES: usize = 64 << 10;

thread_local! {
    static CACHE: RefCell<Option<Cache>> = const { RefCell::new(None) };
}

/// An expression that is walked.
#[derive(Debug)]
pub(super) struct Walk(BoundedBacktracker);

impl Walk {
    /// None for an expression that has too many states.
    pub(super) fn of(parsed: &Hir) -> Option<Self> {
        // Texts may be cut within a letter: the automaton must take any bytes. It tells where the whole match lies and no more.
        let config = Config::new().utf8(false).which_captures(WhichCaptures::Implicit);
        let nfa = NFA::compiler().configure(config.nfa_size_limit(Some(NOTES))).build_from_hir(parsed).ok()?;
        let config = BoundedBacktracker::config().visited_capacity(NOTES);
        BoundedBacktracker::builder().configure(config).build_from_nfa(nfa).ok().map(Self)
    }

    /// The first match that begins at a place or behind it, as the expression finds it; none where the bytes are too many to
    /// tell.
    #[expect(clippy::option_option, reason = "not told, and told that there is none")]
    pub(super) fn find(&self, bytes: &[u8], from: usize) -> Option<Option<Range<usize>>> {
        let input = Input::new(bytes).range(from..);
        self.with_cache(|cache| self.0.try_find(cache, input).ok()).map(|found| found.map(|found| found.range()))
    }

    /// True where a match lies in some bytes; none where they are too many to tell.
    pub(super) fn occurs_in(&self, bytes: &[u8]) -> Option<bool> {
        self.with_cache(|cache| self.0.try_is_match(cache, bytes).ok())
    }

    fn with_cache<T>(&self, run: impl FnOnce(&mut Cache) -> T) -> T {
        CACHE.with_borrow_mut(|cache| run(cache.get_or_insert_with(|| self.0.create_cache())))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use capdex_prefilter::parsed;

    use super::super::expression::compile;
    use super::*;

    const EXPRESSIONS: [&str; 6] = [
        r"(?i)\b(?:send|sent)\s+(?:\w+\s+){0,3}(?:keys?|it)\b",
        r"(?:ab|ba)[^.]{0,4}?(?:b|aa)",
        r"(?i)\bab{1,4}\b",
        r"ab(?:a{0,3}$|b)",
        "b*",
        r"[^ab]\xe2?\x80",
    ];

    fn walk(text: &str) -> Walk {
        Walk::of(&parsed(text).expect("the pattern is valid")).expect("it has few states")
    }

    #[test]
    fn what_is_too_much_is_not_told() {
        assert!(Walk::of(&parsed("[ab]{1,5000}c").expect("an expression")).is_none());
        let walk = walk("a[^b]{0,50}c");
        assert_eq!(walk.find(&b"x".repeat(100), 0), Some(None));
        assert_eq!(walk.find(&b"x".repeat(1 << 20), 0), None);
        assert_eq!(walk.occurs_in(&b"x".repeat(1 << 20)), None);
    }

    proptest! {
        #[test]
        fn what_is_found_is_what_the_expression_finds(text in "(?:[abAB .…]|send |it|key|SENT\n|x ){0,40}", cut in 0_usize..40) {
            let bytes = text.as_bytes();
            let from = cut.min(bytes.len());
            for expression in EXPRESSIONS {
                let expected = compile(expression).expect("is valid").find_at(bytes, from).map(|found| found.range());
                prop_assert_eq!(walk(expression).find(bytes, from), Some(expected.clone()), "{}", expression);
                if from == 0 {
                    prop_assert_eq!(walk(expression).occurs_in(bytes), Some(expected.is_some()), "{}", expression);
                }
            }
        }
    }
}
