//! One value of the dataset, as every format writes it and reads it back.
//!
//! Tables play no part here: a cell is the same in each of them.

use std::fmt;
use std::sync::{Arc, OnceLock};

use capdex_model::score::Coverage;
use capdex_model::time::Timestamp;
use serde_json::Value;

use super::shape::{Part, Shape};

/// One value. Text that several rows share, such as a slug, is kept once.
#[derive(Clone, Debug)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number with at most three decimals.
    Number(f64),
    /// Yes or no.
    Boolean(bool),
    /// An instant.
    Timestamp(Timestamp),
    /// Text.
    Text(Arc<str>),
    /// JSON as it is written: cells are compared by this text.
    Json(Arc<str>),
    /// A list or struct of one form.
    Nested(Arc<NestedValue>),
}

/// A list or struct with its form, from which the one text follows that it has.
#[derive(Debug)]
pub struct NestedValue {
    shape: &'static Shape,
    /// The value.
    pub part: Part,
    /// Written once, and only where somebody asks: Parquet needs none.
    text: OnceLock<Box<str>>,
}

impl NestedValue {
    /// Its text.
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| self.shape.text(&self.part).into())
    }
}

/// One row: a value for each column, null where there is none.
pub type Row = Vec<Cell>;

impl Cell {
    /// Text.
    pub fn text(text: impl AsRef<str>) -> Self {
        Self::Text(Arc::from(text.as_ref()))
    }

    /// Text, or nothing.
    pub fn text_or_null(text: Option<impl AsRef<str>>) -> Self {
        text.map_or(Self::Null, Self::text)
    }

    /// A value of one form.
    ///
    /// # Errors
    /// When it has another form.
    pub fn nested(shape: &'static Shape, value: Value) -> anyhow::Result<Self> {
        Ok(Self::of_part(shape, shape.conform(value)?))
    }

    /// A value of one form.
    pub fn of_part(shape: &'static Shape, part: Part) -> Self {
        match part {
            Part::Null => Self::Null,
            part => Self::Nested(Arc::new(NestedValue { shape, part, text: OnceLock::new() })),
        }
    }

    /// Text as the JSON that it is.
    #[must_use]
    pub fn into_json(self) -> Self {
        match self {
            Self::Text(text) => Self::Json(text),
            other => other,
        }
    }

    /// A count.
    pub fn count(count: u64) -> Self {
        // Counts beyond the signed range cannot be written by every format, and null is honest.
        i64::try_from(count).map_or(Self::Null, Self::Integer)
    }

    /// A share between 0 and 1.
    pub fn share(share: Coverage) -> Self {
        // Thousandths are exact in text: 0.333 is written and read back as the same number.
        Self::Number(f64::from(share.as_thousandths()) / 1000.0)
    }

    /// The text of a text, a JSON cell, a list or a struct; empty for all others.
    pub fn as_text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Json(text) => text,
            Self::Nested(nested) => nested.text(),
            _ => "",
        }
    }

    /// About how many bytes it takes in memory beside the cell itself.
    pub fn size(&self) -> usize {
        match self {
            Self::Text(text) | Self::Json(text) => text.len(),
            Self::Nested(nested) => nested.part.size(),
            _ => 0,
        }
    }

    /// A whole number, where it is one.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// A number with decimals, where it is one.
    pub const fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Yes or no, where it is one.
    pub const fn as_boolean(&self) -> Option<bool> {
        match self {
            Self::Boolean(is_so) => Some(*is_so),
            _ => None,
        }
    }

    /// An instant, where it is one.
    pub const fn as_timestamp(&self) -> Option<Timestamp> {
        match self {
            Self::Timestamp(instant) => Some(*instant),
            _ => None,
        }
    }

    /// The texts of a list of texts; none where it is no such list.
    pub fn as_texts(&self) -> Vec<String> {
        serde_json::from_str(self.as_text()).unwrap_or_default()
    }

    /// True where it says nothing: no value, or a text without a letter, which CSV cannot tell apart.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Null) || matches!(self, Self::Text(text) if text.is_empty())
    }
}

/// Nothing and the empty text are one.
impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Integer(one), Self::Integer(other)) => one == other,
            (Self::Boolean(one), Self::Boolean(other)) => one == other,
            (Self::Timestamp(one), Self::Timestamp(other)) => one == other,
            // By bits, because verification asks for the same number and not for a near one.
            (Self::Number(one), Self::Number(other)) => one.to_bits() == other.to_bits(),
            (Self::Text(one), Self::Text(other)) | (Self::Json(one), Self::Json(other)) => one == other,
            (Self::Nested(one), Self::Nested(other)) => one.part == other.part,
            // Formats that have no lists and structs keep their text.
            (Self::Nested(_), Self::Json(_)) | (Self::Json(_), Self::Nested(_)) => self.as_text() == other.as_text(),
            // CSV cannot tell null from an empty text, and formats are compared with one another.
            _ => self.is_empty() && other.is_empty(),
        }
    }
}

/// The value as CSV has it and, but for texts and instants, JSON: whole numbers without a point, others with no more digits than
/// they need, instants as RFC 3339 has them.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Boolean(is_so) => write!(f, "{is_so}"),
            Self::Timestamp(instant) => write!(f, "{instant}"),
            Self::Text(text) | Self::Json(text) => f.write_str(text),
            Self::Nested(nested) => f.write_str(nested.text()),
        }
    }
}
