//! CommonJS: what a module puts into `module.exports`, by hand or as compilers write it.
//!
//! An export that is assigned, `exports.a = x`, is a name as well: `exports.a` in the module scope. So the module's own
//! uses of it find what it stands for. No name that is written in the text has a dot, so none can be in its way.

use oxc_ast::ast::{AssignmentExpression, CallExpression, Expression, MemberExpression};

use super::super::outline::{Argument, Key, MODULE_SCOPE, Node, NodeId, Origin, Part};
use super::JavascriptOutliner;
use super::calls::is_named;
use super::texts::literal_text;

impl JavascriptOutliner {
    /// `module.exports = x`, `exports.a = x`, `module.exports.a = x`; none where something else is assigned to.
    pub(super) fn export_assignment(&mut self, it: &AssignmentExpression<'_>) -> Option<NodeId> {
        if !it.operator.is_assign() || self.shadowed {
            return None;
        }
        let target = it.left.as_member_expression()?;
        if is_module_exports(target) {
            return Some(self.replace_exports(&it.right));
        }
        let name = exported_name(target)?.to_owned();
        let value = self.expression_of(&it.right, Some(&name));
        self.export_value(&name, value);
        Some(value)
    }

    fn replace_exports(&mut self, right: &Expression<'_>) -> NodeId {
        let value = self.expression(right);
        match right.get_inner_expression() {
            // esbuild lists the exports elsewhere, as functions that give them.
            Expression::CallExpression(call) if is_named(right, &["__toCommonJS"]) => {
                let target = call.arguments.first().and_then(|argument| argument.as_expression());
                if let Some(Expression::Identifier(target)) = target {
                    self.exported_table = Some(target.name.to_string());
                }
            }
            _ => {
                self.build.outline.exports.insert("=".to_owned(), value);
            }
        }
        value
    }

    /// Notes an export. Compiled TypeScript first sets each to `void 0`, which says nothing.
    pub(super) fn export_value(&mut self, name: &str, value: NodeId) {
        if matches!(self.build.outline.node(value), Node::Plain(plain) if plain.is_null()) || name == "__esModule" {
            return;
        }
        self.build.outline.exports.insert(name.to_owned(), value);
        self.declare(MODULE_SCOPE, &format!("exports.{name}"), Origin::Expression(value));
    }

    /// An export that the module itself uses, as the name that stands for it.
    pub(super) fn own_export(&self, it: &MemberExpression<'_>) -> Option<Node> {
        let name = exported_name(it).filter(|_| !self.shadowed)?;
        Some(Node::Name(format!("exports.{name}").into(), MODULE_SCOPE))
    }

    /// Notes what the calls export that compilers write.
    pub(super) fn note_exports(&mut self, callee: &str, it: &CallExpression<'_>, arguments: &[Argument]) {
        let first = it.arguments.first().and_then(|argument| argument.as_expression());
        let Some(first) = first.map(Expression::get_inner_expression) else { return };
        match callee {
            "defineProperty" if is_exports(first) && !self.shadowed => self.note_definition(it, arguments),
            "__exportStar" | "__reExport" | "_export_star" => {
                for argument in arguments {
                    if let Node::Module(module) = self.build.outline.node(argument.value) {
                        let module = module.to_string();
                        self.build.outline.exported_modules.push(module);
                    }
                }
            }
            "__export" | "_export" => self.note_export_table(first, arguments),
            _ => {}
        }
    }

    /// `Object.defineProperty(exports, "a", {get: function () { return x }})`.
    fn note_definition(&mut self, it: &CallExpression<'_>, arguments: &[Argument]) {
        let Some(name) = it.arguments.get(1).and_then(|name| name.as_expression()).and_then(literal_text) else {
            return;
        };
        let Some(Node::Object(entries)) = arguments.get(2).map(|argument| self.build.outline.node(argument.value))
        else {
            return;
        };
        let value = entries.iter().find_map(|entry| match &entry.key {
            Key::Named(key) if key == "get" => self.returned(entry.value),
            Key::Named(key) if key == "value" => Some(entry.value),
            _ => None,
        });
        if let Some(value) = value {
            self.export_value(name, value);
        }
    }

    /// `__export(target, {a: () => a})`: the exports of the module, or of one that is bundled into it.
    fn note_export_table(&mut self, target: &Expression<'_>, arguments: &[Argument]) {
        let [object, table, ..] = arguments else { return };
        let Node::Object(entries) = self.build.outline.node(table.value) else { return };
        let mut found = Vec::new();
        for entry in entries {
            if let (Key::Named(name), Some(value)) = (&entry.key, self.returned(entry.value)) {
                found.push((name.clone(), value));
            }
        }
        let (object, offset) = (object.value, self.build.outline.offset(table.value));
        for (name, value) in &found {
            if is_exports(target) && !self.shadowed {
                self.export_value(name, *value);
            } else {
                self.build.write(object, Part::Member(name.clone()), *value, offset);
            }
        }
        if let Expression::Identifier(target) = target {
            self.export_tables.entry(target.name.to_string()).or_default().extend(found);
        }
    }

    /// What a function returns last.
    pub(super) fn returned(&self, value: NodeId) -> Option<NodeId> {
        let Node::Function(id) = self.build.outline.node(value) else { return None };
        self.build.outline.function(*id)?.returns.last().copied()
    }
}

/// The name under which a member of `exports` is exported.
pub(super) fn exported_name<'x>(it: &'x MemberExpression<'_>) -> Option<&'x str> {
    let name = match it {
        MemberExpression::StaticMemberExpression(it) => it.property.name.as_str(),
        MemberExpression::ComputedMemberExpression(it) => literal_text(&it.expression)?,
        MemberExpression::PrivateFieldExpression(_) => return None,
    };
    is_exports(it.object()).then_some(name)
}

/// `exports` or `module.exports`.
fn is_exports(it: &Expression<'_>) -> bool {
    match it.get_inner_expression() {
        Expression::Identifier(name) => name.name.as_str() == "exports",
        other => other.as_member_expression().is_some_and(is_module_exports),
    }
}

fn is_module_exports(it: &MemberExpression<'_>) -> bool {
    it.as_expression().is_specific_member_access("module", "exports")
}
