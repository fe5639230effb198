//! Literals that a text must hold for an expression to match it, and how close together: what a prefilter looks for
//! before any expression runs.
//!
//! Must never demand too much: a plan that is not met proves that there is no match.

use std::collections::BTreeSet;

use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

use serde::{Deserialize, Serialize};

use super::literal::{Literal, LiteralEdge};
use super::parsed;
use super::reach::{MatchReach, holds_only, is_blank, is_word, seen};

/// Literals of which a text must hold at least one.
pub type LiteralSet = BTreeSet<Literal>;

/// Literals that a text must hold where an expression, or a part of one, matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LiteralPlan<L = LiteralSet> {
    /// One of these literals.
    Literals(L),
    /// All of these, the rarest first, and no further apart than the part reaches, where that is bounded.
    All(Vec<LiteralPlan<L>>, Option<MatchReach>),
    /// Any one of these.
    Any(Vec<LiteralPlan<L>>),
}

/// The most texts that a part may stand for and still be joined with its neighbours.
const JOINED_MOST: usize = 64;
/// The most literals of one demand.
const DEMAND_MOST: usize = 800;
/// A plan that is expected to be met more often, in a million bytes, holds too little back to be worth its cost.
const COMMON: f64 = 4_000.0;
/// The most parts of a row that are looked for together.
const PARTS_MOST: usize = 3;
/// A plan that is met more often holds too little back to be looked for beside a rarer one.
pub(crate) const COMMON_BESIDE: f64 = 1_500.0;

impl LiteralPlan {
    /// The needs of an expression; none where it may match almost anything.
    pub fn of(parsed: &Hir, sight: Sight) -> Option<Self> {
        sight.known(parsed).settled(MatchReach::of(parsed))
    }

    /// The same, and the literals with one of which every match begins; none where it may begin with almost anything.
    pub fn with_beginning(parsed: &Hir, sight: Sight) -> (Option<Self>, Option<LiteralSet>) {
        let known = sight.known(parsed);
        let begins = match known.beginning().cloned().and_then(demanded) {
            Some(Self::Literals(literals)) => Some(literals),
            Some(Self::All(..) | Self::Any(_)) | None => None,
        };
        (known.settled(MatchReach::of(parsed)), begins)
    }

    /// The needs of any of several expressions; none where one of them may match almost anything.
    pub fn of_any<'a>(patterns: impl IntoIterator<Item = &'a str>, sight: Sight) -> Option<Self> {
        let plans = patterns.into_iter().map(|pattern| Self::of(&parsed(pattern)?, sight));
        any(plans.collect::<Option<Vec<Self>>>()?)
    }

    /// Sets of literals of each of which a text that the plan fits holds one.
    pub fn demands(&self) -> Vec<LiteralSet> {
        match self {
            Self::All(parts, _) => parts.iter().map(Self::demand).collect(),
            other => vec![other.demand()],
        }
    }

    /// Literals one of which stands in every text that the plan fits.
    fn demand(&self) -> LiteralSet {
        match self {
            Self::Literals(literals) => literals.clone(),
            Self::All(parts, _) => parts.first().map(Self::demand).unwrap_or_default(),
            Self::Any(parts) => parts.iter().flat_map(Self::demand).collect(),
        }
    }

    /// The expected number of meetings in a million bytes.
    fn frequency(&self) -> f64 {
        match self {
            Self::Literals(literals) => literals.iter().map(Literal::frequency).sum(),
            // The rarest part comes first, and all are met no more often than it is.
            Self::All(parts, _) => parts.first().map_or(0.0, Self::frequency),
            // Several parts may ask for the same.
            Self::Any(_) => self.demand().iter().map(Literal::frequency).sum(),
        }
    }
}

impl<L> LiteralPlan<L> {
    /// The same with other names for its literals.
    pub fn with<M>(&self, name: &impl Fn(&L) -> M) -> LiteralPlan<M> {
        let all = |parts: &[Self]| parts.iter().map(|part| part.with(name)).collect();
        match self {
            Self::Literals(literals) => LiteralPlan::Literals(name(literals)),
            Self::All(parts, reach) => LiteralPlan::All(all(parts), *reach),
            Self::Any(parts) => LiteralPlan::Any(all(parts)),
        }
    }

    /// All literals that it names.
    pub fn each(&self, tell: &mut impl FnMut(&L)) {
        match self {
            Self::Literals(literals) => tell(literals),
            Self::All(parts, _) | Self::Any(parts) => parts.iter().for_each(|part| part.each(tell)),
        }
    }
}

/// Literals and edges of a part of an expression.
#[derive(Default)]
struct PartLiterals {
    /// All the texts that it matches, where they are few; then there are no plans.
    exact: Option<LiteralSet>,
    /// The literals that every match holds.
    plans: Vec<LiteralPlan>,
    /// The texts with which matches begin that are not known in full, where they are few.
    begins: Option<LiteralSet>,
}

impl PartLiterals {
    fn exactly(texts: impl IntoIterator<Item = Literal>) -> Self {
        Self { exact: Some(texts.into_iter().collect()), ..Self::default() }
    }

    /// The texts with one of which every match begins.
    fn beginning(&self) -> Option<&LiteralSet> {
        self.exact.as_ref().or(self.begins.as_ref())
    }

    /// The parts worth their cost: the common ones only where there is nothing better.
    fn settled(self, reach: Option<MatchReach>) -> Option<LiteralPlan> {
        let mut plans = self.plans;
        plans.extend(self.exact.and_then(demanded));
        let mut plans: Vec<(f64, LiteralPlan)> = plans.into_iter().map(|plan| (plan.frequency(), plan)).collect();
        plans.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        // A common part beside a rare one holds hardly anything more back and costs its own search.
        let rare = plans.iter().take_while(|(frequency, _)| *frequency <= COMMON_BESIDE).count();
        plans.truncate(rare.clamp(1, PARTS_MOST));
        let mut plans: Vec<LiteralPlan> = plans.into_iter().map(|(_, plan)| plan).collect();
        if plans.len() > 1 { Some(LiteralPlan::All(plans, reach)) } else { plans.pop() }
    }
}

/// Any of several, unless together they are too common to be looked for.
fn any(mut plans: Vec<LiteralPlan>) -> Option<LiteralPlan> {
    let plan = if plans.len() > 1 { LiteralPlan::Any(plans) } else { plans.pop()? };
    (plan.frequency() <= COMMON).then_some(plan)
}

/// The texts as a demand, unless they are too common or too many to be looked for.
fn demanded(texts: LiteralSet) -> Option<LiteralPlan> {
    let texts: LiteralSet = texts.iter().map(Literal::settled).collect();
    // One text that is not worth it makes the whole demand worthless: a match may hold that one alone.
    if texts.is_empty() || texts.len() > DEMAND_MOST || !texts.iter().all(Literal::is_telling) {
        return None;
    }
    // One that holds another is met where that one is.
    let spare = |text: &Literal| texts.iter().any(|other| other != text && text.holds(other));
    let needed = texts.iter().filter(|text| !spare(text)).cloned().collect();
    any(vec![LiteralPlan::Literals(needed)])
}

/// The part of a text that a tried expression sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// All of it, so that an edge of a word is one.
    Whole,
    /// A part that may begin and end within words.
    Part,
}

/// The letters of a small class, in lower case.
fn letters(class: &Class) -> Option<LiteralSet> {
    const MOST: usize = 5;
    let ranges: Vec<(u8, u8)> = match class {
        Class::Bytes(class) => class.iter().map(|range| (range.start(), range.end())).collect(),
        Class::Unicode(class) => {
            let ascii = |letter: char| u8::try_from(letter).ok().filter(u8::is_ascii);
            class.iter().map(|range| ascii(range.start()).zip(ascii(range.end()))).collect::<Option<_>>()?
        }
    };
    let mut letters = Vec::with_capacity(MOST);
    // Most classes are large: seen after a few letters.
    for letter in ranges.into_iter().flat_map(|(start, end)| start..=end).map(seen) {
        if !letters.contains(&letter) {
            if letters.len() == MOST {
                return None;
            }
            letters.push(letter);
        }
    }
    (!letters.is_empty()).then(|| letters.iter().map(|letter| Literal::new(&[*letter])).collect())
}

impl Sight {
    fn known(self, part: &Hir) -> PartLiterals {
        if let Some(run) = run_of_blanks(part) {
            return PartLiterals::exactly(run);
        }
        match part.kind() {
            HirKind::Empty => PartLiterals::exactly([Literal::default()]),
            HirKind::Look(look) => PartLiterals::exactly([Literal::empty(self.edge(*look))]),
            HirKind::Literal(literal) => PartLiterals::exactly([Literal::new(&literal.0)]),
            HirKind::Class(class) => PartLiterals { exact: letters(class), ..PartLiterals::default() },
            HirKind::Capture(capture) => self.known(&capture.sub),
            HirKind::Repetition(repetition) => self.repeated(repetition),
            HirKind::Concat(parts) => self.in_a_row(parts),
            HirKind::Alternation(parts) => self.either(parts),
        }
    }

    /// The bytes that an assertion allows on both sides of it.
    fn edge(self, look: Look) -> LiteralEdge {
        match look {
            Look::WordAscii if self == Self::Whole => LiteralEdge::Word,
            _ => LiteralEdge::Open,
        }
    }

    /// The edge beside a part that begins, or ends, with no byte of a word.
    fn beside(self, is_blank: bool) -> LiteralEdge {
        if is_blank && self == Self::Whole { LiteralEdge::Blank } else { LiteralEdge::Open }
    }

    fn repeated(self, repetition: &Repetition) -> PartLiterals {
        let PartLiterals { exact, mut plans, begins } = self.known(&repetition.sub);
        if repetition.min == 0 {
            // Only a part that may be missing once can still be written out with its neighbours.
            let optional = exact.filter(|texts| repetition.max == Some(1) && texts.len() < JOINED_MOST);
            return PartLiterals {
                exact: optional.map(|mut texts| {
                    texts.insert(Literal::default());
                    texts
                }),
                ..PartLiterals::default()
            };
        }
        if (repetition.min, repetition.max) == (1, Some(1)) {
            return PartLiterals { exact, plans, begins };
        }
        let begins = exact.clone().or(begins);
        plans.extend(exact.and_then(demanded));
        PartLiterals { exact: None, plans, begins }
    }

    fn in_a_row(self, parts: &[Hir]) -> PartLiterals {
        let mut plans = Vec::new();
        let mut open = LiteralSet::from([Literal::default()]);
        // The first texts of the row, once they are known or cannot be.
        let mut first: Option<Option<LiteralSet>> = None;
        let mut rest = parts;
        while let Some((part, behind)) = rest.split_first() {
            // Most rows are words in either case: taken whole, because every program that starts reads every row.
            let word: Vec<u8> = rest.iter().map_while(letter).collect();
            if !word.is_empty() {
                let word_literal = Literal::new(&word);
                open = open.iter().map(|left| left.then(&word_literal)).collect();
                rest = rest.get(word.len()..).unwrap_or_default();
                continue;
            }
            rest = behind;
            let known = self.known(part);
            plans.extend(known.plans);
            match known.exact {
                // Joined while they are few: longer literals are rarer ones.
                Some(texts) if open.len() * texts.len() <= JOINED_MOST => {
                    open = open.iter().flat_map(|left| texts.iter().map(|right| left.then(right))).collect();
                }
                other => {
                    let (begins, ends) = (self.beside(begins_blank(part)), self.beside(ends_blank(part)));
                    let closed: LiteralSet = open.iter().map(|text| text.then(&Literal::empty(begins))).collect();
                    first = first.or_else(|| {
                        let is_first = closed.iter().all(|text| text.as_bytes().is_empty());
                        Some(if is_first { other.clone().or(known.begins) } else { Some(closed.clone()) })
                    });
                    let beside =
                        if closed.iter().all(Literal::ends_blank) { LiteralEdge::Blank } else { LiteralEdge::Open };
                    plans.extend(demanded(closed));
                    let known = other.map(|texts| texts.iter().map(|text| Literal::empty(beside).then(text)).collect());
                    open = known.unwrap_or_else(|| [Literal::empty(ends)].into());
                }
            }
        }
        match first {
            None => PartLiterals { exact: Some(open), plans, begins: None },
            Some(begins) => {
                plans.extend(demanded(open));
                PartLiterals { exact: None, plans, begins }
            }
        }
    }

    fn either(self, parts: &[Hir]) -> PartLiterals {
        let alternatives: Vec<PartLiterals> = parts.iter().map(|part| self.known(part)).collect();
        let count: usize = alternatives.iter().filter_map(|part| part.exact.as_ref().map(BTreeSet::len)).sum();
        if count <= JOINED_MOST && alternatives.iter().all(|part| part.exact.is_some()) {
            return PartLiterals::exactly(alternatives.into_iter().filter_map(|part| part.exact).flatten());
        }
        let begins = alternatives.iter().map(PartLiterals::beginning);
        let begins =
            begins.collect::<Option<Vec<&LiteralSet>>>().map(|all| all.into_iter().flatten().cloned().collect());
        let each = alternatives.into_iter().zip(parts).map(|(known, part)| known.settled(MatchReach::of(part)));
        let plan = each.collect::<Option<Vec<LiteralPlan>>>().and_then(together);
        PartLiterals { exact: None, plans: plan.into_iter().collect(), begins }
    }
}

/// The letter that a part stands for in either case; none for every other part.
fn letter(part: &Hir) -> Option<u8> {
    let HirKind::Class(Class::Bytes(class)) = part.kind() else { return None };
    let letter = class.ranges().first()?.start().to_ascii_lowercase();
    let is_alone = class.iter().all(|range| {
        let (start, end) = (range.start(), range.end());
        start == end && start.to_ascii_lowercase() == letter
    });
    (is_alone && letter.is_ascii_lowercase()).then_some(letter)
}

/// The literal that a part of blanks alone stands for in a normalized text.
fn run_of_blanks(part: &Hir) -> Option<Vec<Literal>> {
    let may_repeat = matches!(part.kind(), HirKind::Class(_) | HirKind::Repetition(_));
    let may_be_missing = part.properties().minimum_len()? == 0;
    let nothing = may_be_missing.then(Literal::default);
    (may_repeat && holds_only(part, is_blank)).then(|| nothing.into_iter().chain([Literal::new(b" ")]).collect())
}

/// True where every match of a part begins with a byte that is none of a word.
fn begins_blank(part: &Hir) -> bool {
    has_blank(part, &|parts| parts.first())
}

/// True where every match of a part ends with a byte that is none of a word.
fn ends_blank(part: &Hir) -> bool {
    has_blank(part, &|parts| parts.last())
}

fn has_blank(part: &Hir, outermost: &dyn Fn(&[Hir]) -> Option<&Hir>) -> bool {
    let has = |part: &Hir| has_blank(part, outermost);
    match part.kind() {
        HirKind::Class(Class::Bytes(class)) => {
            !class.ranges().is_empty() && class.iter().all(|range| !(range.start()..=range.end()).any(is_word))
        }
        HirKind::Repetition(repetition) => repetition.min > 0 && has(&repetition.sub),
        HirKind::Capture(capture) => has(&capture.sub),
        HirKind::Concat(parts) => outermost(parts).is_some_and(has),
        HirKind::Alternation(parts) => parts.iter().all(has),
        // A literal is exact: it is joined.
        HirKind::Empty | HirKind::Look(_) | HirKind::Literal(_) | HirKind::Class(Class::Unicode(_)) => false,
    }
}

/// Any of several, with all plain literals among them as one demand.
fn together(plans: Vec<LiteralPlan>) -> Option<LiteralPlan> {
    let mut literals = LiteralSet::new();
    let mut others = Vec::new();
    for plan in plans {
        match plan {
            LiteralPlan::Literals(more) => literals.extend(more),
            other => others.push(other),
        }
    }
    if !literals.is_empty() {
        others.push(demanded(literals)?);
    }
    any(others)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pattern: &str) -> String {
        parsed(pattern)
            .and_then(|parsed| LiteralPlan::of(&parsed, Sight::Whole))
            .map_or_else(|| "anything".to_owned(), |plan| show(&plan))
    }

    /// With a point at each edge of a word.
    fn shown_literal(literal: &Literal) -> String {
        let edge = |is_edge| if is_edge { "·" } else { "" };
        let text = String::from_utf8_lossy(literal.as_bytes());
        format!("{}{text}{}", edge(literal.begins_word()), edge(literal.ends_word()))
    }

    fn show(plan: &LiteralPlan) -> String {
        let all = |parts: &[LiteralPlan], mark: &str| parts.iter().map(show).collect::<Vec<_>>().join(mark);
        match plan {
            LiteralPlan::Literals(literals) => literals.iter().map(shown_literal).collect::<Vec<_>>().join("|"),
            LiteralPlan::All(parts, _) => format!("({})", all(parts, " + ")),
            LiteralPlan::Any(parts) => format!("({})", all(parts, " / ")),
        }
    }

    #[test]
    fn literals_are_joined_where_they_are_few() {
        assert_eq!(shown(r"(?i)\bbase64[ \t]+(?:-d|--decode)\b"), "·base64 --decode·|·base64 -d·");
        assert_eq!(shown(r"(?i)\bkeys?\b"), "·key·|·keys·");
        assert_eq!(shown(r"(?i)\bw(?:get|inhttp)\b"), "·wget·|·winhttp·");
        assert_eq!(shown(r"\.ssh/id_\w+"), ".ssh/id_");
        assert_eq!(shown(r"\b0x[0-9a-f]+"), "·0x");
        assert_eq!(shown(r"\|\s*bash\b"), "| bash·||bash·");
        assert_eq!(shown(r"(?:\w+\s+){1,3}now\s*\n+it"), "·now it");
    }

    #[test]
    fn every_part_of_a_row_is_demanded() {
        assert_eq!(shown(r"(?i)\b(?:send|post)\s+(?:\w+\s+){0,3}tokens?\b"), "(token·|tokens· + ·post·|·send·)");
        assert_eq!(shown(r"curl[^\n]{0,80}(?:https?|ftp)://"), "(ftp://|http://|https:// + curl)");
    }

    #[test]
    fn each_alternative_has_its_own_parts() {
        assert_eq!(shown(r"(?:(?:hide|veil)\s+keys|wallets)"), "hide keys|veil keys|wallets");
        assert_eq!(shown(r"(?:(?:hide|veil)\w+\s+keys|wallets)"), "((·keys + hide|veil) / wallets)");
        assert_eq!(shown(r"(?:abc|[a-z]+)x"), "anything");
    }

    #[test]
    fn a_match_begins_with_its_first_words() {
        let begins = |pattern: &str| {
            let literals = parsed(pattern).and_then(|parsed| LiteralPlan::with_beginning(&parsed, Sight::Whole).1);
            literals.map_or_else(|| "anything".to_owned(), |literals| show(&LiteralPlan::Literals(literals)))
        };
        assert_eq!(begins(r"(?i)\b(?:send|post)\s+(?:\w+\s+){0,3}tokens?\b"), "·post·|·send·");
        assert_eq!(begins(r"(?i)\b(?:curl[^\n]*x|wget\w*)y"), "curl|wget");
        assert_eq!(begins(r"\bsend\b"), "·send·");
        assert_eq!(begins(r"(?:send\s+)+it"), "send·");
        assert_eq!(begins(r"(?:send\s+)?it\s+now"), "it now");
        assert_eq!(begins(r"(?:send\s+)*it\s+now"), "anything");
        assert_eq!(begins(r"\w+send"), "anything");
    }

    #[test]
    fn what_may_be_missing_or_is_everywhere_is_not_demanded() {
        assert_eq!(shown(r"(?:abq)*def"), "def");
        assert_eq!(shown(r"(?:abq|d)\s"), "anything");
        assert_eq!(shown(r"\d+\.\d+"), "anything");
        assert_eq!(shown(r"\bto\s"), "anything");
        assert_eq!(shown(r"\bnc\s"), "·nc·");
        assert_eq!(shown(r"nc\s"), "anything");
        assert_eq!(shown(r"\w@\w"), "@");
    }
}
