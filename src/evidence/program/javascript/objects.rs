//! Object literals.

use oxc_ast::ast::{Expression, ObjectExpression, ObjectProperty, ObjectPropertyKind, PropertyKind};

use super::super::outline::{Entry, FunctionKind, Key, Node, NodeId};
use super::JavascriptOutliner;
use super::functions::FunctionHead;

impl JavascriptOutliner {
    pub(super) fn object(&mut self, it: &ObjectExpression<'_>) -> NodeId {
        let mut entries = Vec::with_capacity(it.properties.len());
        for property in &it.properties {
            match property {
                ObjectPropertyKind::SpreadProperty(it) => {
                    entries.push(Entry { key: Key::Spread, value: self.expression(&it.argument) });
                }
                ObjectPropertyKind::ObjectProperty(it) if it.kind == PropertyKind::Init => {
                    entries.push(self.entry(it));
                }
                ObjectPropertyKind::ObjectProperty(it) => self.accessor(it),
            }
        }
        self.build.node(Node::Object(entries.into()), it.span.start)
    }

    fn entry(&mut self, it: &ObjectProperty<'_>) -> Entry {
        match it.key.static_name() {
            Some(name) => {
                let value = self.expression_of(&it.value, Some(&name));
                Entry { key: Key::Named(name.into_owned()), value }
            }
            None => {
                let key = match it.key.as_expression() {
                    Some(key) => self.expression(key),
                    None => self.unknown(it.span.start),
                };
                Entry { key: Key::Computed(key), value: self.expression(&it.value) }
            }
        }
    }

    /// A getter or setter: no entry, but what is done in it is outlined.
    fn accessor(&mut self, it: &ObjectProperty<'_>) {
        let name = it.key.static_name();
        if name.is_none()
            && let Some(key) = it.key.as_expression()
        {
            self.expression(key);
        }
        if let Expression::FunctionExpression(function) = &it.value {
            let head = FunctionHead::plain(name.as_deref(), it.span.start);
            let kind = if it.kind == PropertyKind::Get { FunctionKind::Getter } else { FunctionKind::Plain };
            self.function(function, FunctionHead { kind, ..head });
        }
    }
}
