//! Literals: putting together the pieces of text and values that two parsers find, within a budget.
//!
//! The readers of JavaScript and Python, of zod and of registered tools share them.

use serde_json::{Map, Value};

use super::Argument;

/// The most values that all constants of one file may hold together, so that constants that repeat each other stay
/// small.
pub(super) const MAX_VALUES: usize = 200_000;

/// The longest text put together from constants, in bytes.
const MAX_TEXT: usize = 1024 * 1024;

/// Marks the schema of an optional property until the schema around it is put together.
const OPTIONAL: &str = "\u{0}optional";

/// The remaining budget of a file.
#[derive(Clone)]
pub(super) struct Budget {
    left: usize,
    /// True where anything was refused.
    pub(super) exhausted: bool,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self { left: MAX_VALUES, exhausted: false }
    }

    /// Takes a value if the budget holds all of it.
    pub(super) fn take(&mut self, value: Value) -> Option<Value> {
        let cost = cost(&value);
        if cost > self.left {
            // Refused rather than cut, since half a value reads as another one; the file gets a gap.
            self.exhausted = true;
            return None;
        }
        self.left -= cost;
        Some(value)
    }
}

/// The number of values that a value holds, long text counting more.
fn cost(value: &Value) -> usize {
    let mut sum = 0;
    // A stack of its own, because values nest as deep as the source does.
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        sum += 1;
        match value {
            // Long text pays as well: a large constant that is used often would otherwise cost one value each time.
            Value::String(text) => sum += text.len() / 256,
            Value::Array(items) => work.extend(items),
            Value::Object(items) => work.extend(items.values()),
            _ => {}
        }
    }
    sum
}

/// Joins pieces: literal text as it is, anything else as `{}`. `None` where no piece holds text.
pub(super) fn join(pieces: &[Argument], between: &str) -> Option<Argument> {
    let mut text = String::new();
    let (mut open, mut literal) = (false, false);
    for (index, piece) in pieces.iter().enumerate() {
        if index > 0 {
            text.push_str(between);
        }
        match piece {
            Argument::Literal(part) => {
                text.push_str(part);
                literal = true;
            }
            Argument::Composed(part) => {
                text.push_str(part);
                literal = true;
                open = true;
            }
            _ => {
                text.push_str("{}");
                open = true;
            }
        }
        // Constants that contain each other grow with each join.
        if text.len() > MAX_TEXT {
            return Some(Argument::Other);
        }
    }
    match (open, literal) {
        // Without one literal piece nothing is known, and `{}{}` would look like text.
        (_, false) => None,
        (true, true) => Some(Argument::Composed(text)),
        (false, true) => Some(Argument::Literal(text)),
    }
}

/// Marks a schema as that of an optional property.
pub(crate) fn optional(mut schema: Value) -> Value {
    if let Value::Object(map) = &mut schema {
        map.insert(OPTIONAL.to_owned(), Value::Bool(true));
    }
    schema
}

/// The schema of an object with these properties; those that are not marked optional are required.
pub(crate) fn object_schema(properties: Map<String, Value>) -> Value {
    let mut required = Vec::new();
    let mut kept = Map::new();
    for (name, mut schema) in properties {
        // The mark is taken out again, so that rules are given plain JSON Schema.
        let marked = schema.as_object_mut().is_some_and(|map| map.remove(OPTIONAL).is_some());
        if !marked {
            required.push(Value::String(name.clone()));
        }
        kept.insert(name, schema);
    }
    let mut map = Map::new();
    map.insert("type".to_owned(), "object".into());
    map.insert("properties".to_owned(), Value::Object(kept));
    if !required.is_empty() {
        map.insert("required".to_owned(), Value::Array(required));
    }
    Value::Object(map)
}

/// The properties of an object's schema, those marked that are not required.
pub(crate) fn properties_of(schema: &Value) -> Option<Map<String, Value>> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|item| item.as_str() == Some(name)));
    let properties = schema.get("properties")?.as_object()?;
    let marked = |(name, value): (&String, &Value)| {
        let value = if is_required(name) { value.clone() } else { optional(value.clone()) };
        (name.clone(), value)
    };
    Some(properties.iter().map(marked).collect())
}

/// A schema as a tool declares it: a JSON Schema as it is, an object of schemas wrapped as one.
pub(crate) fn as_schema(value: Value) -> Option<Value> {
    let Value::Object(mut map) = value else { return None };
    map.remove(OPTIONAL);
    let is_text = |key: &str| map.get(key).is_some_and(|value| value.is_string() || value.is_array());
    let is_object = |key: &str| map.get(key).is_some_and(Value::is_object);
    // A tool may have an argument called `properties`: where all values are schemas, the object is a shape.
    let is_schema = map.is_empty()
        || is_text("type")
        || (is_object("properties") && !map.values().all(is_schema_like))
        || ["$ref", "$schema", "anyOf", "oneOf", "allOf", "enum", "const"].iter().any(|key| is_text(key));
    if is_schema {
        return Some(Value::Object(map));
    }
    let shape = |map: Map<String, Value>| map.into_iter().map(|(name, schema)| (name, unfolded(schema))).collect();
    map.values().all(Value::is_object).then(|| object_schema(shape(map)))
}

/// mcp-framework puts the schema of an argument under `type`, beside its description.
fn unfolded(schema: Value) -> Value {
    match schema {
        Value::Object(mut map) if map.get("type").is_some_and(Value::is_object) => {
            let Some(Value::Object(mut inner)) = map.remove("type") else { return Value::Object(map) };
            inner.extend(map);
            Value::Object(inner)
        }
        other => other,
    }
}

fn is_schema_like(value: &Value) -> bool {
    value.get("type").is_some_and(Value::is_string)
}

/// True where an object holds nothing but tool annotations.
pub(crate) fn is_annotations(value: &Value) -> bool {
    const HINTS: [&str; 5] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "title"];
    value.as_object().is_some_and(|map| !map.is_empty() && map.keys().all(|key| HINTS.contains(&key.as_str())))
        && value.as_object().is_some_and(|map| map.values().all(|value| !value.is_object()))
}
