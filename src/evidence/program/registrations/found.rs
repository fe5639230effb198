//! What a registration says of a tool, prompt or resource, from the values of its parts.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use capdex_model::fact::Place;

use crate::code::literal::{as_schema, is_annotations};
use crate::program::Program;
use crate::program::outline::{Argument, Entry, Key, Node, NodeId};
use crate::program::value::{Frames, Given, UNTOLD, Value};
use crate::program::zod::MAX_SCHEMA;
use crate::tools::{Tool, ToolOrigin, UnreadParts};

/// The longest name that is taken for a tool's.
const MAX_NAME: usize = 256;

/// The keys of what clients keep for themselves.
pub(super) const EXTRA: [&str; 2] = ["_meta", "icons"];

/// The keys under which a schema of arguments stands, the usual first.
const SCHEMA_KEYS: [&str; 8] =
    ["inputSchema", "input_schema", "parameters", "paramsSchema", "schema", "args_schema", "argsSchema", "args"];

/// A registration: what is offered, and where.
pub(in crate::program) struct Found {
    pub(in crate::program) module: usize,
    pub(in crate::program) offset: u32,
    /// True for the call of a function of the package that registers what it is given: the call in that function tells it too.
    pub(in crate::program) is_told_inside: bool,
    pub(in crate::program) tool: Tool,
}

/// The parts of a tool that a registration gives.
#[derive(Clone, Default)]
pub(super) struct Parts {
    pub(super) name: Value,
    pub(super) title: Value,
    pub(super) description: Value,
    pub(super) schema: Option<Value>,
    pub(super) output: Option<Value>,
    pub(super) annotations: Value,
    /// What clients keep for themselves: `_meta` and `icons`.
    pub(super) extra: [Value; 2],
}

/// The keys of an object that say what a tool is; the others are what it does.
fn is_telling(key: &str) -> bool {
    const KEYS: [&str; 15] = [
        "name",
        "title",
        "description",
        "outputSchema",
        "output_schema",
        "annotations",
        "_meta",
        "icons",
        "function",
        "definition",
        "metadata",
        "config",
        "tool",
        "method",
        "type",
    ];
    KEYS.contains(&key) || SCHEMA_KEYS.contains(&key)
}

impl Program<'_> {
    /// The value of an argument or object as far as it says what a tool is: what else an object holds (handlers, clients)
    /// would ask for contexts that tell nothing.
    pub(super) fn telling(&self, module: usize, id: NodeId, frames: &Frames, depth: usize) -> Value {
        let Some(outline) = self.outlines.get(module) else { return Value::Unknown };
        let Node::Object(entries) = outline.node(id) else { return self.value(module, id, frames, depth) };
        let told = |entry: &&Entry| !matches!(&entry.key, Key::Named(key) if !is_telling(key));
        let told: Vec<Entry> = entries.iter().filter(told).cloned().collect();
        // A bare shape of arguments may have any key; it is looked at whole.
        if told.is_empty() {
            self.value(module, id, frames, depth)
        } else {
            Value::Map(self.object(module, &told, frames, depth).into())
        }
    }

    /// True for an object with a function in it: what a tool does beside what it is.
    fn holds_function(&self, module: usize, id: NodeId) -> bool {
        let Some(outline) = self.outlines.get(module) else { return false };
        let Node::Object(entries) = outline.node(id) else { return false };
        entries.iter().any(|entry| matches!(outline.node(entry.value), Node::Function(_)))
    }

    /// The arguments of a call as far as they say what a tool is.
    pub(super) fn telling_arguments(
        &self,
        module: usize,
        arguments: &[Argument],
        frames: &Frames,
        depth: usize,
    ) -> Given {
        if arguments.iter().any(|argument| argument.spread || argument.name.is_some()) {
            return self.given(module, arguments, frames, depth);
        }
        let value = |(at, argument): (usize, &Argument)| match at {
            0 => self.telling(module, argument.value, frames, depth + 1),
            // Behind a name stands a shape of arguments as often as a configuration, and a shape may have any key.
            _ if !self.holds_function(module, argument.value) => self.value(module, argument.value, frames, depth + 1),
            _ => self.telling(module, argument.value, frames, depth + 1),
        };
        let positional = arguments.iter().enumerate().map(value).collect();
        Given { positional, ..Given::default() }
    }

    /// The parts of a tool that is told as an object, a constructed value or an object of a class.
    pub(super) fn parts_of(&self, value: &Value, depth: usize) -> Parts {
        let get = |key: &str| self.member(value, key, depth + 1);
        let first = |keys: &[&str]| keys.iter().map(|key| get(key)).find(|value| !value.is_unknown());
        let mut parts = Parts {
            name: get("name"),
            title: get("title"),
            description: get("description"),
            schema: first(&SCHEMA_KEYS),
            output: first(&["outputSchema", "output_schema"]),
            annotations: get("annotations"),
            extra: EXTRA.map(get),
        };
        // OpenAI's form, and that of kits that put what is told under one more key.
        for inner in ["function", "definition", "schema", "metadata", "config", "tool"] {
            if name_of(&parts.name).is_some() {
                break;
            }
            let inner = get(inner);
            if matches!(inner, Value::Map(_) | Value::Made(_)) && name_of(&self.member(&inner, "name", depth)).is_some()
            {
                let outer = parts.clone();
                parts = self.parts_of(&inner, depth + 8);
                parts.schema = parts.schema.or(outer.schema);
                if parts.description.is_unknown() {
                    parts.description = outer.description;
                }
            }
        }
        parts
    }

    /// The parts of a tool from the arguments of a call: the name first, then description, schema, configuration and
    /// annotations in any order, as the overloads of the SDKs put them. `bare` allows a shape where others take a
    /// configuration.
    pub(super) fn parts_of_call(&self, given: &Given, bare: bool, depth: usize) -> Parts {
        let mut parts = Parts { name: given.positional.first().cloned().unwrap_or_default(), ..Parts::default() };
        for value in given.positional.iter().skip(1).take(6) {
            match value {
                Value::Text(_) if parts.description.is_unknown() => parts.description = value.clone(),
                Value::Map(map) => {
                    // A shape of arguments may have one that is called so; what it holds is a schema.
                    let is_shape = ["title", "description"]
                        .iter()
                        .any(|key| matches!(map.entries.get(*key), Some(Value::Schema(_))));
                    let is_config = !is_shape
                        && [
                            "description",
                            "inputSchema",
                            "input_schema",
                            "parameters",
                            "annotations",
                            "title",
                            "_meta",
                        ]
                        .iter()
                        .any(|key| map.entries.contains_key(*key));
                    let texts = matches!(
                        map.entries.get("description"),
                        None | Some(Value::Text(_) | Value::Unknown | Value::Plain(_))
                    );
                    if is_hints(map.entries.iter()) {
                        parts.annotations = value.clone();
                    } else if is_config && (texts || !bare) {
                        let told = self.parts_of(value, depth);
                        parts.title = told.title;
                        parts.schema = told.schema.or(parts.schema);
                        parts.output = told.output.or(parts.output);
                        if !told.description.is_unknown() {
                            parts.description = told.description;
                        }
                        if !told.annotations.is_unknown() {
                            parts.annotations = told.annotations;
                        }
                        parts.extra = told.extra;
                    } else if parts.schema.is_none() {
                        parts.schema = Some(value.clone());
                    }
                }
                Value::Schema(_) if parts.schema.is_none() => parts.schema = Some(value.clone()),
                _ => {}
            }
        }
        parts
    }

    /// A tool from its parts; none without a name that can be one, unless a text for the model is known.
    pub(super) fn tool(&self, parts: &Parts, path: &str) -> Option<Tool> {
        let description = text_of(&parts.description);
        let name = name_of(&parts.name).or_else(|| untold_name(&parts.name, description.as_deref()))?;
        let mut unread = UnreadParts {
            description: match (&parts.description, &description) {
                (Value::Text(text), _) => !text.whole,
                (Value::Plain(_), _) => false,
                (Value::Unknown, None) => false,
                (_, None) => true,
                _ => false,
            },
            schema: false,
        };
        let (input_schema, told) = schema_of(parts.schema.as_ref());
        unread.schema = !told;
        let (output_schema, _) = schema_of(parts.output.as_ref());
        let mut left = MAX_SCHEMA;
        let annotations = parts.annotations.to_json(&mut left).map(|(value, _)| as_sent(value)).filter(Json::is_object);
        Some(Tool {
            name,
            title: text_of(&parts.title),
            description,
            input_schema: input_schema.map(Into::into),
            output_schema: output_schema.map(Into::into),
            annotations: annotations
                .filter(|value| value.as_object().is_some_and(|map| !map.is_empty()))
                .map(Into::into),
            extra: extra_of(&parts.extra).map(Into::into),
            unread,
            origin: ToolOrigin::Source,
            place: Place { file: path.to_owned(), ..Place::default() },
        })
    }
}

/// Annotations as a server sends them: Python's kit takes the names of hints in its own spelling (`read_only_hint`) since its
/// second version.
fn as_sent(annotations: Json) -> Json {
    const SENT: [(&str, &str); 4] = [
        ("read_only_hint", "readOnlyHint"),
        ("destructive_hint", "destructiveHint"),
        ("idempotent_hint", "idempotentHint"),
        ("open_world_hint", "openWorldHint"),
    ];
    let Json::Object(map) = annotations else { return annotations };
    let sent = |key: String| match SENT.iter().find(|(own, _)| *own == key) {
        Some((_, sent)) => (*sent).to_owned(),
        None => key,
    };
    Json::Object(map.into_iter().map(|(key, value)| (sent(key), value)).collect())
}

/// The parts of a tool, prompt or resource that clients keep for themselves, as far as they are written.
pub(super) fn extra_of(parts: &[Value; 2]) -> Option<Json> {
    let mut left = MAX_SCHEMA;
    let written = EXTRA.iter().zip(parts).filter(|(_, value)| !value.is_unknown()).filter_map(|(key, value)| {
        let (json, _) = value.to_json(&mut left)?;
        (!json.is_null()).then(|| ((*key).to_owned(), json))
    });
    let written: Map<String, Json> = written.collect();
    (!written.is_empty()).then_some(Json::Object(written))
}

/// The schema that a value gives, and whether all of it is told. No value at all is no schema, told.
pub(super) fn schema_of(value: Option<&Value>) -> (Option<Json>, bool) {
    let Some(value) = value else { return (None, true) };
    let mut left = MAX_SCHEMA;
    match value.to_json(&mut left) {
        Some((Json::Null, _)) => (None, true),
        Some((json, whole)) => (as_schema(json), whole),
        None => (None, matches!(value, Value::Plain(_))),
    }
}

/// A name that can be a tool's: some text without breaks. `z.literal("x")` counts as the text.
pub(super) fn name_of(value: &Value) -> Option<String> {
    let name = match value {
        Value::Text(text) if text.whole => text.text.clone(),
        Value::Schema(schema) => schema.schema.get("const")?.as_str()?.to_owned(),
        _ => return None,
    };
    // Prose stands in properties that happen to be called `name`.
    let fits = !name.is_empty() && name.len() <= MAX_NAME && !name.contains(['\n', '\r']);
    fits.then_some(name)
}

/// The name of a tool whose name could not be told and whose description could: what is known of it, with `…`. A phrase
/// that stands in for a missing description is none.
fn untold_name(name: &Value, description: Option<&str>) -> Option<String> {
    const PHRASE: usize = 6;
    let is_word = |word: &&str| word.contains(char::is_alphabetic);
    if description?.split_whitespace().filter(is_word).take(PHRASE).count() < PHRASE {
        return None;
    }
    let known = match name {
        Value::Text(text) if text.whole => return None,
        Value::Text(text) => text.text.as_str(),
        Value::Unknown | Value::Outside(_) | Value::Made(_) => UNTOLD,
        _ => return None,
    };
    let fits = known.len() <= MAX_NAME && !known.contains(['\n', '\r']);
    let name = if known.contains(UNTOLD) { known.to_owned() } else { format!("{known}{UNTOLD}") };
    Some(if fits { name } else { UNTOLD.to_owned() })
}

/// The text of a value with the texts that it may be instead, one a paragraph; none where no part is known.
pub(super) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Text(written) if !value.is_vague() || !written.others.is_empty() => {
            let mut text = written.text.clone();
            for other in &written.others {
                text.push_str("\n\n");
                text.push_str(other);
            }
            Some(text)
        }
        Value::Schema(schema) => schema.schema.get("const")?.as_str().map(str::to_owned),
        // A description as a list of lines.
        Value::List(list) => {
            let texts: Vec<String> = list.items.iter().filter_map(text_of).collect();
            (!texts.is_empty()).then(|| texts.join("\n"))
        }
        _ => None,
    }
}

fn is_hints<'x>(entries: impl Iterator<Item = (&'x String, &'x Value)>) -> bool {
    let mut map = Map::new();
    for (key, value) in entries {
        let mut left = 16;
        map.insert(key.clone(), value.to_json(&mut left).map_or(Json::Null, |(value, _)| value));
    }
    is_annotations(&Json::Object(map))
}

/// Entries of an object as they are told, for tests of keys.
pub(super) fn keys_of(value: &Value) -> BTreeMap<&str, &Value> {
    match value {
        Value::Map(map) => map.entries.iter().map(|(key, value)| (key.as_str(), value)).collect(),
        Value::Made(made) => made.given.named.iter().map(|(key, value)| (key.as_str(), value)).collect(),
        _ => BTreeMap::new(),
    }
}
