//! One value of the dataset, as every format writes it and reads it back.
//!
//! Tables play no part here: a cell is the same in each of them.

use std::fmt;
use std::sync::Arc;

use anyhow::Context as _;
use capdex_model::score::Coverage;
use serde::Serialize;

/// One value. Text that several rows share, such as a slug, is kept once.
#[derive(Clone, Debug)]
pub enum Cell {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// A number with at most three decimals.
    Number(f64),
    /// Text.
    Text(Arc<str>),
    /// JSON, as it is written: cells are compared by this text.
    Json(Arc<str>),
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

    /// The JSON of a value.
    ///
    /// # Errors
    /// When the value cannot be written as JSON.
    pub fn json<T: Serialize + ?Sized>(value: &T) -> anyhow::Result<Self> {
        Ok(Self::Json(Arc::from(serde_json::to_string(value).context("a value is no JSON")?)))
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

    /// The text of a text or JSON cell; empty for all others.
    pub fn as_text(&self) -> &str {
        match self {
            Self::Text(text) | Self::Json(text) => text,
            _ => "",
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
            // By bits, because verification asks for the same number and not for a near one.
            (Self::Number(one), Self::Number(other)) => one.to_bits() == other.to_bits(),
            (Self::Text(one), Self::Text(other)) | (Self::Json(one), Self::Json(other)) => one == other,
            // CSV cannot tell null from an empty text, and formats are compared with one another.
            _ => self.is_empty() && other.is_empty(),
        }
    }
}

/// The value as CSV has it and, but for text, JSON: whole numbers without a point, others with no more digits than they need.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) | Self::Json(text) => f.write_str(text),
        }
    }
}
