//! Lists and structs as arrays of Arrow, and back.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array as _, ArrayRef, Float64Array, Int64Array, ListArray, StringArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields};

use super::shape::{Part, Shape};

/// The type of a column of this form.
pub(super) fn data_type(shape: &Shape) -> DataType {
    match shape {
        Shape::Text => DataType::Utf8,
        Shape::Integer => DataType::Int64,
        Shape::Number => DataType::Float64,
        Shape::List(item) => DataType::List(element(item)),
        Shape::Struct(fields) => DataType::Struct(fields_of(fields)),
    }
}

/// The field of a list's values, under the name that the specification of Parquet gives it.
fn element(item: &Shape) -> FieldRef {
    Arc::new(Field::new("element", data_type(item), true))
}

fn fields_of(fields: &[(&str, Shape)]) -> Fields {
    fields.iter().map(|(name, shape)| Field::new(*name, data_type(shape), true)).collect()
}

/// An array of values of one form, null where a value is nothing or has another form.
pub(super) fn array(shape: &Shape, parts: &[&Part]) -> anyhow::Result<ArrayRef> {
    Ok(match shape {
        Shape::Text => Arc::new(parts.iter().map(|part| text(part)).collect::<StringArray>()),
        Shape::Integer => Arc::new(parts.iter().map(|part| integer(part)).collect::<Int64Array>()),
        Shape::Number => Arc::new(parts.iter().map(|part| number(part)).collect::<Float64Array>()),
        Shape::List(item) => {
            let lists = || parts.iter().map(|part| list(part));
            let flat: Vec<&Part> = lists().flatten().flatten().collect();
            let offsets = OffsetBuffer::from_lengths(lists().map(|list| list.map_or(0, <[Part]>::len)));
            let nulls = NullBuffer::from_iter(lists().map(|list| list.is_some()));
            Arc::new(ListArray::try_new(element(item), offsets, array(item, &flat)?, Some(nulls))?)
        }
        Shape::Struct(fields) => {
            let column = |(at, (_, shape)): (usize, &(&str, Shape))| {
                let mut of_field = Vec::with_capacity(parts.len());
                for whole in parts {
                    of_field.push(fields_in(whole).and_then(|parts| parts.get(at)).unwrap_or(&Part::Null));
                }
                array(shape, &of_field)
            };
            let columns = fields.iter().enumerate().map(column).collect::<anyhow::Result<_>>()?;
            let nulls = NullBuffer::from_iter(parts.iter().map(|part| fields_in(part).is_some()));
            Arc::new(StructArray::try_new(fields_of(fields), columns, Some(nulls))?)
        }
    })
}

fn text(part: &Part) -> Option<&str> {
    match part {
        Part::Text(text) => Some(text),
        _ => None,
    }
}

fn integer(part: &Part) -> Option<i64> {
    match part {
        Part::Integer(number) => Some(*number),
        _ => None,
    }
}

fn number(part: &Part) -> Option<f64> {
    match part {
        Part::Number(number) => Some(*number),
        _ => None,
    }
}

fn list(part: &Part) -> Option<&[Part]> {
    match part {
        Part::List(parts) => Some(parts),
        _ => None,
    }
}

fn fields_in(part: &Part) -> Option<&[Part]> {
    match part {
        Part::Struct(parts) => Some(parts),
        _ => None,
    }
}

/// The value at a place; none where the array is of another form.
pub(super) fn part(shape: &Shape, array: &ArrayRef, at: usize) -> Option<Part> {
    if array.is_null(at) {
        return Some(Part::Null);
    }
    Some(match shape {
        Shape::Text => Part::Text(array.as_string_opt::<i32>()?.value(at).to_owned()),
        Shape::Integer => Part::Integer(array.as_primitive_opt::<Int64Type>()?.value(at)),
        Shape::Number => Part::Number(array.as_primitive_opt::<Float64Type>()?.value(at)),
        Shape::List(item) => {
            let items = array.as_list_opt::<i32>()?.value(at);
            Part::List((0..items.len()).map(|at| part(item, &items, at)).collect::<Option<_>>()?)
        }
        Shape::Struct(fields) => {
            let parts = array.as_struct_opt()?;
            let field = |(name, shape): &(&str, Shape)| part(shape, parts.column_by_name(name)?, at);
            Part::Struct(fields.iter().map(field).collect::<Option<_>>()?)
        }
    })
}
