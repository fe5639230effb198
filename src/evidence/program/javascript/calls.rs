//! Calls: of functions, of `require` and its like, and of the methods that write.

use oxc_ast::ast::{Argument as ArgumentNode, CallExpression, Expression, ImportExpression, NewExpression};

use super::super::outline::{Argument, Node, NodeId, Part};
use super::JavascriptOutliner;
use super::texts::literal_text;

/// The helpers that compilers put around a module; each gives the module, or stands for it.
const WRAPPERS: [&str; 9] = [
    "__importDefault",
    "__importStar",
    "__toESM",
    "_interopRequireDefault",
    "_interopRequireWildcard",
    "_interopDefault",
    "_interopDefaultLegacy",
    "_interopNamespace",
    "_interopNamespaceDefault",
];

impl JavascriptOutliner {
    pub(super) fn call(&mut self, it: &CallExpression<'_>) -> NodeId {
        let offset = it.span.start;
        if let Some(module) = self.required(it) {
            return self.module(&module, offset);
        }
        if let Some(id) = self.compiled_enum(it) {
            return id;
        }
        let callee = self.expression(&it.callee);
        let arguments = self.arguments(&it.arguments);
        let name = last_name(&it.callee);
        if let (Some(first), Some(name)) = (arguments.first(), name)
            && WRAPPERS.contains(&name)
        {
            return first.value;
        }
        if let Some(name) = name {
            self.note_exports(name, it, &arguments);
        }
        if self.is_require(&it.callee) && !arguments.is_empty() {
            self.build.outline.loads_unknown = true;
        }
        self.note_additions(&it.callee, callee, &arguments, offset);
        self.build.node(Node::Call { callee, arguments: arguments.into(), constructs: false }, offset)
    }

    pub(super) fn construction(&mut self, it: &NewExpression<'_>) -> NodeId {
        let callee = self.expression(&it.callee);
        let arguments = self.arguments(&it.arguments);
        self.build.node(Node::Call { callee, arguments: arguments.into(), constructs: true }, it.span.start)
    }

    pub(super) fn arguments(&mut self, it: &[ArgumentNode<'_>]) -> Vec<Argument> {
        let mut arguments = Vec::with_capacity(it.len());
        for argument in it {
            let (spread, value) = match argument {
                ArgumentNode::SpreadElement(it) => (true, self.expression(&it.argument)),
                other => match other.as_expression() {
                    Some(value) => (false, self.expression(value)),
                    None => continue,
                },
            };
            arguments.push(Argument { name: None, spread, value });
        }
        arguments
    }

    /// `import("x")`. Where the name is put together at run time it stays a call, of `import`.
    pub(super) fn import_call(&mut self, it: &ImportExpression<'_>) -> NodeId {
        let offset = it.span.start;
        if let Some(options) = &it.options {
            self.expression(options);
        }
        if let Some(module) = literal_text(&it.source) {
            return self.module(module, offset);
        }
        self.build.outline.loads_unknown = true;
        let callee = self.name("import", offset);
        let value = self.expression(&it.source);
        let arguments = vec![Argument { name: None, spread: false, value }];
        self.build.node(Node::Call { callee, arguments: arguments.into(), constructs: false }, offset)
    }

    /// A whole module as an expression.
    pub(super) fn module(&mut self, module: &str, offset: u32) -> NodeId {
        self.build.import(module);
        self.build.node(Node::Module(module.into()), offset)
    }

    /// The module that `require("x")` loads.
    fn required(&self, it: &CallExpression<'_>) -> Option<String> {
        let module = literal_text(it.arguments.first()?.as_expression()?)?;
        self.is_require(&it.callee).then(|| module.to_owned())
    }

    fn is_require(&self, callee: &Expression<'_>) -> bool {
        match callee.get_inner_expression() {
            Expression::Identifier(name) => {
                matches!(name.name.as_str(), "require" | "__require") || self.requires.contains(name.name.as_str())
            }
            other => is_named(other, &["createRequire"]),
        }
    }

    /// Notes what a method adds to a list, set or map.
    fn note_additions(&mut self, callee: &Expression<'_>, id: NodeId, arguments: &[Argument], offset: u32) {
        if callee.get_inner_expression().as_member_expression().is_none() {
            return;
        }
        let Node::Member(object, method) = self.build.outline.node(id) else { return };
        let object = *object;
        match (&**method, arguments) {
            ("push" | "unshift", _) => {
                for argument in arguments {
                    let part = if argument.spread { Part::Elements } else { Part::Element };
                    self.build.write(object, part, argument.value, offset);
                }
            }
            ("add", [only]) if !only.spread => self.build.write(object, Part::Element, only.value, offset),
            ("set", [key, value]) if !key.spread && !value.spread => {
                self.build.write(object, Part::Keyed(key.value), value.value, offset);
            }
            _ => {}
        }
    }
}

/// The last name of a callee: `b` of `b`, `a.b` and `(0, a.b)`.
pub(super) fn last_name<'x>(callee: &'x Expression<'_>) -> Option<&'x str> {
    match callee.get_inner_expression() {
        Expression::Identifier(name) => Some(name.name.as_str()),
        Expression::StaticMemberExpression(member) => Some(member.property.name.as_str()),
        Expression::SequenceExpression(sequence) => sequence.expressions.last().and_then(last_name),
        _ => None,
    }
}

/// True for a call of one of some names.
pub(super) fn is_named(it: &Expression<'_>, names: &[&str]) -> bool {
    let Expression::CallExpression(call) = it.get_inner_expression() else { return false };
    last_name(&call.callee).is_some_and(|name| names.contains(&name))
}
