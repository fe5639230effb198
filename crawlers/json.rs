//! JSON from strangers, read within a bound on its values, with what nobody needs left out while reading.
//!
//! The text is bounded before it comes here. This bounds what it grows to in memory, because two bytes of text can make
//! a value of thirty-two.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Values in one document at most. The largest packuments of about 40 MB have fewer than a million.
const MAX_VALUES: usize = 4_000_000;

/// Which members of an object are left out: given the depth of the object (0 for the outermost) and the key.
pub(crate) type LeftOutMembers = fn(usize, &str) -> bool;

/// Reads a document. Members that `left_out` names are checked for syntax and dropped; of a repeated key the last
/// value stays.
///
/// # Errors
/// The parser's text, where it is not JSON, nested deeper than 128, or has too many values.
pub(crate) fn parse(bytes: &[u8], left_out: LeftOutMembers) -> Result<Value, String> {
    let left = Cell::new(MAX_VALUES);
    parse_within(bytes, left_out, &left)
}

fn parse_within(bytes: &[u8], left_out: LeftOutMembers, left: &Cell<usize>) -> Result<Value, String> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = Bounded { left, left_out, depth: 0 }.deserialize(&mut deserializer);
    // Text behind the value is an error: another reader might take the second value.
    value.and_then(|value| deserializer.end().map(|()| value)).map_err(|error| error.to_string())
}

#[derive(Clone, Copy)]
struct Bounded<'a> {
    left: &'a Cell<usize>,
    left_out: LeftOutMembers,
    depth: usize,
}

impl Bounded<'_> {
    fn inner(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        // Counted before the value is built, so that the bound holds while reading and not only at the end.
        let left = self.left.get().checked_sub(1).ok_or_else(|| D::Error::custom("too many values"))?;
        self.left.set(left);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = items.next_element_seed(self.inner())? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut values = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if (self.left_out)(self.depth, &key) {
                // Its syntax still counts, but no memory is kept for it.
                members.next_value::<IgnoredAny>()?;
            } else {
                values.insert(key, members.next_value_seed(self.inner())?);
            }
        }
        Ok(Value::Object(values))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn documents_are_read_whole_but_for_what_is_left_out() {
        let text = br#"{"a":[1,-2,2.5,null,true,"x"],"_b":{"c":1},"d":{"_b":1}}"#;
        let value = parse(text, |depth, key| depth == 0 && key == "_b").expect("JSON");
        assert_eq!(value, json!({"a": [1, -2, 2.5, null, true, "x"], "d": {"_b": 1}}));
    }

    #[test]
    fn too_many_values_and_too_deep_ones_are_errors() {
        let read = |count: usize| parse_within(b"[1,2]", |_, _| false, &Cell::new(count));
        assert!(read(2).is_err());
        assert!(read(3).is_ok());
        let deep = [b"[".repeat(1_000), b"]".repeat(1_000)].concat();
        assert!(parse(&deep, |_, _| false).is_err());
        assert!(parse(b"{} {}", |_, _| false).is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes, |_, _| false);
        }
    }
}
