//! Canonical JSON, as RFC 8785 (JSON Canonicalization Scheme) defines it: the form of all JSON that is hashed.
//!
//! Keys are sorted by their UTF-16 code units, no white space is written, and a number is the shortest text that
//! ECMAScript gives for the nearest double. `serde_json` writes nearly every value of ours in that form already. The
//! fast writer notices the exceptions; where there are any, `serde_json_canonicalizer` writes the numbers.

use std::io;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

/// The canonical form of a value.
///
/// `serde_json::Value` keeps objects in a sorted map (feature `preserve_order` is off), so going through it sorts.
pub(crate) fn of<T: Serialize>(value: &T) -> Vec<u8> {
    let value = serde_json::to_value(value).expect("our own types serialise");
    fast(&value).unwrap_or_else(|| exact(&value))
}

/// The canonical form of a value whose keys are in their order as they are: a `Value` itself, texts, sorted maps, types
/// that list their fields in that order, and lists of those. Takes a tenth of the time of [`of`].
pub(crate) fn of_sorted<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    // The way through a `Value` makes `null` of numbers that JSON lacks, which the library would refuse.
    fast(value).unwrap_or_else(|| exact(&serde_json::to_value(value).expect("our own types serialise")))
}

/// The text that `serde_json` writes; none where the canonical form may be another.
fn fast<T: Serialize + ?Sized>(value: &T) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(1024);
    let mut differs = false;
    let formatter = Watching { differs: &mut differs, is_in_key: false };
    value.serialize(&mut Serializer::with_formatter(&mut text, formatter)).expect("our own types serialise");
    // Few values hold a float or a great integer, so that the slow way is rare.
    (!differs).then_some(text)
}

fn exact(value: &Value) -> Vec<u8> {
    let mut text = Vec::with_capacity(1024);
    write(value, &mut text);
    text
}

/// Writes any value in the canonical form. The library is asked for numbers alone: it sorts every object anew.
fn write(value: &Value, text: &mut Vec<u8>) {
    match value {
        Value::Array(items) => {
            text.push(b'[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    text.push(b',');
                }
                write(item, text);
            }
            text.push(b']');
        }
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            if members.iter().any(|(key, _)| key.bytes().any(|byte| byte >= SURROGATES)) {
                members.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
            }
            text.push(b'{');
            for (at, (key, member)) in members.into_iter().enumerate() {
                if at > 0 {
                    text.push(b',');
                }
                serde_json::to_writer(&mut *text, key).expect("texts serialise");
                text.push(b':');
                write(member, text);
            }
            text.push(b'}');
        }
        Value::Number(_) => {
            text.extend(serde_json_canonicalizer::to_vec(value).expect("a number is canonical"));
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {
            serde_json::to_writer(text, value).expect("our own types serialise");
        }
    }
}

/// Doubles hold every integer up to this one: 2^53.
const EXACT: u64 = 1 << 53;

/// The first byte, in UTF-8, of the letters that are two code units in UTF-16. Only their order differs in the two.
const SURROGATES: u8 = 0xF0;

/// Writes as `serde_json` does, and notes a number or key that RFC 8785 may want otherwise.
struct Watching<'a> {
    differs: &'a mut bool,
    is_in_key: bool,
}

impl Formatter for Watching<'_> {
    fn write_i64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: i64) -> io::Result<()> {
        // Beyond 2^53 the nearest double may be another integer.
        *self.differs |= value.unsigned_abs() > EXACT;
        CompactFormatter.write_i64(writer, value)
    }

    fn write_u64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: u64) -> io::Result<()> {
        *self.differs |= value > EXACT;
        CompactFormatter.write_u64(writer, value)
    }

    fn write_i128<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: i128) -> io::Result<()> {
        *self.differs |= value.unsigned_abs() > u128::from(EXACT);
        CompactFormatter.write_i128(writer, value)
    }

    fn write_u128<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: u128) -> io::Result<()> {
        *self.differs |= value > u128::from(EXACT);
        CompactFormatter.write_u128(writer, value)
    }

    fn write_f32<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f32) -> io::Result<()> {
        // The canonical form writes 1e+21 and 1 where `serde_json` writes 1e21 and 1.0: every float goes the slow way.
        *self.differs = true;
        CompactFormatter.write_f32(writer, value)
    }

    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        *self.differs = true;
        CompactFormatter.write_f64(writer, value)
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.is_in_key = true;
        CompactFormatter.begin_object_key(writer, first)
    }

    fn end_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.is_in_key = false;
        CompactFormatter.end_object_key(writer)
    }

    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        // Keys alone are sorted; a value may hold any letter. Below U+10000 both orders are the same.
        *self.differs |= self.is_in_key && fragment.bytes().any(|byte| byte >= SURROGATES);
        CompactFormatter.write_string_fragment(writer, fragment)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Values of every kind: integers beyond doubles, doubles, and keys whose order differs in UTF-8 and UTF-16.
    pub(crate) fn any_json() -> impl Strategy<Value = Value> {
        let number = prop_oneof![
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            (-1_000_000_i64..1_000_000).prop_map(|number| Value::from(number as f64 / 100.0)),
            (-2_i64..3, any::<bool>()).prop_map(|(beside, is_positive)| {
                let edge = 1_i64 << 53;
                Value::from(beside + if is_positive { edge } else { -edge })
            }),
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            number,
            ".{0,12}".prop_map(Value::from)
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                proptest::collection::btree_map(".{0,6}|[a\u{E000}\u{FB33}\u{FFFD}\u{1F600}]{0,3}", inner, 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    fn text_of(value: &Value) -> String {
        String::from_utf8(of(value)).expect("JSON is text")
    }

    #[test]
    fn the_examples_of_the_rfc_are_written_as_it_says() {
        let keys = json!({
            "\u{20ac}": "Euro Sign", "\r": "Carriage Return", "\u{fb33}": "Hebrew Letter Dalet With Dagesh",
            "1": "One", "\u{1f600}": "Emoji: Grinning Face", "\u{80}": "Control",
            "\u{f6}": "Latin Small Letter O With Diaeresis",
        });
        let sorted = "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\"\u{f6}\":\"Latin Small Letter O With \
                      Diaeresis\",\"\u{20ac}\":\"Euro Sign\",\"\u{1f600}\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter \
                      Dalet With Dagesh\"}";
        assert_eq!(text_of(&keys), sorted);
        let numbers: Value = serde_json::from_str("[333333333.33333329, 1E30, 4.50, 2e-3, 1e-27, -0.0, 1.0]").unwrap();
        assert_eq!(text_of(&numbers), "[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1]");
        let text = json!("\u{20ac}$\u{f}\nA'B\"\\\\\"/");
        assert_eq!(text_of(&text), "\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"");
    }

    #[test]
    fn integers_are_written_as_they_are_as_far_as_doubles_hold_them() {
        for number in [0, 1, EXACT - 1, EXACT] {
            assert_eq!(text_of(&json!(number)), number.to_string());
        }
        assert_eq!(text_of(&json!(EXACT + 1)), EXACT.to_string());
        assert_eq!(text_of(&json!([u64::MAX, i64::MIN])), "[18446744073709552000,-9223372036854776000]");
        assert_eq!(of_sorted(&(f64::NAN, 0.5)), b"[null,0.5]");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2_000, ..ProptestConfig::default() })]

        #[test]
        fn the_fast_writer_says_what_the_library_says(value in any_json()) {
            prop_assert_eq!(text_of(&value), serde_json_canonicalizer::to_string(&value).expect("is JSON"));
        }

        #[test]
        fn the_form_of_a_form_is_the_form(value in any_json()) {
            let once = text_of(&value);
            let again: Value = serde_json::from_str(&once).expect("is JSON");
            prop_assert_eq!(text_of(&again), once);
        }
    }
}
