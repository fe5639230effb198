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

impl Shape {
    /// The value with every key of every object, and with numbers as all formats have them.
    ///
    /// # Errors
    /// A value of another form: it would be lost in one of the formats.
    pub fn conform(&self, value: Value) -> anyhow::Result<Value> {
        Ok(match (self, value) {
            (_, Value::Null) => Value::Null,
            (Self::Text, text @ Value::String(_)) => text,
            (Self::Integer, Value::Number(number)) => {
                Value::from(number.as_i64().with_context(|| format!("{number} is no whole number"))?)
            }
            (Self::Number, Value::Number(number)) => {
                number_of(number.as_f64().with_context(|| format!("{number} is no number"))?)
            }
            (Self::List(item), Value::Array(values)) => {
                Value::Array(values.into_iter().map(|value| item.conform(value)).collect::<anyhow::Result<_>>()?)
            }
            (Self::Struct(fields), Value::Object(mut object)) => {
                let field = |(name, shape): &(&str, Self)| {
                    let value = object.remove(*name).unwrap_or(Value::Null);
                    Ok(((*name).to_owned(), shape.conform(value).with_context(|| format!("in {name:?}"))?))
                };
                let conformed = fields.iter().map(field).collect::<anyhow::Result<Map<String, Value>>>()?;
                // A key that the shape does not know would be in some formats and not in others.
                if let Some(name) = object.keys().next() {
                    bail!("the key {name:?} has no place in {self}");
                }
                Value::Object(conformed)
            }
            (_, value) => bail!("{value} is no {self}"),
        })
    }
}

/// A number as all formats have it: without a point where it is whole.
pub fn number_of(number: f64) -> Value {
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
        assert_eq!(conformed.to_string(), r#"[{"line":null,"share":1},{"line":2,"share":0.25}]"#);
        assert_eq!(PLACES.conform(conformed.clone()).expect("conforms"), conformed);
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
