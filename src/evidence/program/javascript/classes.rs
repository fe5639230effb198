//! Classes: their fields, methods and decorators.

use oxc_ast::ast::{
    Class as ClassNode, ClassElement, Decorator, Expression, MethodDefinition, MethodDefinitionKind, PropertyKey,
};

use super::super::outline::{Class, ClassId, Field, FunctionKind, Node, NodeId, Origin};
use super::JavascriptOutliner;
use super::functions::FunctionHead;

impl JavascriptOutliner {
    /// A declared class, bound to its name.
    pub(super) fn class_declaration(&mut self, it: &ClassNode<'_>) -> Option<ClassId> {
        if it.declare {
            return None;
        }
        let name = it.id.as_ref().map(|id| id.name.as_str());
        let id = self.class(it, name);
        if let Some(name) = name {
            self.declare(self.build.scope, name, Origin::Class(id));
        }
        Some(id)
    }

    pub(super) fn class_expression(&mut self, it: &ClassNode<'_>, name: Option<&str>) -> NodeId {
        let own = it.id.as_ref().map(|id| id.name.as_str());
        let id = self.class(it, own.or(name));
        self.build.node(Node::Class(id), it.span.start)
    }

    fn class(&mut self, it: &ClassNode<'_>, name: Option<&str>) -> ClassId {
        self.decorators(&it.decorators);
        let bases = it.heritage.iter().map(|heritage| self.expression(&heritage.expression)).collect();
        let id = self.build.add_class(Class {
            name: name.map(str::to_owned),
            bases,
            fields: Vec::new(),
            methods: std::collections::BTreeMap::new(),
            doc: None,
            is_abstract: it.r#abstract,
            offset: it.span.start,
        });
        let outer = self.build.open_scope();
        // The class knows its own name, whatever happens to the one outside.
        if let Some(own) = it.id.as_ref().filter(|_| it.is_expression()) {
            self.declare(self.build.scope, own.name.as_str(), Origin::Class(id));
        }
        for element in &it.body.body {
            self.class_element(element, id);
        }
        self.build.scope = outer;
        id
    }

    fn class_element(&mut self, it: &ClassElement<'_>, class: ClassId) {
        match it {
            ClassElement::MethodDefinition(it) => self.method(it, class),
            ClassElement::PropertyDefinition(it) => {
                self.decorators(&it.decorators);
                self.field(&it.key, it.value.as_ref(), class);
            }
            ClassElement::AccessorProperty(it) => {
                self.decorators(&it.decorators);
                self.field(&it.key, it.value.as_ref(), class);
            }
            ClassElement::StaticBlock(it) => {
                let variable_scope = self.variable_scope;
                let outer = self.build.open_scope();
                self.variable_scope = self.build.scope;
                self.statements(&it.body);
                (self.build.scope, self.variable_scope) = (outer, variable_scope);
            }
            ClassElement::TSIndexSignature(_) => {}
        }
    }

    fn field(&mut self, key: &PropertyKey<'_>, value: Option<&Expression<'_>>, class: ClassId) {
        let name = self.key_name(key);
        let value = value.map(|value| self.field_value(value, name.as_deref(), class));
        if let (Some(name), Some(class)) = (name, self.build.class_mut(class)) {
            class.fields.push(Field { name, value, annotation: None });
        }
    }

    /// A function in a field works as a method does: its `this` is the object.
    fn field_value(&mut self, value: &Expression<'_>, name: Option<&str>, class: ClassId) -> NodeId {
        match value.get_inner_expression() {
            Expression::ArrowFunctionExpression(it) => {
                let head = FunctionHead { class: Some(class), ..FunctionHead::plain(name, it.span.start) };
                self.arrow(it, head)
            }
            other => self.expression_of(other, name),
        }
    }

    fn method(&mut self, it: &MethodDefinition<'_>, class: ClassId) {
        let decorators = self.decorators(&it.decorators);
        let name = self.key_name(&it.key);
        let kind = match it.kind {
            MethodDefinitionKind::Constructor => FunctionKind::Constructor,
            MethodDefinitionKind::Get => FunctionKind::Getter,
            MethodDefinitionKind::Method | MethodDefinitionKind::Set => FunctionKind::Method,
        };
        let head = FunctionHead {
            name: name.clone(),
            kind,
            class: Some(class),
            decorators,
            is_static: it.r#static,
            offset: it.span.start,
        };
        let Some(id) = self.function(&it.value, head) else { return };
        // Reading the name never calls the setter.
        if let (Some(name), Some(class), false) = (name, self.build.class_mut(class), it.kind.is_set()) {
            class.methods.insert(name, id);
        }
    }

    fn decorators(&mut self, it: &[Decorator<'_>]) -> Vec<NodeId> {
        it.iter().map(|decorator| self.expression(&decorator.expression)).collect()
    }

    /// The name of a field or method, `#` and all; a key that is worked out at run time is walked and has none.
    fn key_name(&mut self, key: &PropertyKey<'_>) -> Option<String> {
        if let PropertyKey::PrivateIdentifier(name) = key {
            return Some(format!("#{}", name.name));
        }
        let name = key.static_name();
        if name.is_none()
            && let Some(key) = key.as_expression()
        {
            self.expression(key);
        }
        name.map(std::borrow::Cow::into_owned)
    }
}
