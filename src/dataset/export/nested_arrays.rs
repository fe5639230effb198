//! Lists and structs as arrays of Arrow, and back.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array as _, ArrayRef, Float64Array, Int64Array, ListArray, StringArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use serde_json::Value;

use super::shape::{Shape, number_of};

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

/// An array of values of one form, null where a value is null or has another form.
pub(super) fn array(shape: &Shape, values: &[&Value]) -> anyhow::Result<ArrayRef> {
    Ok(match shape {
        Shape::Text => Arc::new(values.iter().map(|value| value.as_str()).collect::<StringArray>()),
        Shape::Integer => Arc::new(values.iter().map(|value| value.as_i64()).collect::<Int64Array>()),
        Shape::Number => Arc::new(values.iter().map(|value| value.as_f64()).collect::<Float64Array>()),
        Shape::List(item) => {
            let lists = || values.iter().map(|value| value.as_array());
            let flat: Vec<&Value> = lists().flatten().flatten().collect();
            let offsets = OffsetBuffer::from_lengths(lists().map(|list| list.map_or(0, Vec::len)));
            let nulls = NullBuffer::from_iter(lists().map(|list| list.is_some()));
            Arc::new(ListArray::try_new(element(item), offsets, array(item, &flat)?, Some(nulls))?)
        }
        Shape::Struct(fields) => {
            let column = |(name, shape): &(&str, Shape)| {
                let part: Vec<&Value> = values.iter().map(|value| value.get(name).unwrap_or(&Value::Null)).collect();
                array(shape, &part)
            };
            let columns = fields.iter().map(column).collect::<anyhow::Result<_>>()?;
            let nulls = NullBuffer::from_iter(values.iter().map(|value| value.is_object()));
            Arc::new(StructArray::try_new(fields_of(fields), columns, Some(nulls))?)
        }
    })
}

/// The value at a place; none where the array is of another form.
pub(super) fn value(shape: &Shape, array: &ArrayRef, at: usize) -> Option<Value> {
    if array.is_null(at) {
        return Some(Value::Null);
    }
    Some(match shape {
        Shape::Text => Value::from(array.as_string_opt::<i32>()?.value(at)),
        Shape::Integer => Value::from(array.as_primitive_opt::<Int64Type>()?.value(at)),
        Shape::Number => number_of(array.as_primitive_opt::<Float64Type>()?.value(at)),
        Shape::List(item) => {
            let items = array.as_list_opt::<i32>()?.value(at);
            Value::Array((0..items.len()).map(|at| value(item, &items, at)).collect::<Option<_>>()?)
        }
        Shape::Struct(fields) => {
            let parts = array.as_struct_opt()?;
            let field = |(name, shape): &(&str, Shape)| {
                Some(((*name).to_owned(), value(shape, parts.column_by_name(name)?, at)?))
            };
            Value::Object(fields.iter().map(field).collect::<Option<_>>()?)
        }
    })
}
