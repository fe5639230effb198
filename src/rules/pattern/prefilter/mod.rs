//! The prefilter: one pass over a text that tells which of many expressions may match it at all, and where.
//!
//! It looks for the literals that each expression, and what must stand near its matches, cannot do without: all at once
//! and regardless of case. A text that it lets through may still not match; one that it holds back cannot. A pass costs
//! a few steps a byte, however many expressions there are.

use std::cell::RefCell;
use std::ops::Range;

use capdex_prefilter::{LiteralPlan, LiteralTables, PrefilterTables};

use super::expression::Expression;
use super::search_window::{SearchWindow, find_in};

mod bits;
mod blocks;
mod hits;
mod normalized;
mod search;

use bits::Bits;
use blocks::TextBlocks;
pub(super) use hits::PrefilterHits;
use normalized::Normalized;
use search::LiteralSearch;

/// Which expressions may match a text, by the literals that it holds.
#[derive(Debug)]
pub(super) struct Prefilter {
    search: LiteralSearch,
    tables: PrefilterTables,
}

impl Prefilter {
    /// A prefilter as it was worked out while the program was built.
    pub(super) fn read(built: &[u8]) -> Self {
        Self::of(postcard::from_bytes(built).expect("the build script wrote these tables"))
    }

    /// A prefilter of some tables.
    pub(super) fn of((literals, tables): (LiteralTables, PrefilterTables)) -> Self {
        Self { search: LiteralSearch::of(literals), tables }
    }

    /// True where a text holds anything at all that an expression needs: much less work than telling which.
    pub(super) fn is_touched(&self, text: &[u8]) -> bool {
        let mut is_touched = !self.tables.open.is_empty();
        if !is_touched {
            self.search.each(&Normalized::of(text), |_, _| is_touched = true);
        }
        is_touched
    }

    /// The expressions that may match a text. Meetings are noted in `hits`.
    pub(super) fn candidates<'a>(&'a self, text: &[u8], hits: &'a mut PrefilterHits) -> Candidates<'a> {
        let text = Normalized::of(text);
        let blocks = TextBlocks::of(&text);
        hits.begin(self.tables.meets.count(), blocks.count());
        self.search.each(&text, |thing, last| hits.note(thing, blocks.block_of(last)));
        let expressions = self.met(hits);
        Candidates { prefilter: self, blocks, hits, expressions, fits_near: RefCell::default() }
    }

    /// The expressions all of whose demands are met somewhere, in their order.
    fn met(&self, hits: &PrefilterHits) -> Vec<usize> {
        let mut expressions = self.tables.open.clone();
        let mut is_met = vec![false; self.tables.needed_by.count()];
        let mut missing = self.tables.demands.clone();
        for demand in hits.met().flat_map(|thing| self.tables.meets.list(thing)) {
            let Some(is_met) = is_met.get_mut(*demand as usize).filter(|is_met| !**is_met) else { continue };
            *is_met = true;
            for expression in self.tables.needed_by.list(*demand as usize) {
                let Some(missing) = missing.get_mut(*expression as usize) else { continue };
                *missing -= 1;
                if *missing == 0 {
                    expressions.push(*expression as usize);
                }
            }
        }
        expressions.sort_unstable();
        expressions
    }
}

/// The results of one pass.
pub(super) struct Candidates<'a> {
    prefilter: &'a Prefilter,
    blocks: TextBlocks,
    hits: &'a PrefilterHits,
    expressions: Vec<usize>,
    /// The places at which plans near matches fit, for those few that were asked for.
    fits_near: RefCell<Vec<(usize, Option<Bits>)>>,
}

impl Candidates<'_> {
    /// The expressions that may match, in their order.
    pub(super) fn expressions(&self) -> &[usize] {
        &self.expressions
    }

    /// True where the text that was passed matches an expression.
    pub(super) fn holds(&self, number: usize, expression: &Expression, text: &[u8]) -> bool {
        let may = self.expressions.binary_search(&number).is_ok();
        may && find_in(&self.windows(number), expression, text).next().is_some()
    }

    /// The windows of all matches of an expression that can count, in order.
    pub(super) fn windows(&self, expression: usize) -> Vec<SearchWindow> {
        let whole = || vec![SearchWindow { starts: 0..self.blocks.length() + 1, end: self.blocks.length() }];
        let Some(expected) = self.prefilter.tables.expressions.get(expression) else { return whole() };
        // An expression that nothing bounds has to see the whole text.
        let Some(reach) = expected.reach.as_ref().map(|reach| self.blocks.reached(reach)) else { return whole() };
        let all = || Bits::full(self.blocks.count());
        let before = |plan| Some(self.fitting(plan)?.spread(reach, 0));
        let mut starts = match &expected.within {
            Some(LiteralPlan::All(parts, _)) => parts.iter().try_fold(all(), |starts, part| starts.and(&before(part)?)),
            Some(plan) => before(plan),
            None => Some(all()),
        };
        // Of what a match begins with the last byte is at most a block further on.
        if let Some(set) = expected.begins {
            let begins = || Some(self.hits.of_any(self.prefilter.tables.sets.list(set))?.spread(1, 0));
            starts = starts.and_then(|starts| starts.and(&begins()?));
        }
        for (plan, bytes) in &expected.near {
            let span = self.blocks.spanned(*bytes);
            starts = starts.and_then(|starts| self.and_near(starts, *plan, reach + span, span));
        }
        starts.iter().flat_map(Bits::runs).map(|run| self.window(run, reach)).collect()
    }

    /// Those blocks that have one in which a plan fits so many further on or so many before them.
    fn and_near(&self, blocks: Bits, plan: usize, before: usize, after: usize) -> Option<Bits> {
        let mut known = self.fits_near.borrow_mut();
        let at = known.iter().position(|(other, _)| *other == plan).unwrap_or_else(|| {
            known.push((plan, self.prefilter.tables.near.get(plan).and_then(|plan| self.fitting(plan))));
            known.len() - 1
        });
        let (_, fits) = known.get(at)?;
        blocks.and(&fits.as_ref()?.spread(before, after))
    }

    /// Blocks of which every match of the part of an expression that a plan is for holds one: where the first of its
    /// literals ends, with the others as close as the part reaches. None where there are no such blocks.
    fn fitting(&self, plan: &LiteralPlan<usize>) -> Option<Bits> {
        match plan {
            LiteralPlan::Literals(set) => self.hits.of_any(self.prefilter.tables.sets.list(*set)),
            LiteralPlan::Any(parts) => parts.iter().filter_map(|part| self.fitting(part)).reduce(Bits::or),
            LiteralPlan::All(parts, reach) => {
                let reach = reach.as_ref().map_or(self.blocks.count(), |reach| self.blocks.reached(reach));
                // The rarest part gives the blocks; the others only have to be near.
                let (first, others) = parts.split_first()?;
                let first = self.fitting(first);
                others.iter().fold(first, |all, other| all?.and(&self.fitting(other)?.spread(reach, reach)))
            }
        }
    }

    /// The text of matches that begin in some blocks and reach as many further.
    fn window(&self, run: Range<usize>, reach: usize) -> SearchWindow {
        // One byte more, so that an expression sees what stands behind a match: an edge of a word needs it.
        let end = self.blocks.start_of(run.end.saturating_add(reach)).saturating_add(1).min(self.blocks.length());
        // A match may be empty and stand at the end.
        let last =
            if run.end >= self.blocks.count() { self.blocks.length() + 1 } else { self.blocks.start_of(run.end) };
        SearchWindow { starts: self.blocks.start_of(run.start)..last, end }
    }
}

#[cfg(test)]
mod tests {
    use capdex_prefilter::{RequiredLiterals, Sight};

    use super::*;

    fn prefilter() -> Prefilter {
        let expressions =
            [r"(?i)\bcurl\b[^\n]{0,20}\|\s*bash\b", r"\d+", r"(?i)\bsend\s+(?:the\s+)?secrets?\b", r"bash"];
        Prefilter::of(PrefilterTables::of(&expressions.map(RequiredLiterals::of), &[]))
    }

    #[test]
    fn an_expression_passes_once_all_that_it_needs_is_there() {
        let prefilter = prefilter();
        let candidates =
            |text: &str| prefilter.candidates(text.as_bytes(), &mut PrefilterHits::default()).expressions().to_vec();
        assert_eq!(candidates("nothing"), [1]);
        assert_eq!(candidates("CURL x | Bash, curl y | bash"), [0, 1, 3]);
        assert_eq!(candidates("secrets to send"), [1]);
        assert_eq!(candidates("send \n\t The  Secret"), [1, 2]);
        assert_eq!(candidates(""), [1]);
    }

    #[test]
    fn matches_lie_where_all_literals_are_close() {
        let prefilter = prefilter();
        let text = format!("{}send the secret{} bash", "word ".repeat(100), " word".repeat(100));
        let mut hits = PrefilterHits::default();
        let candidates = prefilter.candidates(text.as_bytes(), &mut hits);
        let [window] = &candidates.windows(2)[..] else { panic!("one window") };
        assert!(window.starts.contains(&500));
        assert!(window.end >= 515);
        assert!(window.end - window.starts.start < 400);
        assert_eq!(candidates.windows(1), [SearchWindow { starts: 0..text.len() + 1, end: text.len() }]);
        let apart = format!("send{}secret", " word".repeat(100));
        assert!(prefilter.candidates(apart.as_bytes(), &mut PrefilterHits::default()).windows(2).is_empty());
    }

    #[test]
    fn a_long_run_takes_a_match_no_further() {
        let prefilter = prefilter();
        let blank = format!("{}send{}secret", "word ".repeat(100), " ".repeat(10_000));
        let [window] = &prefilter.candidates(blank.as_bytes(), &mut PrefilterHits::default()).windows(2)[..] else {
            panic!("one window")
        };
        assert!(window.starts.contains(&500));
        assert!(window.end == blank.len());
        let apart = format!("send{}{}secret", " ".repeat(10_000), " word".repeat(100));
        assert!(prefilter.candidates(apart.as_bytes(), &mut PrefilterHits::default()).windows(2).is_empty());
    }

    #[test]
    fn what_must_stand_near_keeps_far_matches_out() {
        let secret = LiteralPlan::of_any(["secrets"], Sight::Part).expect("the pattern is a literal");
        let needs = [RequiredLiterals::of(r"bash").near(secret, 80)];
        let prefilter = Prefilter::of(PrefilterTables::of(&needs, &[]));
        let text = format!("bash{}bash the secrets{} bash", " word".repeat(100), " word".repeat(100));
        let [window] = &prefilter.candidates(text.as_bytes(), &mut PrefilterHits::default()).windows(0)[..] else {
            panic!("one window")
        };
        assert!(window.starts.contains(&504), "{window:?}");
        assert!(window.starts.start > 200, "{window:?}");
        assert!(window.starts.end < 800, "{window:?}");
    }
}
