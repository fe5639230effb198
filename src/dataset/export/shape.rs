//! `Shape`: the form of the lists and objects in a column, and the one JSON text that a value of it has.
//!
//! JSON lines hold such a value as it is, CSV and SQLite hold its text, and Parquet holds lists and structs. So that all of them
//! give the same text back, objects have all their keys, in alphabetical order, and a missing value is null.

use std::fmt;

use anyhow::{Context as _, bail};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde_json::{Map, Value};

/// The form of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Text.
    Text,
    /// A whole number.
    Integer,
    /// A number with decimals.
    Number,
    /// Values of one form, in their order.
    List(&'static Shape),
    /// Named values, sorted by name.
    Struct(&'static [(&'static str, Shape)]),
}

/// A value of a form, without the names that the form has.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Nothing.
    Null,
    /// Text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number with decimals.
    Number(f64),
    /// Values of one form, in their order.
    List(Vec<Part>),
    /// A value for each name of the form, in its order.
    Struct(Vec<Part>),
}

impl Shape {
    /// The parts of a value, one for every name of every object, and nothing where the value lacks one.
    ///
    /// # Errors
    /// A value of another form: it would be lost in one of the formats.
    pub fn conform(&self, value: Value) -> anyhow::Result<Part> {
        Ok(match (self, value) {
            (_, Value::Null) => Part::Null,
            (Self::Text, Value::String(text)) => Part::Text(text),
            (Self::Integer, Value::Number(number)) => {
                Part::Integer(number.as_i64().with_context(|| format!("{number} is no whole number"))?)
            }
            (Self::Number, Value::Number(number)) => {
                Part::Number(number.as_f64().with_context(|| format!("{number} is no number"))?)
            }
            (Self::List(item), Value::Array(values)) => {
                Part::List(values.into_iter().map(|value| item.conform(value)).collect::<anyhow::Result<_>>()?)
            }
            (Self::Struct(fields), Value::Object(object)) => Part::Struct(self.conform_object(fields, object)?),
            (_, value) => bail!("{value} is no {self}"),
        })
    }

    /// The parts of JSON text, as [`Shape::conform`] gives them of its value: read at once, without a value in between.
    ///
    /// # Errors
    /// Text that is no JSON, or of another form.
    pub fn parse(&self, text: &str) -> anyhow::Result<Part> {
        let mut reading = serde_json::Deserializer::from_str(text);
        let part = PartOf(self).deserialize(&mut reading)?;
        reading.end()?;
        Ok(part)
    }

    fn conform_object(&self, fields: &[(&str, Self)], object: Map<String, Value>) -> anyhow::Result<Vec<Part>> {
        // Both are sorted by name, so that one walk over both finds each value.
        let mut entries = object.into_iter().peekable();
        let mut parts = Vec::with_capacity(fields.len());
        for (name, shape) in fields {
            let value = entries.next_if(|(key, _)| key == name).map_or(Value::Null, |(_, value)| value);
            parts.push(shape.conform(value).with_context(|| format!("in {name:?}"))?);
        }
        // A key that the shape does not know would be in some formats and not in others.
        match entries.next() {
            Some((name, _)) => bail!("the key {name:?} has no place in {self}"),
            None => Ok(parts),
        }
    }

    /// The one JSON text of a value of this form.
    pub fn text(&self, part: &Part) -> String {
        let mut text = String::new();
        self.write(part, &mut text);
        text
    }

    fn write(&self, part: &Part, text: &mut String) {
        match (self, part) {
            (_, Part::Text(own)) => text.push_str(&Value::from(own.as_str()).to_string()),
            (_, Part::Integer(number)) => text.push_str(&number.to_string()),
            (_, Part::Number(number)) => text.push_str(&number_of(*number).to_string()),
            (Self::List(item), Part::List(parts)) => {
                text.push('[');
                for (at, part) in parts.iter().enumerate() {
                    text.push_str(if at == 0 { "" } else { "," });
                    item.write(part, text);
                }
                text.push(']');
            }
            (Self::Struct(fields), Part::Struct(parts)) => {
                text.push('{');
                for (at, ((name, shape), part)) in fields.iter().zip(parts).enumerate() {
                    text.push_str(if at == 0 { "\"" } else { ",\"" });
                    // Names are those of our own columns, which need no escapes.
                    text.push_str(name);
                    text.push_str("\":");
                    shape.write(part, text);
                }
                text.push('}');
            }
            // Parts come from a form, so that only what is missing is left.
            _ => text.push_str("null"),
        }
    }
}

/// Reads a value of a form.
struct PartOf<'a>(&'a Shape);

impl<'de> DeserializeSeed<'de> for PartOf<'_> {
    type Value = Part;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Part, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for PartOf<'_> {
    type Value = Part;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }

    fn visit_unit<E>(self) -> Result<Part, E> {
        Ok(Part::Null)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Part, E> {
        match self.0 {
            Shape::Text => Ok(Part::Text(text.to_owned())),
            _ => Err(E::invalid_type(Unexpected::Str(text), &self)),
        }
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Part, E> {
        match self.0 {
            Shape::Integer => Ok(Part::Integer(number)),
            Shape::Number => Ok(Part::Number(number as f64)),
            _ => Err(E::invalid_type(Unexpected::Signed(number), &self)),
        }
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Part, E> {
        match i64::try_from(number) {
            Ok(number) => self.visit_i64(number),
            Err(_) => self.visit_f64(number as f64),
        }
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Part, E> {
        match self.0 {
            Shape::Number => Ok(Part::Number(number)),
            _ => Err(E::invalid_type(Unexpected::Float(number), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Part, A::Error> {
        let Shape::List(item) = self.0 else { return Err(A::Error::invalid_type(Unexpected::Seq, &self)) };
        let mut parts = Vec::new();
        while let Some(part) = items.next_element_seed(PartOf(item))? {
            parts.push(part);
        }
        Ok(Part::List(parts))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Part, A::Error> {
        let Shape::Struct(fields) = self.0 else { return Err(A::Error::invalid_type(Unexpected::Map, &self)) };
        let mut parts = vec![Part::Null; fields.len()];
        // Text is written in the order of its type, and the form is sorted by name.
        while let Some((part, shape)) = entries
            .next_key_seed(FieldOf(self.0, fields))?
            .and_then(|at| Some((parts.get_mut(at)?, &fields.get(at)?.1)))
        {
            *part = entries.next_value_seed(PartOf(shape))?;
        }
        Ok(Part::Struct(parts))
    }
}

/// Reads a key as its place in a form.
struct FieldOf<'a>(&'a Shape, &'a [(&'static str, Shape)]);

impl<'de> DeserializeSeed<'de> for FieldOf<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for FieldOf<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a key of {}", self.0)
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<usize, E> {
        let place = self.1.iter().position(|(name, _)| *name == key);
        // A key that the form does not know would be in some formats and not in others.
        place.ok_or_else(|| E::custom(format_args!("the key {key:?} has no place in {}", self.0)))
    }
}

impl Part {
    /// About how many bytes it takes in memory.
    pub fn size(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Text(text) => text.len(),
                Self::List(parts) | Self::Struct(parts) => parts.iter().map(Self::size).sum(),
                Self::Null | Self::Integer(_) | Self::Number(_) => 0,
            }
    }
}

/// A number as all formats have it: without a point where it is whole.
fn number_of(number: f64) -> Value {
    /// Beyond it not every whole number is exact.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() < EXACT { Value::from(number as i64) } else { Value::from(number) }
}

/// As the data dictionary says it.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("text"),
            Self::Integer => f.write_str("integer"),
            Self::Number => f.write_str("number"),
            Self::List(item) => write!(f, "list of {item}"),
            Self::Struct(fields) => {
                f.write_str("struct (")?;
                for (at, (name, shape)) in fields.iter().enumerate() {
                    write!(f, "{}{name} {shape}", if at == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const PLACES: Shape = Shape::List(&Shape::Struct(&[("line", Shape::Integer), ("share", Shape::Number)]));

    #[test]
    fn an_object_has_all_its_keys_and_numbers_have_one_text() {
        let conformed = PLACES.conform(json!([{ "share": 1.0 }, { "line": 2, "share": 0.25 }])).expect("conforms");
        for text in [r#"[{"share":1.0},{"line":2,"share":0.25}]"#, r#"[{"share":1},{"share":0.25,"line":2}]"#] {
            assert_eq!(PLACES.parse(text).expect("parses"), conformed);
        }
        let text = PLACES.text(&conformed);
        assert_eq!(text, r#"[{"line":null,"share":1},{"line":2,"share":0.25}]"#);
        assert_eq!(PLACES.conform(serde_json::from_str(&text).expect("JSON")).expect("conforms"), conformed);
    }

    #[test]
    fn text_is_written_as_json_has_it() {
        let shape = Shape::List(&Shape::Text);
        let texts = json!(["a \"b\"\n\u{1}\u{2028}", "", null]);
        assert_eq!(shape.text(&shape.conform(texts.clone()).expect("conforms")), texts.to_string());
    }

    #[test]
    fn what_has_no_place_in_it_is_an_error_that_names_it() {
        for (wrong, named) in [
            (json!([{ "lines": 1 }]), "\"lines\""),
            (json!([{ "line": "1" }]), "\"line\""),
            (json!([{ "line": 1.5 }]), "1.5"),
            (json!({}), "list of struct (line integer, share number)"),
        ] {
            let error = PLACES.conform(wrong.clone()).expect_err("refused");
            assert!(format!("{error:#}").contains(named), "{wrong}: {error:#}");
            PLACES.parse(&wrong.to_string()).expect_err("refused as text too");
        }
    }
}
