//! Prompts, resources and instructions that a package registers beside its tools, in the idioms of the SDKs.
//!
//! `prompt` and `resource` are the names of many things. They count where what they are given reads like a registration,
//! or where the module speaks of a kit.

use serde_json::{Map, Value as Json};

use capdex_model::fact::Place;
use capdex_model::snapshot::{Gap, GapReason};

use super::found::{EXTRA, Parts, extra_of, name_of, schema_of, text_of};
use super::script::is_of_object;
use super::{OF_OBJECT, Registrations};
use crate::program::Program;
use crate::program::index::last_name;
use crate::program::outline::{Argument, FunctionId, Key, Node, NodeId};
use crate::program::value::{Given, UNTOLD, Value};
use crate::surfaces::{SourceSurface, SurfaceKind};

/// The most surfaces of one package, and the most arguments of a prompt.
const MAX_SURFACES: usize = 5_000;
const MAX_ARGUMENTS: usize = 64;
/// The most places that a gap names.
const MAX_NAMED: usize = 12;

/// A surface, and where it is registered.
pub(super) struct FoundSurface {
    pub(super) module: usize,
    pub(super) offset: u32,
    pub(super) surface: SourceSurface,
}

/// The parts of a surface that a registration gives.
#[derive(Default)]
struct SurfaceParts {
    name: Value,
    title: Value,
    description: Value,
    /// An address or a template of addresses.
    uri: Value,
    /// A schema or a list.
    arguments: Option<Value>,
    /// What clients keep for themselves.
    extra: [Value; 2],
}

impl SurfaceParts {
    fn of(parts: Parts, uri: Value) -> Self {
        let Parts { name, title, description, schema, extra, .. } = parts;
        Self { name, title, description, uri, arguments: schema, extra }
    }
}

/// The gap of a file with surfaces of which a text could not be told to its end.
pub(super) fn unread(path: &str, surfaces: &[SourceSurface]) -> Option<Gap> {
    let named: Vec<String> = surfaces
        .iter()
        .filter(|surface| surface.unread)
        .map(|surface| format!("{}:{}", surface.name(), surface.place.line))
        .collect();
    let shown = named.get(..MAX_NAMED).unwrap_or(&named).join(", ");
    let more = if named.len() > MAX_NAMED { ", …" } else { "" };
    let number = surfaces.len();
    let detail = format!(
        "registers {number} prompts, resources and instructions; {} could not be told to their end ({shown}{more})",
        named.len()
    );
    (!named.is_empty()).then(|| Gap::new(path, GapReason::Unresolved, detail))
}

impl Registrations {
    /// Adds a prompt or resource; false where it has neither a name nor an address that is known.
    fn speak(
        &mut self,
        program: &Program<'_>,
        (module, offset): (usize, u32),
        kind: SurfaceKind,
        parts: &SurfaceParts,
    ) -> bool {
        let mut entry = Map::new();
        let mut unread = false;
        let name = name_of(&parts.name);
        let uri = text_of(&parts.uri);
        if name.is_none() && (kind == SurfaceKind::Prompt || uri.is_none()) {
            return false;
        }
        entry.extend(name.map(|name| ("name".to_owned(), Json::String(name))));
        let is_template = uri.as_ref().is_some_and(|uri| uri.contains('{'));
        entry.extend(uri.map(|uri| (if is_template { "uriTemplate" } else { "uri" }.to_owned(), Json::String(uri))));
        for (key, value) in [("title", &parts.title), ("description", &parts.description)] {
            unread |= match value {
                Value::Text(text) => !text.whole,
                Value::Unknown | Value::Plain(_) => false,
                _ => text_of(value).is_none(),
            };
            entry.extend(text_of(value).map(|text| (key.to_owned(), Json::String(text))));
        }
        if let Some(given) = parts.arguments.as_ref().filter(|_| kind == SurfaceKind::Prompt) {
            let (arguments, told) = program.arguments(given);
            unread |= !told;
            if !arguments.is_empty() {
                entry.insert("arguments".to_owned(), Json::Array(arguments));
            }
        }
        if let Some(Json::Object(extra)) = extra_of(&parts.extra) {
            entry.extend(extra);
        }
        self.keep(program, (module, offset), kind, Json::Object(entry), unread);
        true
    }

    /// Adds the instructions of a server.
    fn instruct(&mut self, program: &Program<'_>, place: (usize, u32), text: &Value) {
        let told = match text {
            Value::Plain(_) => return,
            // An option that nobody in the package sets, or a variable of the language for none.
            Value::Unknown if program.uncalled.get() => return,
            Value::Outside(name) if &**name == "undefined" => return,
            _ => text_of(text),
        };
        let unread = !matches!(text, Value::Text(text) if text.whole);
        let entry = serde_json::json!({ "instructions": told.unwrap_or_else(|| UNTOLD.to_owned()) });
        self.keep(program, place, SurfaceKind::Server, entry, unread);
    }

    fn keep(
        &mut self,
        program: &Program<'_>,
        (module, offset): (usize, u32),
        kind: SurfaceKind,
        entry: Json,
        unread: bool,
    ) {
        if self.spoken.len() == MAX_SURFACES {
            return self.unresolved(module, offset, "prompt or resource beyond the first 5,000");
        }
        let file = program.outlines.get(module).map(|outline| outline.path.clone()).unwrap_or_default();
        let place = Place { file, ..Place::default() };
        self.spoken.push(FoundSurface { module, offset, surface: SourceSurface { kind, entry, unread, place } });
    }
}

/// The kind that the name of a method registers.
fn registers(method: &str) -> Option<SurfaceKind> {
    match method {
        "prompt" | "registerPrompt" | "addPrompt" | "addPrompts" => Some(SurfaceKind::Prompt),
        "resource"
        | "registerResource"
        | "registerAppResource"
        | "addResource"
        | "addResources"
        | "addResourceTemplate"
        | "resourceTemplate" => Some(SurfaceKind::Resource),
        _ => None,
    }
}

/// The kind, the key of the list and the words for a list of the protocol.
fn listed(asked: &str) -> Option<(SurfaceKind, &'static str, &'static str)> {
    const LISTS: [(&str, SurfaceKind, &str, &str); 6] = [
        ("ListResourceTemplates", SurfaceKind::Resource, "resourceTemplates", "list of resource templates"),
        ("resources/templates/list", SurfaceKind::Resource, "resourceTemplates", "list of resource templates"),
        ("ListPrompts", SurfaceKind::Prompt, "prompts", "list of prompts"),
        ("prompts/list", SurfaceKind::Prompt, "prompts", "list of prompts"),
        ("ListResources", SurfaceKind::Resource, "resources", "list of resources"),
        ("resources/list", SurfaceKind::Resource, "resources", "list of resources"),
    ];
    let list = LISTS.iter().find(|(word, ..)| asked.contains(word))?;
    Some((list.1, list.2, list.3))
}

impl Program<'_> {
    /// `server.registerPrompt("x", { … }, f)`, `server.resource("x", "a://b", f)`, `server.addPrompt({ name: "x" })`.
    pub(super) fn script_surface(&self, module: usize, id: NodeId, method: &str, into: &mut Registrations) {
        let Some(kind) = registers(method) else { return };
        let Some(outline) = self.outlines.get(module) else { return };
        let Node::Call { arguments, .. } = outline.node(id) else { return };
        // A word of everyday programs: with what it does behind it, and in a module that speaks of a kit where that is all.
        let is_plain = matches!(method, "prompt" | "resource");
        let acts = arguments.last().is_some_and(|last| !matches!(outline.node(last.value), Node::Text(_)));
        if arguments.is_empty() || is_plain && (arguments.len() < if self.is_serving(module) { 2 } else { 3 } || !acts)
        {
            return;
        }
        let place = (module, outline.offset(id));
        let given = self.contexts_of(module, id, &None, 0, |frames| self.given(module, arguments, frames, 1));
        let mut found = false;
        for (_, mut given) in given {
            // Helpers take the server first.
            let is_named = |at: usize| given.positional.get(at).is_some_and(|value| name_of(value).is_some());
            if !is_named(0) && is_named(1) {
                given.positional.remove(0);
            }
            found |= self.script_surface_of(place, kind, &given, is_plain, into);
        }
        let is_clear = method.starts_with("register");
        if !found && is_clear && self.is_serving(module) && !self.uncalled.get() {
            let what = if kind == SurfaceKind::Prompt { "prompt" } else { "resource" };
            let what = if is_of_object(outline, arguments) { OF_OBJECT } else { what };
            into.unresolved(place.0, place.1, what);
        }
    }

    fn script_surface_of(
        &self,
        place: (usize, u32),
        kind: SurfaceKind,
        given: &Given,
        is_plain: bool,
        into: &mut Registrations,
    ) -> bool {
        let objects: Vec<&Value> = match given.positional.first() {
            Some(Value::List(list)) => list.items.iter().collect(),
            Some(object @ (Value::Map(_) | Value::Made(_) | Value::Instance(_))) => vec![object],
            Some(name) if name_of(name).is_some() && given.positional.len() >= 2 => {
                let second = given.positional.get(1).cloned().unwrap_or_default();
                let (uri, rest) = match kind {
                    SurfaceKind::Resource => (address(&second), 2),
                    _ => (Value::Unknown, 1),
                };
                // `resource` without an address is one of other things.
                if is_plain && kind == SurfaceKind::Resource && !text_of(&uri).is_some_and(|uri| uri.contains(':')) {
                    return false;
                }
                let positional = given.positional.iter().take(1).chain(given.positional.iter().skip(rest)).cloned();
                let parts = self.parts_of_call(
                    &Given { positional: positional.collect(), ..Given::default() },
                    kind == SurfaceKind::Prompt,
                    0,
                );
                return into.speak(self, place, kind, &SurfaceParts::of(parts, uri));
            }
            _ => return false,
        };
        if is_plain {
            return false;
        }
        let told = objects.into_iter().filter(|object| into.speak(self, place, kind, &self.surface_parts(object)));
        told.count() > 0
    }

    /// The parts of a prompt or resource that is told as an object or a constructed value.
    fn surface_parts(&self, object: &Value) -> SurfaceParts {
        let get = |key: &str| self.member(object, key, 1);
        let first = |keys: &[&str]| keys.iter().map(|key| get(key)).find(|value| !value.is_unknown());
        SurfaceParts {
            name: get("name"),
            title: get("title"),
            description: get("description"),
            uri: address(&first(&["uri", "uriTemplate", "uri_template"]).unwrap_or_default()),
            arguments: first(&["arguments", "argsSchema", "parameters"]),
            extra: EXTRA.map(get),
        }
    }

    /// The arguments of a prompt as the protocol lists them, and whether all of them are told.
    fn arguments(&self, given: &Value) -> (Vec<Json>, bool) {
        let argument = |name: String, description: Option<String>| {
            let mut argument = Map::from_iter([("name".to_owned(), Json::String(name))]);
            argument.extend(description.map(|text| ("description".to_owned(), Json::String(text))));
            Json::Object(argument)
        };
        if let Value::List(list) = given {
            let told = list.items.iter().take(MAX_ARGUMENTS).map(|item| {
                let description = text_of(&self.member(item, "description", 1));
                name_of(&self.member(item, "name", 1)).map(|name| argument(name, description))
            });
            let told: Vec<Option<Json>> = told.collect();
            let whole = list.whole && list.items.len() <= MAX_ARGUMENTS && told.iter().all(Option::is_some);
            return (told.into_iter().flatten().collect(), whole);
        }
        let (schema, whole) = schema_of(Some(given));
        let properties = schema.as_ref().and_then(|schema| schema.get("properties")).and_then(Json::as_object);
        let told =
            properties.into_iter().flatten().take(MAX_ARGUMENTS).map(|(name, of)| {
                argument(name.clone(), of.get("description").and_then(Json::as_str).map(str::to_owned))
            });
        (told.collect(), whole)
    }

    /// `setRequestHandler(ListPromptsRequestSchema, async () => ({ prompts: […] }))`, and so for resources.
    pub(super) fn listed_surfaces(&self, module: usize, id: NodeId, into: &mut Registrations) {
        let Some(outline) = self.outlines.get(module) else { return };
        let Node::Call { arguments, .. } = outline.node(id) else { return };
        let [request, handler, ..] = &**arguments else { return };
        let asked = match outline.node(request.value) {
            Node::Name(name, _) | Node::Member(_, name) => &**name,
            Node::Text(text) => &**text,
            _ => return,
        };
        let offset = outline.offset(id);
        let Some((kind, key, what)) = listed(asked) else { return };
        // The kit's own handler in a bundle lists what the package registers by the kit's methods.
        if self.is_near(module, offset, b"_registered") {
            return;
        }
        let answers = self.contexts_of(module, id, &None, 0, |frames| {
            let handler = self.value(module, handler.value, frames, 1);
            self.call_function(&handler, Vec::new(), 1).unwrap_or_default()
        });
        for (_, answer) in answers {
            self.speak_list((module, offset), kind, what, &self.member(&answer, key, 0), into);
        }
    }

    fn speak_list(
        &self,
        place: (usize, u32),
        kind: SurfaceKind,
        what: &'static str,
        list: &Value,
        into: &mut Registrations,
    ) {
        let Value::List(list) = self.as_list(list, 0) else { return into.unresolved(place.0, place.1, what) };
        let mut whole = list.whole;
        for item in &list.items {
            whole &= into.speak(self, place, kind, &self.surface_parts(item));
        }
        if !whole {
            into.unresolved(place.0, place.1, what);
        }
    }

    /// `new McpServer({ name: "x", version: "1" }, { instructions: "…" })`, whatever a bundle calls the class.
    pub(super) fn script_instructions(&self, module: usize, id: NodeId, into: &mut Registrations) {
        const KEY: &str = "instructions";
        let Some(outline) = self.outlines.get(module) else { return };
        let Node::Call { callee, arguments, .. } = outline.node(id) else { return };
        let has = |argument: &Argument, wanted: &str| match outline.node(argument.value) {
            Node::Object(entries) => entries.iter().any(|entry| matches!(&entry.key, Key::Named(key) if key == wanted)),
            _ => false,
        };
        let is_server =
            last_name(outline, *callee).is_some_and(|name| name.ends_with("Server") || name.ends_with("MCP"));
        let is_named = arguments.first().is_some_and(|first| has(first, "name") && has(first, "version"));
        let may_have = |argument: &&Argument| match outline.node(argument.value) {
            Node::Object(_) => has(argument, KEY),
            Node::Name(..) | Node::Member(..) => is_server,
            _ => false,
        };
        if !is_server && !is_named {
            return;
        }
        let Some(options) = arguments.iter().take(2).find(may_have) else { return };
        for (_, value) in self.contexts_of(module, id, &None, 0, |frames| {
            let options = self.value(module, options.value, frames, 1);
            // Only where the options say so: what is made elsewhere is not looked into.
            matches!(&options, Value::Map(map) if map.entries.contains_key(KEY)).then(|| self.member(&options, KEY, 1))
        }) {
            if let Some(text) = value {
                into.instruct(self, (module, outline.offset(id)), &text);
            }
        }
    }

    /// `@mcp.prompt()`, `@mcp.resource("a://b")`, `@server.list_prompts()` over a function.
    pub(super) fn python_surface(
        &self,
        (module, id): (usize, FunctionId),
        decorator: NodeId,
        name: &str,
        into: &mut Registrations,
    ) {
        let Some(outline) = self.outlines.get(module) else { return };
        let Some(function) = outline.function(id) else { return };
        let place = (module, function.offset);
        let list = match name {
            "list_prompts" => Some((SurfaceKind::Prompt, "list of prompts")),
            "list_resources" => Some((SurfaceKind::Resource, "list of resources")),
            "list_resource_templates" => Some((SurfaceKind::Resource, "list of resource templates")),
            _ => None,
        };
        if let Some((kind, what)) = list {
            for returned in &function.returns {
                let values =
                    self.contexts_of(module, *returned, &None, 0, |frames| self.value(module, *returned, frames, 1));
                for (_, value) in values {
                    self.speak_list((module, outline.offset(*returned)), kind, what, &value, into);
                }
            }
            return;
        }
        // A method of the server: a bare name is another library's.
        let (callee, arguments) = match outline.node(decorator) {
            Node::Call { callee, arguments, .. } => (*callee, Some(arguments)),
            _ => (decorator, None),
        };
        let kind = match (name, arguments) {
            ("prompt", _) => SurfaceKind::Prompt,
            ("resource", Some(_)) => SurfaceKind::Resource,
            _ => return,
        };
        if !matches!(outline.node(callee), Node::Member(..)) {
            return;
        }
        let contexts = self.contexts_of(module, decorator, &None, 0, |frames| {
            arguments.map(|arguments| self.given(module, arguments, frames, 1)).unwrap_or_default()
        });
        for (frames, mut given) in contexts {
            let uri = match kind {
                SurfaceKind::Resource if given.positional.is_empty() => given.named.get("uri").cloned(),
                SurfaceKind::Resource => Some(given.positional.remove(0)),
                _ => None,
            };
            let uri = uri.unwrap_or_default();
            let is_address = text_of(&uri).is_some_and(|uri| uri.contains(':'));
            if kind == SurfaceKind::Resource && !is_address {
                continue;
            }
            let parts = self.function_parts((module, id), &given, &frames);
            into.speak(self, place, kind, &SurfaceParts::of(parts, uri));
        }
    }

    /// `FastMCP("x", instructions="…")`, `mcp.add_prompt(Prompt(…))`, `mcp.add_resource(TextResource(…))`.
    pub(super) fn python_surface_call(&self, module: usize, id: NodeId, name: &str, into: &mut Registrations) {
        let Some(outline) = self.outlines.get(module) else { return };
        let Node::Call { arguments, .. } = outline.node(id) else { return };
        let place = (module, outline.offset(id));
        let kind = match name {
            "add_prompt" => SurfaceKind::Prompt,
            "add_resource" | "add_template" => SurfaceKind::Resource,
            _ => return self.python_instructions(module, id, name, into),
        };
        for (_, given) in self.contexts_of(module, id, &None, 0, |frames| self.given(module, arguments, frames, 1)) {
            match given.positional.first() {
                // `Prompt.from_function(f, name="x")`.
                Some(Value::Made(made)) if made.by.ends_with("from_function") => {
                    let Some(Value::Function(closure)) = made.given.positional.first() else { continue };
                    let options = Given { positional: Vec::new(), named: made.given.named.clone() };
                    let uri = ["uri", "uri_template"].iter().find_map(|key| options.named.get(*key)).cloned();
                    let parts = self.function_parts((closure.module, closure.function), &options, &closure.frames);
                    into.speak(self, place, kind, &SurfaceParts::of(parts, uri.unwrap_or_default()));
                }
                Some(object) => _ = into.speak(self, place, kind, &self.surface_parts(object)),
                None => {}
            }
        }
    }

    fn python_instructions(&self, module: usize, id: NodeId, name: &str, into: &mut Registrations) {
        let Some(outline) = self.outlines.get(module) else { return };
        let Node::Call { arguments, .. } = outline.node(id) else { return };
        // `FastMCPProxy(…)`, and `FastMCP.from_openapi(…)`, which take them by name.
        let makes_server = name.contains("MCP")
            || name.ends_with("Server")
            || matches!(name, "as_proxy" | "from_openapi" | "from_fastapi");
        if !makes_server {
            return;
        }
        // What stands behind a proxy, or in a description of an API, is offered as well.
        if name.ends_with("MCPProxy") || matches!(name, "as_proxy" | "from_openapi" | "from_fastapi") {
            into.unresolved(module, outline.offset(id), "list of tools");
        }
        let named = arguments.iter().find(|argument| argument.name.as_deref() == Some("instructions"));
        // FastMCP takes them second.
        let second = || arguments.get(1).filter(|second| name == "FastMCP" && second.name.is_none() && !second.spread);
        let Some(text) = named.or_else(second) else { return };
        for (_, text) in self.contexts_of(module, id, &None, 0, |frames| self.value(module, text.value, frames, 1)) {
            into.instruct(self, (module, outline.offset(id)), &text);
        }
    }
}

/// The address of a resource: a text, or what a template or an address is made of.
fn address(value: &Value) -> Value {
    match value {
        Value::Made(made) => made.given.positional.first().cloned().unwrap_or_default(),
        Value::Instance(object) => object.given.positional.first().cloned().unwrap_or_default(),
        other => other.clone(),
    }
}
