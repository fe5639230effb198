//! What each severity and gap comes to, and the sentence behind it.

use serde_json::Value;

use super::*;
use crate::score_all;
use crate::tests::{day, fact, reported};
use capdex_evidence::Evidence;
use capdex_evidence::decompose::decompose;
use capdex_evidence::subject::Subject;
use capdex_model::bundle::{Bundle, BundleFile};
use capdex_model::digest::Digest;
use capdex_model::fact::{Outcome, Place};
use capdex_model::snapshot::{Gap, GapReason};

/// A rule of each severity, so that a finding of it keeps its severity.
fn rule(severity: Severity) -> &'static str {
    let of_it =
        |meta: &&&capdex_model::rule::RuleMeta| meta.severity == severity && !meta.id.as_str().starts_with("measure-");
    capdex_rules::INDEX.all().iter().find(of_it).expect("a rule").id.as_str()
}

fn facts(found: &[(Severity, Confidence)]) -> SparseFacts {
    let mut all: Vec<Fact> = reported(Kind::Skill, &[], Outcome::False).all().cloned().collect();
    for (number, (severity, confidence)) in (1..).zip(found) {
        let rule = rule(*severity);
        all.retain(|fact| fact.rule.as_str() != rule || fact.outcome == Outcome::True);
        let place = Place { file: "SKILL.md".into(), line: number, ..Place::default() };
        let evidence = "curl  -F\nfile=@~/.aws/credentials".to_owned();
        let found = fact(rule, Outcome::True, *severity, Value::Null);
        all.push(Fact { place, evidence, confidence: *confidence, ..found });
    }
    SparseFacts::new(&capdex_rules::INDEX, Kind::Skill, all)
}

fn verdict_of(found: &[(Severity, Confidence)], completeness: &Completeness) -> Verdict {
    over(&score_all(&facts(found), day()), completeness)
}

fn partial() -> Completeness {
    Completeness::Partial(vec![
        Gap::new("a.bin", GapReason::Truncated, "too long"),
        Gap::new("b", GapReason::Truncated, ""),
    ])
}

#[test]
fn the_page_is_what_is_published() {
    assert_eq!(Digest::of(PAGE.as_bytes()).hex(), PAGE_SHA256);
}

#[test]
fn the_worst_finding_decides() {
    use Confidence::{High, Low, Medium};
    let cases: [(&[(Severity, Confidence)], Band); 8] = [
        (&[], Band::Ok),
        (&[(Severity::Info, High), (Severity::Low, High)], Band::Ok),
        (&[(Severity::Medium, Low)], Band::Ok),
        (&[(Severity::Medium, Medium)], Band::Watch),
        (&[(Severity::High, Low)], Band::Caution),
        (&[(Severity::Medium, High), (Severity::High, Medium)], Band::Caution),
        (&[(Severity::Critical, Low)], Band::Block),
        (&[(Severity::High, High), (Severity::Critical, Medium)], Band::Block),
    ];
    for (found, band) in cases {
        assert_eq!(verdict_of(found, &Completeness::Analysed).band, band, "{found:?}");
    }
}

#[test]
fn unknown_is_never_clean_and_hides_nothing_that_was_found() {
    use Confidence::High;
    let cases = [
        (None, Band::Unknown),
        (Some(Severity::Low), Band::Unknown),
        (Some(Severity::Medium), Band::Watch),
        (Some(Severity::High), Band::Caution),
        (Some(Severity::Critical), Band::Block),
    ];
    for (severity, band) in cases {
        let found: Vec<_> = severity.map(|severity| (severity, High)).into_iter().collect();
        assert_eq!(verdict_of(&found, &partial()).band, band, "{severity:?}");
    }
}

#[test]
fn the_reason_is_one_sentence_that_is_always_there() {
    use Confidence::High;
    let high = verdict_of(&[(Severity::High, High), (Severity::High, High)], &partial());
    let title = &capdex_rules::INDEX.find(rule(Severity::High)).expect("known").title;
    assert_eq!(high.reason, format!("{title}: \"curl -F file=@~/.aws/credentials\" in SKILL.md:1, and 1 more"));
    assert_eq!(verdict_of(&[], &Completeness::Analysed).reason, NOTHING);
    let gaps = verdict_of(&[], &partial()).reason;
    assert!(gaps.starts_with("not all of it was looked at: a.bin") && gaps.ends_with(", and 1 more"), "{gaps}");
    let unlooked = reported(Kind::Skill, &[], Outcome::Unavailable);
    let unlooked = over(&score_all(&unlooked, day()), &Completeness::Analysed);
    assert_eq!((unlooked.band, &*unlooked.reason), (Band::Unknown, "nothing could be looked at"));
    assert_eq!(over(&[], &Completeness::Analysed).reason, "it was not judged");
}

#[test]
fn a_long_quote_is_cut() {
    let mut long = fact(rule(Severity::High), Outcome::True, Severity::High, Value::Null);
    long.evidence = "ä".repeat(200);
    let said = sentence(&capdex_rules::INDEX, &long, 1);
    assert!(said.contains(&format!("\"{}…\"", "ä".repeat(QUOTED))), "{said}");
}

#[test]
fn no_method_has_a_voice() {
    let mut scores = score_all(&facts(&[]), day());
    for score in scores.iter_mut().filter(|score| score.rubric.is_seed()) {
        score.value = Some(Points::ZERO);
        score.grade = "BLOCK".into();
    }
    assert_eq!(over(&scores, &Completeness::Analysed).band, Band::Ok);
}

/// The strictest band of what a list of tools holds.
fn band_of_tools(tools: &Value) -> Band {
    let file = BundleFile::new(serde_json::json!({ "tools": tools }).to_string().into_bytes());
    let bundle = Bundle::local("folder:tools", [("tools.json".to_owned(), file)].into());
    let evidence = Evidence::gather(&bundle);
    let capabilities = decompose(&bundle, &evidence);
    let subject = |capability| Subject { capability, evidence: &evidence, claims: &bundle.claims, gaps: &[] };
    let facts = capdex_rules::evaluate(&capabilities.iter().map(subject).collect::<Vec<_>>());
    let bands = facts.iter().map(|facts| over(&score_all(facts, day()), &Completeness::Analysed).band);
    bands.max_by_key(|band| [Band::Ok, Band::Watch, Band::Caution].iter().position(|of| of == band)).expect("one")
}

#[test]
fn a_tool_that_works_out_a_value_is_ok_and_one_that_deletes_is_not() {
    let tool = |name: &str, description: &str| {
        serde_json::json!([{ "name": name, "description": description, "annotations": { "readOnlyHint": true, "destructiveHint": false,
            "idempotentHint": true, "openWorldHint": false },
            "inputSchema": { "type": "object", "properties": { "a": { "type": "string", "description": "The first." } } } }])
    };
    for (name, description) in [
        ("add_numbers", "Adds two numbers."),
        ("replace_text", "Replaces text in a string."),
        ("merge_arrays", "Merges two arrays into one."),
    ] {
        assert_eq!(band_of_tools(&tool(name, description)), Band::Ok, "{name}");
    }
    assert_eq!(band_of_tools(&tool("delete_user", "Deletes a user.")), Band::Caution);
}
