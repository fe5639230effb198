//! The facts that a body tells, for who asks for true ones and for some parts of what rules measured.
//!
//! Measures have dozens of parts, which are most of the time of reading facts.

use std::borrow::Cow;
use std::fmt;

use capdex_model::fact::{Confidence, Fact, FactSurface, Outcome, Place, Severity};
use capdex_model::ids::RuleId;
use capdex_model::voice::Voice;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::StoreError;
use crate::packed::parse;

/// A fact with its value as it is written.
#[derive(Deserialize)]
struct WrittenFact<'a> {
    #[serde(borrow)]
    rule: Cow<'a, str>,
    version: u32,
    outcome: Outcome,
    severity: Severity,
    confidence: Confidence,
    #[serde(default)]
    place: Place,
    #[serde(default)]
    surface: FactSurface,
    #[serde(default)]
    voice: Option<Voice>,
    #[serde(default)]
    evidence: String,
    #[serde(borrow, default)]
    value: Option<&'a RawValue>,
}

/// The facts of a JSON text, of the objects that they measured only some parts.
pub(crate) fn facts_with(text: &str, parts: &[&str]) -> Result<Vec<Fact>, StoreError> {
    let written: Vec<WrittenFact<'_>> = parse(text, "facts")?;
    let fact = |written: WrittenFact<'_>| {
        let WrittenFact { rule, version, outcome, severity, confidence, place, surface, voice, evidence, value } =
            written;
        let value = value.map_or(Ok(Value::Null), |value| value_with(value.get(), parts))?;
        let rule = RuleId::new(&rule);
        Ok(Fact { rule, version, outcome, severity, confidence, place, surface, voice, evidence, value })
    };
    written.into_iter().map(fact).collect()
}

/// A value, where it is an object only some parts of it.
pub(crate) fn value_with(text: &str, parts: &[&str]) -> Result<Value, StoreError> {
    if !text.starts_with('{') {
        return parse(text, "facts");
    }
    let mut reading = serde_json::Deserializer::from_str(text);
    Parts(parts)
        .deserialize(&mut reading)
        .map_err(|error| StoreError::Corrupt { what: "facts", detail: error.to_string() })
}

/// Reads an object, and of it these parts.
struct Parts<'a>(&'a [&'a str]);

impl<'de> DeserializeSeed<'de> for Parts<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Parts<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut kept = Map::new();
        while let Some(Key(key)) = entries.next_key::<Key<'_>>()? {
            if self.0.contains(&&*key) {
                kept.insert(key.into_owned(), entries.next_value()?);
            } else {
                entries.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Value::Object(kept))
    }
}

/// A key, which is copied only where it is kept.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn of_an_object_the_parts_are_kept_and_of_everything_else_all() {
        for (whole, kept) in [
            (json!({ "a": 1, "b": { "c": 2 }, "d": "e" }), json!({ "b": { "c": 2 }, "d": "e" })),
            (json!({ "a": 1 }), json!({})),
            (json!(["a"]), json!(["a"])),
            (json!(3), json!(3)),
        ] {
            assert_eq!(value_with(&whole.to_string(), &["b", "d"]).expect("reads"), kept);
        }
    }

    #[test]
    fn facts_are_those_that_are_written() {
        let fact = Fact {
            rule: RuleId::new("a"),
            version: 2,
            outcome: Outcome::True,
            severity: Severity::High,
            confidence: Confidence::Low,
            place: Place { file: "a \"b\"".into(), line: 1, column: 2, pointer: "/c".into() },
            surface: FactSurface::Script,
            voice: Some(Voice::Agent),
            evidence: "ü\n".into(),
            value: json!({ "tag": "W015" }),
        };
        let plain = Fact {
            surface: FactSurface::Whole,
            voice: None,
            evidence: String::new(),
            value: Value::Null,
            ..fact.clone()
        };
        let text = serde_json::to_string(&[&fact, &plain]).expect("JSON");
        assert_eq!(facts_with(&text, &["tag"]).expect("reads"), [fact, plain]);
    }
}
