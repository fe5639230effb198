//! The index of a program: who calls a name, what is written to it, and which functions are handed over.

use std::collections::{BTreeMap, BTreeSet};

use super::outline::{ClassId, FunctionId, Node, NodeId, Outline, Part, ScopeId};

/// An argument of a call: module, call, place among the arguments.
pub(super) type Handed = (usize, NodeId, usize);

/// The index of a program.
#[derive(Default)]
pub(super) struct Index {
    /// The calls by the last name of what is called; `super` for the constructor of a base class.
    pub(super) calls: BTreeMap<String, Vec<(usize, NodeId)>>,
    /// The functions that stand as an argument.
    pub(super) handed: BTreeMap<(usize, FunctionId), Handed>,
    /// The names that stand as an argument, by their last part.
    pub(super) handed_names: BTreeMap<String, Vec<Handed>>,
    /// The functions that a decorator stands over, by the decorator's expression.
    pub(super) decorated: BTreeMap<(usize, NodeId), FunctionId>,
    /// The calls whose callee is a call: `f(x)(y)` by `f(x)`.
    pub(super) applied: BTreeMap<(usize, NodeId), NodeId>,
    /// The decorators without arguments, by their last name.
    pub(super) bare_decorators: BTreeMap<String, Vec<(usize, NodeId)>>,
    /// The functions by their names.
    pub(super) functions: BTreeMap<String, Vec<(usize, FunctionId)>>,
    /// The functions in which a method registers something.
    pub(super) registering: BTreeSet<(usize, FunctionId)>,
    /// The functions that an object holds.
    pub(super) held: BTreeSet<(usize, FunctionId)>,
    /// The writes to a name or its members, by the scope that binds it.
    pub(super) to_name: BTreeMap<(usize, ScopeId, String), Vec<usize>>,
    /// The writes of a field of a class's objects: `this.x = y`.
    pub(super) to_field: BTreeMap<(usize, ClassId, String), Vec<usize>>,
    /// The writes into a field of a class's objects: `this.x.push(y)`.
    pub(super) into_field: BTreeMap<(usize, ClassId, String), Vec<usize>>,
}

impl Index {
    pub(super) fn of(outlines: &[Outline]) -> Self {
        let mut index = Self::default();
        for (module, outline) in outlines.iter().enumerate() {
            index.add_calls(module, outline);
            index.add_functions(module, outline);
            index.add_held(module, outline);
            index.add_writes(module, outline);
        }
        index
    }

    fn add_calls(&mut self, module: usize, outline: &Outline) {
        for &id in &outline.calls {
            let Node::Call { callee, arguments, .. } = outline.node(id) else { continue };
            if matches!(outline.node(*callee), Node::Call { .. }) {
                self.applied.insert((module, *callee), id);
            }
            if let Node::Member(_, method) = outline.node(*callee)
                && matches!(&**method, "registerTool" | "tool" | "addTool" | "registerAppTool")
            {
                self.registering.extend(outline.around(id).map(|function| (module, function)));
            }
            if let Some(name) = last_name(outline, *callee) {
                self.calls.entry(name.to_owned()).or_default().push((module, id));
            }
            for (at, argument) in arguments.iter().enumerate() {
                match outline.node(argument.value) {
                    Node::Function(function) => _ = self.handed.insert((module, *function), (module, id, at)),
                    Node::Name(name, _) | Node::Member(_, name) => {
                        self.handed_names.entry(name.to_string()).or_default().push((module, id, at));
                    }
                    _ => {}
                }
            }
        }
    }

    fn add_functions(&mut self, module: usize, outline: &Outline) {
        for (function, id) in outline.functions.iter().zip(0..) {
            if let Some(name) = &function.name {
                self.functions.entry(name.clone()).or_default().push((module, id));
            }
            for decorator in &function.decorators {
                self.decorated.insert((module, *decorator), id);
                if let Some(name) = last_name(outline, *decorator) {
                    self.bare_decorators.entry(name.to_owned()).or_default().push((module, *decorator));
                }
            }
        }
    }

    fn add_held(&mut self, module: usize, outline: &Outline) {
        for object in &outline.objects {
            let Node::Object(entries) = outline.node(*object) else { continue };
            for entry in entries {
                if let Node::Function(function) = outline.node(entry.value) {
                    self.held.insert((module, *function));
                }
            }
        }
    }

    fn add_writes(&mut self, module: usize, outline: &Outline) {
        for (at, write) in outline.writes.iter().enumerate() {
            if let (Some(class), Part::Member(field)) = (own_class(outline, write.object), &write.part) {
                self.to_field.entry((module, class, field.clone())).or_default().push(at);
                continue;
            }
            match outline.node(write.object) {
                Node::Name(name, scope) => {
                    if let Some(scope) = binding_scope(outline, *scope, name) {
                        self.to_name.entry((module, scope, name.to_string())).or_default().push(at);
                    }
                }
                Node::Member(object, field) => {
                    if let Some(class) = own_class(outline, *object) {
                        self.into_field.entry((module, class, field.to_string())).or_default().push(at);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The last name of what an expression names.
pub(super) fn last_name(outline: &Outline, id: NodeId) -> Option<&str> {
    match outline.node(id) {
        Node::Name(name, _) | Node::Member(_, name) => Some(name),
        Node::Super => Some("super"),
        _ => None,
    }
}

/// The scope that binds a name, from the scope in which it is used outwards.
pub(super) fn binding_scope(outline: &Outline, scope: ScopeId, name: &str) -> Option<ScopeId> {
    let mut next = Some(scope);
    while let Some(id) = next {
        let scope = outline.scopes.get(id as usize)?;
        if scope.names.contains(name) {
            return Some(id);
        }
        // A scope is opened inside another, so the numbers fall and the walk ends.
        next = scope.parent.filter(|parent| *parent < id);
    }
    None
}

/// The class whose object an expression is: `this`, or `self` in a Python method.
pub(super) fn own_class(outline: &Outline, id: NodeId) -> Option<ClassId> {
    let name = match outline.node(id) {
        Node::This => None,
        Node::Name(name, _) => Some(&**name),
        _ => return None,
    };
    let method = method_around(outline, id)?;
    let function = outline.function(method)?;
    let is_first = |name: &str| function.parameters.first().is_some_and(|first| first.name == name);
    if name.is_none_or(is_first) { function.class } else { None }
}

/// The method around an expression.
pub(super) fn method_around(outline: &Outline, id: NodeId) -> Option<FunctionId> {
    let mut next = outline.around(id);
    while let Some(at) = next {
        let function = outline.function(at)?;
        if function.class.is_some() && !function.is_loop() {
            return Some(at);
        }
        next = function.parent.filter(|parent| *parent < at);
    }
    None
}
