//! The posture over MCPBundles' rules.

use serde_json::json;

use super::super::tests::{any_findings, day, finding, reported};
use super::*;
use capdex_model::fact::Outcome;

const CODES: &[&str] = &["E001", "MCPB-A002", "W015", "W019", "SAFE-T1402", "MCPB-A001"];

fn scored(findings: Vec<MethodFinding>) -> Score {
    compute(findings, (&META.rubric, &judge()), Answered { asked: 18, answered: 18 }, Points::whole(50))
}

/// The facts of a server with one tool, of which nothing was found.
pub(super) fn judged_example() -> SparseFacts {
    let tools = json!({"tools": 1, "described": 1, "annotations_required": 2, "annotations_written": 0});
    reported(Kind::McpServer, &[(ANNOTATIONS, tools)], Outcome::False)
}

#[test]
fn a_rule_costs_once_however_often_it_fires() {
    let score = scored(vec![
        finding("SAFE-T1403", Severity::Low, "a", 1),
        finding("SAFE-T1403", Severity::Medium, "a", 2),
        finding("E002", Severity::High, "a", 3),
    ]);
    assert_eq!(score.value, Some(Points::whole(65)));
    assert_eq!(&*score.grade, "high");
}

#[test]
fn labels_cost_points_and_leave_the_grade_alone() {
    let score = scored(vec![finding("W015", Severity::Medium, "a", 1), finding("W019", Severity::Medium, "a", 1)]);
    assert_eq!(score.value, Some(Points::whole(80)));
    assert_eq!(&*score.grade, "clean");
}

#[test]
fn a_server_without_tools_has_no_value_and_one_with_tools_has_quality() {
    let score = McpBundles.score(&reported(Kind::McpServer, &[], Outcome::Unavailable), day());
    assert_eq!(score.reason, "no tool definition could be read");
    let value = json!({"tools": 4, "described": 3, "annotations_required": 8, "annotations_written": 2});
    assert_eq!(quality(&value), Some(Points::whole(50)));
    assert_eq!(quality(&json!({"tools": 0})), None);
}

#[test]
fn no_judge_is_ever_used() {
    let tools = json!({"tools": 1, "described": 1, "annotations_required": 2, "annotations_written": 0});
    let facts = [
        reported(Kind::McpServer, &[(ANNOTATIONS, tools)], Outcome::False),
        reported(Kind::McpServer, &[], Outcome::Unavailable),
        reported(Kind::Skill, &[], Outcome::False),
        SparseFacts::new(&capdex_rules::INDEX, Kind::McpServer, Vec::new()),
    ];
    for facts in facts {
        let score = McpBundles.score(&facts, day());
        let judge = score.parts.iter().find(|part| part.name == "llm_judge_used").expect("a part");
        assert_eq!(judge.value, Some(Points::ZERO));
        assert_eq!(&*judge.note, "llm_judge_used: false");
    }
}

#[test]
fn what_the_method_has_not_shipped_is_shown_and_weighs_nothing() {
    let without = scored(vec![finding("E002", Severity::High, "a", 3)]);
    let with = scored(vec![finding("E002", Severity::High, "a", 3), finding("SAFE-T1201", Severity::Info, "", 0)]);
    assert_eq!(with.value, without.value);
    assert_eq!(&with.grade, &without.grade);
    assert_eq!(&with.terms, &without.terms);
    let shown: Vec<&str> = with.parts.iter().filter(|part| part.name == "directory").map(|part| &*part.note).collect();
    assert_eq!(shown, ["SAFE-T1201: designed and not shipped by the method, without weight"]);
    assert!(without.parts.iter().all(|part| part.name != "directory"));
}

#[test]
fn the_catalogue_has_eighteen_rules() {
    assert_eq!(TABLE.codes.len(), 18);
    assert!(TABLE.posture.labels.iter().all(|label| TABLE.codes.contains_key(label)));
}

proptest::proptest! {
    #[test]
    fn terms_add_up_and_more_findings_never_raise_the_value(mut findings in any_findings(CODES)) {
        let score = scored(findings.clone());
        proptest::prop_assert!(score.adds_up());
        let value = score.value.expect("a value");
        proptest::prop_assert!(Points::ZERO <= value && value <= Points::whole(100));
        if findings.pop().is_some() {
            proptest::prop_assert!(scored(findings).value >= Some(value));
        }
    }
}
