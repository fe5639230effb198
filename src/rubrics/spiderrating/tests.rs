//! SpiderRating: unit vectors of the public engine, and the page's formulas by hand.

use serde_json::{Value, json};

use super::super::findings::Answered;
use super::super::tests::{any_findings, day, finding, reported};
use super::description::ToolSignals;
use super::layers::security_layer;
use super::*;
use capdex_evidence::Evidence;
use capdex_evidence::decompose::decompose;
use capdex_evidence::subject::Subject;
use capdex_model::bundle::{Bundle, BundleFile};
use capdex_model::fact::Outcome;
use capdex_model::time::Timestamp;

const CODES: &[&str] = &["TS-E004", "TS-W001", "ssrf", "no_input_validation", "TS-E015"];
const ALL_ANSWERED: Answered = Answered { asked: 10, answered: 10 };

fn measured(tools: &[(&str, &str)]) -> Value {
    let tools: Vec<Value> =
        tools.iter().map(|(name, description)| json!({ "name": name, "description": description })).collect();
    let text = json!({ "tools": tools }).to_string().into_bytes();
    let bundle = Bundle::local("folder:scene", [("tools.json".to_owned(), BundleFile::new(text))].into());
    let evidence = Evidence::gather(&bundle);
    let capabilities = decompose(&bundle, &evidence);
    let server = capabilities.iter().find(|capability| capability.kind == Kind::McpServer).expect("a server");
    let subject = Subject { capability: server, evidence: &evidence, claims: &bundle.claims, gaps: &[] };
    let facts = capdex_rules::evaluate(&[subject]).pop().expect("facts for each");
    facts.value(TOOLS).cloned().expect("measured")
}

/// The six descriptions of the vectors, with the score of each as the only tool and as one of the six.
const VECTORS: [(&str, f64, f64); 6] = [
    ("", 0.6, 1.1),
    ("Fetches weather", 2.1, 2.6),
    ("Weather lookup tool for any city on the planet, fast and reliable.", 0.8, 1.4),
    (
        concat!(
            "Fetch the current weather for a city. Use when planning outdoor work. Accepts `city` (e.g. Oslo). ",
            "Returns temperature; fails if the city is unknown."
        ),
        9.5,
        10.0,
    ),
    ("Returns rows", 3.1, 3.6),
    ("Processes invoices like the ones stored under --folder and returns totals in euros for each supplier", 4.5, 5.0),
];

#[test]
fn tool_scores_reproduce_the_engine_through_the_real_measure() {
    for (text, alone, _) in VECTORS {
        let measured = measured(&[("tool", text)]);
        let tools = description::tools_of(&measured);
        assert_eq!(tools.iter().map(|tool| description::tool_score(tool, true)).collect::<Vec<_>>(), [alone], "{text}");
    }
    let names = ["v1", "v2", "v3", "v4", "v5", "v6"];
    let together: Vec<(&str, &str)> = names.into_iter().zip(VECTORS.map(|(text, ..)| text)).collect();
    let measured = measured(&together);
    let scores =
        description::tools_of(&measured).iter().map(|tool| description::tool_score(tool, false)).collect::<Vec<_>>();
    assert_eq!(scores, VECTORS.map(|(.., together)| together));
}

#[test]
fn dimensions_reproduce_the_engine_through_the_real_measure() {
    let shown = |values: &Dimensions| {
        [
            values.intent_clarity,
            values.permission_scope,
            values.side_effects,
            values.capability_disclosure,
            values.operational_boundaries,
        ]
        .map(|value| description::round(value, 1))
    };
    let alone = description::of_tools(&measured(&[("v4", VECTORS[3].0)])).expect("a tool");
    assert_eq!(shown(&alone), [10.0, 10.0, 10.0, 8.0, 9.5]);
    assert_eq!(description::composite(&alone, &TABLE.dimensions), Points::hundredths(950));
    let names = ["v1", "v2", "v3", "v4", "v5", "v6"];
    let tools: Vec<(&str, &str)> = names.into_iter().zip(VECTORS.map(|(text, ..)| text)).collect();
    let all = description::of_tools(&measured(&tools)).expect("six tools");
    assert_eq!(shown(&all), [3.0, 3.3, 3.7, 6.0, 3.9]);
    assert_eq!(description::composite(&all, &TABLE.dimensions), Points::hundredths(400));
}

#[test]
fn stuffing_lowers_a_tool_and_overlap_lowers_disambiguation() {
    let tool = ToolSignals { action_verb: true, length: 100, ..ToolSignals::default() };
    let stuffed = |density| description::tool_score(&ToolSignals { density: Some(density), ..tool.clone() }, false);
    assert_eq!([stuffed((4, 10, 10, 10)), stuffed((3, 10, 10, 10)), stuffed((1, 10, 10, 10))], [3.0, 2.1, 0.9]);
    let like = |overlap| description::tool_score(&ToolSignals { overlap: Some(overlap), ..tool.clone() }, false);
    assert_eq!([like((1, 2)), like((3, 4)), like((4, 4))], [3.0, 2.2, 2.0]);
}

#[test]
fn a_skill_is_scored_by_the_points_of_its_text() {
    let value = json!({
        "title": true, "purpose": true, "verb": false, "requirements": true, "binaries": false, "file_access": true,
        "effects": false, "undo": true, "examples": true, "limits": false, "steps": true, "scope": false, "when": true,
        "length": 1000,
    });
    let values = description::of_skill(&value).expect("signals");
    let expected = Dimensions {
        intent_clarity: 7.0,
        permission_scope: 7.0,
        side_effects: 7.0,
        capability_disclosure: 7.0,
        operational_boundaries: 5.0,
    };
    assert_eq!(values, expected);
    assert_eq!(description::composite(&values, &TABLE.dimensions), Points::hundredths(670));
}

fn security(counts: [usize; 4], bonus: f64) -> Points {
    let severities = [Severity::Critical, Severity::High, Severity::Medium, Severity::Low];
    let findings: Vec<MethodFinding> = severities
        .into_iter()
        .zip(counts)
        .flat_map(|(severity, count)| (0..count).map(move |file| finding("x", severity, &file.to_string(), 1)))
        .collect();
    security_layer(&findings, ALL_ANSWERED, bonus).value.expect("answered")
}

#[test]
fn security_reproduces_the_unit_vectors() {
    assert_eq!(security([1, 1, 1, 1], 0.0), Points::hundredths(375));
    assert_eq!(security([1, 0, 0, 0], 2.0), Points::whole(9));
    assert_eq!(security([9, 0, 0, 0], 2.0), Points::ZERO);
    assert_eq!(security([0, 0, 0, 0], 2.0), Points::whole(10));
}

#[test]
fn bonus_metadata_overall_and_grades_reproduce_the_unit_vectors() {
    assert_eq!([5.0, 15.0, -5.0].map(architecture::bonus), [1.0, 2.0, 0.0]);
    let close =
        |weighted: Option<f64>, expected: f64| weighted.map(Points::round_from) == Some(Points::round_from(expected));
    let metadata = &TABLE.metadata.weights;
    let parts = [(metadata.provenance, 8.0), (metadata.maintenance, 6.0), (metadata.popularity, 4.0)];
    assert!(close(metadata::weighted(parts.into_iter()), 6.3));
    let layers = [(TABLE.layers.description, 8.0), (TABLE.layers.security, 6.0), (TABLE.layers.metadata, 4.0)];
    assert!(close(metadata::weighted(layers.into_iter()), 6.1));
    let grades = [900, 899, 700, 699, 500, 499, 300, 299].map(|value| grade(Points::hundredths(value)));
    assert_eq!(grades, ["A", "B", "B", "C", "C", "D", "D", "F"]);
}

#[test]
fn architecture_is_the_sum_of_its_steps() {
    let counts = architecture::Counts {
        test_files: 3,
        source_files: 4,
        handling_files: 1,
        readme_length: Some(500),
        python_files: 4,
        typed_python_files: 3,
        dependency_files: 1,
        environment_documented: true,
        ..architecture::Counts::default()
    };
    assert_eq!(architecture::score(&counts), 2.0 + 1.5 + 1.0 + 1.5 + 0.5 + 0.3);
}

fn metadata_of(value: Value) -> metadata::MetadataLayer {
    metadata::layer(Kind::McpServer, &metadata::read(Some(&value)), day().start_of_day())
}

#[test]
fn known_signals_only_make_the_metadata_layer() {
    let full = metadata_of(json!({
        "repository": true, "license": true, "owner": true, "archived": false, "created": "2020-01-01T00:00:00Z",
        "pushed": "2026-11-01T00:00:00Z", "version_count": 3, "contributors": 2, "description_length": 1,
        "stars": 10_000, "forks": 1000, "watchers": 500,
    }));
    assert_eq!(full.value, Some(10.0));
    assert_eq!(full.coverage, Coverage::FULL);
    let some = metadata_of(json!({"repository": true, "license": false, "published": "2026-07-01T00:00:00Z"}));
    let values = some.parts.map(|part| part.value);
    assert_eq!(values, [Some(5.0), Some(6.0), None]);
    assert_eq!(some.value, Some(5.47));
    assert_eq!(some.coverage, Coverage::of(3, 12));
    assert_eq!(metadata_of(json!({})).value, None);
}

#[test]
fn ages_count_whole_days_up_to_the_limits() {
    let recency = |days: i64| {
        let published = Timestamp::from_unix_seconds(day().start_of_day().unix_seconds() - days * 86_400);
        metadata_of(json!({ "published": published })).parts.map(|part| part.value)
    };
    for (days, value) in [(90, 10.0), (91, 6.0), (180, 6.0), (181, 2.0), (365, 2.0), (366, 0.0)] {
        assert_eq!(recency(days), [None, Some(value), None], "{days} days");
    }
    let age = |days: i64| {
        let created = Timestamp::from_unix_seconds(day().start_of_day().unix_seconds() - days * 86_400);
        metadata_of(json!({ "created": created })).parts.map(|part| part.value)
    };
    assert_eq!(age(180), [Some(0.0), None, None], "the page asks for more than 180 days");
    assert_eq!(age(181), [Some(10.0), None, None]);
}

#[test]
fn the_last_work_is_a_push_else_counted_commits_else_a_release() {
    let maintenance = |value: Value| metadata_of(value).parts[1].value;
    let released = "2026-11-20T00:00:00Z";
    assert_eq!(maintenance(json!({"pushed": "2020-01-01T00:00:00Z", "published": released})), Some(0.0));
    assert_eq!(maintenance(json!({"commits_quarter": 1, "commits_year": 9, "published": released})), Some(10.0));
    assert_eq!(maintenance(json!({"commits_quarter": 0, "commits_year": 9, "published": released})), Some(2.0));
    assert_eq!(maintenance(json!({"commits_year": 0, "published": released})), Some(0.0));
    assert_eq!(maintenance(json!({"published": released})), Some(10.0));
}

#[test]
fn what_a_repository_states_stands_before_what_a_registry_does() {
    let provenance = |value: Value| metadata_of(value).parts[0].value;
    assert_eq!(provenance(json!({"archived": true, "deprecated": false})), Some(0.0));
    assert_eq!(provenance(json!({"deprecated": false})), Some(10.0));
    let maintenance = |value: Value| metadata_of(value).parts[1].value;
    assert_eq!(maintenance(json!({"contributors": 1, "maintainers": 4})), Some(0.0));
    assert_eq!(maintenance(json!({"description_length": 0, "version_count": 1})), Some(5.0));
}

#[test]
fn popularity_is_logarithmic() {
    let of = |downloads: u64| metadata_of(json!({ "downloads_monthly": downloads })).value;
    assert_eq!([of(0), of(999), of(1_000_000), of(u64::MAX)], [Some(0.0), Some(5.0), Some(10.0), Some(10.0)]);
    let stars = metadata_of(json!({ "stars": 99, "forks": 1000, "watchers": 0 })).value;
    assert_eq!(stars, Some(5.5), "half of ten by 0.5, ten by 0.3, nothing by 0.2");
}

#[test]
fn installs_stand_in_for_watchers() {
    let of = |value: Value| metadata_of(value).value;
    assert_eq!([of(json!({ "installs": 0 })), of(json!({ "installs": 100_000 }))], [Some(0.0), Some(10.0)]);
    assert_eq!(
        of(json!({ "watchers": 0, "installs": 100_000 })),
        Some(0.0),
        "where somebody states watchers, they count"
    );
}

#[test]
fn a_server_is_measured_by_stars_and_a_skill_by_downloads() {
    let both = json!({ "stars": 0, "downloads_monthly": 1_000_000 });
    let both = metadata::read(Some(&both));
    let of = |kind| metadata::layer(kind, &both, day().start_of_day()).value;
    assert_eq!(of(Kind::McpServer), Some(0.0));
    assert_eq!(of(Kind::Skill), Some(10.0));
}

#[test]
fn a_skill_name_within_two_letters_of_a_target_is_a_typosquat() {
    let text = json!({"length": 10, "title": true, "purpose": false, "verb": false, "requirements": false,
        "binaries": false, "file_access": false, "effects": false, "undo": false, "examples": false, "limits": false,
        "steps": false, "scope": false, "when": false});
    let scored = |target: Value| {
        let name = json!({"target": target, "distance": 2, "taken_down": false});
        let facts = reported(Kind::Skill, &[(SKILL, text.clone()), (NAME, name)], Outcome::False);
        SpiderRating.score(&facts, day()).parts.iter().find(|part| part.name == "security").and_then(|part| part.value)
    };
    assert_eq!(scored(Value::Null), Some(Points::whole(10)));
    assert_eq!(scored(json!("solana")), Some(Points::whole(9)));
}

fn inputs(findings: Vec<MethodFinding<'_>>, repository: Option<bool>) -> SpiderRatingInputs<'_> {
    let claimed = json!({ "repository": repository, "license": true });
    let claimed = metadata::read(Some(&claimed));
    SpiderRatingInputs {
        dimensions: description::of_tools(&measured(&[("v4", VECTORS[3].0)])),
        findings,
        answered: ALL_ANSWERED,
        bonus: None,
        no_source: claimed.repository == Some(false),
        metadata: metadata::layer(Kind::McpServer, &claimed, day().start_of_day()),
        metadata_known: true,
    }
}

fn graded(findings: Vec<MethodFinding<'_>>, repository: Option<bool>) -> (ScoreText, Vec<ScoreText>) {
    let score = compute(Kind::McpServer, &inputs(findings, repository));
    assert!(score.adds_up());
    (score.grade, score.caps)
}

#[test]
fn hard_constraints_cap_the_grade_and_not_the_value() {
    let caps = |caps: &[&'static str]| caps.iter().map(|cap| ScoreText::Borrowed(*cap)).collect::<Vec<_>>();
    assert_eq!(graded(Vec::new(), Some(true)), ("A".into(), caps(&[])));
    assert_eq!(graded(Vec::new(), None), ("A".into(), caps(&[])));
    assert_eq!(graded(Vec::new(), Some(false)), ("D".into(), caps(&[NO_SOURCE])));
    let critical = vec![finding("TS-E004", Severity::Critical, "a", 1)];
    assert_eq!(graded(critical, Some(true)), ("F".into(), caps(&[ANY_CRITICAL])));
    let highs = (0..3).map(|file| finding("x", Severity::High, &file.to_string(), 1)).collect();
    assert_eq!(graded(highs, Some(true)), ("C".into(), caps(&[WEAK_SECURITY])));
    let known = vec![finding("TS-E015", Severity::High, "a", 1)];
    assert_eq!(graded(known, Some(true)), ("F".into(), caps(&[KNOWN_MALICIOUS])));
}

#[test]
fn a_missing_layer_is_left_out_and_lowers_coverage() {
    let mut given = inputs(Vec::new(), Some(true));
    given.metadata_known = false;
    given.dimensions = None;
    let score = compute(Kind::Skill, &given);
    assert_eq!(score.value, Some(Points::whole(10)));
    assert!(score.coverage < Coverage::thousandths(500));
    let score = compute(Kind::McpServer, &given);
    assert_eq!((score.value, &*score.reason), (None, NO_TOOL));
    let mut given = inputs(Vec::new(), Some(true));
    given.answered = Answered { asked: 10, answered: 0 };
    assert_eq!(compute(Kind::McpServer, &given).value, Some(Points::hundredths(973)));
}

#[test]
fn a_code_in_a_file_is_one_issue() {
    let twice = vec![finding("x", Severity::Medium, "a", 1), finding("x", Severity::Medium, "a", 9)];
    let once = vec![finding("x", Severity::Medium, "a", 1)];
    assert_eq!(compute(Kind::Skill, &inputs(twice, None)).value, compute(Kind::Skill, &inputs(once, None)).value);
}

#[test]
fn facts_lead_to_a_score_with_every_part() {
    let value = measured(&[("v4", VECTORS[3].0)]);
    let facts = reported(Kind::McpServer, &[(TOOLS, value)], Outcome::False);
    let score = SpiderRating.score(&facts, day());
    assert!(score.adds_up());
    let names: Vec<&str> = score.parts.iter().map(|part| &*part.name).collect();
    assert_eq!(names.get(..4), Some(["description", "security", "metadata", "intent_clarity"].as_slice()));
    assert_eq!(score.parts.first().and_then(|part| part.value), Some(Points::hundredths(950)));
}

#[test]
fn codes_carry_the_severity_of_their_class() {
    assert_eq!(published("TS-E007"), Some(Severity::Critical));
    assert_eq!(published("TS-W005"), Some(Severity::Medium));
    assert_eq!(published("TS-SEC-ssrf"), Some(Severity::Medium));
    assert_eq!(published("other"), None);
    assert_eq!(ENGINE.codes.keys().filter(|code| code.starts_with("TS-")).count(), 46);
}

proptest::proptest! {
    #[test]
    fn terms_add_up_and_more_findings_never_raise_the_value(mut findings in any_findings(CODES)) {
        let scored = |findings: &[MethodFinding<'_>]| {
            let dimensions = Some(Dimensions {
                intent_clarity: 3.0,
                permission_scope: 3.3,
                side_effects: 3.7,
                capability_disclosure: 6.0,
                operational_boundaries: 3.9,
            });
            compute(Kind::McpServer, &SpiderRatingInputs { dimensions, ..inputs(findings.to_vec(), Some(true)) })
        };
        let score = scored(&findings);
        proptest::prop_assert!(score.adds_up());
        let value = score.value.expect("a value");
        proptest::prop_assert!(Points::ZERO <= value && value <= Points::whole(10));
        if findings.pop().is_some() {
            proptest::prop_assert!(scored(&findings).value >= Some(value));
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 24, failure_persistence: None, ..Default::default() })]

    /// The score of a day before the one that is named is the score of today, to the last term.
    #[test]
    fn a_score_holds_until_the_day_that_is_named(
        ages_s in proptest::collection::vec(proptest::option::of(-40_000_000_i64..80_000_000), 3),
        commits in proptest::option::of(0..3_u64),
        kind in proptest::sample::select(vec![Kind::Skill, Kind::McpServer]),
    ) {
        let now = day();
        let date = |age: &Option<i64>| age.map(|age| Timestamp::from_unix_seconds(now.0.unix_seconds() - age).to_string());
        let [created, published, pushed] = [0, 1, 2].map(|at| ages_s.get(at).and_then(date));
        let claimed = json!({"created": created, "published": published, "pushed": pushed, "commits_year": commits});
        let facts = reported(kind, &[(METADATA, claimed)], Outcome::False);
        for rubric in super::super::RUBRICS.iter().filter(|rubric| rubric.meta().by_day) {
            let until = rubric.holds_until(&facts, now);
            proptest::prop_assert!(until > now.day());
            let score = rubric.score(&facts, now);
            let last = until.min(now.day() + 1_500);
            for later in (now.day()..last).step_by(31).chain([last - 1]) {
                let at = capdex_model::time::AsOf(Timestamp::from_unix_seconds(later * 86_400 + 3_600));
                proptest::prop_assert_eq!(&rubric.score(&facts, at), &score, "{} on day {} before {}", rubric.meta().rubric.id, later, until);
                proptest::prop_assert!(rubric.holds_until(&facts, at) >= until);
            }
        }
    }
}
