//! The canonical JSON (RFC 8785) of facts, of which their digest is taken: what `Digest::of_json` would hash, written at once.
//!
//! Going through `serde_json::Value` takes ten times as long. Must say the same to the byte (a test compares).

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

use crate::canonical_json;
use crate::fact::{Confidence, Fact, FactSurface, Outcome, Place, Severity};
use crate::ids::RuleId;
use crate::kind::Kind;
use crate::voice::Voice;

/// A fact with its keys in their order.
#[derive(Serialize)]
struct Sorted<'a> {
    confidence: Confidence,
    #[serde(skip_serializing_if = "str::is_empty")]
    evidence: &'a str,
    outcome: Outcome,
    place: SortedPlace<'a>,
    rule: &'a RuleId,
    severity: Severity,
    #[serde(skip_serializing_if = "FactSurface::is_whole")]
    surface: FactSurface,
    #[serde(skip_serializing_if = "Value::is_null")]
    value: &'a Value,
    version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    voice: Option<Voice>,
}

#[derive(Serialize)]
struct SortedPlace<'a> {
    column: u32,
    file: &'a str,
    line: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    pointer: &'a str,
}

/// The canonical text of one fact.
pub(super) fn of_fact(fact: &Fact) -> String {
    let Fact { rule, version, outcome, severity, confidence, place, surface, voice, evidence, value } = fact;
    let Place { file, line, column, pointer } = place;
    let sorted = Sorted {
        confidence: *confidence,
        evidence,
        outcome: *outcome,
        place: SortedPlace { column: *column, file, line: *line, pointer },
        rule,
        severity: *severity,
        surface: *surface,
        value,
        version: *version,
        voice: *voice,
    };
    // The fields above stand in the order of their names, which `of_sorted` relies on.
    String::from_utf8(canonical_json::of_sorted(&sorted)).expect("JSON is text")
}

/// The canonical text of facts, each of which is handed over as its own.
pub(super) fn of_facts<'a>(kind: Kind, facts: impl Iterator<Item = Cow<'a, str>>) -> String {
    // The facts of one capability come to some tens of kilobytes: one allocation serves nearly all.
    let mut text = String::with_capacity(32 << 10);
    text.push_str("{\"facts\":[");
    for (at, fact) in facts.enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(&fact);
    }
    // Kind and facts are written by hand: the facts' texts exist already and are not read again.
    text.push_str("],\"kind\":\"");
    text.push_str(kind.as_str());
    text.push_str("\"}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical_json::tests::any_json;
    use crate::digest::Digest;
    use crate::facts::SparseFacts;
    use crate::rule::testing::NO_RULES;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn it_is_the_text_that_the_digest_of_json_takes() {
        let place = Place { file: "a/\"b\".md".into(), line: 3, column: 4, pointer: "/tools/0\n".into() };
        let full = Fact {
            rule: RuleId::new("of-no-version"),
            version: 7,
            outcome: Outcome::True,
            severity: Severity::High,
            confidence: Confidence::Low,
            place,
            surface: FactSurface::Served,
            voice: Some(Voice::Human),
            evidence: "é \u{1F600} \u{0}".into(),
            value: json!({"z": 1.5, "a": [1, -2, null, "x"], "m": {"b": 1e300, "a": true}}),
        };
        let bare = Fact {
            evidence: String::new(),
            value: Value::Null,
            place: Place::default(),
            surface: FactSurface::Whole,
            voice: None,
            ..full.clone()
        };
        for kind in Kind::ALL {
            let facts = SparseFacts::new(&NO_RULES, kind, vec![full.clone(), bare.clone()]);
            assert_eq!(facts.digest(), Digest::of_json(&facts));
            assert_eq!(facts.canonical(), serde_json_canonicalizer::to_string(&facts).expect("JSON"));
        }
    }

    proptest! {
        #[test]
        fn it_is_the_text_that_a_library_for_the_rfc_writes(
            value in any_json(),
            evidence in ".{0,20}",
            file in ".{0,8}",
            line in any::<u32>(),
            outcome in 0_usize..4,
        ) {
            let outcomes = [Outcome::True, Outcome::False, Outcome::NotApplicable, Outcome::Unavailable];
            let fact = Fact {
                rule: RuleId::new("of-no-version"),
                version: line,
                outcome: outcomes[outcome],
                severity: Severity::Low,
                confidence: Confidence::High,
                place: Place { file, line, column: line, pointer: evidence.clone() },
                surface: FactSurface::Whole,
                voice: None,
                evidence,
                value,
            };
            prop_assert_eq!(of_fact(&fact), serde_json_canonicalizer::to_string(&fact).expect("JSON"));
            let facts = SparseFacts::new(&NO_RULES, Kind::Skill, vec![fact]);
            prop_assert_eq!(facts.canonical(), serde_json_canonicalizer::to_string(&facts).expect("JSON"));
        }
    }
}
