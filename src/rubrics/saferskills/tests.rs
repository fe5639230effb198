//! SaferSkills' arithmetic, by hand.

use super::super::tests::{any_findings, day, fact, finding, reported};
use super::*;
use crate::catalogue;
use capdex_model::fact::Outcome;
use capdex_model::score::Coverage;

const CODES: &[&str] = &["SS-SKILL-INJECT-IGNORE-01", "SS-SKILL-INJECT-B64-PAYLOAD-01", "SS-X-SUPPLY-CHAIN-1", "SS-X"];

fn scored(findings: Vec<MethodFinding>) -> Score {
    SEED.compute(
        Kind::Skill,
        findings,
        &AxesByCode::new(),
        [Answered::default(); 5],
        Answered { asked: 4, answered: 3 },
    )
}

/// (code, severity), each at a place of its own.
type Found<'a> = &'a [(&'static str, Severity)];

fn of(findings: Found) -> Score {
    let lines = findings.iter().zip(1..);
    scored(lines.map(|((code, severity), line)| finding(code, *severity, "a", line)).collect())
}

#[test]
fn nothing_found_is_a_hundred_and_green() {
    let score = of(&[]);
    assert_eq!(score.value, Some(Points::whole(100)));
    assert_eq!(&*score.grade, "Green");
    assert_eq!(score.coverage, Coverage::thousandths(750));
    assert_eq!(score.caps, Vec::<String>::new());
}

#[test]
fn penalties_weights_ceilings_and_colours_are_the_published_ones() {
    let inject = "SS-SKILL-INJECT-B64-PAYLOAD-01";
    let license = "SS-SKILL-TRANSPARENCY-LICENSE-01";
    let supply = "SS-HOOKS-SUPPLY-CHAIN-OWNER-XFER-01";
    let rows: [(Found, i64, &str); 8] = [
        (&[(inject, Severity::Info)], 100, "Green"),
        (&[(inject, Severity::Low)], 98, "Green"),
        (&[(inject, Severity::Medium)], 96, "Green"),
        (&[(inject, Severity::Medium), (license, Severity::Medium)], 94, "Green"),
        (&[(supply, Severity::Medium)], 98, "Green"),
        (&[(inject, Severity::Medium); 5], 79, "Yellow"),
        (&[(inject, Severity::High)], 45, "Orange"),
        (&[(inject, Severity::Critical)], 15, "Red"),
    ];
    for (findings, value, grade) in rows {
        let score = of(findings);
        assert_eq!(score.value, Some(Points::whole(value)), "{findings:?}");
        assert_eq!(&*score.grade, grade, "{findings:?}");
    }
}

#[test]
fn every_penalty_and_every_weight_is_the_published_one() {
    let penalties = [0, 5, 12, 25, 40];
    assert_eq!(Severity::ALL.map(|severity| TABLE.penalties[&severity]), penalties);
    let codes = [
        "SS-SKILL-INJECT-B64-PAYLOAD-01",
        "SS-X-SUPPLY-CHAIN-1",
        "SS-X-MAINTENANCE-1",
        "SS-X-TRANSPARENCY-1",
        "SS-X-COMMUNITY-1",
    ];
    // What two high findings leave of the sub-score, and what that takes off the whole, in hundredths.
    for ((code, axis), (weight, left)) in
        codes.into_iter().zip(Axis::ALL).zip([(35, 1750), (20, 1000), (15, 750), (15, 750), (15, 750)])
    {
        assert_eq!(TABLE.weights[&axis], weight, "{axis:?}");
        let score = of(&[(code, Severity::High), (code, Severity::High)]);
        let part = score.parts.iter().find(|part| part.name == axis.as_str()).expect("its part");
        assert_eq!(part.value, Some(Points::whole(50)), "{axis:?}");
        let term = score.terms.iter().find(|term| term.label.contains(axis.as_str())).expect("its term");
        assert_eq!(term.points, Points::hundredths(left), "{axis:?}: {term:?}");
        let critical = of(&[(code, Severity::Critical)]);
        let part = critical.parts.iter().find(|part| part.name == axis.as_str()).expect("its part");
        assert_eq!(part.value, Some(Points::whole(20)), "{axis:?}: sixty is left, and twenty is the most");
    }
}

#[test]
fn each_colour_begins_where_the_page_says() {
    for (value, expected) in [
        (100, "Green"),
        (80, "Green"),
        (79, "Yellow"),
        (60, "Yellow"),
        (59, "Orange"),
        (40, "Orange"),
        (39, "Red"),
        (0, "Red"),
    ] {
        assert_eq!(&*colour(Points::whole(value)), expected, "{value}");
    }
}

#[test]
fn a_critical_finding_floors_its_sub_score_at_twenty() {
    let score = of(&[("SS-SKILL-INJECT-BIDI-01", Severity::Critical)]);
    let part = score.parts.first().expect("five parts");
    assert_eq!(&*part.name, "security");
    assert_eq!(part.value, Some(Points::whole(20)));
    assert_eq!(score.caps, ["one critical finding: at most 15"]);
}

#[test]
fn one_code_at_one_place_costs_once() {
    let twice = scored(vec![finding("SS-X", Severity::Medium, "a", 1), finding("SS-X", Severity::Low, "a", 1)]);
    let apart = scored(vec![finding("SS-X", Severity::Medium, "a", 1), finding("SS-X", Severity::Low, "a", 2)]);
    assert_eq!(twice.value, Some(Points::whole(96)));
    assert_eq!(apart.value, Some(Points::whole(94)));
}

#[test]
fn a_code_belongs_to_the_axis_that_its_name_says() {
    let axes = ["SS-HOOKS-SUPPLY-CHAIN-AUTHOR-AGE-01", "SS-HOOKS-RCE-RMRF-01", "SS-RULES-COMMUNITY-INSTALLS-01"];
    assert_eq!(axes.map(axis_of), [Axis::SupplyChain, Axis::Security, Axis::Community]);
    assert_eq!(TABLE.codes.len(), 55);
    assert_eq!(TABLE.weights.values().sum::<i64>(), 100);
}

#[test]
fn severities_are_those_of_the_public_rule_files() {
    let catalogue = catalogue::all().iter().find(|catalogue| catalogue.id == FAMILY).expect("a catalogue");
    let published: BTreeMap<String, Severity> =
        catalogue.entries.iter().filter_map(|entry| Some((entry.code.clone(), entry.severity?))).collect();
    assert_eq!(TABLE.codes, published);
}

/// The score of a capability in which one rule found something at its own severity.
fn with(kind: Kind, rule: &str) -> Score {
    let severity = capdex_rules::INDEX.find(rule).expect("a rule").severity;
    let mut facts: Vec<_> = reported(kind, &[], Outcome::False).all().cloned().collect();
    facts.retain(|fact| fact.rule.as_str() != rule);
    facts.push(fact(rule, Outcome::True, severity, serde_json::Value::Null));
    SaferSkills.score(&SparseFacts::new(&capdex_rules::INDEX, kind, facts), day())
}

#[test]
fn the_pages_own_examples_hold_from_the_facts_on() {
    let critical = with(Kind::Skill, "hidden-unicode-tags");
    assert_eq!(critical.value, Some(Points::whole(15)));
    assert_eq!(&*critical.grade, "Red");
    let sub_score = critical.parts.first().and_then(|part| part.value);
    assert!(sub_score <= Some(Points::whole(20)), "{sub_score:?}");
    let high = with(Kind::Skill, "encoded-blob");
    assert_eq!(high.value, Some(Points::whole(45)));
    assert_eq!(&*high.grade, "Orange");
    assert_eq!(with(Kind::Skill, "instruction-override").value, Some(Points::whole(45)), "the page knows no shadow");
}

#[test]
fn of_several_ids_the_one_for_the_kind_counts() {
    // SS-SKILL-TRANSPARENCY-DESCRIPTION-01 is low and for every kind, SS-RULES-TRANSPARENCY-MANIFEST-01 medium and for one.
    let transparency = |kind| {
        let score = with(kind, "document-missing-readme");
        score.parts.iter().find(|part| part.name == "transparency").and_then(|part| part.value)
    };
    assert_eq!(transparency(Kind::Skill), Some(Points::whole(95)));
    assert_eq!(transparency(Kind::Rules), Some(Points::whole(88)));
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
