//! Annotations: types as expressions, where quotes do not make a text.

use rustpython_ruff_python_ast as ast;

use ast::{Expr, Operator, TypeParam};

use super::super::outline::{Binding, Element, Node, NodeId, Origin};
use super::{PythonOutliner, last_name, start};

impl PythonOutliner {
    /// Lowers an annotation: a quoted name is that name, and what stands in brackets are types.
    pub(super) fn annotation(&mut self, annotation: &Expr) -> NodeId {
        let offset = start(annotation);
        match annotation {
            Expr::StringLiteral(text) => self.quoted(text.value.to_str(), offset),
            Expr::BinOp(union) if union.op == Operator::BitOr => self.binary(union, Self::annotation),
            Expr::Subscript(subscript) => self.parametrized(subscript),
            Expr::List(list) => self.types(&list.elts, offset),
            Expr::Tuple(tuple) => self.types(&tuple.elts, offset),
            other => self.expression(other),
        }
    }

    /// `list[X]`, `dict[K, V]`: always by an index, since a text in the brackets is no key.
    pub(super) fn parametrized(&mut self, subscript: &ast::ExprSubscript) -> NodeId {
        let value = self.expression(&subscript.value);
        let index = match (last_name(&subscript.value), &*subscript.slice) {
            (Some("Literal"), values) => self.expression(values),
            // Only the first is a type; what follows are notes on it.
            (Some("Annotated"), Expr::Tuple(parts)) => {
                let mut elements = Vec::new();
                for (index, part) in parts.elts.iter().enumerate() {
                    let value = if index == 0 { self.annotation(part) } else { self.expression(part) };
                    elements.push(Element { spread: part.is_starred_expr(), value });
                }
                self.builder.node(Node::List(elements.into()), start(parts))
            }
            (_, types) => self.annotation(types),
        };
        self.builder.node(Node::Index(value, index), start(subscript))
    }

    fn types(&mut self, types: &[Expr], offset: u32) -> NodeId {
        let elements: Box<[Element]> =
            types.iter().map(|part| Element { spread: part.is_starred_expr(), value: self.annotation(part) }).collect();
        self.builder.node(Node::List(elements), offset)
    }

    /// A quoted annotation: the name in it where it is a plain or dotted one, a text otherwise.
    fn quoted(&mut self, text: &str, offset: u32) -> NodeId {
        let is_name = |part: &str| {
            part.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
                && part.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
        };
        if !text.split('.').all(is_name) {
            return self.builder.node(Node::Text(text.into()), offset);
        }
        if text == "None" {
            return self.builder.node(Node::plain(serde_json::Value::Null), offset);
        }
        let mut parts = text.split('.');
        let mut value = self.name(parts.next().unwrap_or_default(), offset);
        for part in parts {
            value = self.builder.node(Node::Member(value, part.into()), offset);
        }
        value
    }

    /// The bounds and defaults of type parameters: `def f[T: int]`.
    pub(super) fn type_parameters(&mut self, parameters: Option<&ast::TypeParams>) {
        for parameter in parameters.into_iter().flatten() {
            let (bound, default) = match parameter {
                TypeParam::TypeVar(one) => (one.bound.as_deref(), one.default.as_deref()),
                TypeParam::TypeVarTuple(many) => (None, many.default.as_deref()),
                TypeParam::ParamSpec(many) => (None, many.default.as_deref()),
            };
            for part in bound.into_iter().chain(default) {
                self.annotation(part);
            }
        }
    }

    /// Binds type parameters in the present scope, where they stand for nothing that is known.
    pub(super) fn bind_type_parameters(&mut self, parameters: Option<&ast::TypeParams>) {
        for parameter in parameters.into_iter().flatten() {
            self.bind(parameter.name().as_str(), Binding::from(Origin::Unknown));
        }
    }
}
