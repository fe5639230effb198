//! MCP tools with their descriptions and schemas, from tools lists, manifests and source.
//!
//! Rules read them through their `Subject`, and taken apart as surfaces.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use capdex_model::fact::Place;

use super::Evidence;
use super::manifest::{Manifest, ManifestKind, escape, locate, value_at};
use super::program::UNTOLD;
use super::recorded::ListKind;
use super::shared_json::SharedJson;

#[cfg(test)]
mod tests;

/// The kind of file in which a tool's definition was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolOrigin {
    /// A recorded `tools/list` answer: complete.
    ToolsList,
    /// A manifest that lists tools: names and descriptions.
    Manifest,
    /// Source code: what is written as a literal.
    Source,
}

/// The parts of a tool that could not be told to their end: what is known of them stands, and more is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadParts {
    /// A part of the description, or all of it, is put together at run time.
    pub description: bool,
    /// A part of the schema, or all of it, is made at run time.
    pub schema: bool,
}

/// One MCP tool as its publisher describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its title for people.
    pub title: Option<String>,
    /// Its description for the model; none where there is none or no part of it is known. `…` stands for a part that is
    /// put together at run time.
    pub description: Option<String>,
    /// The schema of its arguments, where it is written as JSON or a literal.
    pub input_schema: Option<SharedJson>,
    /// The schema of its result.
    pub output_schema: Option<SharedJson>,
    /// Its annotations (`readOnlyHint` and so on), where they are written.
    pub annotations: Option<SharedJson>,
    /// An object with what clients keep for themselves: its `_meta` and its `icons`, where they are written.
    #[serde(default)]
    pub extra: Option<SharedJson>,
    /// The parts that could not be told to their end.
    #[serde(default)]
    pub unread: UnreadParts,
    /// The kind of file in which it was read.
    pub origin: ToolOrigin,
    /// Its place; `pointer` leads to it in a JSON file.
    pub place: Place,
}

impl Tool {
    /// A tool of source of which no more than this is known.
    pub(crate) fn named(name: &str, file: String) -> Self {
        Self {
            name: name.to_owned(),
            title: None,
            description: None,
            input_schema: None,
            output_schema: None,
            annotations: None,
            extra: None,
            unread: UnreadParts::default(),
            origin: ToolOrigin::Source,
            place: Place { file, ..Place::default() },
        }
    }
}

/// All tools of a bundle: those of manifests and those that the source views hold, in the order of path, line and name.
/// A tool that is defined twice in one file under one name stands once. Differing definitions in a tools list or
/// manifest both stand, so that nobody hides one behind the other.
pub fn collect(evidence: &Evidence) -> Vec<Tool> {
    let mut tools: Vec<Tool> = evidence.sources.values().flat_map(|view| view.tools.iter().cloned()).collect();
    for manifest in evidence.manifests.values() {
        tools.extend(tools_of(evidence, manifest));
    }
    // Sorted by file, which the search for a capability's own tools relies on.
    tools.sort_by(|a, b| order(a).cmp(&order(b)));
    let mut named: BTreeSet<(&str, &str)> = BTreeSet::new();
    // Equal definitions have one name in one file: where every name stands once, none has to be written out.
    if !tools.iter().all(|tool| named.insert((&tool.place.file, &tool.name))) {
        let mut seen: BTreeSet<String> = BTreeSet::new();
        let is_parsed = |file: &str| evidence.sources.get(file).is_some_and(|view| view.is_parsed);
        tools.retain(|tool| seen.insert(definition(tool, is_parsed(&tool.place.file))));
    }
    tools
}

fn order(tool: &Tool) -> (&str, u32, &str, u32) {
    (&tool.place.file, tool.place.line, &tool.name, tool.place.column)
}

/// A tool's definition without its place in the file: equal ones in one file are one tool. A lexer reads source in parts
/// (a registration here, a schema there), so there the name decides.
fn definition(tool: &Tool, is_parsed: bool) -> String {
    let Tool { name, title, description, input_schema, output_schema, annotations, extra, unread: _, origin, place } =
        tool;
    // A schema may be missing in one part and not in the other, and it is one tool all the same.
    if *origin == ToolOrigin::Source {
        // Two whose names are not known are not the same for that.
        let line = name.contains(UNTOLD).then_some(place.line);
        return json!([place.file, name, description.as_ref().filter(|_| is_parsed), line]).to_string();
    }
    // Two servers in one recording may have the same tool.
    let list = place.pointer.rsplit_once('/').map_or("", |(list, _)| list);
    json!([place.file, list, name, title, description, input_schema, output_schema, annotations, extra]).to_string()
}

fn tools_of(evidence: &Evidence, manifest: &Manifest) -> Vec<Tool> {
    let mut tools: Vec<Tool> = Vec::new();
    for list in manifest.recorded.lists.iter().filter(|list| list.kind == ListKind::Tools) {
        let entries = list.entries(&manifest.value).into_iter();
        tools.extend(entries.filter_map(|entry| {
            tool_of(&manifest.value, entry.value, entry.key, ToolOrigin::ToolsList, entry.pointer)
        }));
    }
    let declared = match manifest.kind {
        ManifestKind::Mcpb => {
            let mut lists = vec!["/tools".to_owned()];
            // Publishers record their tools in `_meta`, though the format has a place of its own.
            lists.extend(published_lists(&manifest.value));
            lists
        }
        ManifestKind::ServerJson => published_lists(&manifest.value),
        _ => Vec::new(),
    };
    for list in declared {
        let entries = value_at(&manifest.value, &list).and_then(Value::as_array).into_iter().flatten().enumerate();
        tools.extend(entries.filter_map(|(at, entry)| {
            tool_of(&manifest.value, entry, None, ToolOrigin::Manifest, format!("{list}/{at}"))
        }));
    }
    let Some(document) = evidence.documents.get(&manifest.path) else { return tools };
    locate(manifest, document, tools.iter_mut().map(|tool| &mut tool.place));
    tools
}

/// Pointers to the arrays called `tools` in what a publisher adds under `_meta`, at most four levels down.
fn published_lists(value: &Value) -> Vec<String> {
    let mut lists = Vec::new();
    let mut open = vec![("/_meta".to_owned(), 0)];
    while let Some((pointer, depth)) = open.pop() {
        let Some(Value::Object(object)) = value_at(value, &pointer) else { continue };
        for (key, child) in object {
            let below = format!("{pointer}/{}", escape(key));
            if key == "tools" && child.is_array() {
                lists.push(below);
            } else if depth < 4 {
                open.push((below, depth + 1));
            }
        }
    }
    lists.sort();
    lists
}

/// A tool from its entry in a manifest: an object with a name, the name alone, or an object that is listed by name.
fn tool_of(
    manifest: &Arc<Value>,
    entry: &Value,
    listed_as: Option<&str>,
    origin: ToolOrigin,
    pointer: String,
) -> Option<Tool> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    let any = |keys: &[&str]| {
        // The first spelling that says something counts, whatever the others hold.
        let filled = |key| Some((key, entry.get(key).filter(|value: &&Value| !value.is_null())?));
        let (key, value) = keys.iter().copied().find_map(filled)?;
        // Bedrock puts the schema one level further down.
        let inner = value.as_object().filter(|schema| schema.len() == 1).and_then(|schema| schema.get("json"));
        let below = if inner.is_some_and(Value::is_object) { "/json" } else { "" };
        Some(SharedJson::new(manifest, [&pointer, "/", key, below].concat()))
    };
    Some(Tool {
        // Some manifests list names alone: the entry is a text then.
        name: text("name").or_else(|| entry.as_str().map(str::to_owned)).or_else(|| listed_as.map(str::to_owned))?,
        title: text("title"),
        description: text("description").or_else(|| lines(entry.get("description")?)),
        input_schema: any(&INPUT_SCHEMAS).map(as_schema),
        output_schema: any(&["outputSchema", "output_schema"]),
        annotations: any(&["annotations"]),
        // Read where it stands, in the manifest.
        extra: None,
        unread: UnreadParts::default(),
        origin,
        place: Place { pointer, ..Place::default() },
    })
}

/// The spellings of the schema of a tool's arguments.
const INPUT_SCHEMAS: [&str; 6] =
    ["inputSchema", "input_schema", "parameters", "parametersJsonSchema", "args_schema", "arguments"];

/// A description that is written as a list of texts: a client that shows it joins them.
fn lines(value: &Value) -> Option<String> {
    let texts: Option<Vec<&str>> = value.as_array()?.iter().map(Value::as_str).collect();
    texts.map(|texts| texts.join("\n"))
}

/// A list of arguments (`name`, `type`, `desc`, `items`, `optional`), as the Docker catalogue writes it, as a schema.
/// Any other value is a schema already.
fn as_schema(value: SharedJson) -> SharedJson {
    let Value::Array(arguments) = &*value else { return value };
    let mut properties = Map::new();
    let mut required = Vec::new();
    for argument in arguments {
        let Some(name) = argument.get("name").and_then(Value::as_str) else { continue };
        let mut property = Map::new();
        for (key, names) in [("type", &["type"][..]), ("description", &["desc", "description"]), ("items", &["items"])]
        {
            if let Some(value) = names.iter().find_map(|name| argument.get(*name)) {
                property.insert(key.to_owned(), value.clone());
            }
        }
        // The catalogue marks what may be left out, and other lists what may not.
        let optional = argument.get("optional").and_then(Value::as_bool) == Some(true);
        if !optional && argument.get("required").and_then(Value::as_bool) != Some(false) {
            required.push(Value::String(name.to_owned()));
        }
        properties.insert(name.to_owned(), Value::Object(property));
    }
    json!({ "type": "object", "properties": properties, "required": required }).into()
}

/// A text by which a recorded server presents itself to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerText {
    /// The JSON Pointer to the object that speaks of the server.
    pub speaker: String,
    /// The JSON Pointer from there to the text.
    pub pointer: &'static str,
    /// The text. Untrusted.
    pub text: String,
}

/// The words of recorded lists about their servers: name, title, description and instructions, wherever the recording
/// put them. Empty for other manifests and where nothing is said.
pub fn server_text(manifest: &Manifest) -> Vec<ServerText> {
    // By the first step, since a list has few of them.
    const POINTERS: [(&str, &[&str]); 7] = [
        ("server", &["/server", "/server/name", "/server/title", "/server/description", "/server/instructions"]),
        ("serverInfo", &["/serverInfo/name", "/serverInfo/title", "/serverInfo/description"]),
        ("server_info", &["/server_info/name", "/server_info/title", "/server_info/description"]),
        ("instructions", &["/instructions"]),
        ("description", &["/description"]),
        ("name", &["/name"]),
        ("title", &["/title"]),
    ];
    let mut said = Vec::new();
    for speaker in &manifest.recorded.speakers {
        let Some(value) = value_at(&manifest.value, speaker) else { continue };
        let there = POINTERS.into_iter().filter(|(first, _)| value.get(first).is_some());
        let texts = there.flat_map(|(_, pointers)| pointers).filter_map(|pointer| {
            let text = value_at(value, pointer).and_then(Value::as_str).filter(|text| !text.trim().is_empty())?;
            Some(ServerText { speaker: speaker.clone(), pointer, text: text.to_owned() })
        });
        said.extend(texts);
    }
    said
}
