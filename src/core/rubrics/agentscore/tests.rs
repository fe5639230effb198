//! AgentScore: results that its owner posted, and the published decision.

use serde_json::{Value, json};

use super::super::findings::Answered;
use super::super::tests::{any_findings, day, finding, reported};
use super::*;
use crate::fact::Outcome;
use checks::risk_of;

const CODES: &[&str] = &["no_license", "command_injection", "hardcoded_secret", "install_script"];
const ALL_ANSWERED: Answered = Answered { asked: 10, answered: 10 };

/// Findings of distinct types: criticals, highs, mediums, lows.
fn package(counts: [usize; 4]) -> Vec<Finding> {
    let severities = [Severity::Critical, Severity::High, Severity::Medium, Severity::Low];
    let each = severities.into_iter().zip(counts);
    each.flat_map(|(severity, count)| {
        (0..count).map(move |type_| finding(&format!("{}-{type_}", severity.as_str()), severity, "a", 1))
    })
    .collect()
}

#[test]
fn the_package_score_fits_the_published_results() {
    // Posted by the owner, March to May 2026: severities, score, risk.
    let rows = [
        ("exa-mcp-server 3.2.0", [0, 0, 0, 2], 90, "LOW"),
        ("server-github 2025.4.8", [0, 0, 1, 1], 85, "LOW"),
        ("mcp-trust-guard", [0, 0, 0, 1], 95, "LOW"),
        ("azure-devops/mcp", [0, 1, 0, 1], 75, "MODERATE"),
        ("prism-mcp-server 9.4.1", [0, 1, 1, 1], 65, "ELEVATED"),
        ("agentic-flow 2.0.7", [0, 1, 1, 2], 60, "ELEVATED"),
        ("nodebench-mcp 3.2.0", [0, 2, 0, 1], 55, "ELEVATED"),
        ("s3db.js 21.6.0", [1, 1, 0, 0], 50, "ELEVATED"),
        ("claude-flow 3.5.80", [1, 1, 0, 1], 45, "HIGH"),
        ("taskflow-ai 3.0.1", [0, 2, 1, 1], 45, "HIGH"),
        ("thumbgate 1.10.1", [1, 2, 0, 1], 25, "CRITICAL"),
        ("firecrawl-mcp 3.11.0", [0, 0, 0, 0], 100, "LOW"),
    ];
    for (name, counts, score, risk) in rows {
        let check = checks::code(&package(counts), ALL_ANSWERED);
        assert_eq!(check.score(), Some(Points::whole(score)), "{name}");
        assert_eq!(risk_of(Points::whole(score)).as_str(), risk, "{name}");
    }
}

#[test]
fn a_type_costs_once_at_its_worst() {
    let low = finding("command_injection", Severity::Low, "a", 1);
    let high = finding("command_injection", Severity::High, "b", 1);
    let check = checks::code(&[low, high.clone(), high], ALL_ANSWERED);
    assert_eq!((check.score(), check.risk()), (Some(Points::whole(80)), Some(Risk::High)));
}

#[test]
fn all_injection_patterns_are_one_type() {
    assert_eq!(
        ["PI-03", "PI-12", "no_license"].map(type_of),
        ["prompt_injection_metadata", "prompt_injection_metadata", "no_license"]
    );
}

#[test]
fn a_check_whose_rules_could_not_look_is_not_determinable() {
    let none = Answered { asked: 10, answered: 0 };
    assert_eq!(checks::code(&[], none).status, Status::NotDeterminable);
    assert_eq!(checks::abuse(&[], none).status, Status::NotDeterminable);
    assert_eq!(checks::abuse(&[], ALL_ANSWERED).score(), Some(Points::whole(100)));
    assert_eq!(checks::abuse(&[finding("abuse_report", Severity::High, "", 0)], none).score(), Some(Points::ZERO));
}

/// Six checks with given scores and risks, in their order.
fn six(given: [Option<(i64, Risk)>; 6]) -> [Check; 6] {
    let blank = checks::code(&[], Answered::default());
    given.map(|given| {
        let status = match given {
            Some((score, risk)) => Status::Completed { score: Points::whole(score), risk },
            None => Status::NotDeterminable,
        };
        Check { status, ..blank.clone() }
    })
}

fn decision(given: [Option<(i64, Risk)>; 6], reported: bool) -> String {
    compute(&six(given), reported, Some(Severity::High)).grade
}

#[test]
fn gates_decide_in_the_published_order() {
    let low = Some((90, Risk::Low));
    let high = Some((40, Risk::High));
    let critical = Some((70, Risk::Critical));
    assert_eq!(decision([None, None, critical, None, critical, high], true), "BLOCK");
    assert_eq!(decision([low, low, low, low, critical, low], false), "BLOCK");
    assert_eq!(decision([None, None, high, None, low, None], false), "CAUTION");
    assert_eq!(decision([low, None, low, None, low, high], false), "CAUTION");
    assert_eq!(decision([None, None, low, None, low, None], false), "INSUFFICIENT DATA");
    assert_eq!(decision([None, None, low, low, low, None], false), "ALLOW");
    assert_eq!(decision([None, None, low, low, Some((30, Risk::Elevated)), None], false), "ALLOW");
    let elevated = Some((60, Risk::Elevated));
    assert_eq!(decision([None, None, elevated, elevated, elevated, None], false), "CAUTION");
}

#[test]
fn the_value_is_the_mean_over_completed_checks() {
    let score = compute(
        &six([None, None, Some((100, Risk::Low)), None, Some((95, Risk::Low)), Some((90, Risk::Low))]),
        false,
        None,
    );
    assert_eq!(score.value, Some(Points::whole(95)));
    assert_eq!(score.coverage, Coverage::of(3, 6));
    assert!(score.adds_up());
}

fn permissions(tools: &[(&str, &str)], declared: &[&str]) -> Check {
    let tools: Vec<Value> =
        tools.iter().map(|(class, purpose)| json!({"name": "t", "class": class, "purpose": purpose})).collect();
    let value = json!({"tools": tools, "declared": declared});
    let facts = reported(Kind::McpServer, &[(checks::PERMISSIONS, value)], Outcome::False);
    checks::permissions(&facts, &Outcomes::of(&facts))
}

#[test]
fn permissions_are_critical_only_for_what_is_not_declared() {
    let exec = [("critical", "shell"), ("high", ""), ("medium", "")];
    let undeclared = permissions(&exec, &["payment"]);
    assert_eq!((undeclared.score(), undeclared.risk()), (Some(Points::whole(54)), Some(Risk::Critical)));
    assert_eq!(permissions(&exec, &["shell"]).risk(), Some(Risk::High));
    assert_eq!(permissions(&[("high", ""); 10], &[]).score(), Some(Points::whole(70)));
    assert_eq!(permissions(&[("low", "")], &[]).risk(), Some(Risk::Low));
}

#[test]
fn the_riskiest_way_to_launch_decides() {
    let of = |launches: Value| {
        let value = json!({ "launches": launches });
        let facts = reported(Kind::McpServer, &[(checks::DEPLOYMENT, value)], Outcome::False);
        let check = checks::deployment(&facts, &Outcomes::of(&facts));
        (check.score(), check.risk())
    };
    assert_eq!(of(json!(["pinned", "https_open"])), (Some(Points::whole(55)), Some(Risk::Elevated)));
    assert_eq!(of(json!(["http_open", "shipped"])), (Some(Points::whole(15)), Some(Risk::Critical)));
    assert_eq!(of(json!([])), (None, None));
}

#[test]
fn a_model_is_known_by_the_beginning_of_its_name() {
    let of = |name: &str| {
        let facts = reported(Kind::Skill, &[(checks::MODEL, json!({"model": name}))], Outcome::False);
        checks::model(&facts).score().map(|score| score.as_hundredths() / 100)
    };
    let names = ["Claude-Opus-4", "anthropic/sonnet", "gpt-5", "my-model", "inherit", ""];
    assert_eq!(names.map(of), [Some(80), Some(80), Some(80), Some(40), None, None]);
}

#[test]
fn checks_that_make_no_sense_for_a_kind_are_not_applicable() {
    let facts = reported(Kind::Skill, &[(checks::MODEL, json!({"model": "opus"}))], Outcome::NotApplicable);
    let score = AgentScore.score(&facts, day());
    let state = |name: &str| {
        let part = score.parts.iter().find(|part| part.name == name);
        part.map(|part| part.note.split(';').next().unwrap_or_default().to_owned()).unwrap_or_default()
    };
    assert_eq!(["permissions", "deployment"].map(state), ["not_applicable", "not_applicable"]);
    assert_eq!(state("model"), "completed, risk MODERATE");
    assert_eq!(state("deployer"), "not_determinable");
    assert_eq!((score.value, score.grade.as_str()), (Some(Points::whole(80)), "INSUFFICIENT DATA"));
}

proptest::proptest! {
    #[test]
    fn terms_add_up_and_more_findings_never_raise_the_value(mut findings in any_findings(CODES), other in 0..=100_i64) {
        let scored = |findings: &[Finding]| {
            let mut checks = six([None, Some((other, Risk::Low)), None, None, Some((77, Risk::Low)), None]);
            checks[2] = checks::code(findings, ALL_ANSWERED);
            compute(&checks, false, None)
        };
        let score = scored(&findings);
        proptest::prop_assert!(score.adds_up());
        let value = score.value.expect("a value");
        proptest::prop_assert!(Points::ZERO <= value && value <= Points::whole(100));
        if findings.pop().is_some() {
            proptest::prop_assert!(scored(&findings).value >= Some(value));
        }
    }
}
