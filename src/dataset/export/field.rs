//! `Field`: a Rust type that a column of the dataset can have, and the cell that a value of it becomes.
//!
//! Tables play no part here.

use std::marker::PhantomData;
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
use super::records::Shaped;
use super::table::ColumnType;

/// A value that stands in one column. The type decides the column's type, so that the two cannot disagree.
pub trait Field {
    /// The type of the column.
    const KIND: ColumnType;
    /// True where a value may be missing.
    const IS_NULLABLE: bool = false;

    /// The cell of a value.
    ///
    /// # Errors
    /// When a value cannot be written as JSON.
    fn into_cell(self) -> anyhow::Result<Cell>;
}

/// A value that may be missing: null in the dataset.
impl<T: Field> Field for Option<T> {
    const KIND: ColumnType = T::KIND;
    const IS_NULLABLE: bool = true;

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
    Digest => |digest| Cell::text(digest.hex());
    CapabilityId => |CapabilityId(digest)| Cell::text(digest.hex());
    &ListingKey => |key| Cell::text(key.to_string());
    ListingKey => |key| Cell::text(key.to_string());
    RuleId => |rule| Cell::text(rule.as_str());
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
    drift::HostDeed => |does| Cell::text(does.as_str());
    drift::PermissionKind => |kind| Cell::text(kind.as_str());
    drift::VersionChange => |moved| Cell::text(moved.as_str());
    typosquat::TyposquatKind => |kind| Cell::text(kind.as_str());
    typosquat::Space => |space| Cell::text(space.as_str());
}

fields! { Boolean:
    bool => |is_so| Cell::Boolean(is_so);
}

fields! { Timestamp:
    AsOf => |AsOf(instant)| Cell::Timestamp(instant);
    Timestamp => |instant| Cell::Timestamp(instant);
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

/// Lists and objects of one form: lists and structs where a format has them.
pub struct Nested<T>(pub T);

impl<T: Serialize + Shaped> Field for Nested<T> {
    const KIND: ColumnType = ColumnType::Nested(&T::SHAPE);

    fn into_cell(self) -> anyhow::Result<Cell> {
        Cell::nested(&T::SHAPE, serde_json::to_value(self.0)?)
    }
}

/// The cell of a value of the form of `R`, made once for many rows or out of text that is stored.
pub struct NestedCell<R: ?Sized>(Cell, PhantomData<fn(&R)>);

impl<R: Shaped + ?Sized> NestedCell<R> {
    /// The cell of a value.
    ///
    /// # Errors
    /// When the value has another form.
    pub fn of(value: &(impl Serialize + ?Sized)) -> anyhow::Result<Self> {
        Ok(Self(Cell::nested(&R::SHAPE, serde_json::to_value(value)?)?, PhantomData))
    }

    /// The cell of JSON text.
    ///
    /// # Errors
    /// When it is none, or has another form.
    pub fn of_text(text: &str) -> anyhow::Result<Self> {
        Ok(Self(Cell::of_part(&R::SHAPE, R::SHAPE.parse(text)?), PhantomData))
    }
}

impl<R: ?Sized> Clone for NestedCell<R> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

impl<R: Shaped + ?Sized> Field for NestedCell<R> {
    const KIND: ColumnType = ColumnType::Nested(&R::SHAPE);

    fn into_cell(self) -> anyhow::Result<Cell> {
        Ok(self.0)
    }
}

/// JSON of no one form, with the keys of each object in alphabetical order.
pub struct AsSortedJson<T>(pub T);

impl<T: Serialize> Field for AsSortedJson<T> {
    const KIND: ColumnType = ColumnType::Json;

    fn into_cell(self) -> anyhow::Result<Cell> {
        // A `Value` keeps its objects sorted.
        Ok(Cell::Json(serde_json::to_value(self.0)?.to_string().into()))
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
        assert_eq!(cell(false).to_string(), "false");
    }

    #[test]
    fn an_id_is_hex_without_a_prefix() {
        let digest = Digest::of(b"a");
        assert_eq!(cell(CapabilityId(digest)).as_text(), digest.hex());
        assert_eq!(cell(digest).as_text(), digest.hex());
    }

    #[test]
    fn json_has_the_order_of_the_alphabet() {
        assert_eq!(cell(Nested(vec!["b", "a"])).as_text(), r#"["b","a"]"#);
        assert_eq!(cell(AsSortedJson(Unsorted { later: 1, earlier: 2 })).as_text(), r#"{"earlier":2,"later":1}"#);
        assert_eq!(cell(JsonText("[1]")).as_text(), "[1]");
    }
}
