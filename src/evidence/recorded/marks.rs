//! The marks by which a list is told from ordinary data: keys of its entries, and the names of files.

use serde_json::{Map, Value};

use super::{ListKind, declarations, definition};
use crate::manifest::name_of;

/// How sure it is that an array or object is a list of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// Other data has this form too.
    Weak,
    /// Nothing else has it.
    Strong,
}

/// The keys that hold the schema of a tool's arguments and nothing else.
const SURE_SCHEMAS: [&str; 2] = ["inputSchema", "input_schema"];
/// The keys that hold it in the formats of frameworks.
const LIKELY_SCHEMAS: [&str; 3] = ["parameters", "parametersJsonSchema", "args_schema"];
/// The keys of which a tool has at least one besides its name.
const TOOL_MARKS: [&str; 7] =
    ["description", "inputSchema", "input_schema", "outputSchema", "parameters", "arguments", "annotations"];
/// The keys of a tool that is written without a schema.
const BARE_TOOL: [&str; 7] = ["name", "title", "description", "annotations", "icons", "_meta", "meta"];
const PROMPT: [&str; 8] = ["name", "title", "description", "arguments", "icons", "_meta", "meta", "messages"];

/// The kind of list that a file holds by its name, as `capdex` and SDKs' examples call them.
pub(crate) fn part_of(path: &str) -> Option<ListKind> {
    match name_of(path) {
        "tools.json" => Some(ListKind::Tools),
        "prompts.json" => Some(ListKind::Prompts),
        "resources.json" => Some(ListKind::Resources),
        "resource-templates.json" | "resource_templates.json" | "resourceTemplates.json" => Some(ListKind::Templates),
        _ => None,
    }
}

/// True where a text has a word that recorded lists have, so that it is worth parsing.
pub(crate) fn may_be_recorded(text: &str) -> bool {
    let has = |word: &str| text.contains(word);
    // The rarer words come last, each costs a walk over all JSON that is no recording.
    has("\"tools\"")
        || has("\"inputSchema\"")
        || has("\"jsonrpc\"")
        || has("\\\"jsonrpc\\\"")
        || has("\"input_schema\"")
        || has("\"uriTemplate\"")
        || has("\"uri_template\"")
        || has("\"functionDeclarations\"")
        || (has("\"resources\"") && has("\"uri\""))
        || (has("\"prompts\"") && has("\"arguments\""))
        || (has("\"function\"") && has("\"parameters\""))
}

/// True where a text that is no JSON by its name was meant to be a recording.
pub(crate) fn looks_recorded(text: &str) -> bool {
    ["\"jsonrpc\"", "\"inputSchema\"", "\"input_schema\"", "\"uriTemplate\"", "\"serverInfo\"", "\"tools\""]
        .iter()
        .any(|word| text.contains(word))
}

/// The likeness of an array to a list of a kind; none where it is none.
pub(super) fn likeness(items: &[Value], kind: ListKind) -> Option<Likeness> {
    match kind {
        ListKind::Tools => of_tools(items),
        ListKind::Prompts => of_prompts(items),
        ListKind::Resources => of_addresses(items, "uri"),
        ListKind::Templates => of_addresses(items, "uriTemplate").or_else(|| of_addresses(items, "uri_template")),
    }
}

/// True where an array is the list that its file is called after.
pub(super) fn is_part(items: &[Value], kind: ListKind) -> bool {
    let all_have_only = |keys| items.iter().all(|item| name(item).is_some() && has_only(item, keys));
    match kind {
        // A server may say no more of a tool than its name.
        ListKind::Tools => likeness(items, kind).is_some() || (!items.is_empty() && all_have_only(&BARE_TOOL[..])),
        // Collections of prompts for other uses are called so as well, and hold the prompts themselves.
        ListKind::Prompts => likeness(items, kind).is_some() && all_have_only(&PROMPT[..]),
        ListKind::Resources | ListKind::Templates => likeness(items, kind).is_some(),
    }
}

/// Half of the entries at least have a name, and one at least has something that only tools have.
fn of_tools(items: &[Value]) -> Option<Likeness> {
    // One bad entry must not make all the others no tools; a list of other things has none that is marked.
    let named = items.iter().filter(|item| name(item).is_some() || declarations(item).is_some()).count();
    if items.is_empty() || 2 * named < items.len() {
        return None;
    }
    if items.iter().any(has_schema) {
        return Some(Likeness::Strong);
    }
    let marked = |item: &Value| name(item).is_some() && TOOL_MARKS.iter().any(|mark| inner(item).get(mark).is_some());
    items.iter().any(marked).then_some(Likeness::Weak)
}

/// True where an entry is written as a tool that has no schema and nothing that tools do not have.
pub(super) fn is_bare_tool(item: &Value) -> bool {
    name(item).is_some() && has_only(item, &BARE_TOOL) && item.get("description").is_some_and(Value::is_string)
}

/// True for a named entry that holds the schema of its arguments, though it may be `null`; or a list of such.
fn has_schema(item: &Value) -> bool {
    (name(item).is_some() && holds_schema(item)) || declarations(item).is_some()
}

/// True for an object that a JSON schema begins with.
fn is_schema(value: &Value) -> bool {
    value.as_object().is_some_and(|schema| {
        schema.is_empty() || schema.contains_key("properties") || schema.get("type").is_some_and(is_object_type)
    })
}

fn is_object_type(kind: &Value) -> bool {
    kind.as_str().is_some_and(|kind| kind.eq_ignore_ascii_case("object"))
}

fn of_prompts(items: &[Value]) -> Option<Likeness> {
    let named = items.iter().filter(|item| name(item).is_some()).count();
    if items.is_empty() || 2 * named < items.len() {
        return None;
    }
    let argued = |item: &Value| {
        let arguments = item.get("arguments").and_then(Value::as_array);
        arguments.is_some_and(|arguments| arguments.iter().any(|argument| name(argument).is_some()))
    };
    let strict = named == items.len() && items.iter().all(|item| has_only(item, &PROMPT));
    Some(if strict && items.iter().any(argued) { Likeness::Strong } else { Likeness::Weak })
}

fn of_addresses(items: &[Value], key: &str) -> Option<Likeness> {
    // An address has a scheme, a path in a table of routes has none.
    let address = |item: &&Value| item.get(key).and_then(Value::as_str).is_some_and(|uri| uri.contains(':'));
    let found = items.iter().filter(address).count();
    if items.is_empty() || 2 * found < items.len() {
        return None;
    }
    let told = |item: &Value| item.get("name").is_some() || item.get("text").is_some() || item.get("blob").is_some();
    let strict = found == items.len() && items.iter().all(told);
    Some(if strict { Likeness::Strong } else { Likeness::Weak })
}

/// The likeness of an object to tools by name.
pub(super) fn by_name(object: &Map<String, Value>) -> Option<Likeness> {
    let described = |item: &Value| inner(item).get("description").is_some_and(Value::is_string);
    let mut values = object.values();
    if object.is_empty() || !values.all(|item| item.is_object() && (described(item) || holds_schema(item))) {
        return None;
    }
    let is_sure = object.values().all(holds_schema) && object.values().any(described);
    Some(if is_sure { Likeness::Strong } else { Likeness::Weak })
}

/// True for an entry with the schema of its arguments, though it may be `null`.
pub(super) fn holds_schema(item: &Value) -> bool {
    let own = inner(item);
    let sure = |key: &str| own.get(key).is_some_and(|schema| schema.is_object() || schema.is_null());
    // `parameters` has other meanings; a schema says that it is one.
    let likely = |key: &str| own.get(key).is_some_and(is_schema);
    SURE_SCHEMAS.into_iter().any(sure) || LIKELY_SCHEMAS.into_iter().any(likely)
}

/// The likeness of an object to one tool by itself.
pub(super) fn single(value: &Value) -> Option<Likeness> {
    (has_schema(value) && declarations(value).is_none()).then_some(Likeness::Strong)
}

fn has_only(item: &Value, keys: &[&str]) -> bool {
    item.as_object().is_some_and(|object| object.keys().all(|key| keys.contains(&key.as_str())))
}

/// The definition of an entry.
fn inner(item: &Value) -> &Value {
    definition(item).map_or(item, |(_, inner)| inner)
}

/// The name of an entry.
fn name(item: &Value) -> Option<&str> {
    inner(item).get("name").and_then(Value::as_str)
}

/// True for an empty array of tools with nothing but the parts of a recorded list beside it.
pub(super) fn is_empty_list(object: &Map<String, Value>) -> bool {
    const PARTS: [&str; 17] = [
        "tools",
        "prompts",
        "resources",
        "resourceTemplates",
        "server",
        "serverInfo",
        "initialize",
        "instructions",
        "protocolVersion",
        "nextCursor",
        "_meta",
        "jsonrpc",
        "id",
        "result",
        "resultType",
        "ttlMs",
        "cacheScope",
    ];
    object.keys().all(|key| PARTS.contains(&key.as_str()))
}
