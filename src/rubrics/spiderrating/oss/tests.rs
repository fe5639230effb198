//! The engine's own results for given inputs, and what it would look at.

use serde_json::{Value, json};

use super::super::super::tests::{day, fact, reported};
use super::super::NAME;
use super::*;
use capdex_model::fact::{Fact, Outcome, Place};

const WEATHER: &str = concat!(
    "Fetch the current weather for a city. Use when planning outdoor work. Accepts `city` (e.g. Oslo). ",
    "Returns temperature; fails if the city is unknown."
);

fn weather() -> ToolSignals<'static> {
    ToolSignals {
        name: "weather",
        action_verb: true,
        scenario: true,
        parameters: true,
        returns: true,
        examples: true,
        errors: true,
        length: WEATHER.len() as u64,
        overlap: None,
        density: None,
    }
}

/// Repository facts as (stars, forks, days since the push, length of the description, licence).
fn metadata_of(
    stars: u64,
    forks: u64,
    pushed: Option<i64>,
    described: u64,
    license: Option<&str>,
) -> metadata::OssMetadataLayer {
    let at = pushed.map(|days| {
        capdex_model::time::Timestamp::from_unix_seconds(day().start_of_day().unix_seconds() - days * 86_400)
    });
    let claimed = json!({
        "stars": stars, "forks": forks, "pushed": at, "description_length": described, "license": license.is_some(),
        "license_name": license,
    });
    metadata::layer(&claims::read(Some(&claimed)), day().start_of_day())
}

fn nobody() -> metadata::OssMetadataLayer {
    metadata::layer(&claims::MetadataClaims::default(), day().start_of_day())
}

fn known() -> metadata::OssMetadataLayer {
    metadata_of(6000, 150, Some(10), 21, Some("MIT"))
}

fn some() -> metadata::OssMetadataLayer {
    metadata_of(60, 20, Some(100), 20, Some("NOASSERTION"))
}

fn counted(counts: [usize; 4]) -> OssSecurityLayer {
    let severities = [Severity::Critical, Severity::High, Severity::Medium, Severity::Low];
    let mut security =
        OssSecurityLayer { counts: severities.into_iter().zip(counts).collect(), ..OssSecurityLayer::default() };
    security.value = security::value_of(&security);
    security
}

fn server(
    counts: [usize; 4],
    tools: Vec<ToolSignals<'_>>,
    metadata: metadata::OssMetadataLayer,
    banned: bool,
) -> Score {
    let inputs = OssInputs {
        dimensions: description::of_signals(&tools),
        tools,
        security: counted(counts),
        answered: Coverage::FULL,
        bonus: Some(2.0),
        metadata,
        metadata_known: true,
        banned,
    };
    compute(Kind::McpServer, &inputs)
}

#[test]
fn compositions_come_out_as_the_engine_prints_them() {
    // Counts, tools, metadata, banned; then security, metadata, overall and grade of the engine, run on the same inputs.
    let rows = [
        (server([0, 0, 0, 0], vec![weather()], nobody(), false), [1000, 420, 808], "B"),
        (server([0, 0, 0, 1], vec![weather()], nobody(), false), [1000, 420, 808], "B"),
        (server([0, 0, 0, 3], vec![weather()], known(), false), [990, 940, 961], "A"),
        (server([0, 1, 2, 5], vec![weather()], some(), false), [600, 550, 707], "B"),
        (server([0, 6, 0, 2], vec![weather()], some(), false), [50, 550, 515], "C"),
        (server([1, 0, 0, 0], vec![weather()], known(), false), [700, 940, 200], "F"),
        (server([0, 0, 0, 0], Vec::new(), known(), false), [1000, 940, 200], "F"),
        (server([0, 0, 0, 0], vec![weather()], known(), true), [1000, 940, 490], "D"),
        (server([0, 6, 0, 0], vec![weather()], nobody(), true), [0, 420, 458], "D"),
    ];
    for (row, (score, expected, grade)) in rows.into_iter().enumerate() {
        let part = |name: &str| score.parts.iter().find(|part| part.name == name).and_then(|part| part.value);
        let values = [part("security"), part("metadata"), score.value].map(|value| value.map(Points::as_hundredths));
        assert_eq!(values, expected.map(Some), "row {row}");
        assert_eq!(&*score.grade, grade, "row {row}");
        assert!(score.adds_up(), "row {row}");
    }
}

#[test]
fn a_third_low_issue_costs_what_a_fourth_gives_back() {
    // The engine rounds between taking and giving back: this is why it is not monotone in low issues.
    let values = [0, 2, 3, 4].map(|low| counted([0, 0, 0, low]).value);
    assert_eq!(values, [10.0, 10.0, 9.9, 10.0]);
}

proptest::proptest! {
    #[test]
    fn values_are_bounded_add_up_and_fall_with_issues_above_low(
        counts in proptest::array::uniform4(0_usize..6),
        worse in 0_usize..3,
        described in proptest::bool::ANY,
        banned in proptest::bool::ANY,
    ) {
        let of = |counts| server(counts, if described { vec![weather()] } else { Vec::new() }, some(), banned);
        let (before, mut more) = (of(counts), counts);
        more[worse] += 1;
        let after = of(more);
        for score in [&before, &after] {
            proptest::prop_assert!(score.adds_up());
            proptest::prop_assert!(score.value >= Some(Points::ZERO) && score.value <= Some(Points::whole(10)));
        }
        proptest::prop_assert!(after.value <= before.value && after.grade >= before.grade);
    }
}

#[test]
fn the_metadata_ladder_has_the_engine_s_steps() {
    let composite = |stars, forks| metadata_of(stars, forks, None, 0, None).value;
    let steps = [(10, 0), (50, 19), (100, 20), (101, 100), (999, 0), (1000, 0), (5000, 100)];
    assert_eq!(steps.map(|(stars, forks)| composite(stars, forks)), [4.6, 5.0, 5.4, 5.9, 5.9, 6.2, 6.7]);
    let maintenance = |days| metadata_of(0, 0, Some(days), 0, None).parts[1].1;
    let ages = [29, 30, 89, 90, 179, 180, 364, 365].map(maintenance);
    assert_eq!(ages, [9.0, 7.5, 7.5, 6.0, 6.0, 4.0, 4.0, 2.0]);
}

#[test]
fn a_licence_is_banned_by_name_only_where_no_file_holds_it() {
    let of = |value: Value| is_banned(&claims::read(Some(&value)));
    assert!(of(json!({"license_name": "agpl-3.0", "license_file": false})));
    assert!(!of(json!({"license_name": "AGPL-3.0", "license_file": true})));
    assert!(!of(json!({"license_name": "AGPL"})));
}

fn finding_of(rule: &str, file: &str) -> Fact {
    let place = Place { file: file.into(), line: 1, ..Place::default() };
    // What context left of it does not count to the engine.
    Fact { place, ..fact(rule, Outcome::True, Severity::Low, Value::Null) }
}

fn security_of(kind: Kind, measured: &[(&str, Value)], findings: &[(&str, &str)]) -> OssSecurityLayer {
    let mut facts: Vec<Fact> = reported(kind, measured, Outcome::False).all().cloned().collect();
    facts.extend(findings.iter().map(|(rule, file)| finding_of(rule, file)));
    security::of(&SparseFacts::new(&capdex_rules::INDEX, kind, facts), 1)
}

#[test]
fn every_finding_in_rated_source_is_an_issue_and_nothing_else_is() {
    let eval = "source-unsafe-eval";
    let of = |findings: &[(&str, &str)]| security_of(Kind::McpServer, &[], findings);
    assert_eq!(of(&[]).value, 10.0);
    assert_eq!(of(&[(eval, "a.py"), (eval, "a.py")]).count(Severity::Critical), 2);
    assert_eq!(of(&[(eval, "a.py"), (eval, "b.ts")]).value, 4.0);
    for unseen in ["dist/a.js", "tests/a.py", "a.go", "README.md", ""] {
        assert_eq!(of(&[(eval, unseen)]).value, 10.0, "{unseen}");
    }
    let untouched = reported(Kind::McpServer, &[], Outcome::False);
    assert_eq!(security::of(&untouched, 0).value, 5.0, "no rated source is five points to the engine");
}

#[test]
fn patterns_of_skills_do_not_run_on_servers() {
    assert_eq!(security_of(Kind::McpServer, &[], &[("pipe-to-shell", "a.py")]).value, 10.0);
}

#[test]
fn a_skill_has_one_verdict_however_many_patterns_match() {
    let of = |findings: &[(&str, &str)]| security_of(Kind::Skill, &[], findings);
    let shell = of(&[("pipe-to-shell", "SKILL.md"), ("pipe-to-shell", "SKILL.md")]);
    assert_eq!(shell.value, 7.0);
    assert!(shell.malicious);
    assert_eq!(of(&[("pipe-to-shell", "reference.md")]).value, 10.0);
    assert_eq!(of(&[("name-not-approved", ""), ("history-republished", "")]).value, 7.0);
    let named = |value| security_of(Kind::Skill, &[(NAME, value)], &[]);
    assert_eq!(named(json!({"target": "slack", "distance": 1, "taken_down": false})).value, 9.0);
    let known = named(json!({"target": "slack", "distance": 1, "taken_down": true}));
    assert_eq!(known.value, 7.0);
    assert!(known.malicious);
}

#[test]
fn facts_lead_to_a_score_with_a_part_for_each_tool() {
    let tool = json!({
        "name": "get_rows", "action_verb": true, "scenario": false, "parameters": false, "returns": false,
        "examples": false, "errors": false, "length": 60, "overlap": [2, 3], "density": null,
    });
    let facts = reported(Kind::McpServer, &[(TOOLS, json!({"tools": [tool.clone(), tool]}))], Outcome::Unavailable);
    let score = Oss.score(&facts, day());
    assert!(score.adds_up());
    assert!(score.coverage < Coverage::FULL);
    let last = score.parts.last().expect("parts");
    assert_eq!(&*last.name, "tool 2");
    assert_eq!(last.value, Some(Points::hundredths(220)));
    assert_eq!(last.note, "get_rows: verb; apart 0.33");
    let part = |name: &str| score.parts.iter().find(|part| part.name == name).and_then(|part| part.value);
    assert_eq!(part("security"), Some(Points::whole(5)));
    assert_eq!(part("metadata"), Some(Points::hundredths(420)));
}
