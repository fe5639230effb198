//! `capdex/verdict`: what to do about a capability, by the findings of the rules alone. No method has a say in it.
//!
//! It is kept, exported and computed again as every score is, so that a dataset proves its verdicts. What was not looked at
//! is no fact: `over` puts completeness beside the findings.

use std::sync::LazyLock;

use serde::Deserialize;

use capdex_model::capability::Kind;
use capdex_model::fact::{Confidence, Fact, Severity};
use capdex_model::facts::SparseFacts;
use capdex_model::points::Points;
use capdex_model::rule::{Lifecycle, RuleIndex};
use capdex_model::score::{Band, RubricRef, Score, ScoreTexts, Verdict};
use capdex_model::snapshot::Completeness;
use capdex_model::time::AsOf;

use super::cached_score::CachedScore;
use super::findings::{Asked, Outcomes};
use super::over_rules::OverRules;
use super::terms::{NO_RULES, term};
use super::{Rubric, RubricMeta, bands, reasons, text_digest};

/// The id of the rubric that says what to do.
pub const VERDICT: &str = "capdex/verdict";

const NUMBERS: &str = include_str!("weights.toml");
const PAGE: &str = include_str!("page.md");

/// Letters shown of the text that a finding quotes.
const QUOTED: usize = 80;

/// The verdict by the findings of the rules.
pub struct OwnVerdict;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct VerdictNumbers {
    steps: Vec<Step>,
}

/// The worst that a finding does, by its severity and confidence.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    band: Band,
    severity: Severity,
    confidence: Confidence,
    points: i64,
}

static TABLE: LazyLock<VerdictNumbers> =
    LazyLock::new(|| toml::from_str(NUMBERS).expect("the compiled-in numbers parse, as tested"));

static META: LazyLock<RubricMeta> = LazyLock::new(|| RubricMeta {
    rubric: RubricRef { id: VERDICT.into(), version: "2".into(), text: text_digest(NUMBERS, PAGE) },
    title: "capdex's own verdict: what to do about it, by the findings of the rules",
    page: PAGE,
    published_at: "this page",
    published_read: "2026-11-26",
    published_sha256: PAGE_SHA256,
    kinds: &Kind::ALL,
    scale: (0, 3),
    by_day: false,
});

/// SHA-256 (hex) of `page.md`, which is where this method is published.
const PAGE_SHA256: &str = "2a03760fa0a5035893639d9488173c0483d708cc152b050f0896925bc1536d65";

/// Every rule that finds. A measure says what is there and never that it is bad.
static NEEDS: OverRules<Vec<&'static str>> = OverRules::new(|rules| {
    let finds = |id: &&str| !id.starts_with("measure-");
    let stable = rules.all().iter().filter(|meta| meta.lifecycle == Lifecycle::Stable);
    stable.map(|meta| meta.id.as_str()).filter(finds).collect()
});

static ASKED: OverRules<Asked> = OverRules::new(|rules| Asked::new(rules, NEEDS.of(rules).iter().copied()));

impl Rubric for OwnVerdict {
    fn meta(&self) -> &RubricMeta {
        &META
    }

    fn needs(&self, rules: &'static RuleIndex) -> &[&'static str] {
        NEEDS.of(rules)
    }

    fn score(&self, facts: &SparseFacts, _at: AsOf) -> Score {
        static USUAL: CachedScore = CachedScore::new();
        USUAL.of(facts, || computed(facts))
    }
}

/// The score of any facts.
pub(super) fn computed(facts: &SparseFacts) -> Score {
    let (outcomes, rules) = (Outcomes::of(facts), facts.rules());
    let asked = ASKED.of(rules);
    let answered = outcomes.answered(asked);
    let none = |reason: String| Score::none(META.rubric.clone(), answered.coverage(), reason);
    // A rule that has not reported is a fault of ours, and `ok` would hide it.
    if let Some(rule) = outcomes.unreported(asked) {
        return none(format!("rule {rule} has not reported"));
    }
    if answered.answered == 0 {
        return none("nothing could be looked at".to_owned());
    }
    let mut score = Score::none(META.rubric.clone(), answered.coverage(), "");
    score.terms.push(term("nothing found", Points::whole(3), NO_RULES, "the best of four bands"));
    let mut band = Band::Ok;
    if let Some(Worst { step, fact: deciding, alike }) = worst(facts, |_| true) {
        band = step.band;
        let rule = deciding.rule.to_string();
        let note = format!("{} finding of confidence {}", deciding.severity.as_str(), deciding.confidence.as_str());
        let rules = ScoreTexts::Owned(vec![rule.clone().into()]);
        score.terms.push(term(rule, Points::whole(step.points), rules, note));
        score.caps.push(sentence(facts.rules(), deciding, alike).into());
    }
    score.value = Some(score.terms.iter().map(|term| term.points).sum());
    score.grade = band.as_str().into();
    score
}

/// The finding that decides the band; none where none is of weight.
pub fn deciding(facts: &SparseFacts) -> Option<&Fact> {
    worst(facts, |_| true).map(|worst| worst.fact)
}

/// The finding that decides, with what it does and how many are as bad, itself among them.
struct Worst<'a> {
    step: &'static Step,
    fact: &'a Fact,
    alike: usize,
}

/// The worst of those findings whose place among all is to count: the strictest step, then the severest, then the surest,
/// then the first.
fn worst(facts: &SparseFacts, counts: impl Fn(usize) -> bool) -> Option<Worst<'_>> {
    let counted = facts.findings().enumerate().filter(|(at, _)| counts(*at));
    let steps: Vec<(&'static Step, &Fact)> = counted.filter_map(|(_, fact)| Some((step_of(fact)?, fact))).collect();
    // `max_by_key` gives the last of equals, and the first in the order of the facts is meant.
    let deciding = steps.iter().rev().max_by_key(|(step, fact)| (-step.points, fact.severity, fact.confidence));
    let (step, fact) = *deciding?;
    let alike = steps.iter().filter(|(other, _)| other.band == step.band).count();
    Some(Worst { step, fact, alike })
}

/// Band and sentence by some of the findings alone: those whose place among all is to count.
pub(super) fn of_some(
    facts: &SparseFacts,
    completeness: &Completeness,
    counts: impl Fn(usize) -> bool,
) -> (Band, String) {
    match worst(facts, counts) {
        Some(Worst { step, fact, alike }) => (step.band, sentence(facts.rules(), fact, alike)),
        None if *completeness == Completeness::Analysed => (Band::Ok, NOTHING.to_owned()),
        None => (Band::Unknown, unknown(None, completeness)),
    }
}

fn step_of(fact: &Fact) -> Option<&'static Step> {
    TABLE.steps.iter().find(|step| fact.severity >= step.severity && fact.confidence >= step.confidence)
}

/// A finding in plain words: what it is, what was read and where, and how many more are as bad.
fn sentence(rules: &'static RuleIndex, fact: &Fact, alike: usize) -> String {
    let id = fact.rule.as_str();
    let mut said = rules.find(id).map_or(id, |meta| meta.title.as_str()).to_owned();
    if !fact.evidence.is_empty() {
        let words = fact.evidence.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut quoted: String = words.chars().take(QUOTED).collect();
        if quoted.len() < words.len() {
            quoted.push('…');
        }
        said.push_str(&format!(": \"{quoted}\""));
    }
    if !fact.place.file.is_empty() {
        said.push_str(&format!(" in {}", fact.place.file));
        if fact.place.line > 0 {
            said.push_str(&format!(":{}", fact.place.line));
        }
    }
    match alike.saturating_sub(1) {
        0 => said,
        more => format!("{said}, and {more} more"),
    }
}

/// The sentence of a capability in which nothing decides.
const NOTHING: &str = "nothing of weight was found, and everything that counts was looked at";

/// The verdict: the band of the findings, `unknown` for a mild one while not everything was looked at. Disagreement is that of
/// the four methods among themselves.
pub(super) fn over(scores: &[Score], completeness: &Completeness) -> Verdict {
    let own = scores.iter().find(|score| score.rubric.id == VERDICT);
    let found = own.map_or(Band::Unknown, bands::band_of);
    let is_whole = *completeness == Completeness::Analysed;
    let said = |score: Option<&Score>| score.and_then(|score| score.caps.first()).map(|said| said.to_string());
    let (band, reason) = match found {
        // What was not read cannot take back what was found.
        Band::Block | Band::Caution => (found, said(own)),
        // A weakness that is known outweighs what nobody has seen yet.
        Band::Watch => (found, said(own)),
        Band::Ok if is_whole => (Band::Ok, Some(NOTHING.to_owned())),
        Band::Ok | Band::Unknown => (Band::Unknown, None),
    };
    let reason = reason.unwrap_or_else(|| unknown(own, completeness));
    Verdict { band, reason, disagreement: reasons::disagreement(scores) }
}

/// Why nothing is known: the gaps, or that nothing could be looked at.
fn unknown(own: Option<&Score>, completeness: &Completeness) -> String {
    if *completeness != Completeness::Analysed {
        let gaps: Vec<String> = completeness.gaps().iter().map(ToString::to_string).collect();
        return with_gaps(NOT_ALL, &gaps);
    }
    let why = own.map(|score| score.reason.to_string()).filter(|reason| !reason.is_empty());
    why.unwrap_or_else(|| "it was not judged".to_owned())
}

/// The sentence of a verdict over an empty list of gaps with the gaps put in: the first, and how many more there are. Other
/// sentences name no gap, and stay.
pub fn with_gaps(sentence: &str, gaps: &[String]) -> String {
    match gaps {
        [first, more @ ..] if sentence == NOT_ALL => match more.len() {
            0 => format!("{NOT_ALL}: {first}"),
            more => format!("{NOT_ALL}: {first}, and {more} more"),
        },
        _ => sentence.to_owned(),
    }
}

/// The beginning of the sentence about what was not analysed in full.
const NOT_ALL: &str = "not all of it was looked at";

#[cfg(test)]
mod tests;
