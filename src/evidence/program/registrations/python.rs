//! Registrations in Python, in the idioms of the SDKs and of servers.

use super::Registrations;
use super::found::{Parts, name_of};
use crate::program::Program;
use crate::program::index::last_name;
use crate::program::instances::is_super_call;
use crate::program::outline::{ClassId, FunctionId, Key, Node, NodeId};
use crate::program::value::{Closure, Frames, Given, Value};

/// Methods that do what a tool's class does.
const ACTS: [&str; 9] = ["apply", "execute", "run", "_run", "__call__", "forward", "call", "invoke", "arun"];

impl Program<'_> {
    /// What a function's decorators register.
    pub(super) fn python_function(&self, module: usize, id: FunctionId, into: &mut Registrations) {
        let Some(outline) = self.outlines.get(module) else { return };
        let Some(function) = outline.function(id) else { return };
        for decorator in &function.decorators {
            let (callee, arguments) = match outline.node(*decorator) {
                Node::Call { callee, arguments, .. } => (*callee, Some(arguments)),
                _ => (*decorator, None),
            };
            let Some(name) = last_name(outline, callee) else { continue };
            into.namespace = self.namespace_of(module, callee);
            if name == "list_tools" {
                self.listed(module, id, into);
                continue;
            }
            self.python_surface((module, id), *decorator, name, into);
            if !decorates_tool(name) {
                continue;
            }
            let contexts = self.contexts_of(module, *decorator, &None, 0, |frames| {
                let given = arguments.map(|arguments| self.given(module, arguments, frames, 1));
                given.unwrap_or_default()
            });
            for (frames, given) in contexts {
                let parts = self.function_parts((module, id), &given, &frames);
                into.add(self, module, function.offset, parts);
            }
        }
        into.namespace = None;
    }

    /// What a call registers: `mcp.tool(…)(f)`, `mcp.add_tool(f, …)`, `Tool(name=…)`, `FunctionTool.from_function(f)`.
    pub(super) fn python_call(&self, module: usize, id: NodeId, into: &mut Registrations) {
        let Some(outline) = self.outlines.get(module) else { return };
        let Node::Call { callee, .. } = outline.node(id) else { return };
        let server = match outline.node(*callee) {
            Node::Call { callee: inner, .. } => *inner,
            _ => *callee,
        };
        // A kit's method that is written anew and hands on to the kit's own registers what its callers give it, and those are
        // looked at themselves.
        if matches!(outline.node(server), Node::Member(object, name) if is_super_call(outline, *object) && decorates_tool(name))
        {
            return;
        }
        into.namespace = self.namespace_of(module, server);
        self.registered_by(module, id, into);
        into.namespace = None;
    }

    fn registered_by(&self, module: usize, id: NodeId, into: &mut Registrations) {
        let Some(outline) = self.outlines.get(module) else { return };
        let Node::Call { callee, arguments, .. } = outline.node(id) else { return };
        let offset = outline.offset(id);
        // The decorator called on a function: its own arguments are those of the inner call.
        if let Node::Call { callee: inner, arguments: options, .. } = outline.node(*callee) {
            if last_name(outline, *inner).is_some_and(decorates_tool) {
                let contexts = self.contexts_of(module, id, &None, 0, |frames| {
                    (self.given(module, arguments, frames, 1), self.given(module, options, frames, 1))
                });
                for (_, (functions, options)) in contexts {
                    self.add_function(module, offset, functions.positional.first(), &options, into);
                }
            }
            return;
        }
        let Some(name) = last_name(outline, *callee) else { return };
        self.python_surface_call(module, id, name, into);
        // `Prompt.from_function(f)` makes another surface.
        let of = match outline.node(*callee) {
            Node::Member(object, _) => last_name(outline, *object),
            _ => None,
        };
        if of.is_some_and(|of| of.contains("Prompt") || of.contains("Resource")) {
            return;
        }
        match name {
            "add_tool" | "from_function" | "register_tool" | "from_callable" | "FunctionTool" | "StructuredTool" => {
                let contexts =
                    self.contexts_of(module, id, &None, 0, |frames| self.given(module, arguments, frames, 1));
                for (_, mut given) in contexts {
                    let function = given.positional.first().cloned();
                    let function = function.or_else(|| {
                        ["fn", "func", "function", "tool"].iter().find_map(|key| given.named.get(*key).cloned())
                    });
                    if !given.positional.is_empty() {
                        given.positional.remove(0);
                    }
                    self.add_function(module, offset, function.as_ref(), &given, into);
                }
            }
            // `mcp.tool(f)` and `mcp.tool(f, name=…)`; with a text first it is a decorator.
            _ if decorates_tool(name) && !arguments.is_empty() && self.is_decorator(module, id) => {}
            _ if decorates_tool(name) && !arguments.is_empty() => {
                let contexts =
                    self.contexts_of(module, id, &None, 0, |frames| self.given(module, arguments, frames, 1));
                for (_, mut given) in contexts {
                    let Some(function @ Value::Function(_)) = given.positional.first().cloned() else { continue };
                    given.positional.remove(0);
                    self.add_function(module, offset, Some(&function), &given, into);
                }
            }
            "Tool" => {
                let contexts =
                    self.contexts_of(module, id, &None, 0, |frames| self.given(module, arguments, frames, 1));
                for (_, mut given) in contexts {
                    for (key, value) in
                        ["name", "description", "inputSchema"].into_iter().zip(given.positional.drain(..))
                    {
                        given.named.entry(key.to_owned()).or_insert(value);
                    }
                    let tells = ["description", "inputSchema", "input_schema", "parameters"];
                    if !tells.iter().any(|key| given.named.contains_key(*key)) {
                        continue;
                    }
                    let told = self.parts_of(&Value::map(given.named, true), 0);
                    if !into.add(self, module, offset, told) {
                        into.unresolved(module, offset, super::TOOL);
                    }
                }
            }
            _ => {}
        }
    }

    /// True for a call that stands over a function as a decorator.
    fn is_decorator(&self, module: usize, id: NodeId) -> bool {
        let Some(outline) = self.outlines.get(module) else { return false };
        outline.functions.iter().any(|function| function.decorators.contains(&id))
    }

    fn add_function(
        &self,
        module: usize,
        offset: u32,
        function: Option<&Value>,
        options: &Given,
        into: &mut Registrations,
    ) {
        match function {
            Some(Value::Function(closure)) => {
                let parts = self.function_parts((closure.module, closure.function), options, &closure.frames);
                into.add(self, module, offset, parts);
            }
            Some(value @ (Value::Map(_) | Value::Instance(_))) => {
                _ = into.add(self, module, offset, self.parts_of(value, 0))
            }
            // Told where it is made: `add_tool(Tool(…))`, `add_tool(FunctionTool.from_function(f))`.
            Some(Value::Made(made)) if is_told_where_made(&made.by) => {}
            _ if options.named.get("name").is_some_and(|name| name_of(name).is_some()) => {
                let mut parts = self.parts_of(&Value::map(options.named.clone(), false), 0);
                parts.schema = None;
                into.add(self, module, offset, parts);
            }
            _ => into.unresolved(module, offset, super::TOOL),
        }
    }

    /// The parts of a tool that is a function: its name, docstring and parameters, where the options say nothing else.
    pub(super) fn function_parts(&self, (module, id): (usize, FunctionId), options: &Given, frames: &Frames) -> Parts {
        let mut parts = self.parts_of(&Value::map(options.named.clone(), true), 0);
        let function = self.outlines.get(module).and_then(|outline| outline.function(id));
        if parts.name.is_unknown()
            && let Some(text @ Value::Text(_)) = options.positional.first()
        {
            parts.name = text.clone();
        }
        // FastMCP takes the description second.
        if parts.description.is_unknown()
            && let Some(text @ Value::Text(_)) = options.positional.get(1)
        {
            parts.description = text.clone();
        }
        let Some(function) = function else { return parts };
        // A wrapper shows itself as the function that it wraps.
        if let Some(wrapped) = self.wrapped(module, id, frames) {
            return self.function_parts((wrapped.module, wrapped.function), options, &wrapped.frames);
        }
        if parts.name.is_unknown() || matches!(parts.name, Value::Plain(_)) {
            parts.name = function.name.as_deref().map_or(Value::Unknown, Value::text);
        }
        if parts.description.is_unknown() || matches!(parts.description, Value::Plain(_)) {
            let closure = Closure { module, function: id, this: None, frames: None };
            let written = self.member(&Value::Function(std::rc::Rc::new(closure)), "__doc__", 0);
            parts.description = written;
        }
        parts.schema = self.parameters_schema(module, id, frames).map(|(schema, whole)| Value::schema(schema, whole));
        parts
    }

    /// The function that `@functools.wraps(f)` over another names.
    fn wrapped(&self, module: usize, id: FunctionId, frames: &Frames) -> Option<std::rc::Rc<Closure>> {
        let outline = self.outlines.get(module)?;
        let wraps = |node: &&NodeId| match outline.node(**node) {
            Node::Call { callee, .. } => last_name(outline, *callee) == Some("wraps"),
            _ => false,
        };
        let decorator = outline.function(id)?.decorators.iter().find(wraps)?;
        let Node::Call { arguments, .. } = outline.node(*decorator) else { return None };
        match self.value(module, arguments.first()?.value, frames, 1) {
            Value::Function(closure) if (closure.module, closure.function) != (module, id) => Some(closure),
            _ => None,
        }
    }

    /// `@server.list_tools()`: what the function returns.
    fn listed(&self, module: usize, id: FunctionId, into: &mut Registrations) {
        let Some(outline) = self.outlines.get(module) else { return };
        let Some(function) = outline.function(id) else { return };
        for returned in &function.returns {
            let contexts =
                self.contexts_of(module, *returned, &None, 0, |frames| self.value(module, *returned, frames, 1));
            for (_, value) in contexts {
                let Value::List(list) = self.as_list(&value, 0) else {
                    into.unresolved(module, outline.offset(*returned), "list of tools");
                    continue;
                };
                for item in &list.items {
                    if !into.add(self, module, outline.offset(*returned), self.parts_of(item, 0)) {
                        into.unresolved(module, outline.offset(*returned), super::TOOL);
                    }
                }
                if !list.whole {
                    into.unresolved(module, outline.offset(*returned), "list of tools");
                }
            }
        }
    }

    /// A dictionary that is a tool by its keys: a name and a schema; or an entry of a table of tools, by its key.
    pub(super) fn python_object(&self, module: usize, id: NodeId, into: &mut Registrations) {
        let Some(outline) = self.outlines.get(module) else { return };
        let Node::Object(entries) = outline.node(id) else { return };
        let has = |wanted: &str| entries.iter().any(|entry| matches!(&entry.key, Key::Named(key) if key == wanted));
        if has("name") && (has("inputSchema") || has("input_schema")) {
            for (_, value) in self.contexts_of(module, id, &None, 0, |frames| self.telling(module, id, frames, 1)) {
                into.add(self, module, outline.offset(id), self.parts_of(&value, 0));
            }
            return;
        }
        for entry in entries {
            let Key::Named(key) = &entry.key else { continue };
            let Node::Object(inner) = outline.node(entry.value) else { continue };
            let has = |wanted: &str| inner.iter().any(|entry| matches!(&entry.key, Key::Named(key) if key == wanted));
            if has("name") || !has("description") || !(has("inputSchema") || has("input_schema")) {
                continue;
            }
            let mut parts = self.parts_of(&self.value(module, entry.value, &None, 0), 0);
            parts.name = Value::text(key.as_str());
            into.add(self, module, outline.offset(entry.value), parts);
        }
    }

    /// A class whose objects are tools.
    pub(super) fn python_class(&self, module: usize, class: ClassId, into: &mut Registrations) {
        let Some((_, of)) = self.class(module, class) else { return };
        let Some(own) = of.name.as_deref().filter(|_| !of.is_abstract) else { return };
        let bases = self.names_of_bases(module, class);
        let is_tool = bases.iter().any(|base| {
            base.rsplit('.')
                .next()
                .is_some_and(|name| name == "Tool" || name.ends_with("BaseTool") || name == "MCPTool")
        });
        let acts = ACTS.iter().find_map(|act| of.methods.get(*act));
        let Some(acts) = acts.filter(|_| is_tool) else { return };
        let object = self.instance(module, class, Given::default());
        let mut parts = self.parts_of(&object, 0);
        if name_of(&parts.name).is_none() {
            // Kits name such a tool after its class; a base of the package's own is no kit.
            if !bases.iter().any(|base| base.contains('.') && base.ends_with("Tool")) {
                return;
            }
            parts.name = Value::text(snake(own.strip_suffix("Tool").unwrap_or(own)));
        }
        if parts.description.is_unknown() {
            let doc = self.outlines.get(module).and_then(|outline| outline.function(*acts)?.doc.clone());
            parts.description = of.doc.clone().or(doc).map_or(Value::Unknown, Value::text);
        }
        if parts.schema.is_none() {
            parts.schema =
                self.parameters_schema(module, *acts, &None).map(|(schema, whole)| Value::schema(schema, whole));
        }
        into.add(self, module, of.offset, parts);
    }
}

/// True for what makes a tool of its arguments, by its name.
fn is_told_where_made(by: &str) -> bool {
    let name = by.rsplit('.').next().unwrap_or_default();
    name.ends_with("Tool") || matches!(name, "from_function" | "from_callable" | "tool")
}

/// True for the names of decorators that make a tool of a function.
fn decorates_tool(name: &str) -> bool {
    let other =
        ["call_tool", "get_tool", "use_tool", "has_tool", "run_tool", "remove_tool", "add_tool", "register_tool"];
    (name == "tool" || name.ends_with("_tool") || name == "mcptool") && !other.contains(&name)
}

/// A class's name as Python writes the names of functions.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    let mut before = '_';
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() && !before.is_uppercase() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
        before = letter;
    }
    snake
}
