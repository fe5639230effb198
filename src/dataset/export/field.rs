//! `Field`: a Rust type that a column of the dataset can have, and the cell that a value of it becomes.
//!
//! Tables play no part here.

use std::sync::Arc;

use capdex_corpus::identity::EventKind;
use capdex_corpus::{clone, collision, drift, typosquat};
use capdex_db::ListingState;
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::{Confidence, Outcome, Severity};
use capdex_model::ids::{CapabilityId, ListingKey, RuleId};
use capdex_model::points::Points;
use capdex_model::score::{Band, Coverage};
use capdex_model::snapshot::{Completeness, GapReason};
use capdex_model::surface::SurfaceRecordKind;
use capdex_model::time::{AsOf, Timestamp};
use serde::Serialize;
use serde_json::Value;

use super::cell::Cell;
use super::table::ColumnType;

/// A value that stands in one column. The type decides the column's type, so that the two cannot disagree.
pub trait Field {
    /// The type of the column.
    const KIND: ColumnType;

    /// The cell of a value.
    ///
    /// # Errors
    /// When a value cannot be written as JSON.
    fn into_cell(self) -> anyhow::Result<Cell>;
}

/// A value that may be missing: null in the dataset.
impl<T: Field> Field for Option<T> {
    const KIND: ColumnType = T::KIND;

    fn into_cell(self) -> anyhow::Result<Cell> {
        // A missing value is null in every format, whatever its type.
        self.map_or(Ok(Cell::Null), Field::into_cell)
    }
}

/// Implements [`Field`] for types whose cell is one expression.
macro_rules! fields {
    ($kind:ident: $($type:ty => |$value:pat_param| $cell:expr;)+) => {
        $(impl Field for $type {
            const KIND: ColumnType = ColumnType::$kind;

            fn into_cell(self) -> anyhow::Result<Cell> {
                let $value = self;
                Ok($cell)
            }
        })+
    };
}

fields! { Text:
    &str => |text| Cell::text(text);
    String => |text| Cell::text(text);
    Arc<str> => |text| Cell::Text(text);
    bool => |is_so| Cell::text(if is_so { "yes" } else { "no" });
    Digest => |digest| Cell::text(digest.hex());
    CapabilityId => |CapabilityId(digest)| Cell::text(digest.hex());
    &ListingKey => |key| Cell::text(key.to_string());
    ListingKey => |key| Cell::text(key.to_string());
    RuleId => |rule| Cell::text(rule.as_str());
    AsOf => |instant| Cell::text(instant.to_string());
    Timestamp => |instant| Cell::text(instant.to_string());
    Kind => |kind| Cell::text(kind.as_str());
    Severity => |severity| Cell::text(severity.as_str());
    Confidence => |confidence| Cell::text(confidence.as_str());
    Band => |band| Cell::text(band.as_str());
    &Completeness => |completeness| Cell::text(completeness.as_str());
    GapReason => |reason| Cell::text(reason.as_str());
    SurfaceRecordKind => |kind| Cell::text(kind.as_str());
    ListingState => |state| Cell::text(state.as_str());
    EventKind => |kind| Cell::text(kind.as_str());
    clone::OrderBasis => |basis| Cell::text(basis.as_str());
    collision::CollisionClass => |class| Cell::text(class.as_str());
    drift::DriftClass => |class| Cell::text(class.as_str());
    drift::DriftKind => |kind| Cell::text(kind.as_str());
    drift::VersionChange => |moved| Cell::text(moved.as_str());
    typosquat::TyposquatKind => |kind| Cell::text(kind.as_str());
    typosquat::Space => |space| Cell::text(space.as_str());
}

fields! { Integer:
    i64 => |number| Cell::Integer(number);
    u64 => |count| Cell::count(count);
    u32 => |number| Cell::Integer(number.into());
    usize => |count| Cell::count(count as u64);
}

fields! { Number:
    f64 => |number| Cell::Number(number);
    Points => |points| Cell::Number(points.as_f64());
    Coverage => |share| Cell::share(share);
}

/// A rule's outcome has no word of its own: it is stored as serde names it.
impl Field for Outcome {
    const KIND: ColumnType = ColumnType::Text;

    fn into_cell(self) -> anyhow::Result<Cell> {
        match serde_json::to_value(self)? {
            // Only unit variants exist, which serde writes as words; anything else would be a new kind of outcome.
            Value::String(word) => Ok(Cell::text(word)),
            other => anyhow::bail!("an outcome is written as {other}"),
        }
    }
}

/// JSON with the keys of each object in the order of the type's fields.
pub struct AsJson<T>(pub T);

impl<T: Serialize> Field for AsJson<T> {
    const KIND: ColumnType = ColumnType::Json;

    fn into_cell(self) -> anyhow::Result<Cell> {
        Cell::json(&self.0)
    }
}

/// JSON with the keys of each object in alphabetical order.
pub struct AsSortedJson<T>(pub T);

impl<T: Serialize> Field for AsSortedJson<T> {
    const KIND: ColumnType = ColumnType::Json;

    fn into_cell(self) -> anyhow::Result<Cell> {
        // A `Value` keeps its objects sorted.
        Cell::json(&serde_json::to_value(self.0)?)
    }
}

/// Text that is JSON already.
pub struct JsonText<T>(pub T);

impl<T: Into<Arc<str>>> Field for JsonText<T> {
    const KIND: ColumnType = ColumnType::Json;

    fn into_cell(self) -> anyhow::Result<Cell> {
        Ok(Cell::Json(self.0.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(value: impl Field) -> Cell {
        value.into_cell().expect("a cell")
    }

    #[derive(Serialize)]
    struct Unsorted {
        later: u8,
        earlier: u8,
    }

    #[test]
    fn a_missing_value_is_null_and_keeps_the_type_of_the_column() {
        assert!(matches!(cell(None::<Digest>), Cell::Null));
        assert_eq!(<Option<Points>>::KIND, ColumnType::Number);
        assert_eq!(cell(Some(7_u64)).as_integer(), Some(7));
    }

    #[test]
    fn words_are_those_that_serde_writes() {
        for kind in Kind::ALL {
            assert_eq!(cell(kind).as_text(), serde_json::to_value(kind).expect("JSON"));
        }
        for severity in Severity::ALL {
            assert_eq!(cell(severity).as_text(), serde_json::to_value(severity).expect("JSON"));
        }
        assert_eq!(cell(Outcome::NotApplicable).as_text(), "not_applicable");
        assert_eq!(cell(false).as_text(), "no");
    }

    #[test]
    fn an_id_is_hex_without_a_prefix() {
        let digest = Digest::of(b"a");
        assert_eq!(cell(CapabilityId(digest)).as_text(), digest.hex());
        assert_eq!(cell(digest).as_text(), digest.hex());
    }

    #[test]
    fn json_has_the_order_of_the_type_or_of_the_alphabet() {
        assert_eq!(cell(AsJson(Unsorted { later: 1, earlier: 2 })).as_text(), r#"{"later":1,"earlier":2}"#);
        assert_eq!(cell(AsSortedJson(Unsorted { later: 1, earlier: 2 })).as_text(), r#"{"earlier":2,"later":1}"#);
        assert_eq!(cell(JsonText("[1]")).as_text(), "[1]");
    }
}
