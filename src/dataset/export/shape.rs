//! `Shape`: the form of the lists and objects in a column, and the one JSON text that a value of it has.
//!
//! JSON lines hold such a value as it is, CSV and SQLite hold its text, and Parquet holds lists and structs. So that all of them
//! give the same text back, objects have all their keys, in alphabetical order, and a missing value is null.

use std::fmt;

use anyhow::{Context as _, bail};
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
        }
    }
}
