//! Markup: only the expressions within it count.

use oxc_ast::ast::{JSXAttributeItem, JSXAttributeValue, JSXChild, JSXElement, JSXExpression};

use super::JavascriptOutliner;

impl JavascriptOutliner {
    pub(super) fn markup(&mut self, it: &JSXElement<'_>) {
        for attribute in &it.opening_element.attributes {
            match attribute {
                JSXAttributeItem::SpreadAttribute(it) => {
                    self.expression(&it.argument);
                }
                JSXAttributeItem::Attribute(it) => match &it.value {
                    Some(JSXAttributeValue::ExpressionContainer(it)) => self.markup_expression(&it.expression),
                    Some(JSXAttributeValue::Element(it)) => self.markup(it),
                    Some(JSXAttributeValue::Fragment(it)) => self.markup_children(&it.children),
                    Some(JSXAttributeValue::StringLiteral(_)) | None => {}
                },
            }
        }
        self.markup_children(&it.children);
    }

    pub(super) fn markup_children(&mut self, children: &[JSXChild<'_>]) {
        for child in children {
            match child {
                JSXChild::Element(it) => self.markup(it),
                JSXChild::Fragment(it) => self.markup_children(&it.children),
                JSXChild::ExpressionContainer(it) => self.markup_expression(&it.expression),
                JSXChild::Spread(it) => {
                    self.expression(&it.expression);
                }
                JSXChild::Text(_) => {}
            }
        }
    }

    fn markup_expression(&mut self, it: &JSXExpression<'_>) {
        if let Some(expression) = it.as_expression() {
            self.expression(expression);
        }
    }
}
