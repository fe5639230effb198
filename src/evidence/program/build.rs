//! Puts an outline together: numbers expressions, functions and scopes while a reader walks the text.

use std::collections::BTreeSet;

use super::outline::{
    Binding, Class, ClassId, Expression, Function, FunctionId, ModuleLanguage, NO_FUNCTION, Node, NodeId, Outline,
    Part, Scope, ScopeId, Write,
};

/// An outline in the making, with the place at which the reader stands.
pub(super) struct OutlineBuilder {
    /// The outline so far.
    pub(super) outline: Outline,
    /// The scope in which names are looked up and bound.
    pub(super) scope: ScopeId,
    /// The function or loop around.
    pub(super) function: Option<FunctionId>,
    /// The modules that are in `imports` already.
    imported: BTreeSet<String>,
}

/// The most expressions of one module: more than a bundle of sixteen megabytes has.
const MAX_NODES: usize = 8_000_000;

impl OutlineBuilder {
    pub(super) fn new(path: &str, language: ModuleLanguage) -> Self {
        let outline = Outline { path: path.to_owned(), language, scopes: vec![Scope::default()], ..Outline::default() };
        Self { outline, scope: 0, function: None, imported: BTreeSet::new() }
    }

    /// Adds an expression.
    pub(super) fn node(&mut self, node: Node, offset: u32) -> NodeId {
        // One number stands for all that are too many, so that hostile text cannot fill the memory.
        if self.outline.nodes.len() >= MAX_NODES {
            return NodeId::MAX;
        }
        let id = self.outline.nodes.len() as NodeId;
        match &node {
            Node::Call { .. } => self.outline.calls.push(id),
            Node::Object(_) => self.outline.objects.push(id),
            _ => {}
        }
        self.outline.nodes.push(Expression { node, offset, function: self.function.unwrap_or(NO_FUNCTION) });
        id
    }

    /// Opens a scope inside the present one and returns the one to go back to.
    pub(super) fn open_scope(&mut self) -> ScopeId {
        let outer = self.scope;
        self.scope = self.outline.scopes.len() as ScopeId;
        self.outline.scopes.push(Scope { parent: Some(outer), ..Scope::default() });
        outer
    }

    /// Binds a name in a scope by a path.
    pub(super) fn bind_path(&mut self, scope: ScopeId, name: &str, binding: Binding) {
        if let Some(scope) = self.outline.scopes.get_mut(scope as usize) {
            scope.names.bind(name, binding);
        }
    }

    /// Adds a function or loop; its parts are filled in later through the number.
    pub(super) fn add_function(&mut self, function: Function) -> FunctionId {
        self.outline.functions.push(function);
        (self.outline.functions.len() - 1) as FunctionId
    }

    /// A function that is being filled in.
    pub(super) fn function_mut(&mut self, id: FunctionId) -> Option<&mut Function> {
        self.outline.functions.get_mut(id as usize)
    }

    /// Adds a class; its parts are filled in later through the number.
    pub(super) fn add_class(&mut self, class: Class) -> ClassId {
        self.outline.classes.push(class);
        (self.outline.classes.len() - 1) as ClassId
    }

    /// A class that is being filled in.
    pub(super) fn class_mut(&mut self, id: ClassId) -> Option<&mut Class> {
        self.outline.classes.get_mut(id as usize)
    }

    /// Notes a write.
    pub(super) fn write(&mut self, object: NodeId, part: Part, value: NodeId, offset: u32) {
        self.outline.writes.push(Write { object, part, value, offset });
    }

    /// Notes a module that is named.
    pub(super) fn import(&mut self, module: &str) {
        if self.imported.insert(module.to_owned()) {
            self.outline.imports.push(module.to_owned());
        }
    }
}
