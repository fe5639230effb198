//! Schemas that libraries build by calls: zod and its like, TypeBox.

use serde_json::{Map, Value as Json, json};

use super::Program;
use super::value::{Given, Value};
use crate::code::literal::{object_schema, optional};
use crate::code::zod::{constructed, modified};

/// The most values of one schema.
pub(super) const MAX_SCHEMA: usize = 50_000;

/// The functions that make a schema, as far as another library's function of that name is unlikely.
const CONSTRUCTORS: [&str; 30] = [
    "string",
    "number",
    "boolean",
    "object",
    "array",
    "enum",
    "nativeEnum",
    "literal",
    "union",
    "record",
    "any",
    "unknown",
    "optional",
    "nullable",
    "tuple",
    "discriminatedUnion",
    "int",
    "date",
    "strictObject",
    "looseObject",
    "intersection",
    "preprocess",
    "lazy",
    "custom",
    "null",
    "bigint",
    "email",
    "url",
    "uuid",
    "undefined",
];

impl Program<'_> {
    /// The schema that a method of a schema library gives; none where the receiver is no schema and no such library.
    pub(super) fn zod(&self, receiver: &Value, method: &str, given: &Given) -> Option<Value> {
        let mut whole = true;
        let mut argument = |at: usize| {
            let value = given.positional.get(at)?;
            let mut left = MAX_SCHEMA;
            let json = value.to_json(&mut left);
            // A function (a check, a default) is no part of the schema's text.
            whole &= json.as_ref().map_or(matches!(value, Value::Function(_)), |(_, told)| *told);
            json.map(|(json, _)| json)
        };
        let schema = match receiver {
            Value::Schema(inner) => {
                let schema = modified(inner.schema.clone(), method, &mut argument)?;
                whole &= inner.whole;
                schema
            }
            _ if is_typebox(receiver) => typebox(method, &mut argument)?,
            _ if CONSTRUCTORS.contains(&method) && is_library(receiver) => constructed(method, &mut argument)?,
            _ => return None,
        };
        Some(Value::schema(schema, whole))
    }
}

fn is_library(receiver: &Value) -> bool {
    match receiver {
        Value::Outside(path) => {
            !matches!(&**path, "Object" | "Array" | "Math" | "JSON" | "faker" | "Promise" | "Reflect")
        }
        Value::Unknown | Value::Made(_) => true,
        // A library inside a bundle: the object or module of its functions.
        Value::Map(map) => map.entries.contains_key("object") && map.entries.contains_key("string"),
        Value::Module(_) => true,
        _ => false,
    }
}

fn is_typebox(receiver: &Value) -> bool {
    matches!(receiver, Value::Outside(path) if path.rsplit('.').next() == Some("Type") || path.contains("typebox"))
}

fn typebox(method: &str, argument: crate::code::zod::Arguments<'_>) -> Option<Json> {
    let with = |mut schema: Json, options: Option<Json>| {
        if let (Some(map), Some(Json::Object(options))) = (schema.as_object_mut(), options) {
            map.extend(options);
        }
        schema
    };
    Some(match method {
        "String" | "Number" | "Integer" | "Boolean" | "Null" => {
            with(json!({ "type": method.to_ascii_lowercase() }), argument(0))
        }
        "Any" | "Unknown" => with(json!({}), argument(0)),
        "Object" => {
            let properties = match argument(0) {
                Some(Json::Object(map)) => map,
                _ => Map::new(),
            };
            with(object_schema(properties), argument(1))
        }
        "Array" => with(json!({ "type": "array", "items": argument(0) }), argument(1)),
        "Optional" => optional(argument(0)?),
        "Literal" => with(json!({ "const": argument(0)? }), argument(1)),
        "Union" => with(json!({ "anyOf": argument(0)? }), argument(1)),
        "Enum" => with(json!({ "enum": argument(0)? }), argument(1)),
        "Record" => with(json!({ "type": "object" }), argument(2)),
        _ => return None,
    })
}
