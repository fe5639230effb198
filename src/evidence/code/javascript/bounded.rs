//! Bounded arguments: those of a registered tool whose schema leaves no room for text of the caller's choice.
//!
//! Read from the schema where it is written out or named in the same file. What cannot be told counts as unbounded.

use oxc_ast::ast::{Argument as Node, CallExpression, Expression, ObjectExpression, ObjectPropertyKind};

use super::JavascriptReader;

/// The depth to which chains and objects are followed.
const MAX_DEPTH: usize = 32;

impl JavascriptReader<'_> {
    /// Keeps the bounded properties of a schema that is given a name.
    pub(super) fn note_bounded(&mut self, name: &str, init: &Expression<'_>) {
        let bounded = properties(init, 0);
        if !bounded.is_empty() {
            self.bounded.insert(name.to_owned(), bounded);
        }
    }

    /// The bounded arguments of the tool that a call registers.
    pub(super) fn bounded_arguments(&self, arguments: &[Node<'_>]) -> Vec<String> {
        let schemas = arguments.iter().skip(1).filter_map(Node::as_expression);
        schemas.map(|argument| self.bounded_by(argument)).find(|bounded| !bounded.is_empty()).unwrap_or_default()
    }

    fn bounded_by(&self, argument: &Expression<'_>) -> Vec<String> {
        let schema = match argument.get_inner_expression() {
            Expression::ObjectExpression(object) => member(object, "inputSchema").unwrap_or(argument),
            other => other,
        };
        match schema.get_inner_expression() {
            Expression::Identifier(name) => {
                let name = name.name.as_str();
                // A name that is declared twice may stand for another schema here.
                let once = self.names.get(name).is_some_and(|binding| binding.declared == 1 && !binding.doubtful);
                self.bounded.get(name).filter(|_| once).cloned().unwrap_or_default()
            }
            written => properties(written, 0),
        }
    }
}

/// The bounded properties of a schema: of an object of schemas, of JSON Schema, or of `z.object({…})`.
fn properties(schema: &Expression<'_>, depth: usize) -> Vec<String> {
    match schema.get_inner_expression() {
        Expression::ObjectExpression(object) => match member(object, "properties") {
            Some(inner) if depth < 2 => properties(inner, depth + 1),
            _ => named(object).filter(|(_, value)| is_bounded(value, 0)).map(|(name, _)| name).collect(),
        },
        // Checks and texts follow the shape: `z.object({…}).strict().describe("…")`.
        Expression::CallExpression(call) if depth < MAX_DEPTH => {
            let Some((receiver, method)) = method_of(call) else { return Vec::new() };
            match (method.ends_with("bject"), call.arguments.first().and_then(Node::as_expression)) {
                (true, Some(shape)) => properties(shape, depth + 1),
                _ => properties(receiver, depth + 1),
            }
        }
        _ => Vec::new(),
    }
}

/// True for the schema of a number, a truth value, a constant or a choice.
fn is_bounded(schema: &Expression<'_>, depth: usize) -> bool {
    match schema.get_inner_expression() {
        Expression::ObjectExpression(object) => {
            let kind = member(object, "type").map(Expression::get_inner_expression);
            let is_plain = matches!(kind, Some(Expression::StringLiteral(kind)) if matches!(kind.value.as_str(), "number" | "integer" | "boolean"));
            is_plain || member(object, "enum").is_some() || member(object, "const").is_some()
        }
        Expression::CallExpression(call) if depth < MAX_DEPTH => {
            let Some((receiver, method)) = method_of(call) else { return false };
            match receiver.get_inner_expression() {
                // What widens a schema, or makes a list of it, lets text in.
                Expression::CallExpression(_) => {
                    !matches!(method, "or" | "and" | "array" | "transform" | "pipe") && is_bounded(receiver, depth + 1)
                }
                _ => matches!(method, "number" | "boolean" | "enum" | "nativeEnum" | "literal" | "int" | "bigint"),
            }
        }
        _ => false,
    }
}

fn method_of<'x, 'a>(call: &'x CallExpression<'a>) -> Option<(&'x Expression<'a>, &'x str)> {
    match call.callee.get_inner_expression() {
        Expression::StaticMemberExpression(member) => Some((&member.object, member.property.name.as_str())),
        _ => None,
    }
}

fn named<'x, 'a>(object: &'x ObjectExpression<'a>) -> impl Iterator<Item = (String, &'x Expression<'a>)> {
    object.properties.iter().filter_map(|property| match property {
        ObjectPropertyKind::ObjectProperty(property) => {
            Some((property.key.static_name()?.to_string(), &property.value))
        }
        ObjectPropertyKind::SpreadProperty(_) => None,
    })
}

fn member<'x, 'a>(object: &'x ObjectExpression<'a>, key: &str) -> Option<&'x Expression<'a>> {
    named(object).find(|(name, _)| name == key).map(|(_, value)| value)
}
