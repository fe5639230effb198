//! Literals that a text must hold for an expression to match it: what a gate looks for before any expression runs.
//!
//! Must never demand too much: a demand that is not met proves that there is no match. Literals are in lower case and
//! stand for every case of their ASCII letters.

use std::collections::BTreeSet;

use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

/// Literals of which a text must hold at least one.
pub(in crate::rules) type Demand = BTreeSet<Vec<u8>>;

/// The most texts that a part may stand for and still be joined with its neighbours.
const JOINED_MOST: usize = 64;
/// The most literals of one demand.
const DEMAND_MOST: usize = 800;
/// Shorter literals stand in every text.
const LEAST: usize = 3;
/// Demands that so common literals meet are left out where there are better ones.
const COMMON: u64 = 40_000;

/// The demands of an expression, all of which must be met; none where it may match almost anything. Expressions are
/// read as the engine of data rules compiles them: bytes, ASCII classes.
pub(super) fn demands_of(pattern: &str) -> Vec<Demand> {
    let parsed = ParserBuilder::new().unicode(false).utf8(false).build().parse(pattern);
    parsed.map_or_else(|_| Vec::new(), |hir| known(&hir).settled())
}

/// One demand for several expressions of which any may match: the rarest of each, together.
pub(super) fn demand_of_any<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Option<Demand> {
    let mut together = Demand::new();
    for pattern in patterns {
        together.extend(rarest(demands_of(pattern))?);
    }
    (together.len() <= DEMAND_MOST).then(|| reduced(together))
}

/// The demands worth their cost: the common ones only where there is nothing better.
pub(super) fn worthwhile(mut demands: Vec<Demand>) -> Vec<Demand> {
    demands.sort_by_cached_key(|demand| (commonness(demand), demand.len()));
    demands.dedup();
    let rare = demands.iter().filter(|demand| commonness(demand) <= COMMON).count();
    demands.truncate(rare.clamp(1, 3));
    demands
}

fn rarest(demands: Vec<Demand>) -> Option<Demand> {
    demands.into_iter().min_by_key(commonness)
}

/// How often any of the literals may be expected, in no unit: every letter makes one four times rarer.
fn commonness(demand: &Demand) -> u64 {
    demand.iter().map(|literal| (1_u64 << 20) >> (2 * literal.len().min(8))).sum()
}

/// What is known of a part of an expression.
#[derive(Default)]
struct Known {
    /// All the texts that it matches, where they are few; then there are no demands.
    exact: Option<Demand>,
    demands: Vec<Demand>,
}

impl Known {
    fn exactly(texts: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Self { exact: Some(texts.into_iter().collect()), demands: Vec::new() }
    }

    fn settled(self) -> Vec<Demand> {
        let mut demands = self.demands;
        demands.extend(self.exact.and_then(demanded));
        demands
    }
}

/// The texts as a demand, unless one of them is too short to be looked for.
fn demanded(texts: Demand) -> Option<Demand> {
    let fits = !texts.is_empty() && texts.len() <= DEMAND_MOST && texts.iter().all(|text| text.len() >= LEAST);
    fits.then(|| reduced(texts))
}

/// The beginnings of literals that are looked for: longer ones make the automaton large, and the text is hardly more
/// likely to hold what they begin with.
const LONGEST: usize = 8;

/// Without the literals that hold another one.
fn reduced(texts: Demand) -> Demand {
    let texts: Demand = texts.iter().map(|text| text.iter().copied().take(LONGEST).collect()).collect();
    let holds = |long: &[u8], short: &[u8]| long.windows(short.len()).any(|window| window == short);
    let spare = |text: &Vec<u8>| texts.iter().any(|other| other.len() < text.len() && holds(text, other));
    texts.iter().filter(|text| !spare(text)).cloned().collect()
}

fn known(part: &Hir) -> Known {
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => Known::exactly([Vec::new()]),
        HirKind::Literal(literal) => Known::exactly([literal.0.to_ascii_lowercase()]),
        HirKind::Class(class) => Known { exact: letters(class), demands: Vec::new() },
        HirKind::Capture(capture) => known(&capture.sub),
        HirKind::Repetition(repetition) => repeated(repetition),
        HirKind::Concat(parts) => in_a_row(parts),
        HirKind::Alternation(parts) => either(parts),
    }
}

/// The letters of a small class, in lower case.
fn letters(class: &Class) -> Option<Demand> {
    const MOST: usize = 6;
    let bytes: Vec<u8> = match class {
        Class::Bytes(class) => class.iter().take(MOST + 1).flat_map(|range| range.start()..=range.end()).collect(),
        Class::Unicode(class) => {
            let ranges =
                class.iter().take(MOST + 1).map(|range| (u8::try_from(range.start()), u8::try_from(range.end())));
            let ranges: Option<Vec<_>> = ranges.map(|(start, end)| Some(start.ok()?..=end.ok()?)).collect();
            ranges?.into_iter().flatten().collect()
        }
    };
    let letters: Demand = bytes.iter().map(|byte| vec![byte.to_ascii_lowercase()]).collect();
    let plain = bytes.iter().all(u8::is_ascii) || matches!(class, Class::Bytes(_));
    (plain && !letters.is_empty() && letters.len() <= MOST).then_some(letters)
}

fn repeated(repetition: &Repetition) -> Known {
    let Known { exact, mut demands } = known(&repetition.sub);
    if repetition.min == 0 {
        let optional = exact.filter(|texts| repetition.max == Some(1) && texts.len() < JOINED_MOST);
        return Known {
            exact: optional.map(|mut texts| {
                texts.insert(Vec::new());
                texts
            }),
            demands: Vec::new(),
        };
    }
    if (repetition.min, repetition.max) == (1, Some(1)) {
        return Known { exact, demands };
    }
    demands.extend(exact.and_then(demanded));
    Known { exact: None, demands }
}

fn in_a_row(parts: &[Hir]) -> Known {
    let mut demands = Vec::new();
    let mut open = Demand::from([Vec::new()]);
    let mut is_exact = true;
    for part in parts {
        let part = known(part);
        demands.extend(part.demands);
        match part.exact {
            Some(texts) if open.len() * texts.len() <= JOINED_MOST => {
                open =
                    open.iter().flat_map(|left| texts.iter().map(|right| [&left[..], &right[..]].concat())).collect();
            }
            other => {
                is_exact = false;
                demands.extend(demanded(std::mem::replace(&mut open, other.unwrap_or_else(|| [Vec::new()].into()))));
            }
        }
    }
    if is_exact {
        return Known { exact: Some(open), demands };
    }
    demands.extend(demanded(open));
    Known { exact: None, demands }
}

fn either(parts: &[Hir]) -> Known {
    let parts: Vec<Known> = parts.iter().map(known).collect();
    let count: usize = parts.iter().filter_map(|part| part.exact.as_ref().map(BTreeSet::len)).sum();
    if count <= JOINED_MOST && parts.iter().all(|part| part.exact.is_some()) {
        return Known::exactly(parts.into_iter().filter_map(|part| part.exact).flatten());
    }
    let each: Option<Vec<Demand>> = parts.into_iter().map(|part| rarest(part.settled())).collect();
    let together: Option<Demand> = each.map(|each| each.into_iter().flatten().collect());
    Known { exact: None, demands: together.and_then(demanded).into_iter().collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pattern: &str) -> Vec<String> {
        let shown = |demand: &Demand| {
            demand.iter().map(|literal| String::from_utf8_lossy(literal).into_owned()).collect::<Vec<_>>().join("|")
        };
        demands_of(pattern).iter().map(shown).collect()
    }

    #[test]
    fn literals_are_joined_where_they_are_few() {
        assert_eq!(shown(r"(?i)\bbase64[ \t]+(?:-d|--decode)\b"), ["base64"]);
        assert_eq!(shown(r"(?i)\bkeys?\b"), ["key"]);
        assert_eq!(shown(r"(?i)\bw(?:get|inhttp)\b"), ["wget|winhttp"]);
        assert_eq!(shown(r"\.ssh/id_\w+"), [".ssh/id_"]);
    }

    #[test]
    fn every_part_of_a_row_is_demanded() {
        assert_eq!(shown(r"(?i)\b(?:send|post)\s+(?:\w+\s+){0,3}tokens?\b"), ["post|send", "token"]);
        assert_eq!(shown(r"curl[^\n]{0,80}(?:https?|ftp)://"), ["curl", "ftp://|http://|https://"]);
    }

    #[test]
    fn what_may_be_missing_is_not_demanded() {
        assert_eq!(shown(r"(?:abc)*def"), ["def"]);
        assert_eq!(shown(r"(?:abc|d)\s"), Vec::<String>::new());
        assert_eq!(shown(r"(?:abc|\w+)x"), Vec::<String>::new());
        assert_eq!(shown(r"\d+\.\d+"), Vec::<String>::new());
    }
}
