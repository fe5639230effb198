//! A JSON text as a tree, built in the one walk that also notes a key that stands twice.
//!
//! The caller looks for the reason where a text is no JSON.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::map::Entry;
use serde_json::{Map, Number, Value};

use super::ParsedJson;

/// Reads a text of RFC 8259.
pub(super) fn read(text: &str) -> serde_json::Result<ParsedJson> {
    let mut doubled = None;
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Tree { doubled: &mut doubled }.deserialize(&mut reader)?;
    // Text behind the value makes the whole no JSON.
    reader.end()?;
    Ok(ParsedJson { value, doubled })
}

/// Builds a value just as `serde_json` does, which keeps the last value of a key and does not say that there were more.
struct Tree<'a> {
    /// The first key that stands twice in one object.
    doubled: &'a mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for Tree<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut array = Vec::new();
        while let Some(element) = elements.next_element_seed(Tree { doubled: self.doubled })? {
            array.push(element);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            match object.entry(key) {
                Entry::Vacant(free) => {
                    free.insert(members.next_value_seed(Tree { doubled: self.doubled })?);
                }
                Entry::Occupied(mut earlier) => {
                    // The last value wins as it does in most clients, and the gap tells of the first.
                    self.doubled.get_or_insert_with(|| earlier.key().clone());
                    earlier.insert(members.next_value_seed(Tree { doubled: self.doubled })?);
                }
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What JSON is made of, and what breaks it.
    const PIECES: [&str; 20] = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\"",
        "\"b\"",
        "\"\\u0061\"",
        "1",
        "-0.5e3",
        "null",
        "true",
        " ",
        "\n",
        "{\"a\":1,\"a\":2}",
        "\"a\":",
        "//x\n",
        "\u{feff}",
        "\"$serde_json::private::RawValue\":\"1\"",
    ];

    proptest! {
        #[test]
        fn a_tree_is_what_others_read_and_its_doubled_key_what_the_scan_finds(
            pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..14),
            depth in 0_usize..3,
        ) {
            let text = ["{\"k\":".repeat(depth), pieces.concat(), "}".repeat(depth)].concat();
            let raw = text.contains("RawValue");
            let theirs = serde_json::from_str::<Value>(&text);
            match read(&text) {
                Ok(parsed) => {
                    prop_assert!(raw || Some(&parsed.value) == theirs.as_ref().ok());
                    prop_assert_eq!(parsed.doubled, super::super::scan(&text).expect("it is flat").doubled);
                }
                Err(_) => prop_assert!(raw || theirs.is_err()),
            }
        }
    }

    #[test]
    fn what_the_scan_finds_too_deep_is_no_tree() {
        for depth in [super::super::MAX_DEPTH, super::super::MAX_DEPTH + 1] {
            let text = ["[".repeat(depth), "]".repeat(depth)].concat();
            assert_eq!(read(&text).is_ok(), super::super::scan(&text).is_ok(), "{depth}");
        }
    }
}
