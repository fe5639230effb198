//! What must hold for every registered rubric, whatever it computes, on the facts of real scans.
//!
//! A new rubric is covered by being registered. A variant that follows what a method's engine really does may be
//! exempt where that method breaks a property: `EXEMPT` says which and why, and a seed never is.

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use super::tests::{any_severity, day, fact, reported};
use super::*;
use capdex_evidence::Evidence;
use capdex_evidence::decompose::decompose;
use capdex_evidence::subject::Subject;
use capdex_model::bundle::{Bundle, BundleFile};
use capdex_model::fact::{Fact, Outcome, Place, Severity};
use capdex_model::points::Points;
use capdex_model::rule::Example;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Property {
    /// A worse finding never gives a higher value, a better grade or a milder band.
    Monotone,
    /// The value lies on the scale.
    Bounded,
    /// The terms add up to the value.
    AddsUp,
    /// Missing data never gives a higher value or a better grade than the same data at its best.
    MissingIsNoBetter,
    /// Missing data always lowers the coverage.
    MissingLowersCoverage,
}

/// (beginning of the rubric's id, property, what its method does instead).
const EXEMPT: &[(&str, Property, &str)] =
    &[("spiderrating/oss-", Property::MissingLowersCoverage, "the engine does not know what it could not look at")];

/// (rubric, measure) whose absence is shown in a part of its own and not in the coverage of the whole.
const SHOWN_APART: &[(&str, &str)] =
    &[("spiderrating/seed", "measure-architecture"), ("spiderrating/live-2026-03", "measure-architecture")];

fn is_exempt(rubric: &dyn Rubric, property: Property) -> bool {
    let id = &*rubric.meta().rubric.id;
    EXEMPT.iter().any(|(prefix, exempt, _)| id.starts_with(prefix) && *exempt == property)
}

/// The grades of each family, best first; those on one line are neither better nor worse than each other.
const GRADES: &[(&str, &[&[&str]])] = &[
    ("capdex", &[&["ok"], &["watch"], &["caution"], &["block"]]),
    ("spiderrating", &[&["A"], &["B"], &["C"], &["D"], &["F"]]),
    ("saferskills", &[&["Green"], &["Yellow"], &["Orange"], &["Red"]]),
    ("mcpbundles", &[&["clean"], &["low"], &["medium"], &["high"], &["critical"]]),
    ("agentscore", &[&["ALLOW"], &["CAUTION", "INSUFFICIENT DATA"], &["BLOCK"]]),
];

fn place_of_grade(score: &Score) -> usize {
    let family = score.rubric.id.split('/').next().unwrap_or_default();
    let grades = GRADES.iter().find(|(name, _)| *name == family).map(|(_, grades)| *grades);
    let place = grades.into_iter().flatten().position(|alike| alike.contains(&&*score.grade));
    place.unwrap_or_else(|| panic!("give the grade {:?} of {} a place in GRADES", score.grade, score.rubric.id))
}

/// A measure at its best, for a kind to which it applies.
fn best(measure: &str) -> Value {
    let tool = |name: &str| {
        json!({"name": name, "action_verb": true, "scenario": true, "parameters": true, "returns": true, "examples": true,
            "errors": true, "length": 200, "overlap": [0, 5], "density": null})
    };
    match measure {
        "measure-tool-descriptions" => json!({"tools": [tool("get_note"), tool("find_city")], "compared": true}),
        "measure-skill-description" => json!({"title": true, "purpose": true, "verb": true, "requirements": true,
            "binaries": true, "file_access": true, "effects": true, "undo": true, "examples": true, "limits": true,
            "steps": true, "scope": true, "when": true, "length": 4000}),
        "measure-skill-name" => json!({"target": null, "distance": null, "taken_down": false}),
        "measure-architecture" => json!({"test_files": 9, "source_files": 4, "rated_files": 4, "handling_files": 4,
            "readme_length": 4000, "python_files": 4, "typed_python_files": 4, "typescript_files": 0,
            "dependency_files": 2, "environment_example": true, "environment_documented": true}),
        "measure-metadata" => json!({"repository": true, "license": true, "license_name": "MIT", "license_file": true,
            "owner": true, "deprecated": false, "archived": false, "description_length": 80, "maintainers": 4,
            "contributors": 40, "created": "2020-01-01T00:00:00Z", "published": "2026-11-20T00:00:00Z",
            "pushed": "2026-11-20T00:00:00Z", "version_count": 30, "commits_quarter": 90, "commits_year": 400,
            "downloads_monthly": 5_000_000, "stars": 2_000_000, "forks": 2_000_000, "watchers": 2_000_000,
            "dependencies": 3, "provenance": true}),
        "measure-tool-permissions" => {
            json!({"tools": [{"name": "get_note", "class": "low", "purpose": ""}], "declared": []})
        }
        "measure-deployment" => json!({"launches": ["pinned"]}),
        "measure-model" => json!({"model": "claude-opus-4"}),
        "measure-tool-annotations" => {
            json!({"tools": 2, "described": 2, "annotations_required": 4, "annotations_written": 4})
        }
        other => panic!("say what {other} measures at its best"),
    }
}

fn is_measure(rule: &str) -> bool {
    rule.starts_with("measure-")
}

/// What every capability of an example gives.
fn scanned(example: &Example) -> Vec<SparseFacts> {
    let files = example.files.iter().map(|(path, text)| (path.clone(), BundleFile::new(text.clone().into_bytes())));
    let mut bundle = Bundle::local("folder:example", files.collect());
    bundle.claims = example.claims.clone();
    let evidence = Evidence::gather(&bundle);
    let capabilities = decompose(&bundle, &evidence);
    let subject = |capability| Subject { capability, evidence: &evidence, claims: &bundle.claims, gaps: &bundle.gaps };
    capdex_rules::evaluate(&capabilities.iter().map(subject).collect::<Vec<_>>())
}

/// Facts to start from: scans of every so many examples of the rules, and every kind with everything at its best.
static FACTS: LazyLock<Vec<SparseFacts>> = LazyLock::new(|| {
    let examples =
        capdex_rules::INDEX.all().iter().flat_map(|meta| meta.examples.fires.iter().chain(&meta.examples.silent));
    let mut facts: Vec<SparseFacts> = examples.step_by(16).flat_map(scanned).collect();
    for kind in Kind::ALL {
        let measures: Vec<&'static str> =
            RUBRICS.iter().flat_map(|rubric| rubric.needs(&capdex_rules::INDEX)).copied().collect();
        let applies = |rule: &str| capdex_rules::INDEX.find(rule).is_some_and(|meta| meta.kinds.contains(&kind));
        let mut measures: Vec<&str> = measures.into_iter().filter(|rule| is_measure(rule) && applies(rule)).collect();
        measures.sort_unstable();
        measures.dedup();
        let measured: Vec<(&str, Value)> = measures.into_iter().map(|rule| (rule, best(rule))).collect();
        let clean = reported(kind, &measured, Outcome::False);
        let defects =
            capdex_rules::INDEX.all().iter().filter(|meta| !is_measure(meta.id.as_str()) && meta.kinds.contains(&kind));
        let found = defects.step_by(9).fold(clean.clone(), |facts, meta| {
            let found = fact(meta.id.as_str(), Outcome::True, meta.severity, Value::Null);
            with(&facts, meta.id.as_str(), vec![found])
        });
        facts.extend([clean, found]);
    }
    facts
});

/// The facts with those of one rule exchanged.
fn with(facts: &SparseFacts, rule: &str, instead: Vec<Fact>) -> SparseFacts {
    let mut all: Vec<Fact> = facts.all().filter(|fact| fact.rule.as_str() != rule).cloned().collect();
    all.extend(instead);
    SparseFacts::new(&capdex_rules::INDEX, facts.kind, all)
}

fn outcome(facts: &SparseFacts, rule: &str) -> Option<Outcome> {
    facts.outcomes().into_iter().find(|(id, _)| id.as_str() == rule).map(|(_, outcome)| outcome)
}

/// One of the rules that a rubric needs.
fn any_need(rubric: &dyn Rubric, index: Index, measures: bool) -> Option<&'static str> {
    let needs: Vec<&'static str> =
        rubric.needs(&capdex_rules::INDEX).iter().copied().filter(|rule| measures || !is_measure(rule)).collect();
    (!needs.is_empty()).then(|| *index.get(&needs))
}

/// Why `worse` is better than `base`, if it is.
fn better(rubric: &dyn Rubric, worse: &Score, base: &Score) -> Option<String> {
    let (Some(low), Some(high)) = (worse.value, base.value) else { return None };
    let id = &base.rubric.id;
    if low > high {
        return Some(format!("{id}: {low} over {high}"));
    }
    if place_of_grade(worse) < place_of_grade(base) {
        return Some(format!("{id}: {} over {}", worse.grade, base.grade));
    }
    let (worse, base) = (rubric.band(worse), rubric.band(base));
    let known = worse != Band::Unknown && base != Band::Unknown;
    (known && worse < base).then(|| format!("{id}: {} over {}", worse.as_str(), base.as_str()))
}

fn check_score(rubric: &dyn Rubric, score: &Score) -> Result<(), TestCaseError> {
    let (low, high) = rubric.meta().scale;
    if let Some(value) = score.value.filter(|_| !is_exempt(rubric, Property::Bounded)) {
        prop_assert!(Points::whole(low) <= value && value <= Points::whole(high), "{}: {value}", score.rubric.id);
    }
    if !is_exempt(rubric, Property::AddsUp) {
        prop_assert!(score.adds_up(), "{}: {:?}", score.rubric.id, score.terms);
    }
    prop_assert_eq!(score.value.is_none(), score.grade == "n/a");
    prop_assert_eq!(score.value.is_none(), !score.reason.is_empty());
    Ok(())
}

/// The facts with one more finding of a rule, or with its findings raised.
fn worsened(
    facts: &SparseFacts,
    rule: &'static str,
    severity: Severity,
    line: u32,
    raise: bool,
) -> Option<SparseFacts> {
    let meta = capdex_rules::INDEX.find(rule)?;
    let told = outcome(facts, rule)?;
    let mut instead: Vec<Fact> = match told {
        Outcome::True => facts.of(rule).filter(|fact| fact.outcome == Outcome::True).cloned().collect(),
        Outcome::False => Vec::new(),
        Outcome::NotApplicable | Outcome::Unavailable => return None,
    };
    if raise {
        for found in &mut instead {
            found.severity = found.severity.max(severity.min(meta.severity));
        }
    }
    if !raise || instead.is_empty() {
        let place = Place { file: format!("file{}", line % 3), line, ..Place::default() };
        let more = fact(rule, Outcome::True, severity.min(meta.severity), Value::Null);
        instead.push(Fact { place, ..more });
    }
    Some(with(facts, rule, instead))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_worse_finding_never_raises_any_score(
        at in any::<Index>(), need in any::<Index>(), severity in any_severity(), line in 0..4_u32, raise in any::<bool>()
    ) {
        let facts = at.get(&FACTS);
        for rubric in RUBRICS.iter().copied() {
            let Some(rule) = any_need(rubric, need, false) else { continue };
            let Some(worse) = worsened(facts, rule, severity, line, raise) else { continue };
            // A finding that one rubric counts must not help in any other either.
            for rubric in RUBRICS.iter().copied() {
                let (before, after) = (rubric.score(facts, day()), rubric.score(&worse, day()));
                check_score(rubric, &after)?;
                prop_assert_eq!(before.value.is_some(), after.value.is_some());
                if !is_exempt(rubric, Property::Monotone) {
                    prop_assert_eq!(better(rubric, &after, &before), None, "{} of {}", severity.as_str(), rule);
                }
            }
        }
    }

    #[test]
    fn missing_data_is_never_better_than_the_best_and_lowers_coverage(at in any::<Index>(), need in any::<Index>()) {
        let facts = at.get(&FACTS);
        for rubric in RUBRICS.iter().copied().filter(|rubric| rubric.meta().kinds.contains(&facts.kind)) {
            let Some(rule) = any_need(rubric, need, true) else { continue };
            let applies = capdex_rules::INDEX.find(rule).is_some_and(|meta| meta.kinds.contains(&facts.kind));
            if !applies || outcome(facts, rule) == Some(Outcome::NotApplicable) {
                continue;
            }
            let at_best = match is_measure(rule) {
                true => fact(rule, Outcome::True, Severity::Info, best(rule)),
                false => fact(rule, Outcome::False, Severity::Info, Value::Null),
            };
            let missing = fact(rule, Outcome::Unavailable, Severity::Info, Value::Null);
            let full = rubric.score(&with(facts, rule, vec![at_best]), day());
            let less = rubric.score(&with(facts, rule, vec![missing]), day());
            check_score(rubric, &full)?;
            check_score(rubric, &less)?;
            if !is_exempt(rubric, Property::MissingIsNoBetter) {
                prop_assert_eq!(better(rubric, &less, &full), None, "{} missing", rule);
            }
            let apart = SHOWN_APART.contains(&(&*rubric.meta().rubric.id, rule));
            let nothing_known = full.coverage.as_thousandths() == 0;
            if !is_exempt(rubric, Property::MissingLowersCoverage) && !apart && !nothing_known {
                prop_assert!(less.coverage < full.coverage, "{}: {} missing", rubric.meta().rubric.id, rule);
            }
        }
    }

    #[test]
    fn a_missing_field_is_never_better_than_its_best(at in any::<Index>(), need in any::<Index>(), field in any::<Index>()) {
        let facts = at.get(&FACTS);
        for rubric in RUBRICS.iter().copied().filter(|rubric| rubric.meta().kinds.contains(&facts.kind)) {
            let measured: Vec<&str> = rubric.needs(&capdex_rules::INDEX).iter().copied().filter(|rule| *rule == "measure-metadata").collect();
            if measured.is_empty() {
                continue;
            }
            let rule = *need.get(&measured);
            let whole = best(rule);
            let mut less = whole.clone();
            let fields: Vec<String> = whole.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
            let name = field.get(&fields);
            less[name] = Value::Null;
            let score = |value: &Value| {
                let measured = fact(rule, Outcome::True, Severity::Info, value.clone());
                rubric.score(&with(facts, rule, vec![measured]), day())
            };
            let (full, less) = (score(&whole), score(&less));
            if !is_exempt(rubric, Property::MissingIsNoBetter) {
                prop_assert_eq!(better(rubric, &less, &full), None, "{} missing", name);
                prop_assert!(less.coverage <= full.coverage, "{} missing", name);
            }
        }
    }

    #[test]
    fn the_order_of_facts_changes_nothing(at in any::<Index>(), cut in any::<Index>()) {
        let facts = at.get(&FACTS);
        let mut turned: Vec<Fact> = facts.all().cloned().collect();
        let middle = cut.index(turned.len().max(1));
        turned.rotate_left(middle);
        turned.reverse();
        let turned = SparseFacts::new(&capdex_rules::INDEX, facts.kind, turned);
        let bytes = |facts: &SparseFacts| serde_json::to_string(&score_all(facts, day())).expect("scores serialise");
        prop_assert_eq!(bytes(facts), bytes(&turned));
    }
}

#[test]
fn a_seed_is_never_exempt_and_every_exemption_says_why() {
    for (prefix, _, why) in EXEMPT {
        let variant = prefix.split('/').nth(1).unwrap_or_default();
        assert!(variant.starts_with("oss-") || variant.starts_with("live-"), "{prefix}");
        assert!(why.len() > 20, "{prefix}");
    }
}

#[test]
fn there_are_facts_of_every_kind_with_and_without_findings() {
    for kind in Kind::ALL {
        let of_kind: Vec<&SparseFacts> = FACTS.iter().filter(|facts| facts.kind == kind).collect();
        assert!(of_kind.iter().any(|facts| facts.findings().next().is_some()), "{kind} with findings");
        assert!(of_kind.iter().any(|facts| facts.findings().next().is_none()), "{kind} without");
    }
}
