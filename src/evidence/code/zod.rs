//! Zod: turning a chain such as `z.string().describe("…").optional()` into the JSON Schema that it stands for.
//!
//! Best effort: the type, description, default, choices, properties and what is required. Goes by the names of the
//! methods, so that bundles with renamed variables read the same. Sources: zod's documented methods, versions 3 and 4.

use serde_json::{Map, Value, json};

use super::literal::{object_schema, optional, properties_of};

/// The arguments of a method by their place; none where one is not there or has no value.
pub(crate) type Arguments<'x> = &'x mut dyn FnMut(usize) -> Option<Value>;

/// The schema that a function of the library makes.
pub(crate) fn constructed(method: &str, argument: Arguments<'_>) -> Option<Value> {
    let plain = |name: &str| Some(json!({ "type": name }));
    match method {
        "string" | "email" | "uuid" | "url" | "iso" => plain("string"),
        "number" => plain("number"),
        "int" | "bigint" => plain("integer"),
        "boolean" => plain("boolean"),
        "null" => plain("null"),
        "date" => Some(json!({ "type": "string", "format": "date-time" })),
        // Nothing is known of these, and the empty schema allows anything.
        "any" | "unknown" | "custom" | "lazy" | "void" | "undefined" | "never" | "instanceof" => Some(json!({})),
        "object" | "strictObject" | "looseObject" => {
            let shape = argument(0);
            let properties = shape.and_then(|shape| shape.as_object().cloned()).unwrap_or_default();
            Some(object_schema(properties))
        }
        "array" | "set" => Some(json!({ "type": "array", "items": argument(0).unwrap_or(json!({})) })),
        "tuple" => Some(json!({ "type": "array", "prefixItems": argument(0).unwrap_or(json!([])) })),
        "record" | "map" => {
            // `z.record(value)` has one argument, `z.record(key, value)` two.
            let value = argument(1).or_else(|| argument(0));
            Some(json!({ "type": "object", "additionalProperties": value.unwrap_or(json!(true)) }))
        }
        "enum" | "nativeEnum" => {
            let choices = match argument(0)? {
                // A native enumeration is an object, whose values are the choices.
                Value::Object(map) => Value::Array(map.into_iter().map(|(_, value)| value).collect()),
                other => other,
            };
            Some(json!({ "type": "string", "enum": choices }))
        }
        "literal" => Some(json!({ "const": argument(0)? })),
        "union" => Some(json!({ "anyOf": argument(0).unwrap_or(json!([])) })),
        "discriminatedUnion" => Some(json!({ "anyOf": argument(1).unwrap_or(json!([])) })),
        "intersection" => {
            let both: Vec<Value> = (0..2).filter_map(argument).collect();
            Some(json!({ "allOf": both }))
        }
        "optional" | "nullish" => argument(0).map(optional),
        "nullable" => argument(0),
        // The first argument is the function that prepares the value.
        "preprocess" => argument(1),
        _ => None,
    }
}

/// The schema that a method makes of another.
pub(crate) fn modified(inner: Value, method: &str, argument: Arguments<'_>) -> Option<Value> {
    let mut schema = inner;
    match method {
        "describe" => insert(&mut schema, "description", argument(0)),
        "meta" | "openapi" => {
            let note = argument(0).and_then(|meta| meta.get("description").cloned());
            insert(&mut schema, "description", note);
        }
        "default" | "catch" | "prefault" => {
            insert(&mut schema, "default", argument(0));
            schema = optional(schema);
        }
        "optional" | "nullish" => schema = optional(schema),
        "int" => insert(&mut schema, "type", Some("integer".into())),
        "email" | "url" | "uuid" | "datetime" | "ip" => insert(&mut schema, "format", Some(method.into())),
        "array" => schema = json!({ "type": "array", "items": schema }),
        "or" => schema = json!({ "anyOf": [schema, argument(0).unwrap_or(json!({}))] }),
        "and" => schema = json!({ "allOf": [schema, argument(0).unwrap_or(json!({}))] }),
        "partial" | "deepPartial" => {
            if let Some(map) = schema.as_object_mut() {
                map.remove("required");
            }
        }
        "extend" | "merge" | "augment" | "safeExtend" => {
            let mut properties = properties_of(&schema).unwrap_or_default();
            if let Some(more) = argument(0) {
                let more = properties_of(&more).or_else(|| more.as_object().cloned()).unwrap_or_default();
                properties.extend(more);
            }
            schema = object_schema(properties);
        }
        "pick" | "omit" => schema = selected(&schema, method == "pick", argument(0)),
        _ => {}
    }
    Some(schema)
}

fn insert(schema: &mut Value, key: &str, value: Option<Value>) {
    if let (Some(map), Some(value)) = (schema.as_object_mut(), value) {
        map.insert(key.to_owned(), value);
    }
}

fn selected(schema: &Value, keep: bool, names: Option<Value>) -> Value {
    let names = names.and_then(|names| names.as_object().cloned()).unwrap_or_default();
    let properties: Map<String, Value> = properties_of(schema).unwrap_or_default();
    object_schema(properties.into_iter().filter(|(name, _)| names.contains_key(name) == keep).collect())
}
