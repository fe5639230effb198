//! `Claim`: a value that a source states, states to be absent, or does not speak of.

use serde::{Deserialize, Serialize};

/// A value that a source may state, may state to be absent, or may not speak of at all.
///
/// A registry proxy that strips a field gives [`Claim::Unknown`], never [`Claim::Absent`].
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim<T> {
    /// The source states this value.
    Known(T),
    /// The source has a place for the value and leaves it empty.
    Absent,
    /// The source says nothing either way.
    #[default]
    Unknown,
}

impl<T> Claim<T> {
    /// The value, where it is known.
    pub const fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Absent | Self::Unknown => None,
        }
    }

    /// True where the source says nothing either way.
    pub const fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// `Known` for a value, `Absent` for none: for fields whose absence the source itself asserts.
    pub fn known_or_absent(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Self::Known)
    }
}
