//! What holds for every rubric, and the verdict.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::findings::{CodedRule, Excuses, Method, MethodFinding};
use super::reads::Reads;
use super::*;
use capdex_model::fact::{Confidence, Fact, FactSurface, Outcome, Place, Severity};
use capdex_model::ids::RuleId;
use capdex_model::points::Points;
use capdex_model::rule::Lifecycle;
use capdex_model::score::{Coverage, ScoreText};

/// The instant of every test.
pub(super) fn day() -> AsOf {
    "2026-11-21T12:00:00Z".parse().expect("valid")
}

/// A fact as a rule would report it.
pub(super) fn fact(rule: &str, outcome: Outcome, severity: Severity, value: Value) -> Fact {
    Fact {
        rule: RuleId::from(rule.to_owned()),
        version: 1,
        outcome,
        severity,
        confidence: Confidence::High,
        place: Place::default(),
        surface: FactSurface::Whole,
        voice: None,
        evidence: String::new(),
        value,
    }
}

/// Facts in which every rule has reported: the measures with the given values, everything else the given outcome.
pub(super) fn reported(kind: Kind, measured: &[(&str, Value)], rest: Outcome) -> SparseFacts {
    let others = capdex_rules::INDEX.all().iter().copied().map(|meta| meta.id.as_str());
    let others = others.filter(|rule| measured.iter().all(|(measure, _)| measure != rule));
    let mut facts: Vec<Fact> = others.map(|rule| fact(rule, rest, Severity::Info, Value::Null)).collect();
    let measures = measured.iter();
    facts.extend(measures.map(|(rule, value)| fact(rule, Outcome::True, Severity::Info, value.clone())));
    SparseFacts::new(&capdex_rules::INDEX, kind, facts)
}

/// A finding in a method's words, of a rule that rates it as the method does. What a finding borrows lives as long as the
/// tests do.
pub(super) fn finding(code: &'static str, severity: Severity, file: &str, line: u32) -> MethodFinding<'static> {
    let place = Box::leak(Box::new(Place { file: file.into(), line, ..Place::default() }));
    let rule = format!("rule-of-{code}").to_lowercase().leak();
    MethodFinding { code, severity, rule, place }
}

/// Any severity.
pub(super) fn any_severity() -> impl proptest::strategy::Strategy<Value = Severity> {
    proptest::sample::select(Severity::ALL.to_vec())
}

/// Findings of a few codes in a few files.
pub(super) fn any_findings(
    codes: &'static [&'static str],
) -> impl proptest::strategy::Strategy<Value = Vec<MethodFinding<'static>>> {
    use proptest::strategy::Strategy;
    let one = (proptest::sample::select(codes.to_vec()), any_severity(), 0..3_u32, 0..4_u32);
    let one = one.prop_map(|(code, severity, file, line)| finding(code, severity, &format!("file{file}"), line));
    proptest::collection::vec(one, 0..14)
}

#[test]
fn a_changed_text_needs_a_new_version() {
    let pinned: Vec<String> = RUBRICS
        .iter()
        .map(|rubric| {
            let rubric = &rubric.meta().rubric;
            format!("{} {} {}", rubric.id, rubric.version, rubric.text)
        })
        .collect();
    let expected = [
        "capdex/verdict 2 sha256:650009e71ae9d119a463a983d2ebd21bac6f19477659c4b4a3ae9ab075c4df37",
        "spiderrating/seed 5 sha256:d9e63f8c28c39ab68bbc4af8fbf3d9282255c6a798570911481914aaf4515e38",
        "saferskills/seed 3 sha256:f8d1805b479234ee7e2d7da172ba02e32690d27c6aa0e76cdde4a4976cbcd59d",
        "mcpbundles/seed 4 sha256:d3e6c5bb85c4010ec4142dd96747a4d9325b322afccacffd2cd4fffd9a883bfc",
        "agentscore/seed 4 sha256:3ea3969d2381cf7f68a50d14ff1fea10d1ccf5531fc94d3b48fcc8aa6da997be",
        "spiderrating/oss-0.3.4 1 sha256:b5ffde8865ba1763bcc8eed1e5cadef6588da84bc15c20a840425a5b826dd1ff",
        "spiderrating/live-2026-03 3 sha256:f268351e61e262289620efabb8a2091b403eca5eb25015e805d945e345b475d4",
        "saferskills/oss-d420ef4 1 sha256:8f9288b109f6977a44d10442916f1aa51d247217c39bf16d35c5b2bf5893e7c9",
    ];
    assert_eq!(pinned, expected, "raise the version of a rubric whose numbers or page changed, then pin both here");
}

#[test]
fn every_rubric_names_its_source_and_marks_what_is_ours() {
    for rubric in RUBRICS {
        let meta = rubric.meta();
        assert_eq!(meta.published_sha256.len(), 64, "{}", meta.rubric.id);
        assert!(!meta.published_at.is_empty());
        assert!(meta.published_read >= "2026-11-21");
        assert!(meta.page.starts_with(&format!("# {}\n", meta.rubric.id)));
        assert!(meta.page.contains("**Ours:"));
        assert!(find(&meta.rubric.id).is_some());
    }
}

#[test]
fn every_needed_rule_exists_and_is_stable() {
    let known: BTreeSet<&str> = capdex_rules::INDEX
        .all()
        .iter()
        .filter(|meta| meta.lifecycle == Lifecycle::Stable)
        .map(|meta| meta.id.as_str())
        .collect();
    for rubric in RUBRICS {
        for rule in rubric.needs(&capdex_rules::INDEX) {
            assert!(known.contains(rule), "{} needs {rule}", rubric.meta().rubric.id);
        }
    }
}

#[test]
fn without_any_answer_there_is_no_score() {
    for kind in Kind::ALL {
        let facts = reported(kind, &[], Outcome::Unavailable);
        for score in score_all(&facts, day()) {
            assert_eq!(score.value, None, "{}", score.rubric.id);
            assert_eq!(&*score.grade, "n/a", "{}", score.rubric.id);
            assert!(score.adds_up(), "{}", score.rubric.id);
            assert!(!score.reason.is_empty());
            assert_eq!(score.coverage, Coverage::NONE);
        }
        let verdict = verdict(&score_all(&facts, day()), &Completeness::Analysed);
        assert_eq!((verdict.band, verdict.disagreement), (Band::Unknown, None));
    }
}

#[test]
fn a_rule_that_has_not_reported_leaves_no_value() {
    for rubric in RUBRICS.iter().filter(|rubric| !rubric.needs(&capdex_rules::INDEX).is_empty()) {
        for kind in rubric.meta().kinds {
            let score = rubric.score(&SparseFacts::new(&capdex_rules::INDEX, *kind, Vec::new()), day());
            assert_eq!(score.value, None);
            assert!(score.reason.ends_with("has not reported"), "{}: {}", rubric.meta().rubric.id, score.reason);
        }
    }
}

#[test]
fn kinds_that_a_rubric_does_not_publish_have_no_value() {
    for rubric in RUBRICS {
        for kind in Kind::ALL.into_iter().filter(|kind| !rubric.meta().kinds.contains(kind)) {
            let score = rubric.score(&reported(kind, &[], Outcome::False), day());
            assert_eq!(score.value, None);
            assert_eq!(&*score.grade, "n/a");
            assert_eq!(rubric.band(&score), Band::Unknown);
        }
    }
}

#[test]
fn the_same_facts_give_the_same_bytes_whatever_their_order() {
    for kind in Kind::ALL {
        let facts = reported(kind, &[], Outcome::False);
        let mut reversed: Vec<Fact> = facts.all().cloned().collect();
        reversed.reverse();
        let bytes = |facts: &SparseFacts| serde_json::to_string(&score_all(facts, day())).expect("scores serialise");
        assert_eq!(bytes(&facts), bytes(&SparseFacts::new(&capdex_rules::INDEX, kind, reversed)));
    }
}

fn scored(id: &str, grade: &'static str, caps: &[&'static str]) -> Score {
    let rubric = find(id).expect("a rubric").meta().rubric.clone();
    let caps = caps.iter().map(|cap| ScoreText::Borrowed(*cap)).collect();
    let value = Some(Points::whole(1));
    Score { value, grade: grade.into(), caps, ..Score::none(rubric, Coverage::FULL, "") }
}

fn band(id: &str, grade: &'static str, caps: &[&'static str]) -> Band {
    find(id).expect("a rubric").band(&scored(id, grade, caps))
}

#[test]
fn grades_stand_for_bands_by_the_table() {
    let expected = [
        ("saferskills/seed", "Green", Band::Ok),
        ("saferskills/seed", "Red", Band::Block),
        ("spiderrating/seed", "C", Band::Watch),
        ("spiderrating/seed", "F", Band::Caution),
        ("mcpbundles/seed", "medium", Band::Watch),
        ("agentscore/seed", "BLOCK", Band::Block),
        ("agentscore/seed", "INSUFFICIENT DATA", Band::Unknown),
        ("agentscore/seed", "MAYBE", Band::Unknown),
    ];
    for (id, grade, expected) in expected {
        assert_eq!(band(id, grade, &[]), expected, "{id} {grade}");
    }
}

#[test]
fn an_f_blocks_only_where_danger_forced_it() {
    let spider = "spiderrating/seed";
    assert_eq!(band(spider, "F", &["any critical security issue: grade F"]), Band::Block);
    assert_eq!(band(spider, "D", &["no source repository: grade D at most"]), Band::Watch);
    assert_eq!(band(spider, "C", &["security below 5: grade C at most"]), Band::Caution);
}

#[test]
fn disagreement_is_measured_over_the_methods_alone() {
    let apart = |grades: &[(&str, &'static str)]| {
        let scores: Vec<Score> = grades.iter().map(|(id, grade)| scored(id, grade, &[])).collect();
        verdict(&scores, &Completeness::Analysed).disagreement
    };
    let grades = [
        ("saferskills/seed", "Green"),
        ("agentscore/seed", "BLOCK"),
        ("spiderrating/seed", "C"),
        ("mcpbundles/seed", "?"),
    ];
    assert_eq!(apart(&grades), Some(Coverage::FULL));
    assert_eq!(
        apart(&[("saferskills/seed", "Yellow"), ("mcpbundles/seed", "clean")]),
        Some(Coverage::thousandths(333))
    );
    assert_eq!(apart(&[("saferskills/seed", "Green")]), None);
    // Neither a variant nor the verdict itself is a second opinion.
    assert_eq!(
        apart(&[("saferskills/seed", "Green"), ("spiderrating/oss-0.3.4", "F"), ("capdex/verdict", "block")]),
        None
    );
}

/// A method that reads every text, and what it makes of what context excused.
fn method(excuses: &str) -> (Reads, Excuses) {
    let reads = r#"reads = [{ files = ["*"] }]"#;
    let reads: BTreeMap<String, Reads> = toml::from_str(reads).expect("it parses");
    (reads.into_values().next().expect("one"), toml::from_str(excuses).expect("it parses"))
}

/// The code and the severity of a fact of a rule with the codes A and B, of which B is published as critical.
fn seen(excuses: &str, ours: Severity, rule: Severity, rank: fn(&str) -> bool) -> (&'static str, Severity) {
    let codes: &'static [String] = Vec::leak(vec!["A".to_owned(), "B".to_owned()]);
    let rated = *capdex_rules::INDEX.all().iter().find(|meta| meta.severity == rule).expect("a rule");
    let published = |code: &str| (code == "B").then_some(Severity::Critical);
    let (reads, excuses) = method(excuses);
    let fact = fact("r", Outcome::True, ours, Value::Null);
    let counted = CodedRule::of(rated, codes, published, rank).expect("coded");
    let finding = counted.finding(&fact, Kind::Skill, &Method { reads: &reads, excuses: &excuses }).expect("read");
    (finding.code, finding.severity)
}

#[test]
fn a_method_has_its_own_severity_whatever_ours_is() {
    let any = |_: &str| true;
    assert_eq!(seen("", Severity::Medium, Severity::Medium, any), ("B", Severity::Critical));
    assert_eq!(seen("", Severity::Info, Severity::Info, any), ("B", Severity::Critical), "a mild rule excuses nothing");
    assert_eq!(seen("", Severity::Low, Severity::Medium, any), ("B", Severity::Critical));
    assert_eq!(
        seen("", Severity::Low, Severity::Low, |code| code == "A"),
        ("A", Severity::Low),
        "rank before severity"
    );
}

#[test]
fn a_method_excuses_what_it_excuses_itself() {
    let any = |_: &str| true;
    let upto = r#"upto = "low""#;
    assert_eq!(seen(upto, Severity::Low, Severity::High, any), ("B", Severity::Low), "the code stays");
    assert_eq!(seen(upto, Severity::Medium, Severity::High, any), ("B", Severity::Critical));
    assert_eq!(seen(upto, Severity::Low, Severity::Low, any), ("B", Severity::Critical), "the rule's own severity");
    let named = "upto = \"info\"\nto = { B = \"medium\" }";
    assert_eq!(seen(named, Severity::Info, Severity::High, any), ("B", Severity::Medium));
    assert_eq!(seen(named, Severity::Low, Severity::High, any), ("B", Severity::Critical), "not excused");
    let never = "upto = \"low\"\nnever = [\"B\"]";
    assert_eq!(seen(never, Severity::Info, Severity::High, any), ("B", Severity::Critical));
}

#[test]
fn a_finding_counts_under_a_code_that_is_looked_for_in_its_text() {
    let text = r#"reads = [{ codes = ["B"], surfaces = ["served"] }, { surfaces = ["docs"] }]"#;
    let reads: BTreeMap<String, Reads> = toml::from_str(text).expect("it parses");
    let reads = reads.into_values().next().expect("one");
    let codes: &'static [String] = Vec::leak(vec!["A".to_owned(), "B".to_owned()]);
    let rated = *capdex_rules::INDEX.all().iter().find(|meta| meta.severity == Severity::High).expect("a rule");
    let counted =
        CodedRule::of(rated, codes, |code| (code == "B").then_some(Severity::Critical), |_| 0).expect("coded");
    let of = |surface| {
        let place = Place { file: "a".into(), ..Place::default() };
        let fact = Fact { surface, place, ..fact("r", Outcome::True, Severity::High, Value::Null) };
        let method = Method { reads: &reads, excuses: &Excuses::NONE };
        counted.finding(&fact, Kind::Skill, &method).map(|finding| finding.code)
    };
    let texts = [FactSurface::Served, FactSurface::Docs, FactSurface::Test, FactSurface::Whole];
    assert_eq!(texts.map(of), [Some("B"), Some("A"), None, Some("B")]);
    assert!(CodedRule::of(rated, &[], |_| None, |_| 0).is_none());
}
