//! The prefilter: one pass over a text that tells which of many expressions may match it at all, and where.
//!
//! It looks for the literals that each expression, and what must stand near its matches, cannot do without: all at once
//! and regardless of case. A text that it lets through may still not match; one that it holds back cannot. A pass costs
//! a few steps a byte, however many expressions there are.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::expression::{Expression, parsed};
use super::literal::Literal;
use super::literals::{COMMON_BESIDE, LiteralPlan, LiteralSet, Sight};
use super::reach::MatchReach;
use super::search_window::{SearchWindow, find_in};

mod bits;
mod blocks;
mod hits;
pub(super) mod normalized;
mod search;

use bits::Bits;
use blocks::TextBlocks;
pub(super) use hits::PrefilterHits;
use normalized::Normalized;
use search::LiteralSearch;

/// The needs of an expression.
#[derive(Clone, Debug, Default)]
pub(super) struct RequiredLiterals {
    /// In every match, and how far a match reaches.
    within: Option<LiteralPlan>,
    reach: Option<MatchReach>,
    /// With which matches begin.
    begins: Option<LiteralSet>,
    /// At most so many bytes from every match that counts.
    near: Vec<(LiteralPlan, usize)>,
    /// Anywhere in the text.
    beside: Vec<LiteralPlan>,
}

impl RequiredLiterals {
    /// The needs of an expression by itself, in a text of whole words.
    pub(super) fn of(pattern: &str) -> Self {
        let parsed = parsed(pattern);
        let known = parsed.as_ref().map(|parsed| LiteralPlan::with_beginning(parsed, Sight::Whole));
        let (within, begins) = known.unwrap_or_default();
        Self { within, reach: parsed.as_ref().and_then(MatchReach::of), begins, ..Self::default() }
    }

    /// The surroundings of an expression, with the needs of the expression itself.
    pub(super) fn with(self, own: Self) -> Self {
        Self { within: own.within, reach: own.reach, begins: own.begins, ..self }
    }

    /// With what must stand within so many bytes of a match that counts.
    pub(super) fn near(mut self, plan: LiteralPlan, bytes: usize) -> Self {
        self.near.push((plan, bytes));
        self
    }

    /// With what must stand anywhere in a text with a match that counts.
    pub(super) fn beside(mut self, plan: LiteralPlan) -> Self {
        self.beside.push(plan);
        self
    }

    fn plans(&self) -> impl Iterator<Item = &LiteralPlan> {
        self.within.iter().chain(self.near.iter().map(|(plan, _)| plan)).chain(&self.beside)
    }
}

/// Which expressions may match a text, by the literals that it holds.
#[derive(Debug)]
pub(super) struct Prefilter {
    search: LiteralSearch,
    /// For each thing that is told of a text, the demands that it meets.
    meets: Lists,
    /// For each demand, the expressions that need it.
    needed_by: Lists,
    expressions: Vec<Expected>,
    /// For each expression, how many sets of literals there are of each of which one must be there.
    demands: Vec<u8>,
    /// The expressions that need nothing.
    open: Vec<usize>,
    /// The sets of literals in plans.
    sets: Lists,
    /// Literals that must stand near matches: patterns of one rule ask for the same.
    near: Vec<LiteralPlan<usize>>,
}

/// The needs of one expression, by the numbers of sets of literals.
#[derive(Debug)]
struct Expected {
    within: Option<LiteralPlan<usize>>,
    reach: Option<MatchReach>,
    /// With which matches begin, where that costs little more to look for.
    begins: Option<usize>,
    /// Which of the plans near matches, and how near.
    near: Vec<(usize, usize)>,
}

impl Prefilter {
    /// A prefilter for expressions.
    pub(super) fn new(needs: &[RequiredLiterals]) -> Self {
        let mut literals = BTreeSet::new();
        needs
            .iter()
            .flat_map(RequiredLiterals::plans)
            .for_each(|plan| plan.each(&mut |all| literals.extend(all.iter().cloned())));
        // Another edge of a text that is looked for anyway costs next to nothing.
        let texts: BTreeSet<Vec<u8>> = literals.iter().map(|known: &Literal| known.as_bytes().to_vec()).collect();
        let is_new = |literal: &&Literal| !texts.contains(literal.as_bytes());
        let cost = |begins: &LiteralSet| begins.iter().filter(is_new).map(Literal::frequency).sum::<f64>();
        let begins = needs.iter().map(|need| need.begins.as_ref().filter(|begins| cost(begins) <= COMMON_BESIDE));
        let begins: Vec<Option<&LiteralSet>> = begins.collect();
        begins.iter().flatten().for_each(|begins| literals.extend(begins.iter().cloned()));
        let literals: Vec<Literal> = literals.into_iter().collect();
        let (search, things) = LiteralSearch::new(&literals);
        let told = inverted(&things, literals.len());
        // The things of which each shows that one of some literals is there.
        let numbers = |demand: &LiteralSet| -> Vec<usize> {
            let literals = demand.iter().filter_map(|literal| literals.binary_search(literal).ok());
            let things: BTreeSet<usize> = literals.filter_map(|literal| told.get(literal)).flatten().copied().collect();
            things.into_iter().collect()
        };
        // Many expressions make the same demand.
        let mut needed_by: BTreeMap<Vec<usize>, Vec<usize>> = BTreeMap::new();
        let mut counts = Vec::with_capacity(needs.len());
        for (at, need) in needs.iter().enumerate() {
            let demands = need.plans().flat_map(LiteralPlan::demands).map(|demand| numbers(&demand));
            // Each demand once: `met` counts down by one for each that is met.
            let demands: BTreeSet<Vec<usize>> = demands.collect();
            counts.push(u8::try_from(demands.len()).unwrap_or(u8::MAX));
            demands.into_iter().for_each(|demand| needed_by.entry(demand).or_default().push(at));
        }
        let begins: Vec<Option<Vec<usize>>> = begins.into_iter().map(|begins| begins.map(numbers)).collect();
        let mut sets: BTreeMap<Vec<usize>, usize> = begins.iter().flatten().map(|set| (set.clone(), 0)).collect();
        needs.iter().flat_map(RequiredLiterals::plans).for_each(|plan| {
            plan.each(&mut |set| {
                sets.insert(numbers(set), 0);
            });
        });
        sets.values_mut().zip(0..).for_each(|(number, at)| *number = at);
        let named =
            |plan: &LiteralPlan| plan.with(&|set: &LiteralSet| sets.get(&numbers(set)).copied().unwrap_or(usize::MAX));
        let mut near = Vec::new();
        let mut place_of = |plan: LiteralPlan<usize>| {
            let known = near.iter().position(|other| *other == plan);
            known.unwrap_or_else(|| {
                near.push(plan);
                near.len() - 1
            })
        };
        let expressions = needs.iter().zip(begins).map(|(need, begins)| Expected {
            within: need.within.as_ref().map(named),
            reach: need.reach,
            begins: begins.and_then(|set| sets.get(&set).copied()),
            near: need.near.iter().map(|(plan, bytes)| (place_of(named(plan)), *bytes)).collect(),
        });
        let expressions = expressions.collect();
        let held: Vec<Vec<usize>> = sets.into_keys().collect();
        let (demands, needed_by): (Vec<Vec<usize>>, Vec<Vec<usize>>) = needed_by.into_iter().unzip();
        Self {
            search,
            meets: Lists::of(&inverted(&demands, things.len())),
            needed_by: Lists::of(&needed_by),
            expressions,
            sets: Lists::of(&held),
            near,
            open: counts.iter().enumerate().filter(|(_, count)| **count == 0).map(|(at, _)| at).collect(),
            demands: counts,
        }
    }

    /// True where a text holds anything at all that an expression needs: much less work than telling which.
    pub(super) fn is_touched(&self, text: &[u8]) -> bool {
        let mut is_touched = !self.open.is_empty();
        if !is_touched {
            self.search.each(&Normalized::of(text), |_, _| is_touched = true);
        }
        is_touched
    }

    /// The expressions that may match a text. Meetings are noted in `hits`.
    pub(super) fn candidates<'a>(&'a self, text: &[u8], hits: &'a mut PrefilterHits) -> Candidates<'a> {
        let text = Normalized::of(text);
        let blocks = TextBlocks::of(&text);
        hits.begin(self.meets.count(), blocks.count());
        self.search.each(&text, |thing, last| hits.note(thing, blocks.block_of(last)));
        let expressions = self.met(hits);
        Candidates { prefilter: self, blocks, hits, expressions, fits_near: RefCell::default() }
    }

    /// The expressions all of whose demands are met somewhere, in their order.
    fn met(&self, hits: &PrefilterHits) -> Vec<usize> {
        let mut expressions = self.open.clone();
        let mut is_met = vec![false; self.needed_by.count()];
        let mut missing = self.demands.clone();
        for demand in hits.met().flat_map(|thing| self.meets.list(thing)) {
            let Some(is_met) = is_met.get_mut(*demand as usize).filter(|is_met| !**is_met) else { continue };
            *is_met = true;
            for expression in self.needed_by.list(*demand as usize) {
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

/// Many short lists in one place.
#[derive(Debug)]
struct Lists {
    /// The begin of each, and the end of the last.
    starts: Vec<u32>,
    all: Vec<u32>,
}

impl Lists {
    fn of(lists: &[Vec<usize>]) -> Self {
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let lengths = lists.iter().scan(0, |end, list| {
            *end += list.len();
            Some(number(*end))
        });
        let starts = std::iter::once(0).chain(lengths).collect();
        Self { starts, all: lists.iter().flatten().map(|each| number(*each)).collect() }
    }

    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    fn list(&self, at: usize) -> &[u32] {
        let bound = |at: usize| self.starts.get(at).map_or(0, |start| *start as usize);
        self.all.get(bound(at)..bound(at.saturating_add(1))).unwrap_or(&[])
    }
}

/// For each of `count` things the numbers of the lists that hold it.
fn inverted(lists: &[Vec<usize>], count: usize) -> Vec<Vec<usize>> {
    let mut holders = vec![Vec::new(); count];
    for (at, list) in lists.iter().enumerate() {
        for each in list {
            holders.get_mut(*each).into_iter().for_each(|holders: &mut Vec<usize>| holders.push(at));
        }
    }
    holders
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
        let Some(expected) = self.prefilter.expressions.get(expression) else { return whole() };
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
            let begins = || Some(self.hits.of_any(self.prefilter.sets.list(set))?.spread(1, 0));
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
            known.push((plan, self.prefilter.near.get(plan).and_then(|plan| self.fitting(plan))));
            known.len() - 1
        });
        let (_, fits) = known.get(at)?;
        blocks.and(&fits.as_ref()?.spread(before, after))
    }

    /// Blocks of which every match of the part of an expression that a plan is for holds one: where the first of its
    /// literals ends, with the others as close as the part reaches. None where there are no such blocks.
    fn fitting(&self, plan: &LiteralPlan<usize>) -> Option<Bits> {
        match plan {
            LiteralPlan::Literals(set) => self.hits.of_any(self.prefilter.sets.list(*set)),
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
    use super::*;

    fn prefilter() -> Prefilter {
        let expressions =
            [r"(?i)\bcurl\b[^\n]{0,20}\|\s*bash\b", r"\d+", r"(?i)\bsend\s+(?:the\s+)?secrets?\b", r"bash"];
        Prefilter::new(&expressions.map(RequiredLiterals::of))
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
        let prefilter = Prefilter::new(&[RequiredLiterals::of(r"bash").near(secret, 80)]);
        let text = format!("bash{}bash the secrets{} bash", " word".repeat(100), " word".repeat(100));
        let [window] = &prefilter.candidates(text.as_bytes(), &mut PrefilterHits::default()).windows(0)[..] else {
            panic!("one window")
        };
        assert!(window.starts.contains(&504), "{window:?}");
        assert!(window.starts.start > 200, "{window:?}");
        assert!(window.starts.end < 800, "{window:?}");
    }
}
