//! AgentScore: results that its owner posted, and the published decision.

use serde_json::{Value, json};

use super::super::findings::Answered;
use super::super::tests::{any_findings, day, fact, finding, reported};
use super::*;
use capdex_model::fact::{Fact, Outcome, Severity};

const CODES: &[&str] = &["no_license", "command_injection", "hardcoded_secret", "install_script"];
const ALL_ANSWERED: Answered = Answered { asked: 10, answered: 10 };

/// The types of findings posted for a package, with the severity seen there.
type Posted<'a> = &'a [(&'a str, Severity)];

const PROVENANCE: (&str, Severity) = ("no_provenance", Severity::Low);
const LICENSE: (&str, Severity) = ("no_license", Severity::Low);
const REPOSITORY: (&str, Severity) = ("no_repository", Severity::Medium);
const DEPENDENCIES: (&str, Severity) = ("excessive_dependencies", Severity::Medium);
const COMMAND: (&str, Severity) = ("command_injection", Severity::High);
const EVAL: (&str, Severity) = ("unsafe_eval", Severity::High);
const FILES: (&str, Severity) = ("sensitive_file_access", Severity::High);
const SECRET: (&str, Severity) = ("hardcoded_secret", Severity::Critical);
const SCRIPT: (&str, Severity) = ("install_script", Severity::Low);
const SCRIPT_HIGH: (&str, Severity) = ("install_script", Severity::High);

/// What the owner posted, March to May 2026: package, findings, score, risk.
const POSTED: &[(&str, Posted, i64, &str)] = &[
    ("exa-mcp-server 3.2.0, at first", &[LICENSE], 95, "LOW"),
    ("exa-mcp-server 3.2.0", &[LICENSE, PROVENANCE], 90, "LOW"),
    ("@modelcontextprotocol/server-github 2025.4.8", &[REPOSITORY, PROVENANCE], 85, "LOW"),
    ("@cloudflare/mcp-server-cloudflare", &[REPOSITORY, PROVENANCE], 85, "LOW"),
    ("mcp-trust-guard", &[PROVENANCE], 95, "LOW"),
    ("@azure-devops/mcp", &[SCRIPT_HIGH, PROVENANCE], 75, "MODERATE"),
    ("prism-mcp-server 9.4.1", &[DEPENDENCIES, COMMAND, PROVENANCE], 65, "ELEVATED"),
    ("agentic-flow 2.0.7", &[DEPENDENCIES, COMMAND, PROVENANCE, SCRIPT], 60, "ELEVATED"),
    ("@sparkleideas/agentic-flow", &[DEPENDENCIES, COMMAND, PROVENANCE, SCRIPT], 60, "ELEVATED"),
    ("nodebench-mcp 3.2.0", &[COMMAND, EVAL, PROVENANCE], 55, "ELEVATED"),
    (
        "nodebench-mcp, mitigated",
        &[("command_injection", Severity::Low), ("unsafe_eval", Severity::Low), PROVENANCE],
        85,
        "LOW",
    ),
    ("s3db.js 21.6.0", &[COMMAND, SECRET], 50, "ELEVATED"),
    ("claude-flow 3.5.80", &[COMMAND, SECRET, PROVENANCE], 45, "HIGH"),
    ("taskflow-ai 3.0.1", &[SCRIPT_HIGH, DEPENDENCIES, COMMAND, PROVENANCE], 45, "HIGH"),
    ("thumbgate 1.10.1", &[COMMAND, SECRET, FILES, PROVENANCE], 25, "CRITICAL"),
    ("@opentabs-dev/mcp-server 0.0.95, before", &[REPOSITORY, PROVENANCE], 85, "LOW"),
    ("@opentabs-dev/mcp-server 0.0.95", &[REPOSITORY, PROVENANCE, COMMAND], 65, "ELEVATED"),
    ("express 5.2.1", &[DEPENDENCIES], 90, "LOW"),
    ("@mcp-use/inspector 0.26.1", &[DEPENDENCIES], 90, "LOW"),
    ("@mcp-ui/server 6.1.0", &[REPOSITORY], 90, "LOW"),
    ("agnost 0.1.10", &[REPOSITORY, LICENSE], 85, "LOW"),
    ("whoami 0.0.3", &[("poor_description", Severity::Low)], 95, "LOW"),
    ("@playwright/browser-chromium 1.58.2", &[SCRIPT], 95, "LOW"),
    ("firecrawl-mcp 3.11.0", &[], 100, "LOW"),
];

/// A fact that gives a finding of the type at the severity.
fn fact_of(type_: &str, severity: Severity) -> Fact {
    // What the method mitigates is, here, what context left as information.
    let of_ours = [severity, Severity::Info];
    of_ours
        .into_iter()
        .find_map(|ours| fact_at(type_, severity, ours))
        .unwrap_or_else(|| panic!("no rule gives {type_}"))
}

/// The same of a rule that reports it at a severity of ours.
fn fact_at(type_: &str, severity: Severity, ours: Severity) -> Option<Fact> {
    let gives = |meta: &&RuleMeta| {
        let of_rule = fact(meta.id.as_str(), Outcome::True, ours.min(meta.severity), Value::Null);
        let facts = SparseFacts::new(&capdex_rules::INDEX, Kind::Package, vec![of_rule]);
        let found = super::CODES.of(facts.rules()).counted(&facts, &method());
        found.iter().any(|finding| finding.code == type_ && finding.severity == severity)
    };
    let rule = findings::coded_rules(&capdex_rules::INDEX, FAMILY).find(gives)?;
    Some(fact(rule.id.as_str(), Outcome::True, ours.min(rule.severity), Value::Null))
}

#[test]
fn published_results_come_out_as_printed_given_their_findings() {
    for (name, posted, score, risk) in POSTED {
        let given: Vec<Fact> = posted.iter().map(|(type_, severity)| fact_of(type_, *severity)).collect();
        let mut facts: Vec<Fact> = reported(Kind::Package, &[], Outcome::False).all().cloned().collect();
        facts.retain(|fact| given.iter().all(|given| given.rule != fact.rule));
        facts.extend(given);
        let scored = AgentScore.score(&SparseFacts::new(&capdex_rules::INDEX, Kind::Package, facts), day());
        let code = scored.parts.iter().find(|part| part.name == "code").expect("a check");
        assert_eq!(code.value, Some(Points::whole(*score)), "{name}: {}", code.note);
        assert!(code.note.contains(&format!(" = {score}, {risk}, ")), "{name}: {}", code.note);
    }
}

#[test]
fn the_package_verdict_is_the_posted_one() {
    let verdict = |score, worst| checks::package_verdict(Points::whole(score), worst);
    assert_eq!(verdict(95, Some(Severity::Low)), "allow");
    assert_eq!(verdict(90, Some(Severity::Low)), "allow");
    assert_eq!(verdict(85, Some(Severity::Medium)), "warn");
    assert_eq!(verdict(80, Some(Severity::Low)), "warn");
    assert_eq!(verdict(70, Some(Severity::Critical)), "block");
    assert_eq!(verdict(45, Some(Severity::High)), "block");
    assert_eq!(verdict(100, None), "allow");
}

#[test]
fn a_type_costs_once_at_its_worst() {
    let low = finding("command_injection", Severity::Low, "a", 1);
    let high = finding("command_injection", Severity::High, "b", 1);
    let check = checks::code(&[low, high, high], ALL_ANSWERED);
    assert_eq!(check.score(), Some(Points::whole(80)));
    assert_eq!(check.risk(), Some(CheckRisk::High));
}

#[test]
fn who_published_is_told_beside_the_code() {
    let told = |stated: Value, answered: Answered| {
        let facts = reported(Kind::McpServer, &[(checks::METADATA, stated)], Outcome::False);
        checks::published_by(checks::code(&[], answered), &facts).determined.to_string()
    };
    let said = |stated: Value| told(stated, ALL_ANSWERED);
    assert!(said(json!({"trusted_publisher": true})).ends_with("; published by a workflow that the registry trusts"));
    assert!(said(json!({"trusted_publisher": false})).ends_with("; published by no workflow that the registry trusts"));
    assert!(!said(json!({"owner": true})).contains("published"));
    let open = told(json!({"trusted_publisher": true}), Answered { asked: 10, answered: 0 });
    assert_eq!(open, "", "a check that could not look says nothing");
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
    assert_eq!(checks::code(&[], none).status, CheckStatus::NotDeterminable);
    for answered in [none, ALL_ANSWERED] {
        // Absence of reports proves nothing, whoever looked.
        assert_eq!(checks::abuse(&[], answered).status, CheckStatus::NotDeterminable);
    }
    assert_eq!(checks::abuse(&[finding("abuse_report", Severity::High, "", 0)], none).score(), Some(Points::ZERO));
}

/// Six checks with given scores and risks, in their order.
fn six(given: [Option<(i64, CheckRisk)>; 6]) -> [Check; 6] {
    let blank = checks::code(&[], Answered::default());
    given.map(|given| {
        let status = match given {
            Some((score, risk)) => CheckStatus::Completed { score: Points::whole(score), risk },
            None => CheckStatus::NotDeterminable,
        };
        let answered = Answered { asked: 1, answered: usize::from(given.is_some()) };
        Check { status, answered, ..blank.clone() }
    })
}

fn decision(given: [Option<(i64, CheckRisk)>; 6], reported: bool) -> capdex_model::score::ScoreText {
    compute(six(given), reported).grade
}

#[test]
fn gates_decide_in_the_published_order() {
    let low = Some((90, CheckRisk::Low));
    let high = Some((40, CheckRisk::High));
    let critical = Some((70, CheckRisk::Critical));
    assert_eq!(decision([None, None, critical, None, critical, high], true), "BLOCK");
    assert_eq!(decision([low, low, low, low, critical, low], false), "BLOCK");
    assert_eq!(decision([None, None, high, None, low, None], false), "CAUTION");
    assert_eq!(decision([low, None, low, None, low, high], false), "CAUTION");
    assert_eq!(decision([None, None, low, None, low, None], false), "INSUFFICIENT DATA");
    assert_eq!(decision([None, None, low, low, low, None], false), "ALLOW");
    assert_eq!(decision([None, None, low, low, Some((30, CheckRisk::Elevated)), None], false), "ALLOW");
    let elevated = Some((60, CheckRisk::Elevated));
    assert_eq!(decision([None, None, elevated, elevated, elevated, None], false), "CAUTION");
}

#[test]
fn the_pages_own_examples_hold() {
    let seventy = Some((70, CheckRisk::Moderate));
    let blocked = compute(six([None, None, seventy, seventy, Some((70, CheckRisk::Critical)), None]), false);
    assert_eq!(blocked.value, Some(Points::whole(70)));
    assert_eq!(&*blocked.grade, "BLOCK");
    assert_eq!(blocked.caps.first().map(|cap| &**cap), Some("permissions risk CRITICAL: BLOCK"));
    let two = compute(six([None, None, Some((100, CheckRisk::Low)), None, Some((100, CheckRisk::Low)), None]), false);
    assert_eq!(two.value, Some(Points::whole(100)));
    assert_eq!(&*two.grade, "INSUFFICIENT DATA");
}

#[test]
fn the_value_is_the_mean_over_completed_checks() {
    let score = compute(
        six([None, None, Some((100, CheckRisk::Low)), None, Some((95, CheckRisk::Low)), Some((90, CheckRisk::Low))]),
        false,
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
    assert_eq!(undeclared.score(), Some(Points::whole(54)));
    assert_eq!(undeclared.risk(), Some(CheckRisk::Critical));
    assert_eq!(permissions(&exec, &["shell"]).risk(), Some(CheckRisk::High));
    assert_eq!(permissions(&[("high", ""); 6], &[]).score(), Some(Points::whole(70)));
    assert_eq!(permissions(&[("low", "")], &[]).risk(), Some(CheckRisk::Low));
}

#[test]
fn who_declares_to_read_and_does_more_is_an_anomaly() {
    let of = |only_reads: bool, class: &str| {
        let value =
            json!({"tools": [{"name": "t", "class": class, "purpose": ""}], "declared": [], "only_reads": only_reads});
        let facts = reported(Kind::McpServer, &[(checks::PERMISSIONS, value)], Outcome::False);
        checks::permissions(&facts, &Outcomes::of(&facts))
    };
    assert_eq!(of(false, "high").score(), Some(Points::whole(95)));
    assert_eq!(of(true, "high").score(), Some(Points::whole(75)));
    assert_eq!(of(true, "low").score(), Some(Points::whole(100)));
    assert!(of(true, "high").determined.contains("anomaly"), "{:?}", of(true, "high"));
}

#[test]
fn an_account_is_judged_by_what_it_shows_at_its_last_work() {
    let of = |value: Value| {
        let facts = reported(Kind::McpServer, &[(checks::METADATA, value)], Outcome::False);
        checks::deployer(&facts)
    };
    let old = json!({"owner": true, "account_created": "2015-01-01T00:00:00Z", "account_repositories": 40,
        "account_followers": 90, "stars": 5_400, "pushed": "2026-11-01T00:00:00Z"});
    assert_eq!(of(old).status, CheckStatus::Completed { score: Points::whole(100), risk: CheckRisk::Low });
    let young = json!({"account_created": "2026-10-20T00:00:00Z", "account_repositories": 1, "account_followers": 0,
        "stars": 0, "published": "2026-11-01T00:00:00Z"});
    assert_eq!(of(young).status, CheckStatus::Completed { score: Points::whole(8), risk: CheckRisk::Critical });
    // An organisation has no followers: they are left out, and the rest counts.
    let organisation = json!({"account_created": "2020-01-01T00:00:00Z", "account_repositories": 10, "stars": 100,
        "pushed": "2026-11-01T00:00:00Z"});
    assert_eq!(of(organisation).score(), Some(Points::whole(100)));
    // A member of three organisations has ten points of ten more, one of none has none of them.
    let member = |organizations: u64| {
        of(json!({"account_created": "2020-01-01T00:00:00Z", "account_organizations": organizations,
            "pushed": "2026-11-01T00:00:00Z"}))
        .score()
    };
    assert_eq!([member(3), member(0)], [Some(Points::whole(100)), Some(Points::whole(80))]);
    let named = of(json!({"owner": true, "stars": 3}));
    assert_eq!(named.status, CheckStatus::NotDeterminable);
    assert_eq!(named.determined, "a publisher is named");
}

#[test]
fn what_is_missing_is_named_with_how_it_is_supplied() {
    let facts = reported(Kind::McpServer, &[], Outcome::Unavailable);
    let mut facts: Vec<Fact> = facts.all().cloned().collect();
    let readable = facts.iter_mut().find(|fact| fact.rule.as_str() == "package-no-licence").expect("a rule");
    readable.outcome = Outcome::False;
    let score = AgentScore.score(&SparseFacts::new(&capdex_rules::INDEX, Kind::McpServer, facts), day());
    assert_eq!(&*score.grade, "INSUFFICIENT DATA");
    let said = score.caps.first().map(|cap| cap.to_string()).unwrap_or_default();
    for missing in ["deployer lacks", "permissions lacks", "deployment lacks", "`signals`"] {
        assert!(said.contains(missing), "{said}");
    }
}

#[test]
fn a_riskier_tool_never_costs_less() {
    let classes = ["low", "medium", "high", "critical"];
    let score = |counts: [usize; 4]| {
        let tools: Vec<(&str, &str)> = classes
            .into_iter()
            .zip(counts)
            .flat_map(|(class, count)| std::iter::repeat_n((class, "shell"), count))
            .collect();
        permissions(&tools, &["shell"]).score()
    };
    for high in 0..9 {
        for medium in (0..18).step_by(4) {
            for critical in 0..3 {
                let before = score([1, medium + 1, high + 1, critical]);
                assert!(score([0, medium + 2, high + 1, critical]) <= before);
                assert!(score([1, medium, high + 2, critical]) <= before, "{medium} {high} {critical}");
                assert!(score([1, medium + 1, high, critical + 1]) <= before, "{medium} {high} {critical}");
            }
        }
    }
}

#[test]
fn the_riskiest_way_to_launch_decides() {
    let of = |launches: Value| {
        let value = json!({ "launches": launches });
        let facts = reported(Kind::McpServer, &[(checks::DEPLOYMENT, value)], Outcome::False);
        let check = checks::deployment(&facts, &Outcomes::of(&facts));
        (check.score(), check.risk())
    };
    assert_eq!(of(json!(["pinned", "https_open"])), (Some(Points::whole(55)), Some(CheckRisk::Elevated)));
    assert_eq!(of(json!(["http_open", "shipped"])), (Some(Points::whole(15)), Some(CheckRisk::Critical)));
    assert_eq!(of(json!([])), (None, None));
}

#[test]
fn a_model_is_known_by_the_beginning_of_its_name() {
    let of = |name: &str| {
        let facts = reported(Kind::Skill, &[(checks::MODEL, json!({"model": name}))], Outcome::False);
        checks::model(&facts, &Outcomes::of(&facts)).score().map(|score| score.as_hundredths() / 100)
    };
    let names = ["Claude-Opus-4", "anthropic/sonnet", "gpt-5", "my-model", "inherit", ""];
    assert_eq!(names.map(of), [Some(100), Some(100), Some(100), Some(40), None, None]);
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
    assert_eq!(state("model"), "completed, risk LOW");
    assert_eq!(state("deployer"), "not_determinable");
    assert_eq!(score.value, Some(Points::whole(100)));
    assert_eq!(&*score.grade, "INSUFFICIENT DATA");
}

proptest::proptest! {
    #[test]
    fn terms_add_up_and_more_findings_never_raise_the_value(mut findings in any_findings(CODES), other in 0..=100_i64) {
        let scored = |findings: &[MethodFinding]| {
            let mut checks = six([None, Some((other, CheckRisk::Low)), None, None, Some((77, CheckRisk::Low)), None]);
            checks[2] = checks::code(findings, ALL_ANSWERED);
            compute(checks, false)
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
