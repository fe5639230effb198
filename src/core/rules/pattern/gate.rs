//! The gate: one pass over a text that tells which of many expressions may match it at all.
//!
//! It looks for the literals that each expression cannot match without, all at once and regardless of case. What it
//! lets through may still not match; what it holds back cannot. The cost of a pass is one step a byte, however many
//! expressions there are.

use aho_corasick::automaton::Automaton as _;
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, MatchKind, StartKind};

use super::literals::Demand;

/// Which expressions may match a text, by the literals that it holds.
#[derive(Debug)]
pub(crate) struct Gate {
    /// None where nothing is demanded of any expression.
    automaton: Option<DFA>,
    /// For each literal, the demands that it meets.
    meets: Vec<Vec<u32>>,
    /// For each demand, the expressions that need it.
    needed_by: Vec<Vec<u32>>,
    /// For each expression, how many demands must be met.
    needs: Vec<u8>,
    /// The expressions that need nothing.
    open: Vec<usize>,
}

impl Gate {
    /// A gate for expressions, each with its demands.
    pub(crate) fn new(expressions: &[Vec<Demand>]) -> Self {
        let mut literals: Vec<&[u8]> = expressions.iter().flatten().flatten().map(Vec::as_slice).collect();
        literals.sort_unstable();
        literals.dedup();
        let mut demands: Vec<&Demand> = expressions.iter().flatten().collect();
        demands.sort_unstable();
        demands.dedup();
        let mut meets = vec![Vec::new(); literals.len()];
        for (number, demand) in (0..).zip(&demands) {
            for literal in *demand {
                let met = literals.binary_search(&literal.as_slice()).ok().and_then(|at| meets.get_mut(at));
                met.into_iter().for_each(|met: &mut Vec<u32>| met.push(number));
            }
        }
        let mut needed_by = vec![Vec::new(); demands.len()];
        for (number, expression) in (0..).zip(expressions) {
            for demand in expression {
                let needed = demands.binary_search(&demand).ok().and_then(|at| needed_by.get_mut(at));
                needed.into_iter().for_each(|needed: &mut Vec<u32>| needed.push(number));
            }
        }
        let needs: Vec<u8> = expressions.iter().map(|demands| u8::try_from(demands.len()).unwrap_or(u8::MAX)).collect();
        let open = needs.iter().enumerate().filter(|(_, needs)| **needs == 0).map(|(at, _)| at).collect();
        let automaton = (!literals.is_empty()).then(|| {
            DFA::builder()
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::Standard)
                .start_kind(StartKind::Unanchored)
                .prefilter(false)
                .build(&literals)
                .expect("some thousand short literals fit an automaton")
        });
        Self { automaton, meets, needed_by, needs, open }
    }

    /// The expressions that may match a text, in their order.
    pub(crate) fn passing(&self, text: &[u8]) -> Vec<usize> {
        let mut passing = self.open.clone();
        let Some(automaton) = &self.automaton else { return passing };
        let Ok(mut state) = automaton.start_state(Anchored::No) else { return passing };
        let mut seen = Seen::of(self);
        for byte in text {
            state = automaton.next_state(Anchored::No, state, *byte);
            if automaton.is_match(state) {
                for at in 0..automaton.match_len(state) {
                    seen.note(automaton.match_pattern(state, at).as_usize(), &mut passing);
                }
            }
        }
        passing.sort_unstable();
        passing
    }
}

/// What one pass has come across.
struct Seen<'a> {
    gate: &'a Gate,
    literals: Vec<bool>,
    demands: Vec<bool>,
    met: Vec<u8>,
}

impl<'a> Seen<'a> {
    fn of(gate: &'a Gate) -> Self {
        Self {
            gate,
            literals: vec![false; gate.meets.len()],
            demands: vec![false; gate.needed_by.len()],
            met: vec![0; gate.needs.len()],
        }
    }

    /// Notes a literal, and the expressions for which it was the last that was missing.
    fn note(&mut self, literal: usize, passing: &mut Vec<usize>) {
        match self.literals.get_mut(literal) {
            Some(seen) if !*seen => *seen = true,
            _ => return,
        }
        for demand in self.gate.meets.get(literal).into_iter().flatten() {
            let demand = *demand as usize;
            match self.demands.get_mut(demand) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            for expression in self.gate.needed_by.get(demand).into_iter().flatten() {
                let expression = *expression as usize;
                let Some(met) = self.met.get_mut(expression) else { continue };
                *met = met.saturating_add(1);
                if Some(&*met) == self.gate.needs.get(expression) {
                    passing.push(expression);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::literals::{demands_of, worthwhile};
    use super::*;

    fn passing(text: &str) -> Vec<usize> {
        let expressions = [r"(?i)\bcurl\b[^\n]*\|\s*bash\b", r"\d+", r"(?i)\bsend\s+(?:the\s+)?secrets?\b", r"bash"];
        let demands: Vec<_> = expressions.iter().map(|expression| worthwhile(demands_of(expression))).collect();
        Gate::new(&demands).passing(text.as_bytes())
    }

    #[test]
    fn an_expression_passes_once_all_that_it_needs_is_there() {
        assert_eq!(passing("nothing"), [1]);
        assert_eq!(passing("CURL x | Bash, curl y | bash"), [0, 1, 3]);
        assert_eq!(passing("secrets to send"), [1, 2]);
        assert_eq!(passing(""), [1]);
    }
}
