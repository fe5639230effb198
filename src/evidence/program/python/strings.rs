//! Strings that expressions are put into: their pieces in order.

use rustpython_ruff_python_ast as ast;

use ast::{FStringPart, InterpolatedStringElement};

use super::super::outline::{Node, NodeId};
use super::{PythonOutliner, start};

impl PythonOutliner {
    /// An f-string, with the strings that stand beside it.
    pub(super) fn formatted(&mut self, text: &ast::ExprFString) -> NodeId {
        let mut pieces = Vec::new();
        for part in text.value.iter() {
            match part {
                FStringPart::Literal(literal) => {
                    pieces.push(self.builder.node(Node::Text(literal.value.to_string().into()), start(literal)));
                }
                FStringPart::FString(formatted) => {
                    for element in &formatted.elements {
                        pieces.push(self.piece(element));
                    }
                }
            }
        }
        self.builder.node(Node::Joined(pieces.into()), start(text))
    }

    /// A t-string, which is no text but a template.
    pub(super) fn template(&mut self, text: &ast::ExprTString) -> NodeId {
        for element in text.value.elements() {
            self.piece(element);
        }
        self.unknown(start(text))
    }

    fn piece(&mut self, element: &InterpolatedStringElement) -> NodeId {
        match element {
            InterpolatedStringElement::Literal(literal) => {
                self.builder.node(Node::Text(literal.value.to_string().into()), start(literal))
            }
            InterpolatedStringElement::Interpolation(inner) => {
                let value = self.expression(&inner.expression);
                for element in inner.format_spec.iter().flat_map(|spec| &spec.elements) {
                    self.piece(element);
                }
                // A conversion or a width makes another text of the value.
                let changed = inner.format_spec.is_some()
                    || inner.debug_text.is_some()
                    || !matches!(inner.conversion, ast::ConversionFlag::None | ast::ConversionFlag::Str);
                if changed { self.unknown(start(inner)) } else { value }
            }
        }
    }
}
