//! `saferskills/seed`: SaferSkills' five weighted sub-scores with penalties, floor, ceilings and colours.
//!
//! Source: the "Core Concepts" page; the numbers are `weights.toml`, our reading is `page.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use capdex_model::capability::Kind;
use capdex_model::fact::Severity;
use capdex_model::facts::SparseFacts;
use capdex_model::points::Points;
use capdex_model::rule::{RuleIndex, RuleMeta};
use capdex_model::score::{RubricRef, Score, ScorePart, ScoreText, Term};
use capdex_model::time::AsOf;

use super::cached_score::CachedScore;
use super::findings::{self, Answered, Asked, Codes, MethodFinding, Outcomes};
use super::over_rules::OverRules;
use super::terms::{CachedText, close, distinct, push_looked, push_number, term};
use super::{Rubric, RubricMeta, text_digest};

const NUMBERS: &str = include_str!("weights.toml");
const PAGE: &str = include_str!("page.md");
const FAMILY: &str = "saferskills";

/// SaferSkills' published method.
pub struct SaferSkills;

/// The five sub-scores, in the order of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Axis {
    Security,
    SupplyChain,
    Maintenance,
    Transparency,
    Community,
}

impl Axis {
    const ALL: [Self; 5] = [Self::Security, Self::SupplyChain, Self::Maintenance, Self::Transparency, Self::Community];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Security => "security",
            Self::SupplyChain => "supply_chain",
            Self::Maintenance => "maintenance",
            Self::Transparency => "transparency",
            Self::Community => "community",
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SaferSkillsNumbers {
    critical_floor: i64,
    shadow: BTreeSet<String>,
    penalties: BTreeMap<Severity, i64>,
    weights: BTreeMap<Axis, i64>,
    ceilings: BTreeMap<Severity, i64>,
    colours: BTreeMap<String, i64>,
    markers: BTreeMap<String, Axis>,
    codes: BTreeMap<String, Severity>,
}

static TABLE: LazyLock<SaferSkillsNumbers> =
    LazyLock::new(|| toml::from_str(NUMBERS).expect("the compiled-in numbers parse, as tested"));

static META: LazyLock<RubricMeta> = LazyLock::new(|| RubricMeta {
    rubric: RubricRef { id: "saferskills/seed".into(), version: "2".into(), text: text_digest(NUMBERS, PAGE) },
    title: "SaferSkills: five weighted sub-scores, 0 to 100, with severity ceilings",
    page: PAGE,
    published_at: "the SaferSkills documentation, the page Core Concepts",
    published_read: "2026-11-21",
    published_sha256: "438de85bec43a8ea165b25467af5ca3c6f65bdaccca402485df85aaa355700eb",
    kinds: &Kind::ALL,
    scale: (0, 100),
    by_day: false,
});

static NEEDS: OverRules<Vec<&'static str>> = OverRules::new(|rules| findings::needs(rules, FAMILY, &[]));

static ASKED: OverRules<Asked> = OverRules::new(|rules| Asked::new(rules, NEEDS.of(rules).iter().copied()));

/// The codes under which each rule's findings count, by the kind of the capability.
static CODES: OverRules<Vec<(Kind, Codes)>> = OverRules::new(|rules| {
    // An active code before a shadow one, and one meant for this kind before the others.
    let rank = |code: &str, kind| (!is_shadow(code), applies(code, kind));
    Kind::ALL.into_iter().map(|kind| (kind, Codes::ranked(rules, FAMILY, published, |code| rank(code, kind)))).collect()
});

/// The axis of each code, and whether it is shadow. All codes begin alike: they are told apart by their lengths first.
type AxesByCode = BTreeMap<(usize, &'static str), (Axis, bool)>;

/// Those of the codes of all rules.
static AXES_BY_CODE: OverRules<AxesByCode> = OverRules::new(|rules| {
    let codes = findings::coded_rules(rules, FAMILY).flat_map(|meta| meta.codes.get(FAMILY)).flatten();
    codes.map(|code| ((code.len(), code.as_str()), (axis_of(code), is_shadow(code)))).collect()
});

/// The things that are always the same about an axis.
struct AxisConstants {
    axis: Axis,
    weight: i64,
    /// The words for how it enters the sum where it has full marks.
    full: String,
    /// The text where nothing is found.
    clean: CachedText<Answered>,
}

static GROUNDS: LazyLock<[AxisConstants; 5]> = LazyLock::new(|| {
    Axis::ALL.map(|axis| {
        let weight = TABLE.weights.get(&axis).copied().unwrap_or(0);
        AxisConstants { axis, weight, full: share_of(weight, FULL), clean: CachedText::new() }
    })
});

/// The rules that speak on each axis.
static ASKED_BY_AXIS: OverRules<[Asked; 5]> = OverRules::new(|rules| {
    let speaks =
        |meta: &RuleMeta, axis: Axis| meta.codes.get(FAMILY).into_iter().flatten().any(|code| axis_of(code) == axis);
    let speaking = |axis| findings::coded_rules(rules, FAMILY).filter(move |meta| speaks(meta, axis));
    Axis::ALL.map(|axis| Asked::new(rules, speaking(axis).map(|meta| meta.id.as_str())))
});

/// The value of a sub-score in which nothing is found.
const FULL: i64 = 100;

impl Rubric for SaferSkills {
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
    let all = outcomes.answered(ASKED.of(rules));
    if let Some(rule) = outcomes.unreported(ASKED.of(rules)) {
        return Score::none(META.rubric.clone(), all.coverage(), format!("rule {rule} has not reported"));
    }
    // With no rule that could look, 100 points would be praise for nothing seen.
    if all.answered == 0 {
        return Score::none(META.rubric.clone(), all.coverage(), "none of the rules that feed it could look");
    }
    let answered = ASKED_BY_AXIS.of(rules).each_ref().map(|asked| outcomes.answered(asked));
    compute(facts.kind, counted(facts), AXES_BY_CODE.of(rules), answered, all)
}

/// The findings in the method's words. Shadow rules weigh nothing, and of several ids of one rule of ours the one counts
/// that is active and that SaferSkills looks for in this kind.
fn counted(facts: &SparseFacts) -> Vec<MethodFinding<'_>> {
    let codes = CODES.of(facts.rules()).iter().find(|(kind, _)| *kind == facts.kind);
    codes.map(|(_, codes)| codes.counted(facts)).unwrap_or_default()
}

/// The severity that the public rule files give an id.
fn published(code: &str) -> Option<Severity> {
    // Shadow ids are reported without weight, and `Info` has no penalty.
    if is_shadow(code) { Some(Severity::Info) } else { TABLE.codes.get(code).copied() }
}

/// True where the public rule files mark an id as shadow: reported, without weight.
fn is_shadow(code: &str) -> bool {
    TABLE.shadow.contains(code)
}

/// True where the public rule files look for an id in a kind. `SS-MCP-…` is for servers alone and so on; `SS-SKILL-…`
/// for every kind, but for the manifest that only a skill has.
fn applies(code: &str, kind: Kind) -> bool {
    match code.split('-').nth(1) {
        Some("MCP") => kind == Kind::McpServer,
        Some("HOOKS") => kind == Kind::Hook,
        Some("PLUGIN") => kind == Kind::Plugin,
        Some("RULES") => kind == Kind::Rules,
        _ => kind == Kind::Skill || code != "SS-SKILL-TRANSPARENCY-MANIFEST-01",
    }
}

/// The sub-score that a code belongs to, by its name.
fn axis_of(code: &str) -> Axis {
    TABLE.markers.iter().find(|(marker, _)| code.contains(marker.as_str())).map_or(Axis::Security, |(_, axis)| *axis)
}

/// The axis of a code, and whether it is shadow. `known` spares the search through its name.
fn axis_and_shadow(code: &str, known: &AxesByCode) -> (Axis, bool) {
    known.get(&(code.len(), code)).copied().unwrap_or_else(|| (axis_of(code), is_shadow(code)))
}

/// The whole arithmetic, from findings in the method's words.
fn compute(
    kind: Kind,
    findings: Vec<MethodFinding<'_>>,
    known: &AxesByCode,
    answered: [Answered; 5],
    all: Answered,
) -> Score {
    let (mut shadow, mut weighty) = (Vec::new(), Vec::with_capacity(findings.len()));
    for finding in findings {
        match axis_and_shadow(finding.code, known) {
            (axis, true) => shadow.push(axis),
            (_, false) => weighty.push(finding),
        }
    }
    // One code at one place counts once, whichever of our rules found it.
    let findings = findings::distinct_by(weighty, |finding| (finding.code, finding.place));
    let axes: Vec<Axis> = findings.iter().map(|finding| axis_and_shadow(finding.code, known).0).collect();
    let mut score = Score::none(META.rubric.clone(), all.coverage(), "");
    score.terms.reserve_exact(Axis::ALL.len() + 1);
    score.parts.reserve_exact(Axis::ALL.len());
    let mut weighted = 0.0;
    for (ground, answered) in GROUNDS.iter().zip(answered) {
        let on_axis = findings.iter().zip(&axes).filter(|(_, axis)| **axis == ground.axis);
        let on_axis: Vec<&MethodFinding<'_>> = on_axis.map(|(finding, _)| finding).collect();
        let value = sub_score(&on_axis);
        weighted += ground.weight as f64 / 100.0 * value as f64;
        score.terms.push(axis_term(ground, value, &on_axis));
        let of_no_weight = shadow.iter().filter(|axis| **axis == ground.axis).count();
        let note = || axis_note(value, answered, &on_axis, of_no_weight);
        let is_clean = on_axis.is_empty() && of_no_weight == 0;
        let note = if is_clean { ground.clean.said(kind, answered, note) } else { note().into() };
        let value = Some(Points::whole(value));
        score.parts.push(ScorePart { name: ground.axis.as_str().into(), value, coverage: answered.coverage(), note });
    }
    // Rounded once: rounded shares would add up to another sum.
    let rounded = Points::whole(weighted.round_ties_even() as i64);
    close(&mut score.terms, rounded, "the weighted sum, rounded half to even");
    let value = apply_ceiling(&mut score, rounded, &findings);
    score.value = Some(value);
    score.grade = colour(value);
    score
}

/// 100 minus the penalties, not below 0, and at most the floor with a critical finding.
fn sub_score(findings: &[&MethodFinding<'_>]) -> i64 {
    // The scale ends at 0, and many findings cost more than 100.
    let lost: i64 = findings.iter().map(|finding| penalty(finding.severity)).sum();
    let value = (100 - lost).max(0);
    let critical = findings.iter().any(|finding| finding.severity == Severity::Critical);
    // The penalty alone would leave more than half of the points beside a critical finding.
    if critical { value.min(TABLE.critical_floor) } else { value }
}

fn penalty(severity: Severity) -> i64 {
    TABLE.penalties.get(&severity).copied().unwrap_or(0)
}

fn axis_term(ground: &'static AxisConstants, value: i64, findings: &[&MethodFinding<'_>]) -> Term {
    let weight = ground.weight;
    let note = if value == FULL { ScoreText::Borrowed(&ground.full) } else { share_of(weight, value).into() };
    let rules = distinct(findings.iter().map(|finding| finding.rule));
    term(ground.axis.as_str(), Points::whole(value).share(weight, 100), rules, note)
}

/// The words for how a sub-score enters the sum.
fn share_of(weight: i64, value: i64) -> String {
    let mut said = String::with_capacity(16);
    Points::whole(weight).push_to(&mut said);
    said.push_str(" % of ");
    Points::whole(value).push_to(&mut said);
    said
}

/// The arithmetic of a sub-score in words.
fn axis_note(value: i64, answered: Answered, findings: &[&MethodFinding<'_>], shadow: usize) -> String {
    let mut note = String::with_capacity(96);
    note.push_str("100");
    for severity in Severity::ALL.into_iter().rev() {
        let count = findings.iter().filter(|finding| finding.severity == severity).count();
        if count > 0 {
            note.push_str(" - ");
            push_number(&mut note, count);
            note.push(' ');
            note.push_str(severity.as_str());
            note.push_str(" x ");
            Points::whole(penalty(severity)).push_to(&mut note);
        }
    }
    if findings.iter().any(|finding| finding.severity == Severity::Critical) {
        note.push_str(", at most ");
        Points::whole(TABLE.critical_floor).push_to(&mut note);
    }
    note.push_str(" = ");
    Points::whole(value).push_to(&mut note);
    if shadow > 0 {
        note.push_str("; ");
        push_number(&mut note, shadow);
        note.push_str(" of shadow rules, without weight");
    }
    note.push_str("; ");
    push_looked(&mut note, answered);
    note
}

/// Cuts the aggregate by the worst finding and says so.
fn apply_ceiling(score: &mut Score, value: Points, findings: &[MethodFinding<'_>]) -> Points {
    // By the worst finding over all axes: a ceiling is for the whole, not for a sub-score.
    let Some(worst) = findings.iter().map(|finding| finding.severity).max() else { return value };
    let Some(ceiling) = ceiling(worst).filter(|ceiling| value > *ceiling) else { return value };
    let causes = findings.iter().filter(|finding| finding.severity == worst).map(|finding| finding.rule);
    // The cut is a term, so that the terms add up to the value that is shown.
    let label = format!("ceiling {}", worst.as_str());
    let note = format!("one {} finding: at most {ceiling}", worst.as_str());
    score.terms.push(term(label, ceiling - value, distinct(causes), note.clone()));
    score.caps.push(note.into());
    ceiling
}

/// The most that an aggregate comes to while a finding of the severity stands.
fn ceiling(worst: Severity) -> Option<Points> {
    TABLE.ceilings.get(&worst).copied().map(Points::whole)
}

/// The colour of a value: that of the highest threshold it reaches.
fn colour(value: Points) -> ScoreText {
    let reached = TABLE.colours.iter().filter(|(_, lowest)| value >= Points::whole(**lowest));
    reached.max_by_key(|(_, lowest)| **lowest).map_or("n/a", |(name, _)| name.as_str()).into()
}

pub use roll_up::{RollUp, RolledUpCapability, member, roll_up};

mod roll_up;
#[cfg(test)]
mod tests;
