//! Python: a module, as ruff's parser sees it, in the form of an outline.
//!
//! One walk by hand, statement after statement. Every expression is lowered, also where its value is thrown away, so
//! that no call is missed. The parts of an expression have lower numbers than the whole. The walk recurses: how deep
//! the text nests is bounded before it is parsed.

use std::collections::{BTreeMap, BTreeSet};

use rustpython_ruff_python_ast as ast;
use rustpython_ruff_text_size::Ranged;

use super::build::OutlineBuilder;
use super::outline::{Binding, ClassId, FunctionId, MODULE_SCOPE, ModuleLanguage, Node, NodeId, Outline, ScopeId};

mod annotations;
mod calls;
mod classes;
mod comprehensions;
mod expressions;
mod functions;
mod imports;
mod patterns;
mod statements;
mod strings;
mod targets;
#[cfg(test)]
mod tests;

/// Outlines a module at a path of the bundle.
///
/// What the parser recovered from a syntax error is outlined like the rest.
pub(super) fn outline(module: &ast::ModModule, path: &str) -> Outline {
    let mut outliner = PythonOutliner::new(path);
    outliner.body(&module.body);
    outliner.builder.outline
}

/// What opened a scope.
#[derive(Clone, Copy)]
enum ScopeKind {
    Module,
    Function,
    Class(ClassId),
    Comprehension,
}

/// Walks a module and fills its outline.
struct PythonOutliner {
    builder: OutlineBuilder,
    /// What opened each scope, by its number.
    kinds: Vec<ScopeKind>,
    /// The names that `global` and `nonlocal` bind elsewhere, by the scope that says so.
    declared: BTreeMap<ScopeId, BTreeMap<String, ScopeId>>,
    /// The names under which `importlib` is imported.
    importlibs: BTreeSet<String>,
    /// The names under which a function that loads modules is imported.
    loaders: BTreeSet<String>,
    /// The modules that are in `exported_modules` already.
    starred: BTreeSet<String>,
    /// True where the module binds the name `super` itself.
    binds_super: bool,
}

impl PythonOutliner {
    fn new(path: &str) -> Self {
        Self {
            builder: OutlineBuilder::new(path, ModuleLanguage::Python),
            kinds: vec![ScopeKind::Module],
            declared: BTreeMap::new(),
            importlibs: BTreeSet::from(["importlib".to_owned()]),
            loaders: BTreeSet::from(["__import__".to_owned()]),
            starred: BTreeSet::new(),
            binds_super: false,
        }
    }

    /// Opens a scope and returns the one to go back to.
    fn open_scope(&mut self, kind: ScopeKind) -> ScopeId {
        let outer = self.builder.open_scope();
        // The names of a class are seen by its body alone, not by what the body opens.
        let around = match self.kind(outer) {
            ScopeKind::Class(_) => self.parent(outer),
            _ => Some(outer),
        };
        if let Some(scope) = self.builder.outline.scopes.last_mut() {
            scope.parent = around;
        }
        self.kinds.push(kind);
        outer
    }

    fn kind(&self, scope: ScopeId) -> ScopeKind {
        self.kinds.get(scope as usize).copied().unwrap_or(ScopeKind::Module)
    }

    fn parent(&self, scope: ScopeId) -> Option<ScopeId> {
        self.builder.outline.scopes.get(scope as usize)?.parent
    }

    /// The class whose body is walked, outside of its methods.
    fn class_here(&self) -> Option<ClassId> {
        match self.kind(self.builder.scope) {
            ScopeKind::Class(class) => Some(class),
            _ => None,
        }
    }

    /// The scope that a name of this one belongs to: another one after `global` or `nonlocal`.
    fn scope_of(&self, scope: ScopeId, name: &str) -> ScopeId {
        self.declared.get(&scope).and_then(|names| names.get(name)).copied().unwrap_or(scope)
    }

    /// Binds a name where a statement of the present scope binds it.
    fn bind(&mut self, name: &str, binding: Binding) {
        self.bind_in(self.builder.scope, name, binding);
    }

    fn bind_in(&mut self, scope: ScopeId, name: &str, binding: Binding) {
        // The parser puts an empty name where it misses one.
        if name.is_empty() {
            return;
        }
        self.binds_super |= name == "super";
        self.builder.bind_path(self.scope_of(scope, name), name, binding);
    }

    /// Notes that names of the present scope are those of the module, or of the function around.
    fn declare(&mut self, names: &[ast::Identifier], is_global: bool) {
        let here = self.builder.scope;
        for name in names {
            let owner = if is_global { MODULE_SCOPE } else { self.owner(here, name.as_str()) };
            self.declared.entry(here).or_default().insert(name.to_string(), owner);
        }
    }

    /// The nearest scope around in which a name is bound so far; the nearest of all where none binds it yet.
    fn owner(&self, scope: ScopeId, name: &str) -> ScopeId {
        let nearest = self.parent(scope).unwrap_or(MODULE_SCOPE);
        let mut around = Some(nearest);
        while let Some(candidate) = around.filter(|candidate| *candidate != MODULE_SCOPE) {
            let scope = self.builder.outline.scopes.get(candidate as usize);
            if scope.is_some_and(|scope| scope.names.contains(name)) {
                return candidate;
            }
            around = self.parent(candidate);
        }
        nearest
    }

    /// The function around, past loops and comprehensions.
    fn function_around(&self) -> Option<FunctionId> {
        let mut around = self.builder.function;
        while let Some(function) = around.and_then(|id| self.builder.outline.function(id)) {
            if !function.is_loop() {
                break;
            }
            around = function.parent;
        }
        around
    }

    /// Notes an expression that the function around returns or yields.
    fn returns(&mut self, value: NodeId) {
        if let Some(function) = self.function_around().and_then(|id| self.builder.function_mut(id)) {
            function.returns.push(value);
        }
    }

    fn unknown(&mut self, offset: u32) -> NodeId {
        self.builder.node(Node::Unknown, offset)
    }

    /// Walks a part with another function or loop around it.
    fn within<T>(&mut self, function: FunctionId, walk: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.builder.function.replace(function);
        let result = walk(self);
        self.builder.function = outer;
        result
    }
}

/// The byte at which a part of the text begins.
fn start(part: &impl Ranged) -> u32 {
    part.range().start().to_u32()
}

/// The last part of a dotted name: `tool` of `server.tool`.
fn last_name(expression: &ast::Expr) -> Option<&str> {
    match expression {
        ast::Expr::Name(name) => Some(name.id.as_str()),
        ast::Expr::Attribute(member) => Some(member.attr.as_str()),
        _ => None,
    }
}
