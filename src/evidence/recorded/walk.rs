//! The walk over a parsed value that finds its recorded lists, whatever they are wrapped in.
//!
//! It goes down a bounded number of levels, stops at each list, and never looks into an entry.

use serde_json::{Map, Value};

use super::marks::{self, Likeness};
use super::{DECLARATIONS, ListForm, ListKind, ReadingReason, RecordedList, RecordedLists, declarations};
use crate::manifest::escape;

/// The deepest wrapper that is looked into.
const MAX_DEPTH: usize = 10;

/// The keys of lists. `contents` is what was read of resources.
const LISTS: [(&str, ListKind); 9] = [
    ("tools", ListKind::Tools),
    ("functionDeclarations", ListKind::Tools),
    ("function_declarations", ListKind::Tools),
    ("functions", ListKind::Tools),
    ("prompts", ListKind::Prompts),
    ("resources", ListKind::Resources),
    ("resourceTemplates", ListKind::Templates),
    ("resource_templates", ListKind::Templates),
    ("contents", ListKind::Resources),
];

/// The keys of objects in which transports, logs, exports and files of clients wrap what a server said.
const WRAPPERS: [&str; 18] = [
    "result",
    "data",
    "params",
    "message",
    "payload",
    "response",
    "body",
    "initialize",
    "discover",
    "server",
    "servers",
    "mcpServers",
    "mcp_servers",
    "output",
    "toolConfig",
    "tool_config",
    "listTools",
    "tools_list",
];

/// Keys of servers by name.
const SERVER_MAPS: [&str; 3] = ["servers", "mcpServers", "mcp_servers"];

pub(super) fn walk(value: &Value, part: Option<ListKind>, reason: ReadingReason) -> RecordedLists {
    let mut walk = Walk {
        part,
        is_named: reason == ReadingReason::Named,
        pointer: String::new(),
        found: RecordedLists::default(),
    };
    walk.visit(value, &Context { server: None, is_answer: false, depth: 0 });
    walk.found
}

/// The same for the messages of one text, which are never the entries of one list.
pub(super) fn walk_messages(value: &Value, part: Option<ListKind>, reason: ReadingReason) -> RecordedLists {
    let mut walk = Walk {
        part,
        is_named: reason == ReadingReason::Named,
        pointer: String::new(),
        found: RecordedLists::default(),
    };
    for (at, message) in value.as_array().into_iter().flatten().enumerate() {
        // A tool by itself is a line of such a text.
        let context = Context { server: None, is_answer: false, depth: 1 };
        walk.below(&at.to_string(), |walk| walk.visit(message, &context));
    }
    walk.found
}

/// What is known of a value by what is around it.
#[derive(Clone)]
struct Context {
    server: Option<String>,
    /// True inside a JSON-RPC answer.
    is_answer: bool,
    depth: usize,
}

struct Walk {
    part: Option<ListKind>,
    is_named: bool,
    /// The JSON Pointer to the value that is looked at.
    pointer: String,
    found: RecordedLists,
}

impl Walk {
    fn visit(&mut self, value: &Value, context: &Context) {
        match value {
            Value::Array(items) => self.visit_array(items, context),
            Value::Object(object) => self.visit_object(value, object, context),
            _ => {}
        }
    }

    /// A list without a key, or messages behind one another.
    fn visit_array(&mut self, items: &[Value], context: &Context) {
        if let Some(kind) = self.kind_of_bare(items, context) {
            self.add_array(kind, items, context);
        } else if context.depth < MAX_DEPTH {
            let inner = Context { depth: context.depth + 1, ..context.clone() };
            for (at, item) in items.iter().enumerate() {
                if item.is_object() || item.is_array() {
                    self.below(&at.to_string(), |walk| walk.visit(item, &inner));
                }
            }
        }
    }

    /// The kind of list that an array without a key is. Messages and single tools, one a line, are none.
    fn kind_of_bare(&self, items: &[Value], context: &Context) -> Option<ListKind> {
        let is_message = |item: &Value| item.get("jsonrpc").is_some() || item.get("result").is_some();
        if items.is_empty() || items.iter().any(is_message) {
            return None;
        }
        let strength = |kind| marks::likeness(items, kind);
        if let Some(part) = self.part.filter(|part| context.depth == 0 && marks::is_part(items, *part)) {
            return Some(part);
        }
        let kinds = [ListKind::Tools, ListKind::Templates, ListKind::Resources, ListKind::Prompts];
        let strong = kinds.into_iter().find(|kind| strength(*kind) == Some(Likeness::Strong));
        // Without a schema only what is written wholly like a tool is one, and only as the whole of a named file.
        let bare = || self.is_named && context.depth == 0 && items.iter().all(marks::is_bare_tool);
        strong.or_else(|| bare().then_some(ListKind::Tools))
    }

    fn visit_object(&mut self, value: &Value, object: &Map<String, Value>, context: &Context) {
        if (context.depth > 0 || self.is_named) && marks::single(value).is_some() {
            return self.add(ListKind::Tools, ListForm::Single, context);
        }
        let is_answer = context.is_answer || (object.contains_key("jsonrpc") && object.contains_key("result"));
        let server = name_of_server(object).or_else(|| context.server.clone());
        let own = Context { server, is_answer, depth: context.depth };
        let before = self.found.lists.len();
        let mut listed = Vec::new();
        for (key, kind) in LISTS {
            let Some(list) = object.get(key) else { continue };
            let so_far = self.found.lists.len();
            // Beside a list that is sure, prompts need no schema to be what their key says.
            let beside = Context { is_answer: is_answer || so_far > before, ..own.clone() };
            self.below(key, |walk| walk.visit_list(key, kind, list, object, &beside));
            if self.found.lists.len() > so_far {
                listed.push(key);
            }
        }
        self.visit_prompt(object, &own);
        let has_lists = self.found.lists.len() > before;
        let introduced = introduces(object) && (is_answer || self.is_named);
        let speaks = has_lists || introduced || (self.is_named && describes(object));
        if speaks {
            self.found.speakers.push(self.pointer.clone());
            listed.extend(object.get("server").filter(|server| !is_server(server)).map(|_| "server"));
        }
        // An export may keep the first answer of the server beside its lists.
        for key in ["initialize", "discover"].into_iter().filter(|_| has_lists) {
            if object.get(key).is_some_and(Value::is_object) {
                listed.push(key);
                self.below(key, |walk| walk.found.speakers.push(walk.pointer.clone()));
            }
        }
        if context.depth < MAX_DEPTH {
            self.visit_members(object, &listed, has_lists, &own);
        }
    }

    /// A list under its key.
    fn visit_list(&mut self, key: &str, kind: ListKind, list: &Value, around: &Map<String, Value>, context: &Context) {
        let is_sure = context.is_answer || self.is_named;
        match list {
            Value::Array(items) => {
                let likeness = marks::likeness(items, kind);
                // Tools under their key at the top are what exports have been since the first of them.
                let usual = key == "tools" && context.depth == 0;
                let by_file = context.depth == 0 && self.part == Some(kind) && marks::is_part(items, kind);
                let enough = match likeness {
                    Some(Likeness::Strong) => true,
                    Some(Likeness::Weak) => is_sure || usual,
                    None => {
                        items.is_empty() && (context.is_answer || marks::is_empty_list(around)) && key != "contents"
                    }
                };
                if enough || by_file {
                    self.add_array(kind, items, context);
                }
            }
            Value::Object(object) if kind == ListKind::Tools => match marks::by_name(object) {
                Some(Likeness::Strong) => self.add(kind, ListForm::ByName, context),
                Some(Likeness::Weak) if is_sure => self.add(kind, ListForm::ByName, context),
                _ => {}
            },
            _ => {}
        }
    }

    /// The answer to `prompts/get`: the messages of one prompt.
    fn visit_prompt(&mut self, object: &Map<String, Value>, context: &Context) {
        let spoken =
            |message: &Value| message.get("role").is_some() && message.get("content").is_some_and(Value::is_object);
        let messages = object.get("messages").and_then(Value::as_array);
        if context.is_answer && messages.is_some_and(|messages| messages.iter().any(spoken)) {
            self.add(ListKind::Prompts, ListForm::Single, context);
        }
    }

    /// What the members of an object hold: wrappers, servers by name, tools by name.
    fn visit_members(&mut self, object: &Map<String, Value>, listed: &[&str], has_lists: bool, context: &Context) {
        let is_wrapped = WRAPPERS.iter().any(|key| object.contains_key(*key));
        if !has_lists && !is_wrapped && self.is_by_name(object) {
            return self.add(ListKind::Tools, ListForm::ByName, context);
        }
        let by_server = !has_lists && !is_wrapped && !object.is_empty() && object.values().all(is_server);
        for (key, member) in object {
            let is_wrapper = WRAPPERS.contains(&key.as_str());
            let goes_down = is_wrapper || by_server || self.is_named || context.is_answer;
            if !goes_down || listed.contains(&key.as_str()) || !(member.is_object() || member.is_array()) {
                continue;
            }
            let is_server = (by_server || self.is_named) && !is_wrapper && is_server(member);
            let server = if is_server { Some(key.clone()) } else { context.server.clone() };
            let inner = Context { server, is_answer: context.is_answer, depth: context.depth + 1 };
            self.below(key, |walk| match member {
                Value::Object(servers) if SERVER_MAPS.contains(&key.as_str()) => walk.visit_servers(servers, &inner),
                member => walk.visit(member, &inner),
            });
        }
    }

    /// True for tools by name where the keys of the object are the names.
    fn is_by_name(&self, object: &Map<String, Value>) -> bool {
        match marks::by_name(object) {
            Some(Likeness::Strong) => true,
            // One schema at least: any dictionary describes its entries.
            Some(Likeness::Weak) => self.is_named && object.values().any(marks::holds_schema),
            None => false,
        }
    }

    /// Servers by name.
    fn visit_servers(&mut self, servers: &Map<String, Value>, context: &Context) {
        for (name, server) in servers {
            let inner = Context { server: Some(name.clone()), is_answer: context.is_answer, depth: context.depth + 1 };
            self.below(name, |walk| walk.visit(server, &inner));
        }
    }

    fn add_array(&mut self, kind: ListKind, items: &[Value], context: &Context) {
        self.add(kind, ListForm::Array, context);
        // Gemini groups functions in the entries of its list.
        for (at, item) in items.iter().enumerate().filter(|_| kind == ListKind::Tools) {
            if let Some(key) = declarations(item) {
                self.below(&at.to_string(), |walk| walk.below(key, |walk| walk.add(kind, ListForm::Array, context)));
            }
        }
    }

    fn add(&mut self, kind: ListKind, form: ListForm, context: &Context) {
        let (pointer, server) = (self.pointer.clone(), context.server.clone());
        self.found.lists.push(RecordedList { kind, form, pointer, server });
    }

    /// Does something with the pointer one step further down.
    fn below(&mut self, step: &str, mut visit: impl FnMut(&mut Self)) {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&escape(step));
        visit(self);
        self.pointer.truncate(length);
    }
}

/// True for the answer by which a server introduces itself.
fn introduces(object: &Map<String, Value>) -> bool {
    let is_text = |key: &str| object.get(key).is_some_and(Value::is_string);
    let named = ["serverInfo", "server_info"].iter().any(|key| object.get(*key).is_some_and(Value::is_object));
    let versioned = ["protocolVersion", "protocol_version"].iter().any(|key| is_text(key))
        || object.contains_key("supportedVersions");
    (named && (versioned || is_text("instructions"))) || (versioned && is_text("instructions"))
}

/// True for an export that tells its server's instructions and nothing else of it.
fn describes(object: &Map<String, Value>) -> bool {
    let instructed = object.get("instructions").is_some_and(Value::is_string);
    object.get("server").is_some_and(|server| instructed || server.get("instructions").is_some_and(Value::is_string))
}

/// True for what may be a server among others: an object with a list, or a list.
fn is_server(value: &Value) -> bool {
    match value {
        Value::Object(object) => {
            let is_list = |list: &Value| list.is_array() || list.is_object();
            ["tools", "prompts", "resources", "resourceTemplates"]
                .iter()
                .any(|key| object.get(*key).is_some_and(is_list))
                || DECLARATIONS.iter().any(|key| object.contains_key(*key))
        }
        Value::Array(items) => marks::likeness(items, ListKind::Tools) == Some(Likeness::Strong),
        _ => false,
    }
}

/// The name of the server that an object speaks of.
fn name_of_server(object: &Map<String, Value>) -> Option<String> {
    let text = |value: &Value| value.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
    let named = ["serverInfo", "server_info", "server"].iter().find_map(|key| object.get(*key)?.get("name"));
    let labelled = ["server", "server_label", "serverName", "server_name"].iter().find_map(|key| object.get(*key));
    let own = || object.get("name").filter(|_| object.contains_key("tools") || object.contains_key("prompts"));
    named.and_then(text).or_else(|| labelled.and_then(text)).or_else(|| own().and_then(text))
}
