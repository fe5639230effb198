//! Parts: small questions about expressions that taint propagation asks again and again.
//!
//! The walk over taint (`taint.rs` beside this) is the one that asks.

use oxc_ast::ast::{Argument as Node, CallExpression, Expression};

pub(super) fn is_function(expression: &Expression<'_>) -> bool {
    matches!(
        expression.get_inner_expression(),
        Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_)
    )
}

pub(super) fn literal<'x>(argument: Option<&'x Node<'_>>) -> Option<&'x str> {
    match argument?.as_expression()? {
        Expression::StringLiteral(text) => Some(text.value.as_str()),
        Expression::TemplateLiteral(template) if template.expressions.is_empty() => {
            template.quasis.first().map(|quasi| quasi.value.raw.as_str())
        }
        _ => None,
    }
}

/// The name at the root of `a.b[c].d`.
pub(super) fn root_of<'x>(expression: &'x Expression<'_>) -> Option<&'x str> {
    let mut rest = expression.get_inner_expression();
    loop {
        rest = match rest {
            Expression::Identifier(name) => return Some(name.name.as_str()),
            Expression::StaticMemberExpression(member) => member.object.get_inner_expression(),
            Expression::ComputedMemberExpression(member) => member.object.get_inner_expression(),
            _ => return None,
        };
    }
}

/// The name of the path that a stream is opened on for writing.
pub(super) fn stream_path<'x>(call: &'x CallExpression<'_>) -> Option<&'x str> {
    let Expression::StaticMemberExpression(member) = call.callee.get_inner_expression() else { return None };
    let opens = member.property.name.as_str() == "createWriteStream";
    if opens { call.arguments.first().and_then(Node::as_expression).and_then(root_of) } else { None }
}

pub(super) fn last_name<'x>(expression: &'x Expression<'_>) -> Option<&'x str> {
    match expression.get_inner_expression() {
        Expression::Identifier(name) if name.name.as_str() != "undefined" => Some(name.name.as_str()),
        Expression::StaticMemberExpression(member) => Some(member.property.name.as_str()),
        // No literal, yet without a name: the empty name is never that of a secret.
        Expression::CallExpression(_) | Expression::TemplateLiteral(_) | Expression::BinaryExpression(_) => Some(""),
        _ => None,
    }
}

pub(super) fn is_request(object: &Expression<'_>) -> bool {
    // Types are not known here, so the usual parameter names of Express and Koa handlers have to do.
    matches!(object.get_inner_expression(), Expression::Identifier(name) if matches!(name.name.as_str(), "req" | "request" | "ctx"))
}

/// True where `"…".split("").reverse` is called.
pub(super) fn reverses_literal(callee: &Expression<'_>) -> bool {
    let Expression::StaticMemberExpression(reverse) = callee.get_inner_expression() else { return false };
    let Expression::CallExpression(split) = reverse.object.get_inner_expression() else { return false };
    let Expression::StaticMemberExpression(split) = split.callee.get_inner_expression() else { return false };
    matches!(split.object.get_inner_expression(), Expression::StringLiteral(_))
}

/// True where the one argument is the number of a sign that spells nothing, such as a quotation mark.
pub(super) fn is_sign(arguments: &[Node<'_>]) -> bool {
    let [Node::NumericLiteral(number)] = arguments else { return false };
    // The white space and punctuation of ASCII, by their numbers.
    let signs = (9..48).chain(58..65).chain(91..97).chain(123..127);
    signs.map(f64::from).any(|sign| (sign - number.value).abs() < f64::EPSILON)
}
