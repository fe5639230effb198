//! JavaScript and TypeScript: lowers what oxc's parser sees into the outline of a module.
//!
//! A walk by hand over statements and expressions, each expression once and in the order of the text. The caller bounds
//! the nesting, and so the depth of the walk. Types are left out.

use std::collections::{BTreeMap, BTreeSet};

use oxc_ast::ast::Program;

use super::build::OutlineBuilder;
use super::outline::{
    Binding, Entry, FunctionId, MODULE_SCOPE, ModuleLanguage, Node, NodeId, Origin, Outline, ScopeId,
};

mod assignments;
mod calls;
mod classes;
mod commonjs;
mod enums;
mod expressions;
mod functions;
mod jsx;
mod loops;
mod modules;
mod objects;
mod patterns;
mod statements;
mod texts;

/// Outlines a module. `path` is its path in the bundle.
pub(super) fn outline(program: &Program<'_>, path: &str) -> Outline {
    let mut outliner = JavascriptOutliner::new(path);
    // Dense text has an expression for each four bytes. Room that is not used costs nothing; a list of a million that grows
    // is copied again and again.
    outliner.build.outline.nodes.reserve(program.source_text.len() / 4);
    for statement in &program.body {
        outliner.statement(statement);
    }
    outliner.finish()
}

/// An outline in the making, with what only JavaScript has to know.
struct JavascriptOutliner {
    build: OutlineBuilder,
    /// The bindings in the order of the text. They reach their scopes at the end, since a name may be assigned before
    /// it is declared.
    bindings: Vec<FoundBinding>,
    /// The scope in which `var` binds.
    variable_scope: ScopeId,
    /// True inside of a bundled module, whose `exports` are a parameter.
    shadowed: bool,
    /// The parameter that stands for an outer name, in the body of a compiled enum.
    alias: Option<NameAlias>,
    /// The names that `createRequire` gave a `require` of their own.
    requires: BTreeSet<String>,
    /// The exports of the TypeScript namespace around; none outside of one.
    namespace: Option<Vec<Entry>>,
    /// What esbuild's `__export(target, …)` lists, by the name of the target.
    export_tables: BTreeMap<String, Vec<(String, NodeId)>>,
    /// The target of which `module.exports` is made.
    exported_table: Option<String>,
}

/// A name that something is bound to or, without a binding, that is only declared.
struct FoundBinding {
    scope: ScopeId,
    name: String,
    binding: Option<Binding>,
    /// True where the scope is the name's own; otherwise it is that of an assignment.
    declares: bool,
}

/// A parameter that stands for a name outside of its function.
struct NameAlias {
    parameter: String,
    name: String,
    scope: ScopeId,
    /// The function whose parameter it is; functions inside may use its name for something else.
    function: FunctionId,
}

impl JavascriptOutliner {
    fn new(path: &str) -> Self {
        Self {
            build: OutlineBuilder::new(path, ModuleLanguage::JavaScript),
            bindings: Vec::new(),
            variable_scope: MODULE_SCOPE,
            shadowed: false,
            alias: None,
            requires: BTreeSet::new(),
            namespace: None,
            export_tables: BTreeMap::new(),
            exported_table: None,
        }
    }

    fn finish(mut self) -> Outline {
        let table = self.exported_table.as_ref().and_then(|target| self.export_tables.remove(target));
        self.build.outline.exports.extend(table.into_iter().flatten());
        self.settle_bindings();
        let mut outline = self.build.outline;
        let offsets: Vec<u32> = outline.nodes.iter().map(|expression| expression.offset).collect();
        let offset = |id: &NodeId| offsets.get(*id as usize).copied().unwrap_or(u32::MAX);
        // Parts come before the whole in the walk, but not in the text. The sorts are stable: of `a().b()`, which begin
        // together, `a()` stays the first.
        outline.calls.sort_by_key(offset);
        outline.objects.sort_by_key(offset);
        outline.writes.sort_by_key(|write| write.offset);
        outline
    }

    /// Puts every binding into the scope that declares its name; the module's where none does.
    fn settle_bindings(&mut self) {
        let found = std::mem::take(&mut self.bindings);
        for declared in found.iter().filter(|found| found.declares) {
            if let Some(scope) = self.build.outline.scopes.get_mut(declared.scope as usize) {
                scope.names.declare(&declared.name);
            }
        }
        for FoundBinding { scope, name, binding, declares } in found {
            let scope = if declares { scope } else { self.declaring_scope(scope, &name) };
            if let Some(binding) = binding {
                self.build.bind_path(scope, &name, binding);
            }
        }
    }

    fn declaring_scope(&self, from: ScopeId, name: &str) -> ScopeId {
        let mut next = Some(from);
        while let Some(id) = next {
            let Some(scope) = self.build.outline.scopes.get(id as usize) else { break };
            if scope.names.contains(name) {
                return id;
            }
            next = scope.parent;
        }
        MODULE_SCOPE
    }

    /// Declares a name in a scope, with what it is bound to.
    fn declare(&mut self, scope: ScopeId, name: &str, origin: Origin) {
        let binding = Binding { origin, path: Vec::new(), default: None };
        self.bindings.push(FoundBinding { scope, name: name.to_owned(), binding: Some(binding), declares: true });
    }

    /// Notes an assignment to a name, wherever that turns out to be declared.
    fn assign(&mut self, name: &str, binding: Binding) {
        let scope = self.build.scope;
        self.bindings.push(FoundBinding { scope, name: name.to_owned(), binding: Some(binding), declares: false });
    }

    /// A name as an expression.
    fn name(&mut self, name: &str, offset: u32) -> NodeId {
        let alias = self.alias.as_ref();
        let alias = alias.filter(|alias| alias.parameter == name && self.build.function == Some(alias.function));
        let node = match alias {
            Some(alias) => Node::Name(alias.name.as_str().into(), alias.scope),
            None => Node::Name(name.into(), self.build.scope),
        };
        self.build.node(node, offset)
    }

    /// Something that has no form of its own.
    fn unknown(&mut self, offset: u32) -> NodeId {
        self.build.node(Node::Unknown, offset)
    }
}

#[cfg(test)]
mod tests;
