//! Enums and namespaces of TypeScript, as written and as compiled.

use oxc_ast::ast::{
    CallExpression, Expression, FormalParameters, TSEnumDeclaration, TSNamespaceDeclaration, TSNamespaceDeclarationBody,
};
use serde_json::Value;

use super::super::outline::{Argument, Entry, FunctionId, Key, Node, NodeId, Origin};
use super::JavascriptOutliner;
use super::NameAlias;
use super::commonjs::exported_name;
use super::expressions::assigned_name;
use super::functions::FunctionHead;

impl JavascriptOutliner {
    /// `enum X { A = "a", B = "b" }` binds an object.
    pub(super) fn enumeration(&mut self, it: &TSEnumDeclaration<'_>) {
        let mut entries = Vec::with_capacity(it.body.members.len());
        // A member without a value is one more than the member before it.
        let mut next = Some(0);
        for member in &it.body.members {
            let offset = member.span.start;
            let value = match (&member.initializer, next) {
                (Some(value), _) => self.expression(value),
                (None, Some(number)) => self.plain(Value::from(number), offset),
                (None, None) => self.unknown(offset),
            };
            next = match self.build.outline.node(value) {
                Node::Plain(value) => value.as_i64().and_then(|number| number.checked_add(1)),
                _ => None,
            };
            entries.push(Entry { key: Key::Named(member.id.static_name().to_string()), value });
        }
        let object = self.build.node(Node::Object(entries.into()), it.span.start);
        self.declare(self.build.scope, it.id.name.as_str(), Origin::Expression(object));
    }

    /// `namespace X { export const a = … }` binds an object of what it exports.
    pub(super) fn typescript_namespace(&mut self, it: &TSNamespaceDeclaration<'_>) {
        if it.declare {
            return;
        }
        let outer = (self.namespace.replace(Vec::new()), self.variable_scope);
        let scope = self.build.open_scope();
        self.variable_scope = self.build.scope;
        match &it.body {
            TSNamespaceDeclarationBody::TSModuleBlock(it) => self.statements(&it.body),
            TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
                self.typescript_namespace(inner);
                let value = self.name(inner.id.name.as_str(), inner.span.start);
                if let Some(entries) = &mut self.namespace {
                    entries.push(Entry { key: Key::Named(inner.id.name.to_string()), value });
                }
            }
        }
        self.build.scope = scope;
        let (namespace, variable_scope) = outer;
        self.variable_scope = variable_scope;
        let entries = std::mem::replace(&mut self.namespace, namespace).unwrap_or_default();
        let object = self.build.node(Node::Object(entries.into()), it.span.start);
        self.declare(self.build.scope, it.id.name.as_str(), Origin::Expression(object));
    }

    /// `(function (X) { X["A"] = "a"; })(X || (X = {}))`: what is written to the parameter is written to the outer `X`.
    pub(super) fn compiled_enum(&mut self, it: &CallExpression<'_>) -> Option<NodeId> {
        let parameters = parameters_of(&it.callee)?;
        let [parameter] = parameters.items.as_slice() else { return None };
        let parameter = parameter.pattern.get_identifier_name()?;
        let [argument] = it.arguments.as_slice() else { return None };
        let argument = argument.as_expression()?;
        let name = completed_name(argument)?;
        let scope = self.build.scope;
        let value = self.expression(argument);
        if let Some(exported) = exported_beside(argument).filter(|_| !self.shadowed) {
            let target = self.name(name, it.span.start);
            self.export_value(exported, target);
        }
        let outer = self.alias.take();
        let callee = self.enum_body(&it.callee, parameters, |function| NameAlias {
            parameter: parameter.to_string(),
            name: name.to_owned(),
            scope,
            function,
        });
        self.alias = outer;
        let arguments = vec![Argument { name: None, spread: false, value }];
        let call =
            self.build.node(Node::Call { callee, arguments: arguments.into(), constructs: false }, it.span.start);
        // `var X = (X2 => { …; return X2 })(X || {})` gives the object that it begins with, not itself.
        let gives_back = self.returned(callee).map(|id| self.build.outline.node(id));
        let gives_back = matches!(gives_back, Some(Node::Name(given, _)) if **given == *name);
        Some(match self.build.outline.node(value) {
            Node::Choice(parts) if gives_back => parts.last().copied().unwrap_or(call),
            _ => call,
        })
    }

    fn enum_body(
        &mut self,
        callee: &Expression<'_>,
        parameters: &FormalParameters<'_>,
        alias: impl FnOnce(FunctionId) -> NameAlias,
    ) -> NodeId {
        let offset = match callee.get_inner_expression() {
            Expression::FunctionExpression(it) => it.span.start,
            Expression::ArrowFunctionExpression(it) => it.span.start,
            _ => 0,
        };
        let (id, outer) = self.enter(FunctionHead::plain(None, offset), parameters);
        let alias = alias(id);
        if alias.parameter != alias.name {
            // Functions inside look the parameter up as any other name.
            let target = self.build.node(Node::Name(alias.name.as_str().into(), alias.scope), offset);
            self.declare(self.build.scope, &alias.parameter, Origin::Expression(target));
        }
        self.alias = Some(alias);
        match callee.get_inner_expression() {
            Expression::FunctionExpression(it) => {
                if let Some(body) = &it.body {
                    self.statements(&body.statements);
                }
            }
            Expression::ArrowFunctionExpression(it) => {
                if let Some(body) = it.get_function_body() {
                    self.statements(&body.statements);
                } else if let Some(value) = it.get_expression() {
                    let value = self.expression(value);
                    self.gives(value);
                }
            }
            _ => {}
        }
        self.leave(outer);
        self.build.node(Node::Function(id), offset)
    }
}

fn parameters_of<'x, 'a>(callee: &'x Expression<'a>) -> Option<&'x FormalParameters<'a>> {
    match callee.get_inner_expression() {
        Expression::FunctionExpression(it) => Some(&it.params),
        Expression::ArrowFunctionExpression(it) => Some(&it.params),
        _ => None,
    }
}

/// The name in `X || (X = {})`, `X || (exports.X = X = {})` and `X = exports.X || (exports.X = {})`.
fn completed_name<'x>(argument: &'x Expression<'_>) -> Option<&'x str> {
    match argument.get_inner_expression() {
        Expression::LogicalExpression(it) if it.operator.is_or() => match it.left.get_inner_expression() {
            Expression::Identifier(name) => Some(name.name.as_str()),
            _ => None,
        },
        Expression::AssignmentExpression(it) => {
            let Expression::LogicalExpression(choice) = it.right.get_inner_expression() else { return None };
            assigned_name(&it.left).filter(|_| choice.operator.is_or())
        }
        _ => None,
    }
}

/// The export in `X = exports.X || (exports.X = {})`.
fn exported_beside<'x>(argument: &'x Expression<'_>) -> Option<&'x str> {
    let Expression::AssignmentExpression(it) = argument.get_inner_expression() else { return None };
    let Expression::LogicalExpression(choice) = it.right.get_inner_expression() else { return None };
    choice.left.get_inner_expression().as_member_expression().and_then(exported_name)
}
