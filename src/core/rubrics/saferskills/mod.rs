//! `saferskills/seed`: SaferSkills' five weighted sub-scores with penalties, floor, ceilings and colours.
//!
//! Source: the "Core Concepts" page; the numbers are `weights.toml`, our reading is `page.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::capability::Kind;
use crate::fact::{Facts, Severity};
use crate::points::Points;
use crate::rules::RuleMeta;
use crate::score::{Part, RubricRef, Score, Term};
use crate::time::AsOf;

use super::findings::{self, Answered, Asked, Finding, Outcomes};
use super::terms::{close, distinct, push_looked, term};
use super::{Rubric, RubricMeta, bands, text_digest};

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
struct Numbers {
    critical_floor: i64,
    shadow: BTreeSet<String>,
    penalties: BTreeMap<Severity, i64>,
    weights: BTreeMap<Axis, i64>,
    ceilings: BTreeMap<Severity, i64>,
    colours: BTreeMap<String, i64>,
    markers: BTreeMap<String, Axis>,
    codes: BTreeMap<String, Severity>,
}

static TABLE: LazyLock<Numbers> =
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

static NEEDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| findings::needs(FAMILY, &[]));

static ASKED: LazyLock<Asked> = LazyLock::new(|| Asked::new(NEEDS.iter().copied()));

/// The rules that speak on each axis, by id.
static BY_AXIS: LazyLock<BTreeMap<Axis, Asked>> = LazyLock::new(|| {
    let speaks =
        |meta: &RuleMeta, axis: Axis| meta.codes.get(FAMILY).into_iter().flatten().any(|code| axis_of(code) == axis);
    let rules = |axis| findings::coded_rules(FAMILY).filter(move |meta| speaks(meta, axis));
    Axis::ALL.into_iter().map(|axis| (axis, Asked::new(rules(axis).map(|meta| meta.id.as_str())))).collect()
});

impl Rubric for SaferSkills {
    fn meta(&self) -> &RubricMeta {
        &META
    }

    fn needs(&self) -> &[&'static str] {
        &NEEDS
    }

    fn score(&self, facts: &Facts, _at: AsOf) -> Score {
        let outcomes = Outcomes::of(facts);
        let answered: BTreeMap<Axis, Answered> =
            Axis::ALL.into_iter().filter_map(|axis| Some((axis, outcomes.answered(BY_AXIS.get(&axis)?)))).collect();
        let all = outcomes.answered(&ASKED);
        if let Some(rule) = outcomes.unreported(&ASKED) {
            return Score::none(META.rubric.clone(), all.coverage(), format!("rule {rule} has not reported"));
        }
        if all.answered == 0 {
            return Score::none(META.rubric.clone(), all.coverage(), "none of the rules that feed it could look");
        }
        compute(counted(facts), &answered, all)
    }
}

/// The findings in the method's words. Shadow rules weigh nothing, and of several ids of one rule of ours the one counts
/// that is active and that SaferSkills looks for in this kind.
fn counted(facts: &Facts) -> Vec<Finding> {
    let published = |code: &str| if is_shadow(code) { Some(Severity::Info) } else { TABLE.codes.get(code).copied() };
    findings::counted_by(facts, FAMILY, published, |code| (!is_shadow(code), applies(code, facts.kind)))
}

/// Whether the public rule files mark an id as shadow: reported, without weight.
fn is_shadow(code: &str) -> bool {
    TABLE.shadow.contains(code)
}

/// Whether the public rule files look for an id in a kind: `SS-MCP-…` in servers alone and so on; `SS-SKILL-…` in every
/// kind, but for the manifest that only a skill has.
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

/// The whole arithmetic, from findings in the method's words.
fn compute(findings: Vec<Finding>, answered: &BTreeMap<Axis, Answered>, all: Answered) -> Score {
    let (shadow, findings): (Vec<Finding>, Vec<Finding>) =
        findings.into_iter().partition(|finding| is_shadow(&finding.code));
    let ours = findings::worst_of_ours(&findings);
    let findings = findings::distinct_by(findings, |finding| (finding.code.clone(), finding.place.clone()));
    let mut score = Score::none(META.rubric.clone(), all.coverage(), "");
    let mut weighted = 0.0;
    for axis in Axis::ALL {
        let on_axis: Vec<&Finding> = findings.iter().filter(|finding| axis_of(&finding.code) == axis).collect();
        let value = sub_score(&on_axis);
        let weight = TABLE.weights.get(&axis).copied().unwrap_or(0);
        weighted += weight as f64 / 100.0 * value as f64;
        score.terms.push(axis_term(axis, value, weight, &on_axis));
        let coverage = answered.get(&axis).copied().unwrap_or_default();
        let of_no_weight = shadow.iter().filter(|finding| axis_of(&finding.code) == axis).count();
        score.parts.push(axis_part(axis, value, coverage, &on_axis, of_no_weight));
    }
    let rounded = Points::whole(weighted.round_ties_even() as i64);
    close(&mut score.terms, rounded, "the weighted sum, rounded half to even");
    let value = apply_ceiling(&mut score, rounded, &findings);
    score.value = Some(value);
    score.grade = colour(value);
    bands::note_mild_cause(&mut score, ours);
    score
}

/// 100 minus the penalties, not below 0, and at most the floor with a critical finding.
fn sub_score(findings: &[&Finding]) -> i64 {
    let lost: i64 = findings.iter().map(|finding| penalty(finding.severity)).sum();
    let value = (100 - lost).max(0);
    let critical = findings.iter().any(|finding| finding.severity == Severity::Critical);
    if critical { value.min(TABLE.critical_floor) } else { value }
}

fn penalty(severity: Severity) -> i64 {
    TABLE.penalties.get(&severity).copied().unwrap_or(0)
}

fn axis_term(axis: Axis, value: i64, weight: i64, findings: &[&Finding]) -> Term {
    let rules = distinct(findings.iter().map(|finding| finding.rule.as_str()));
    term(axis.as_str(), Points::whole(value).share(weight, 100), rules, format!("{weight} % of {value}"))
}

/// The sub-score with its own arithmetic in words.
fn axis_part(axis: Axis, value: i64, answered: Answered, findings: &[&Finding], shadow: usize) -> Part {
    let mut note = "100".to_owned();
    for severity in Severity::ALL.into_iter().rev() {
        let count = findings.iter().filter(|finding| finding.severity == severity).count();
        if count > 0 {
            note.push_str(&format!(" - {count} {} x {}", severity.as_str(), penalty(severity)));
        }
    }
    if findings.iter().any(|finding| finding.severity == Severity::Critical) {
        note.push_str(&format!(", at most {}", TABLE.critical_floor));
    }
    note.push_str(&format!(" = {value}"));
    if shadow > 0 {
        note.push_str(&format!("; {shadow} of shadow rules, without weight"));
    }
    note.push_str("; ");
    push_looked(&mut note, answered);
    Part { name: axis.as_str().into(), value: Some(Points::whole(value)), coverage: answered.coverage(), note }
}

/// Cuts the aggregate by the worst finding and says so.
fn apply_ceiling(score: &mut Score, value: Points, findings: &[Finding]) -> Points {
    let Some(worst) = findings.iter().map(|finding| finding.severity).max() else { return value };
    let Some(ceiling) = ceiling(worst).filter(|ceiling| value > *ceiling) else { return value };
    let causes = findings.iter().filter(|finding| finding.severity == worst).map(|finding| finding.rule.as_str());
    let label = format!("ceiling {}", worst.as_str());
    let note = format!("one {} finding: at most {ceiling}", worst.as_str());
    score.terms.push(term(label, ceiling - value, distinct(causes), note.clone()));
    score.caps.push(note);
    ceiling
}

/// The most that an aggregate comes to while a finding of the severity stands.
fn ceiling(worst: Severity) -> Option<Points> {
    TABLE.ceilings.get(&worst).copied().map(Points::whole)
}

/// The colour of a value: that of the highest threshold it reaches.
fn colour(value: Points) -> String {
    let reached = TABLE.colours.iter().filter(|(_, lowest)| value >= Points::whole(**lowest));
    reached.max_by_key(|(_, lowest)| **lowest).map_or_else(|| "n/a".into(), |(name, _)| name.clone())
}

pub use roll_up::{Member, RollUp, member, roll_up};

mod roll_up;
#[cfg(test)]
mod tests;
