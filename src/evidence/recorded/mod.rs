//! Recorded lists: what a server's answers were saved as by SDKs, inspectors, gateways and agent frameworks.
//!
//! One reader takes every shape apart into lists, each with its place, its kind and its server. Reading a file that its
//! user named, it goes by weaker marks than in a folder, where ordinary data has similar forms. Must not know any rule.
//!
//! Sources: MCP 2024-11-05 to 2026-07-28, `model_dump` of the Python SDK, the tools of Anthropic's, OpenAI's, Gemini's
//! and Bedrock's APIs, MCP Inspector, `mcp-remote` and the logs of desktop clients, as of 2026-11.

use std::ops::Range;

use serde_json::Value;

use super::manifest::{escape, value_at};

mod marks;
pub(crate) mod messages;
mod unfold;
mod walk;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;

pub(crate) use marks::{looks_recorded, may_be_recorded, part_of};
pub(crate) use unfold::unfold;

/// The shapes that are known, for the message about a file that has none of them.
pub(crate) const KNOWN: &str = "this file is read as none of the known recordings of a server: tools, prompts, \
     resources or resourceTemplates as a JSON-RPC answer, under their key, as an array, by name or by server; an \
     initialize or server/discover answer; any of these as JSON lines or as an event stream";

/// The reason why a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadingReason {
    /// It lies in the input: only what nothing else looks like counts.
    Found,
    /// The user named it: what may be a list is one.
    Named,
}

/// The kind of a recorded list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ListKind {
    /// Tools.
    Tools,
    /// Prompts, or the messages of one.
    Prompts,
    /// Resources, or what was read of them.
    Resources,
    /// Templates of resources.
    Templates,
}

/// The form of a recorded list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ListForm {
    /// An array of entries.
    Array,
    /// An object with an entry for each name.
    ByName,
    /// One entry by itself.
    Single,
}

/// One recorded list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedList {
    /// Its kind.
    pub kind: ListKind,
    /// Its form.
    pub form: ListForm,
    /// The JSON Pointer to it.
    pub pointer: String,
    /// The name of its server, where the recording gives one.
    pub server: Option<String>,
}

/// One entry of a list.
#[derive(Clone, Debug)]
pub struct RecordedEntry<'a> {
    /// The JSON Pointer to it.
    pub pointer: String,
    /// The entry.
    pub value: &'a Value,
    /// The name under which the list has it, where it is listed by name.
    pub key: Option<&'a str>,
}

/// Everything that a recording holds of one server or more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedLists {
    /// The lists, in the order of the recording.
    pub lists: Vec<RecordedList>,
    /// JSON Pointers to the objects that speak of a server: its name, its description, its instructions.
    pub speakers: Vec<String>,
    /// The byte range of each message in the file; empty where the file is one JSON value. The first step of every
    /// pointer is then the number of the message.
    pub messages: Vec<Range<usize>>,
}

impl RecordedLists {
    /// Takes a parsed value apart. Empty where it holds no recorded list.
    ///
    /// `path` may tell the kind of a list that does not tell it itself.
    pub fn of(value: &Value, path: &str, reason: ReadingReason) -> Self {
        walk::walk(value, part_of(path), reason)
    }

    /// Takes the messages of one text apart: an array of them, each with its range in the text.
    pub(crate) fn of_messages(value: &Value, path: &str, reason: ReadingReason, messages: Vec<Range<usize>>) -> Self {
        Self { messages, ..walk::walk_messages(value, part_of(path), reason) }
    }

    /// True where nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty() && self.speakers.is_empty()
    }

    /// The name of the server that a pointer's list belongs to.
    pub fn server_at(&self, pointer: &str) -> Option<&str> {
        let holds = |list: &&RecordedList| {
            pointer.strip_prefix(list.pointer.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        // The innermost list counts: declarations of functions lie in the entries of another.
        let nearest = self.lists.iter().filter(holds).max_by_key(|list| list.pointer.len());
        nearest.and_then(|list| list.server.as_deref())
    }

    /// The name of its one server; none where it has several or none has a name.
    pub fn only_server(&self) -> Option<&str> {
        let mut names = self.lists.iter().map(|list| list.server.as_deref());
        let first = names.next()??;
        names.all(|name| name == Some(first)).then_some(first)
    }

    /// True where the list of tools stands where an answer or an export has it, so that the folder around may be its
    /// server's.
    pub(crate) fn speaks_for_folder(&self) -> bool {
        let usual = |list: &RecordedList| {
            list.kind == ListKind::Tools && ["/tools", "/result/tools"].contains(&list.pointer.as_str())
        };
        self.lists.iter().any(usual)
    }
}

/// The keys under which frameworks put the definition of a tool inside its entry.
const DEFINITIONS: [&str; 3] = ["function", "toolSpec", "tool_spec"];

/// The keys of lists of functions inside an entry of a list.
const DECLARATIONS: [&str; 2] = ["functionDeclarations", "function_declarations"];

impl RecordedList {
    /// The entries of the list in the value that it was read from, where the entry itself is: the definition inside
    /// the wrapper of a framework. Entries that only hold another list are left out.
    pub fn entries<'a>(&self, whole: &'a Value) -> Vec<RecordedEntry<'a>> {
        let Some(list) = value_at(whole, &self.pointer) else { return Vec::new() };
        let entry = |step: String, value: &'a Value, key| {
            let pointer = [self.pointer.as_str(), &step].concat();
            match definition(value) {
                Some((wrapper, inner)) => {
                    RecordedEntry { pointer: [&pointer, "/", wrapper].concat(), value: inner, key }
                }
                None => RecordedEntry { pointer, value, key },
            }
        };
        match (self.form, list) {
            (ListForm::Single, value) => vec![entry(String::new(), value, None)],
            (ListForm::Array, Value::Array(items)) => {
                let own = items.iter().enumerate().filter(|(_, item)| declarations(item).is_none());
                own.map(|(at, item)| entry(format!("/{at}"), item, None)).collect()
            }
            (ListForm::ByName, Value::Object(items)) => {
                items.iter().map(|(key, item)| entry(format!("/{}", escape(key)), item, Some(key.as_str()))).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The definition inside an entry and the key that it stands under; none where the entry is the definition.
fn definition(entry: &Value) -> Option<(&'static str, &Value)> {
    if entry.get("name").is_some() {
        return None;
    }
    DEFINITIONS.into_iter().find_map(|key| entry.get(key).filter(|inner| inner.is_object()).map(|inner| (key, inner)))
}

/// The list of functions inside an entry without a name.
fn declarations(entry: &Value) -> Option<&'static str> {
    if entry.get("name").is_some() {
        return None;
    }
    DECLARATIONS.into_iter().find(|key| entry.get(*key).is_some_and(Value::is_array))
}
