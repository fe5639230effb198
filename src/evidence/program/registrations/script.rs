//! Registrations in JavaScript and TypeScript, in the idioms of the SDKs and of servers.

use super::Registrations;
use super::found::{keys_of, name_of};
use crate::program::Program;
use crate::program::index::last_name;
use crate::program::outline::{Argument, ClassId, Entry, FunctionKind, Key, Node, NodeId, Outline};
use crate::program::value::{Given, Value};

/// Keys that hold what a tool does.
const HANDLERS: [&str; 10] =
    ["execute", "handler", "run", "callback", "invoke", "cb", "func", "action", "handle", "call"];

fn has_key(entries: &[Entry], wanted: &str) -> bool {
    entries.iter().any(|entry| matches!(&entry.key, Key::Named(key) if key == wanted))
}

/// True where the first argument is a member of `this`.
pub(super) fn is_of_object(outline: &Outline, arguments: &[Argument]) -> bool {
    let Some(first) = arguments.first() else { return false };
    matches!(outline.node(first.value), Node::Member(object, _) if matches!(outline.node(*object), Node::This))
}

impl Program<'_> {
    /// What a call registers.
    pub(super) fn script_call(&self, module: usize, id: NodeId, into: &mut Registrations) {
        let Some(outline) = self.outlines.get(module) else { return };
        let Node::Call { callee, arguments, constructs } = outline.node(id) else { return };
        let Some(method) = last_name(outline, *callee) else { return };
        if method == "setRequestHandler" {
            self.listed_surfaces(module, id, into);
            return self.request_handler(module, id, into);
        }
        if *constructs {
            self.script_instructions(module, id, into);
            return self.constructed_tool(module, id, into);
        }
        self.script_surface(module, id, method, into);
        if !registers(method) || arguments.is_empty() || self.hands_on(module, id) {
            return;
        }
        // `tool` is the name of many things; those that take one argument and no name are of other kits.
        let is_plain = method == "tool";
        let contexts =
            self.contexts_of(module, id, &None, 0, |frames| self.telling_arguments(module, arguments, frames, 1));
        into.of_wrapper = self.is_wrapper(module, *callee);
        let mut found = false;
        let offset = outline.offset(id);
        let takes_function = arguments.len() >= 2;
        for (_, mut given) in contexts {
            // Helpers take the server first. A name is one word: a phrase behind a name that is not known describes.
            let is_word = |name: &String| !name.trim().contains(' ');
            let named =
                |at: usize| given.positional.get(at).and_then(name_of).is_some_and(|name| at == 0 || is_word(&name));
            let is_behind = !named(0)
                && (named(1)
                    || matches!(given.positional.first(), Some(Value::Outside(_) | Value::Made(_) | Value::Unknown))
                        && given.positional.get(1).is_some_and(is_told));
            if is_behind {
                given.positional.remove(0);
            }
            found |= self.script_tool(module, offset, &given, (is_plain, is_behind), into);
        }
        into.of_wrapper = false;
        if !found
            && takes_function
            && matches!(method, "registerTool" | "addTool" | "registerAppTool" | "tool")
            && (self.is_serving(module) || self.cut.get() || self.describes_tool(module, arguments))
        {
            // The objects of a class that registers by `this.name` are told where they are made.
            let is_of_others = self.uncalled.get() && !self.cut.get() || is_of_object(outline, arguments);
            let what = if is_of_others { super::HANDED_ON } else { super::TOOL };
            into.unresolved(module, offset, what);
        }
    }

    /// True where a callee is a function of the module, by its bare name, in which an SDK's method registers something.
    fn is_wrapper(&self, module: usize, callee: NodeId) -> bool {
        let Some(outline) = self.outlines.get(module) else { return false };
        let Node::Name(name, _) = outline.node(callee) else { return false };
        let named = self.index.functions.get(&**name).into_iter().flatten();
        named.into_iter().any(|of| of.0 == module && self.index.registering.contains(of))
    }

    /// True where the second argument has the keys of a tool's description, so that the module need not load a kit itself.
    fn describes_tool(&self, module: usize, arguments: &[Argument]) -> bool {
        let outline = self.outlines.get(module);
        let Some((outline, told)) = outline.zip(arguments.get(1)) else { return false };
        let Node::Object(entries) = outline.node(told.value) else { return false };
        let has = |wanted: &str| has_key(entries, wanted);
        has("description") && (has("inputSchema") || has("outputSchema"))
    }

    /// True for a call that hands on what a registering function around it was given: `register("read", ...args)`. The
    /// calls of that function tell the tools.
    fn hands_on(&self, module: usize, id: NodeId) -> bool {
        let Some(outline) = self.outlines.get(module) else { return false };
        let Node::Call { arguments, .. } = outline.node(id) else { return false };
        let around = outline.around(id).and_then(|around| outline.function(around));
        let name = around.and_then(|around| around.name.as_deref()).filter(|name| registers(name));
        arguments.iter().any(|argument| argument.spread) && name.is_some_and(|name| self.index.calls.contains_key(name))
    }

    /// The tool that a call tells. `bare`: its parts may stand one by one. `is_behind`: something stood before them, a server
    /// or the tool's name.
    fn script_tool(
        &self,
        module: usize,
        offset: u32,
        given: &Given,
        (bare, is_behind): (bool, bool),
        into: &mut Registrations,
    ) -> bool {
        let Some(first) = given.positional.first() else { return false };
        match first {
            Value::List(list) => {
                let told = list.items.iter().filter(|item| into.add(self, module, offset, self.parts_of(item, 0)));
                told.count() > 0
            }
            Value::Map(_) | Value::Made(_) | Value::Instance(_) => {
                let parts = self.parts_of(first, 0);
                // What a constructor was given has a name and no more where it is the server: `registerTools(server)`.
                let is_tool =
                    matches!(first, Value::Map(_)) || !parts.description.is_unknown() || parts.schema.is_some();
                // Tools of other kits have no name: `tool({ description, execute })`.
                let may_have_name = match first {
                    Value::Map(map) => is_behind || !map.whole || map.entries.contains_key("name"),
                    _ => false,
                };
                is_tool && (may_have_name || !parts.name.is_unknown()) && into.add(self, module, offset, parts)
            }
            _ if given.positional.len() >= 2 => {
                let parts = self.parts_of_call(given, bare, 0);
                // A bare name and a number register nothing.
                let told = !parts.description.is_unknown()
                    || parts.schema.is_some()
                    || given
                        .positional
                        .iter()
                        .skip(1)
                        .any(|value| matches!(value, Value::Function(_) | Value::Outside(_) | Value::Unknown));
                told && into.add(self, module, offset, parts)
            }
            _ => false,
        }
    }

    /// `setRequestHandler(ListToolsRequestSchema, async () => ({ tools: […] }))`.
    fn request_handler(&self, module: usize, id: NodeId, into: &mut Registrations) {
        let Some(outline) = self.outlines.get(module) else { return };
        let Node::Call { callee, arguments, .. } = outline.node(id) else { return };
        let [request, handler, ..] = &**arguments else { return };
        // A kit that hands on to its base registers nothing itself.
        if matches!(outline.node(*callee), Node::Member(object, _) if matches!(outline.node(*object), Node::Super)) {
            return;
        }
        let asked = match outline.node(request.value) {
            Node::Name(name, _) | Node::Member(_, name) | Node::Text(name) => &**name,
            _ => "",
        };
        // In a bundle the schema has a short name, and tells its method.
        let schema = match self.value(module, request.value, &None, 0) {
            Value::Schema(schema) => {
                schema.schema.pointer("/properties/method/const").and_then(|method| method.as_str().map(str::to_owned))
            }
            Value::Map(map) => map.entries.get("method").and_then(name_of),
            _ => None,
        };
        if schema.as_ref().is_some_and(|method| method != "tools/list") {
            return;
        }
        let asked = schema.unwrap_or_else(|| asked.to_owned());
        let lists_tools = asked.contains("ListTools") || asked == "tools/list";
        let other = ["tools/call", "CallTool", "rompt", "esource", "prompts/", "resources/", "omplete", "etLevel"];
        if !lists_tools && other.iter().any(|other| asked.contains(other)) {
            return;
        }
        let contexts = self.contexts_of(module, id, &None, 0, |frames| {
            let handler = self.value(module, handler.value, frames, 1);
            self.call_function(&handler, Vec::new(), 1).unwrap_or_default()
        });
        let offset = outline.offset(id);
        for (_, answer) in contexts {
            let tools = self.member(&answer, "tools", 0);
            match &tools {
                Value::List(list) => {
                    for item in &list.items {
                        if !into.add(self, module, offset, self.parts_of(item, 0)) {
                            into.unresolved(module, offset, super::TOOL);
                        }
                    }
                    if !list.whole {
                        into.unresolved(module, offset, "list of tools");
                    }
                }
                _ if lists_tools => into.unresolved(module, offset, "list of tools"),
                _ => {}
            }
        }
    }

    /// True where some bytes stand soon after a place.
    pub(super) fn is_near(&self, module: usize, offset: u32, bytes: &[u8]) -> bool {
        let text = self
            .outlines
            .get(module)
            .and_then(|outline| self.documents.get(&outline.path))
            .map(|document| &*document.text);
        let after = text.and_then(|text| text.as_bytes().get(offset as usize..)).unwrap_or_default();
        let near = after.get(..800).unwrap_or(after);
        near.windows(bytes.len()).any(|window| window == bytes)
    }

    /// `new SearchTool({ name: "…" })`: an object of a class that is a tool, told by its arguments.
    fn constructed_tool(&self, module: usize, id: NodeId, into: &mut Registrations) {
        let Some(outline) = self.outlines.get(module) else { return };
        let Node::Call { callee, arguments, .. } = outline.node(id) else { return };
        let is_tool = last_name(outline, *callee).is_some_and(|name| name.ends_with("Tool"));
        if !is_tool || arguments.is_empty() {
            return;
        }
        for (_, value) in self.contexts_of(module, id, &None, 0, |frames| self.value(module, id, frames, 1)) {
            let parts = self.parts_of(&value, 0);
            if name_of(&parts.name).is_some() && (parts.schema.is_some() || !parts.description.is_unknown()) {
                into.add(self, module, outline.offset(id), parts);
            }
        }
    }

    /// An object that is a tool by its keys: a name and a schema, or a name, description, parameters and what it does.
    pub(super) fn script_object(&self, module: usize, id: NodeId, into: &mut Registrations) {
        let Some(outline) = self.outlines.get(module) else { return };
        let Node::Object(entries) = outline.node(id) else { return };
        let has = |wanted: &str| has_key(entries, wanted);
        let schema = has("inputSchema") || has("input_schema");
        let acts = HANDLERS.iter().any(|key| has(key));
        if !has("name") || !(schema || has("description") && (has("parameters") || has("schema")) && acts) {
            return;
        }
        for (_, value) in self.contexts_of(module, id, &None, 0, |frames| self.telling(module, id, frames, 1)) {
            into.add(self, module, outline.offset(id), self.parts_of(&value, 0));
        }
    }

    /// A class whose objects are tools: name and description as fields, by its own name or by its schema.
    pub(super) fn script_class(&self, module: usize, class: ClassId, into: &mut Registrations) {
        let Some((outline, of)) = self.class(module, class) else { return };
        if of.is_abstract {
            return;
        }
        // Any class may hold methods that are tools.
        let decorated = of.methods.values().filter_map(|method| outline.function(*method));
        for function in decorated.filter(|function| !matches!(function.kind, FunctionKind::Constructor)) {
            for decorator in &function.decorators {
                self.script_decorator(module, *decorator, function.name.as_deref(), into);
            }
        }
        let bases = self.names_of_bases(module, class);
        let named_tool = of.name.iter().chain(&bases).any(|name| name.contains("Tool"));
        let has_field = |name: &str| of.fields.iter().any(|field| field.name == name);
        let has_schema = ["schema", "inputSchema", "paramsSchema", "parameters"].iter().any(|key| has_field(key));
        if !named_tool && !has_schema {
            return;
        }
        let object = self.instance(module, class, Given::default());
        let mut parts = self.parts_of(&object, 0);
        if name_of(&parts.name).is_none() {
            // Static fields name some kits' tools.
            parts = self.parts_of(&Value::Class(module, class), 0);
            if of.name.is_some() && !has_field("name") && !has_field("toolName") {
                parts.name = self.member(&Value::Class(module, class), "toolName", 0);
            }
        }
        if name_of(&parts.name).is_some() && !parts.description.is_unknown() {
            into.add(self, module, of.offset, parts);
        }
    }

    /// `@Tool({ name: "…", description: "…", parameters: … })` over a method.
    fn script_decorator(&self, module: usize, decorator: NodeId, method: Option<&str>, into: &mut Registrations) {
        let Some(outline) = self.outlines.get(module) else { return };
        let Node::Call { callee, arguments, .. } = outline.node(decorator) else { return };
        if !last_name(outline, *callee).is_some_and(|name| name.ends_with("Tool") || name == "tool") {
            return;
        }
        let given = self.given(module, arguments, &None, 0);
        let mut parts = match given.positional.first() {
            Some(value @ Value::Map(_)) => self.parts_of(value, 0),
            Some(Value::Text(_)) => self.parts_of_call(&given, false, 0),
            _ => return,
        };
        if parts.name.is_unknown() {
            parts.name = method.map_or(Value::Unknown, Value::text);
        }
        into.add(self, module, outline.offset(decorator), parts);
    }

    /// A module that is a tool by what it exports: a name, a description and arguments, or metadata beside a schema.
    pub(super) fn exported_tool(&self, module: usize, into: &mut Registrations) {
        let Some(outline) = self.outlines.get(module) else { return };
        let has = |name: &str| outline.exports.contains_key(name);
        let described = has("description") && (has("name") || has("method") || has("toolName"));
        if !described && !has("metadata") {
            return;
        }
        let exported = |name: &str| self.exported(module, name, 0).unwrap_or_default();
        let metadata = exported("metadata");
        let mut parts = if described {
            self.parts_of(&Value::Module(module), 0)
        } else if keys_of(&metadata).contains_key("description") {
            self.parts_of(&metadata, 0)
        } else {
            return;
        };
        if described && name_of(&parts.name).is_none() {
            parts.name = ["method", "toolName"]
                .iter()
                .map(|key| exported(key))
                .find(|name| name_of(name).is_some())
                .unwrap_or_default();
        }
        let schema = ["inputSchema", "schema", "parameters", "paramsSchema"]
            .iter()
            .map(|key| exported(key))
            .find(|value| !value.is_unknown());
        let acts = HANDLERS.iter().any(|key| has(key)) || has("default");
        parts.schema = parts.schema.or(schema);
        if parts.schema.is_some() || acts {
            into.add(self, module, 0, parts);
        }
    }
}

/// True for the names of functions that register a tool.
fn registers(method: &str) -> bool {
    const VERBS: [&str; 9] = ["add", "register", "define", "create", "make", "build", "declare", "new", "mcp"];
    let is_verb = |method: &str| VERBS.iter().any(|verb| method.starts_with(verb));
    matches!(method, "tool" | "addTools" | "registerTools")
        || (method.ends_with("Tool") && is_verb(method))
        || (method.starts_with("addTool") || method.starts_with("registerTool"))
}

fn is_told(value: &Value) -> bool {
    matches!(value, Value::Map(_) | Value::List(_) | Value::Instance(_))
}
