//! The gate: one pass over a text that tells which of many expressions may match it at all, and where.
//!
//! It looks for the literals that each expression cannot match without, all at once and regardless of case. What it
//! lets through may still not match; what it holds back cannot. The cost of a pass is one step a byte, however many
//! expressions there are.

use std::ops::Range;

use aho_corasick::automaton::Automaton as _;
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, MatchKind, StartKind};

use super::literals::{Demand, demands_of, worthwhile};
use super::reach::{Reach, Runs, is_blank, is_word};

/// The most places at which one demand is met that are kept; met more often, it is met everywhere.
const PLACES_MOST: u16 = 40;

/// What an expression needs of a text.
#[derive(Clone, Debug)]
pub(in crate::rules) struct Need {
    /// What stands in every match.
    within: Vec<Demand>,
    /// What stands elsewhere in the text.
    beside: Vec<Demand>,
    reach: Option<Reach>,
}

impl Need {
    /// What an expression needs by itself.
    pub(in crate::rules) fn of(pattern: &str) -> Self {
        Self { within: worthwhile(demands_of(pattern)), beside: Vec::new(), reach: Reach::of(pattern) }
    }

    /// With demands that may be met anywhere in the text.
    pub(super) fn and(mut self, beside: Vec<Demand>) -> Self {
        self.beside = worthwhile(beside);
        self
    }

    fn all(&self) -> impl Iterator<Item = &Demand> {
        self.within.iter().chain(&self.beside)
    }
}

/// Which expressions may match a text, by the literals that it holds.
#[derive(Debug)]
pub(in crate::rules) struct Gate {
    /// None where nothing is demanded of any expression.
    automaton: Option<DFA>,
    /// For each literal, the demands that it meets.
    meets: Vec<Vec<usize>>,
    /// For each demand, the expressions that need it.
    needed_by: Vec<Vec<usize>>,
    expressions: Vec<Expected>,
    /// The expressions that need nothing.
    open: Vec<usize>,
}

/// What one expression needs, by the numbers of the demands.
#[derive(Debug)]
struct Expected {
    needs: usize,
    within: Vec<usize>,
    reach: Option<Reach>,
}

impl Gate {
    /// A gate for expressions.
    pub(in crate::rules) fn new(needs: &[Need]) -> Self {
        let mut demands: Vec<&Demand> = needs.iter().flat_map(Need::all).collect();
        demands.sort_unstable();
        demands.dedup();
        let mut literals: Vec<&[u8]> = demands.iter().flat_map(|demand| demand.iter()).map(Vec::as_slice).collect();
        literals.sort_unstable();
        literals.dedup();
        let meets = literals.iter().map(|literal| places(&demands, |demand| demand.contains(*literal))).collect();
        let number = |demand: &Demand| demands.binary_search(&demand).ok();
        let mut needed_by = vec![Vec::new(); demands.len()];
        let mut expressions = Vec::with_capacity(needs.len());
        for (at, need) in needs.iter().enumerate() {
            let mut numbers: Vec<usize> = need.all().filter_map(number).collect();
            numbers.sort_unstable();
            numbers.dedup();
            for demand in &numbers {
                needed_by.get_mut(*demand).into_iter().for_each(|needed: &mut Vec<usize>| needed.push(at));
            }
            let within = need.within.iter().filter_map(number).collect();
            expressions.push(Expected { needs: numbers.len(), within, reach: need.reach });
        }
        let open = places(&expressions, |expected| expected.needs == 0);
        let automaton = (!literals.is_empty()).then(|| {
            DFA::builder()
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::Standard)
                .start_kind(StartKind::Unanchored)
                .prefilter(false)
                .build(&literals)
                .expect("some thousand short literals fit an automaton")
        });
        Self { automaton, meets, needed_by, expressions, open }
    }

    /// The expressions that may match a text.
    pub(in crate::rules) fn passing(&self, text: &[u8]) -> Passing<'_> {
        let mut passing = Passing::of(self, text.len());
        let Some(automaton) = &self.automaton else { return passing };
        let Ok(mut state) = automaton.start_state(Anchored::No) else { return passing };
        let mut now = Runs::default();
        let mut longest = Runs::default();
        for (at, byte) in text.iter().enumerate() {
            state = automaton.next_state(Anchored::No, state, *byte);
            if automaton.is_match(state) {
                for index in 0..automaton.match_len(state) {
                    passing.note(automaton.match_pattern(state, index).as_usize(), at + 1);
                }
            }
            // The step above waits for memory: this counting costs nothing beside it.
            now.blanks = if is_blank(*byte) { now.blanks + 1 } else { 0 };
            now.word = if is_word(*byte) { now.word + 1 } else { 0 };
            now.dense = if is_blank(*byte) { 0 } else { now.dense + 1 };
            now.line = if *byte == b'\n' { 0 } else { now.line + 1 };
            longest.blanks = longest.blanks.max(now.blanks);
            longest.word = longest.word.max(now.word);
            longest.dense = longest.dense.max(now.dense);
            longest.line = longest.line.max(now.line);
        }
        passing.longest = longest;
        passing.expressions.sort_unstable();
        passing
    }
}

fn places<T>(all: &[T], fits: impl Fn(&T) -> bool) -> Vec<usize> {
    all.iter().enumerate().filter(|(_, each)| fits(each)).map(|(at, _)| at).collect()
}

/// What one pass has come across.
pub(in crate::rules) struct Passing<'a> {
    gate: &'a Gate,
    length: usize,
    expressions: Vec<usize>,
    /// For each expression, how many of its demands are met.
    met: Vec<u8>,
    /// For each demand, how often it is met, and the last of its places.
    demands: Vec<(u16, u32)>,
    /// The ends of literals, each with the place before it of the same demand.
    ends: Vec<(u32, usize)>,
    longest: Runs,
}

/// No place.
const NOWHERE: u32 = u32::MAX;

impl<'a> Passing<'a> {
    fn of(gate: &'a Gate, length: usize) -> Self {
        Self {
            gate,
            length,
            expressions: gate.open.clone(),
            met: vec![0; gate.expressions.len()],
            demands: vec![(0, NOWHERE); gate.needed_by.len()],
            ends: Vec::new(),
            longest: Runs::default(),
        }
    }

    /// The expressions that may match, in their order.
    pub(in crate::rules) fn expressions(&self) -> &[usize] {
        &self.expressions
    }

    /// Notes the end of a literal, and the expressions for which it was the last that was missing.
    fn note(&mut self, literal: usize, end: usize) {
        for demand in self.gate.meets.get(literal).into_iter().flatten() {
            let Some((count, last)) = self.demands.get_mut(*demand) else { continue };
            let is_first = *count == 0;
            if *count < PLACES_MOST {
                self.ends.push((*last, end));
                *last = u32::try_from(self.ends.len() - 1).unwrap_or(NOWHERE);
            }
            *count = count.saturating_add(1);
            for expression in self.gate.needed_by.get(*demand).into_iter().flatten().filter(|_| is_first) {
                let Some(met) = self.met.get_mut(*expression) else { continue };
                *met = met.saturating_add(1);
                if self.gate.expressions.get(*expression).is_some_and(|expected| expected.needs == usize::from(*met)) {
                    self.expressions.push(*expression);
                }
            }
        }
    }

    /// Where all matches of an expression lie: stretches in order and apart, mostly few and short.
    pub(in crate::rules) fn stretches(&self, expression: usize) -> Vec<Range<usize>> {
        self.around_literals(expression).unwrap_or_else(|| std::iter::once(0..self.length).collect())
    }

    /// The stretches around the rarest of the literals that stand in every match, as far as a match can reach, that
    /// hold the others too. None where that is the whole text.
    fn around_literals(&self, expression: usize) -> Option<Vec<Range<usize>>> {
        let expected = self.gate.expressions.get(expression)?;
        let reach = expected.reach.as_ref()?.within(&self.longest);
        let count = |demand: &usize| self.demands.get(*demand).map_or(u16::MAX, |(count, _)| *count);
        let rarest = *expected.within.iter().min_by_key(|demand| count(demand))?;
        if count(&rarest) > PLACES_MOST || reach > self.length {
            return None;
        }
        let others: Vec<Vec<usize>> = expected
            .within
            .iter()
            .filter(|other| count(other) <= PLACES_MOST)
            .map(|other| self.ends_of(*other))
            .collect();
        let mut stretches: Vec<Range<usize>> = Vec::new();
        for end in self.ends_of(rarest) {
            let around = end.saturating_sub(reach)..end.saturating_add(reach + 1).min(self.length);
            if !others.iter().all(|ends| ends.iter().any(|end| around.start < *end && *end <= around.end)) {
                continue;
            }
            match stretches.last_mut().filter(|last| around.start <= last.end) {
                Some(last) => last.end = around.end,
                None => stretches.push(around),
            }
        }
        Some(stretches)
    }

    /// The ends of the literals that meet a demand, in order.
    fn ends_of(&self, demand: usize) -> Vec<usize> {
        let place = |at: u32| usize::try_from(at).ok().and_then(|at| self.ends.get(at));
        let last = self.demands.get(demand).and_then(|(_, last)| place(*last));
        let mut ends: Vec<usize> =
            std::iter::successors(last, |(before, _)| place(*before)).map(|(_, end)| *end).collect();
        ends.reverse();
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate() -> Gate {
        let expressions =
            [r"(?i)\bcurl\b[^\n]{0,20}\|\s*bash\b", r"\d+", r"(?i)\bsend\s+(?:the\s+)?secrets?\b", r"bash"];
        Gate::new(&expressions.map(Need::of))
    }

    #[test]
    fn an_expression_passes_once_all_that_it_needs_is_there() {
        let gate = gate();
        let passing = |text: &str| gate.passing(text.as_bytes()).expressions().to_vec();
        assert_eq!(passing("nothing"), [1]);
        assert_eq!(passing("CURL x | Bash, curl y | bash"), [0, 1, 3]);
        assert_eq!(passing("secrets to send"), [1, 2]);
        assert_eq!(passing(""), [1]);
    }

    #[test]
    fn matches_lie_around_the_rarest_literal() {
        let gate = gate();
        let text = format!("{}send the secret{} bash", "word ".repeat(100), " word".repeat(100));
        let passing = gate.passing(text.as_bytes());
        // Twenty fixed bytes, and two runs of blanks of one byte each.
        let [stretch] = &passing.stretches(2)[..] else { panic!("one stretch") };
        assert!(stretch.contains(&500) && stretch.contains(&515) && stretch.len() < 50, "{stretch:?}");
        assert_eq!(passing.stretches(1).first(), Some(&(0..text.len())));
        let apart = format!("send{}secret", " word".repeat(100));
        assert!(gate.passing(apart.as_bytes()).stretches(2).is_empty());
        let blank = format!("send{}secret", " ".repeat(10_000));
        assert_eq!(gate.passing(blank.as_bytes()).stretches(2).len(), 1);
    }

    #[test]
    fn what_is_everywhere_is_looked_for_everywhere() {
        let gate = gate();
        let text = "send secret, ".repeat(1_000);
        assert_eq!(gate.passing(text.as_bytes()).stretches(2).first(), Some(&(0..text.len())));
    }
}
