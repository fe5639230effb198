//! Expressions: one node for each, after those of its parts.

use oxc_ast::ast::{
    ArrayExpression, ArrayExpressionElement, AssignmentTarget, BinaryExpression, BinaryOperator, ChainElement,
    ConditionalExpression, Expression, LogicalExpression, LogicalOperator, MemberExpression, RegExpFlags,
    RegExpLiteral, SimpleAssignmentTarget, UnaryExpression, UnaryOperator, UpdateExpression, YieldExpression,
};
use oxc_span::GetSpan;
use serde_json::Value;

use super::super::outline::{Binding, Element, Node, NodeId, Origin, Pattern};
use super::JavascriptOutliner;
use super::functions::FunctionHead;
use super::texts::{literal_text, number};

impl JavascriptOutliner {
    pub(super) fn expression(&mut self, it: &Expression<'_>) -> NodeId {
        self.expression_of(it, None)
    }

    /// An expression; `name` is what it is bound to, for functions and classes without a name of their own.
    pub(super) fn expression_of(&mut self, it: &Expression<'_>, name: Option<&str>) -> NodeId {
        let it = it.get_inner_expression();
        let offset = it.span().start;
        match it {
            Expression::Identifier(it) if it.name.as_str() == "undefined" => self.plain(Value::Null, offset),
            Expression::Identifier(it) => self.name(it.name.as_str(), offset),
            Expression::CallExpression(it) => self.call(it),
            Expression::NewExpression(it) => self.construction(it),
            Expression::ObjectExpression(it) => self.object(it),
            Expression::ArrayExpression(it) => self.list(it),
            Expression::ArrowFunctionExpression(it) => self.arrow(it, FunctionHead::plain(name, offset)),
            Expression::FunctionExpression(it) => self.function_expression(it, name),
            Expression::ClassExpression(it) => self.class_expression(it, name),
            Expression::AssignmentExpression(it) => self.assignment(it),
            Expression::AwaitExpression(it) => self.expression_of(&it.argument, name),
            Expression::YieldExpression(it) => self.yielded(it),
            Expression::BinaryExpression(it) => self.binary(it),
            Expression::LogicalExpression(it) => self.logical(it, name),
            Expression::ConditionalExpression(it) => self.conditional(it, name),
            Expression::SequenceExpression(it) => {
                let mut last = None;
                for part in &it.expressions {
                    last = Some(self.expression_of(part, name));
                }
                last.unwrap_or_else(|| self.unknown(offset))
            }
            Expression::UnaryExpression(it) => self.unary(it),
            Expression::UpdateExpression(it) => self.update(it),
            Expression::ChainExpression(it) => match &it.expression {
                ChainElement::CallExpression(it) => self.call(it),
                ChainElement::TSNonNullExpression(it) => self.expression(&it.expression),
                other => match other.as_member_expression() {
                    Some(member) => self.member(member),
                    None => self.unknown(offset),
                },
            },
            Expression::TemplateLiteral(it) => self.template(it),
            Expression::TaggedTemplateExpression(it) => self.tagged_template(it),
            Expression::ImportExpression(it) => self.import_call(it),
            Expression::ThisExpression(_) => self.build.node(Node::This, offset),
            Expression::Super(_) => self.build.node(Node::Super, offset),
            Expression::JSXElement(it) => {
                self.markup(it);
                self.unknown(offset)
            }
            Expression::JSXFragment(it) => {
                self.markup_children(&it.children);
                self.unknown(offset)
            }
            Expression::PrivateInExpression(it) => {
                self.expression(&it.right);
                self.unknown(offset)
            }
            Expression::V8IntrinsicExpression(it) => {
                self.arguments(&it.arguments);
                self.unknown(offset)
            }
            other => match other.as_member_expression() {
                Some(member) => self.member(member),
                None => self.literal(other, offset),
            },
        }
    }

    fn literal(&mut self, it: &Expression<'_>, offset: u32) -> NodeId {
        let node = match it {
            Expression::StringLiteral(it) => Node::Text(it.value.as_str().into()),
            Expression::NumericLiteral(it) => number(it.value).map_or(Node::Unknown, Node::plain),
            Expression::BooleanLiteral(it) => Node::plain(it.value),
            Expression::NullLiteral(_) => Node::plain(Value::Null),
            Expression::BigIntLiteral(it) => it.value.as_str().parse::<i64>().map_or(Node::Unknown, Node::plain),
            Expression::RegExpLiteral(it) => pattern(it),
            // `import.meta`, `new.target`.
            _ => Node::Unknown,
        };
        self.build.node(node, offset)
    }

    pub(super) fn plain(&mut self, value: Value, offset: u32) -> NodeId {
        self.build.node(Node::plain(value), offset)
    }

    pub(super) fn member(&mut self, it: &MemberExpression<'_>) -> NodeId {
        let offset = it.span().start;
        if let Some(name) = self.own_export(it) {
            return self.build.node(name, offset);
        }
        let object = self.expression(it.object());
        let node = match it {
            MemberExpression::StaticMemberExpression(it) => Node::Member(object, it.property.name.as_str().into()),
            MemberExpression::PrivateFieldExpression(it) => Node::Member(object, format!("#{}", it.field.name).into()),
            MemberExpression::ComputedMemberExpression(it) => match literal_text(&it.expression) {
                Some(key) => Node::Member(object, key.into()),
                None => Node::Index(object, self.expression(&it.expression)),
            },
        };
        self.build.node(node, offset)
    }

    fn list(&mut self, it: &ArrayExpression<'_>) -> NodeId {
        let mut elements = Vec::with_capacity(it.elements.len());
        for element in &it.elements {
            let (spread, value) = match element {
                ArrayExpressionElement::SpreadElement(it) => (true, self.expression(&it.argument)),
                ArrayExpressionElement::Elision(it) => (false, self.plain(Value::Null, it.span.start)),
                other => match other.as_expression() {
                    Some(value) => (false, self.expression(value)),
                    None => continue,
                },
            };
            elements.push(Element { spread, value });
        }
        self.build.node(Node::List(elements.into()), it.span.start)
    }

    fn yielded(&mut self, it: &YieldExpression<'_>) -> NodeId {
        let Some(argument) = &it.argument else { return self.unknown(it.span.start) };
        let value = self.expression(argument);
        // `yield*` gives the elements of its operand, which no single expression stands for.
        if !it.delegate {
            self.gives(value);
        }
        value
    }

    fn binary(&mut self, it: &BinaryExpression<'_>) -> NodeId {
        if it.operator != BinaryOperator::Addition {
            self.expression(&it.left);
            self.expression(&it.right);
            return self.unknown(it.span.start);
        }
        // Long sums lean to the left, and are taken apart without recursion on that side.
        let mut operands = vec![&it.right];
        let mut first = it.left.get_inner_expression();
        while let Expression::BinaryExpression(sum) = first {
            if sum.operator != BinaryOperator::Addition {
                break;
            }
            operands.push(&sum.right);
            first = sum.left.get_inner_expression();
        }
        let mut sum = self.expression(first);
        for operand in operands.into_iter().rev() {
            let operand = self.expression(operand);
            sum = self.build.node(Node::Sum(sum, operand), it.span.start);
        }
        sum
    }

    fn logical(&mut self, it: &LogicalExpression<'_>, name: Option<&str>) -> NodeId {
        if it.operator == LogicalOperator::And {
            // `0 && (module.exports = …)` tells other tools what there is, and never runs.
            if is_false(&it.left) {
                return self.expression(&it.left);
            }
            self.expression(&it.left);
            return self.expression_of(&it.right, name);
        }
        let (left, right) = (self.expression_of(&it.left, name), self.expression_of(&it.right, name));
        self.build.node(Node::Choice([left, right].into()), it.span.start)
    }

    fn conditional(&mut self, it: &ConditionalExpression<'_>, name: Option<&str>) -> NodeId {
        let sides = self.compared(&it.test);
        let (first, second) = (self.expression_of(&it.consequent, name), self.expression_of(&it.alternate, name));
        let node = match sides {
            Some((sides, true)) => Node::Picked { sides, arms: [first, second] },
            Some((sides, false)) => Node::Picked { sides, arms: [second, first] },
            None => Node::Choice([first, second].into()),
        };
        self.build.node(node, it.span.start)
    }

    /// The two sides of a test whether they are equal, and whether it asks so or the opposite; none for any other test.
    fn compared(&mut self, test: &Expression<'_>) -> Option<([NodeId; 2], bool)> {
        let asks = match test.get_inner_expression() {
            Expression::BinaryExpression(it) => match it.operator {
                BinaryOperator::StrictEquality | BinaryOperator::Equality => Some((it, true)),
                BinaryOperator::StrictInequality | BinaryOperator::Inequality => Some((it, false)),
                _ => None,
            },
            _ => None,
        };
        let Some((it, is_equal)) = asks else {
            self.expression(test);
            return None;
        };
        Some(([self.expression(&it.left), self.expression(&it.right)], is_equal))
    }

    fn unary(&mut self, it: &UnaryExpression<'_>) -> NodeId {
        let offset = it.span.start;
        let operand = it.argument.get_inner_expression();
        let value = match (it.operator, operand) {
            (UnaryOperator::LogicalNot, Expression::NumericLiteral(number)) => Some(Value::Bool(number.value == 0.0)),
            (UnaryOperator::LogicalNot, Expression::BooleanLiteral(truth)) => Some(Value::Bool(!truth.value)),
            (UnaryOperator::UnaryNegation, Expression::NumericLiteral(it)) => number(-it.value),
            (UnaryOperator::UnaryPlus, Expression::NumericLiteral(it)) => number(it.value),
            (UnaryOperator::Void, Expression::NumericLiteral(_)) => Some(Value::Null),
            _ => None,
        };
        match value {
            Some(value) => self.plain(value, offset),
            None => {
                self.expression(operand);
                self.unknown(offset)
            }
        }
    }

    /// `x++`: what was there is not what there is.
    fn update(&mut self, it: &UpdateExpression<'_>) -> NodeId {
        let offset = it.span.start;
        let value = self.unknown(offset);
        match &it.argument {
            SimpleAssignmentTarget::AssignmentTargetIdentifier(name) => {
                let changed = Binding { origin: Origin::Unknown, path: Vec::new(), default: None };
                self.assign(name.name.as_str(), changed);
            }
            member => {
                if let Some(place) = self.simple_place(member) {
                    self.write_to(place, value);
                }
            }
        }
        value
    }
}

fn is_false(it: &Expression<'_>) -> bool {
    match it.get_inner_expression() {
        Expression::NumericLiteral(it) => it.value == 0.0,
        Expression::BooleanLiteral(it) => !it.value,
        _ => false,
    }
}

/// The name that is assigned to, where it is a plain one.
pub(super) fn assigned_name<'x>(target: &'x AssignmentTarget<'_>) -> Option<&'x str> {
    match target {
        AssignmentTarget::AssignmentTargetIdentifier(name) => Some(name.name.as_str()),
        _ => None,
    }
}

/// A regular expression; one with a flag that changes what its signs mean is unknown.
fn pattern(it: &RegExpLiteral<'_>) -> Node {
    let flags = it.regex.flags;
    if flags.intersects(RegExpFlags::M | RegExpFlags::S | RegExpFlags::Y | RegExpFlags::V) {
        return Node::Unknown;
    }
    Node::Pattern(Box::new(Pattern {
        text: it.regex.pattern.text.as_str().to_owned(),
        everywhere: flags.contains(RegExpFlags::G),
        ignores_case: flags.contains(RegExpFlags::I),
    }))
}
