//! Texts and numbers: literals, templates and tagged templates.

use oxc_ast::ast::{Expression, TaggedTemplateExpression, TemplateElement, TemplateLiteral};
use serde_json::{Number, Value};

use super::super::outline::{Argument, Node, NodeId};
use super::JavascriptOutliner;

impl JavascriptOutliner {
    /// A template; one without expressions is a plain text.
    pub(super) fn template(&mut self, it: &TemplateLiteral<'_>) -> NodeId {
        match (it.quasis.first(), it.expressions.is_empty()) {
            (Some(only), true) => self.build.node(Node::Text(cooked(only).into()), it.span.start),
            _ => self.joined(it),
        }
    }

    fn joined(&mut self, it: &TemplateLiteral<'_>) -> NodeId {
        let mut pieces = Vec::new();
        for (index, quasi) in it.quasis.iter().enumerate() {
            let text = cooked(quasi);
            if !text.is_empty() {
                pieces.push(self.build.node(Node::Text(text.into()), quasi.span.start));
            }
            if let Some(expression) = it.expressions.get(index) {
                pieces.push(self.expression(expression));
            }
        }
        self.build.node(Node::Joined(pieces.into()), it.span.start)
    }

    /// A call of the tag with the whole template.
    pub(super) fn tagged_template(&mut self, it: &TaggedTemplateExpression<'_>) -> NodeId {
        let callee = self.expression(&it.tag);
        let value = self.joined(&it.quasi);
        let arguments = vec![Argument { name: None, spread: false, value }];
        self.build.node(Node::Call { callee, arguments: arguments.into(), constructs: false }, it.span.start)
    }
}

/// The text of a piece with its escapes resolved; as written where an escape is invalid.
fn cooked<'x>(piece: &'x TemplateElement<'_>) -> &'x str {
    piece.value.cooked.as_ref().map_or(piece.value.raw.as_str(), |cooked| cooked.as_str())
}

/// The text of a literal, or of a template without expressions.
pub(super) fn literal_text<'x>(it: &'x Expression<'_>) -> Option<&'x str> {
    match it.get_inner_expression() {
        Expression::StringLiteral(it) => Some(it.value.as_str()),
        Expression::TemplateLiteral(it) if it.expressions.is_empty() => it.quasis.first().map(cooked),
        _ => None,
    }
}

/// A number as JSON writes it: without a fraction where it is whole. None where it is not finite.
pub(super) fn number(value: f64) -> Option<Value> {
    /// Up to here every whole number has a value of its own.
    const LARGEST_WHOLE: f64 = 9_007_199_254_740_991.0;
    if value.fract() == 0.0 && value.abs() <= LARGEST_WHOLE {
        return Some(Value::from(value as i64));
    }
    Number::from_f64(value).map(Value::Number)
}
