//! `agentscore/seed`: AgentScore's six screening checks, their mean, and its fail-closed decision.
//!
//! Source: the methodology page; it publishes gates and hardly a number, and `page.md` marks what is ours.

use std::sync::LazyLock;

use capdex_model::capability::Kind;
use capdex_model::fact::Severity;
use capdex_model::facts::SparseFacts;
use capdex_model::points::Points;
use capdex_model::rule::{RuleIndex, RuleMeta};
use capdex_model::score::{Coverage, RubricRef, Score, ScoreText};
use capdex_model::time::AsOf;

use super::cached_score::CachedScore;
use super::findings::{self, Asked, Codes, Method, MethodFinding, Outcomes};
use super::over_rules::OverRules;
use super::terms::{close, push_number, term};
use super::unanswered::OPEN;
use super::{Rubric, RubricMeta, text_digest};

mod checks;
mod numbers;
mod owasp;
pub mod screen;

use checks::{Check, CheckStatus};
use numbers::{CheckRisk, TABLE};

const PAGE: &str = include_str!("page.md");
const FAMILY: &str = "agentscore";

/// AgentScore's published method.
pub struct AgentScore;

static META: LazyLock<RubricMeta> = LazyLock::new(|| RubricMeta {
    rubric: RubricRef { id: "agentscore/seed".into(), version: "4".into(), text: text_digest(numbers::TEXT, PAGE) },
    title: "AgentScore: six screening checks, 0 to 100, with a fail-closed decision",
    page: PAGE,
    published_at: "www.agentscores.xyz, the page MCP Security Methodology",
    published_read: "2026-11-21",
    published_sha256: "d830b06d4fa1a68cb1094b1ca652e29bbbfb6352a373a2aa971c57c62e39efeb",
    kinds: &Kind::ALL,
    scale: (0, 100),
    by_day: false,
});

static NEEDS: OverRules<Vec<&'static str>> = OverRules::new(|rules| {
    findings::needs(rules, FAMILY, &[checks::METADATA, checks::MODEL, checks::PERMISSIONS, checks::DEPLOYMENT])
});

static ASKED: OverRules<Asked> = OverRules::new(|rules| Asked::new(rules, NEEDS.of(rules).iter().copied()));

/// What it looks at, and what it makes of what context excuses.
pub(super) fn method() -> Method<'static> {
    Method { reads: &TABLE.code.reads, excuses: &TABLE.code.excuses }
}

/// The severity of a type, where it was seen with one alone.
pub(super) fn published(code: &str) -> Option<Severity> {
    TABLE.code.types.get(code).copied()
}

static CODES: OverRules<Codes> = OverRules::new(|rules| Codes::of(rules, FAMILY, published));

/// The rules whose codes report abuse, and the others, by id.
static REPORTERS_AND_READERS: OverRules<(Asked, Asked)> = OverRules::new(|rules| {
    let reports = |meta: &RuleMeta| meta.codes.get(FAMILY).into_iter().flatten().any(|code| is_report(code));
    let of = |wanted| findings::coded_rules(rules, FAMILY).filter(move |meta| reports(meta) == wanted);
    let asked = |wanted| Asked::new(rules, of(wanted).map(|meta| meta.id.as_str()));
    (asked(true), asked(false))
});

impl Rubric for AgentScore {
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
    // A rule that has not reported is a fault of ours, and a number would hide it.
    if let Some(rule) = outcomes.unreported(ASKED.of(rules)) {
        return Score::none(META.rubric.clone(), Coverage::NONE, format!("rule {rule} has not reported"));
    }
    let CodeChecks { code, abuse, is_reported } = CodeChecks::of(facts, &outcomes);
    let checks = [
        checks::deployer(facts),
        checks::model(facts, &outcomes),
        code,
        abuse,
        checks::permissions(facts, &outcomes),
        checks::deployment(facts, &outcomes),
    ];
    let mut score = compute(checks, is_reported);
    owasp::add_parts(&mut score.parts, facts, &outcomes);
    score
}

/// The checks that rest on what was published: the code, and reports about it.
struct CodeChecks {
    code: Check,
    abuse: Check,
    is_reported: bool,
}

impl CodeChecks {
    fn of(facts: &SparseFacts, outcomes: &Outcomes<'_>) -> Self {
        let rules = facts.rules();
        let mut counted = CODES.of(rules).counted(facts, &method());
        for finding in &mut counted {
            // Several codes may stand for one type, and a type costs once.
            finding.code = type_of(finding.code);
        }
        // Reports go to check 4: in check 3 they would count twice.
        let (reports, code): (Vec<MethodFinding<'_>>, Vec<MethodFinding<'_>>) =
            counted.into_iter().partition(|finding| is_report(finding.code));
        let (reporters, readers) = REPORTERS_AND_READERS.of(rules);
        Self {
            code: checks::published_by(checks::code(&code, outcomes.answered(readers)), facts),
            abuse: checks::abuse(&reports, outcomes.answered(reporters)),
            is_reported: !reports.is_empty(),
        }
    }
}

/// The type of finding that a code stands for: mostly itself.
fn type_of(code: &'static str) -> &'static str {
    let pattern = TABLE.code.patterns.iter().find(|(beginning, _)| code.starts_with(beginning.as_str()));
    pattern.map_or(code, |(_, type_)| type_)
}

/// True for a type that is a report of abuse.
fn is_report(code: &str) -> bool {
    TABLE.abuse.types.iter().any(|report| report == code)
}

/// The mean and the decision over the six checks.
fn compute(checks: [Check; 6], reported: bool) -> Score {
    let mut score = Score::none(META.rubric.clone(), coverage_over(&checks), "none of the checks could be completed");
    score.parts.reserve_exact(checks.len() + owasp::count());
    score.parts.extend(checks.iter().map(Check::part));
    let completed = checks.iter().filter(|check| check.score().is_some()).count();
    let count = i64::try_from(completed).unwrap_or(i64::MAX);
    // A mean over no checks would be a number about nothing.
    if count == 0 {
        return score;
    }
    // The mean is over completed checks only: missing data lowers the coverage and not the value.
    let value = checks.iter().filter_map(Check::score).sum::<Points>().share(1, count);
    let (decision, gate) = decide(&checks, reported, completed, value);
    let is_open = decision == OPEN;
    let gate = gate.map(|gate| if is_open { with_missing(gate, &checks) } else { gate.into() });
    score.terms.reserve_exact(completed + 1);
    for check in checks {
        let Some(points) = check.score() else { continue };
        let mut note = String::with_capacity(32);
        points.push_to(&mut note);
        note.push_str(" of ");
        push_number(&mut note, completed);
        note.push_str(" completed checks");
        score.terms.push(term(check.name, points.share(1, count), check.rules, note));
    }
    // Each share is rounded by itself, and their sum may miss the mean by a hundredth.
    close(&mut score.terms, value, "the mean, rounded to two decimals");
    score.value = Some(value);
    score.reason = "".into();
    score.grade = decision.into();
    score.caps.extend(gate);
    score
}

/// The mean over the applicable checks of how much of each was answered.
fn coverage_over(checks: &[Check; 6]) -> Coverage {
    // Shares of unlike denominators add up in integers, so that every machine gives the same.
    const WHOLE: usize = 1_000_000_000;
    // A check that does not apply asks nothing, and must not lower the coverage.
    let applicable = || checks.iter().filter(|check| check.status != CheckStatus::NotApplicable);
    let shares = applicable().map(|check| {
        let answered = check.answered;
        (WHOLE * answered.answered).checked_div(answered.asked).unwrap_or(0)
    });
    Coverage::of(shares.sum(), WHOLE * applicable().count())
}

/// A gate with the checks that lack their inputs, and how each is supplied.
fn with_missing(gate: &'static str, checks: &[Check; 6]) -> ScoreText {
    let is_missing = |check: &&Check| check.status == CheckStatus::NotDeterminable && !check.supply.is_empty();
    let mut said = gate.to_owned();
    for check in checks.iter().filter(is_missing) {
        said.extend(["; ", check.name, " lacks ", check.supply]);
    }
    said.into()
}

/// The published decision, in its order, and the gate that made it.
fn decide(checks: &[Check; 6], reported: bool, completed: usize, mean: Points) -> (&'static str, Option<&'static str>) {
    let [_, _, code, _, permissions, deployment] = checks;
    let at_least = |check: &Check, risk: CheckRisk| check.risk().is_some_and(|found| found >= risk);
    // The order is published: an earlier gate decides whatever the later ones would say.
    if reported {
        ("BLOCK", Some("an abuse report: BLOCK"))
    } else if at_least(permissions, CheckRisk::Critical) {
        ("BLOCK", Some("permissions risk CRITICAL: BLOCK"))
    } else if at_least(code, CheckRisk::High) {
        ("CAUTION", Some("code risk HIGH or CRITICAL: CAUTION"))
    } else if at_least(deployment, CheckRisk::High) {
        ("CAUTION", Some("deployment risk HIGH or CRITICAL: CAUTION"))
    } else if completed < TABLE.checks_needed {
        (OPEN, Some("fewer than 3 checks completed: INSUFFICIENT DATA"))
    } else if mean >= Points::whole(TABLE.allowed_from) {
        ("ALLOW", None)
    } else {
        ("CAUTION", None)
    }
}

#[cfg(test)]
mod tests;
