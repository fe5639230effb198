//! Shapes: what an expression is as an argument, and its literal value where it has one.

use oxc_ast::ast::{
    Argument as Node, ArrayExpression, BinaryOperator, CallExpression, Expression, ObjectExpression,
    ObjectPropertyKind, StaticMemberExpression, TemplateLiteral,
};
use serde_json::{Map, Value};

use super::super::Argument;
use super::super::literal::join;
use super::{JavascriptMeaning, JavascriptReader, MAX_DEPTH};

impl JavascriptReader<'_> {
    /// The shape of an expression as an argument.
    pub(super) fn shape(&mut self, expression: &Expression<'_>, depth: usize) -> Argument {
        if depth > MAX_DEPTH {
            return Argument::Other;
        }
        match expression.get_inner_expression() {
            Expression::StringLiteral(text) => Argument::Literal(text.value.to_string()),
            Expression::TemplateLiteral(template) => self.template(template, depth),
            Expression::BinaryExpression(_) => self.sum(expression.get_inner_expression(), depth),
            Expression::Identifier(name) => match self.meaning(name.name.as_str()) {
                Some(JavascriptMeaning::Alias(path)) => Argument::Name(path.clone()),
                Some(JavascriptMeaning::Value(Value::String(text))) => Argument::Literal(text.clone()),
                Some(JavascriptMeaning::Shape(shape)) => shape.clone(),
                _ => Argument::Name(name.name.to_string()),
            },
            Expression::AwaitExpression(waiting) => self.shape(&waiting.argument, depth + 1),
            Expression::ArrayExpression(list) => self.list(list, depth),
            Expression::ObjectExpression(object) => Argument::Named(self.named(object)),
            Expression::CallExpression(call) => self.result(call, depth),
            Expression::ConditionalExpression(choice) => {
                let (first, second) =
                    (self.shape(&choice.consequent, depth + 1), self.shape(&choice.alternate, depth + 1));
                either(first, second)
            }
            Expression::LogicalExpression(choice) => {
                let (first, second) = (self.shape(&choice.left, depth + 1), self.shape(&choice.right, depth + 1));
                either(first, second)
            }
            member @ Expression::StaticMemberExpression(_) => match self.answer_of(member, depth) {
                Some(result) => result,
                None => self.shape_of_value(member, depth),
            },
            other => self.shape_of_value(other, depth),
        }
    }

    fn shape_of_value(&mut self, expression: &Expression<'_>, depth: usize) -> Argument {
        match self.value(expression, depth + 1) {
            Some(Value::String(text)) => Argument::Literal(text),
            _ => self.dotted(expression, depth + 1).map_or(Argument::Other, Argument::Name),
        }
    }

    pub(super) fn template(&mut self, template: &TemplateLiteral<'_>, depth: usize) -> Argument {
        let mut pieces = Vec::new();
        for (index, quasi) in template.quasis.iter().enumerate() {
            // The cooked text has its escapes resolved; it is missing where an escape is invalid.
            let text = quasi.value.cooked.as_ref().map_or(quasi.value.raw.as_str(), |cooked| cooked.as_str());
            pieces.push(Argument::Literal(text.to_owned()));
            if let Some(expression) = template.expressions.get(index) {
                pieces.push(self.shape(expression, depth + 1));
            }
        }
        join(&pieces, "").unwrap_or(Argument::Other)
    }

    /// A sum, taken apart without recursion on its left side: long concatenations are common.
    pub(super) fn sum(&mut self, expression: &Expression<'_>, depth: usize) -> Argument {
        let mut operands = Vec::new();
        let mut rest = expression;
        while let Expression::BinaryExpression(binary) = rest {
            if binary.operator != BinaryOperator::Addition {
                break;
            }
            operands.push(&binary.right);
            rest = binary.left.get_inner_expression();
        }
        if operands.is_empty() {
            return Argument::Other;
        }
        operands.push(rest);
        let mut pieces = Vec::new();
        for operand in operands.into_iter().rev() {
            pieces.push(match operand.get_inner_expression() {
                // A sum on the right is rare and would bring the recursion back, so it is an unknown piece.
                Expression::BinaryExpression(_) => Argument::Other,
                operand => self.shape(operand, depth + 1),
            });
        }
        join(&pieces, "").unwrap_or(Argument::Other)
    }

    pub(super) fn list(&mut self, list: &ArrayExpression<'_>, depth: usize) -> Argument {
        let mut pieces = Vec::new();
        // Tables of data are lists too; command lines are shorter than this.
        for element in list.elements.iter().take(64) {
            pieces.push(element.as_expression().map_or(Argument::Other, |element| self.shape(element, depth + 1)));
        }
        join(&pieces, " ").unwrap_or(Argument::Other)
    }

    pub(super) fn named(&mut self, object: &ObjectExpression<'_>) -> Vec<(String, String)> {
        let mut named = Vec::new();
        for property in &object.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else { continue };
            let Some(key) = property.key.static_name() else { continue };
            let value = match property.value.get_inner_expression() {
                Expression::BooleanLiteral(value) => Some(value.value.to_string()),
                Expression::NumericLiteral(value) => Some(value.value.to_string()),
                Expression::StringLiteral(value) => Some(value.value.to_string()),
                Expression::TemplateLiteral(_) | Expression::Identifier(_) => {
                    // Close to the limit on purpose: options inside options are not followed far.
                    match self.shape(&property.value, MAX_DEPTH - 2) {
                        Argument::Literal(text) => Some(text),
                        _ => None,
                    }
                }
                _ => None,
            };
            named.extend(value.map(|value| (key.to_string(), value)));
        }
        named
    }

    /// The shape of a call's result: paths are joined, conversions looked through, the rest named by its callee.
    pub(super) fn result(&mut self, call: &CallExpression<'_>, depth: usize) -> Argument {
        if let Expression::StaticMemberExpression(member) = call.callee.get_inner_expression() {
            let method = member.property.name.as_str();
            if matches!(
                method,
                "toString" | "trim" | "trimEnd" | "replace" | "toLowerCase" | "slice" | "concat" | "normalize"
            ) && !matches!(member.object.get_inner_expression(), Expression::Identifier(_))
            {
                return self.shape(&member.object, depth + 1);
            }
        }
        if let Some(result) = self.answer_of(&call.callee, depth) {
            return result;
        }
        if let Some(Value::String(text)) = self.value_of_call(call, depth + 1) {
            return Argument::Literal(text);
        }
        let Some(callee) = self.dotted(&call.callee, depth + 1) else { return Argument::Other };
        if matches!(callee.as_str(), "path.join" | "path.resolve" | "path.posix.join" | "path.win32.join") {
            let mut pieces = Vec::new();
            for argument in call.arguments.iter().take(32) {
                pieces.push(argument.as_expression().map_or(Argument::Other, |node| self.shape(node, depth + 1)));
            }
            return join(&pieces, "/").unwrap_or(Argument::Other);
        }
        Argument::Result(callee)
    }

    /// The body of an answer, `response.text()` or `response.data`, as the result of the call that gave the answer.
    fn answer_of(&mut self, member: &Expression<'_>, depth: usize) -> Option<Argument> {
        let Expression::StaticMemberExpression(member) = member.get_inner_expression() else { return None };
        if !matches!(member.property.name.as_str(), "text" | "json" | "data" | "body" | "stdout" | "toString") {
            return None;
        }
        match self.shape(&member.object, depth + 1) {
            result @ Argument::Result(_) => Some(result),
            _ => None,
        }
    }

    /// The literal value of an expression; parts of objects and lists that are none are left out.
    pub(in super::super) fn value(&mut self, expression: &Expression<'_>, depth: usize) -> Option<Value> {
        // A schema nests two objects for each property, so a value may be twice as deep as a shape.
        if depth > 2 * MAX_DEPTH {
            return None;
        }
        match expression.get_inner_expression() {
            Expression::StringLiteral(text) => Some(Value::String(text.value.to_string())),
            Expression::BooleanLiteral(value) => Some(Value::Bool(value.value)),
            Expression::NullLiteral(_) => Some(Value::Null),
            Expression::NumericLiteral(number) => Some(number_value(number.value)),
            Expression::TemplateLiteral(template) => match self.template(template, depth.min(MAX_DEPTH - 4)) {
                Argument::Literal(text) => Some(Value::String(text)),
                _ => None,
            },
            Expression::TaggedTemplateExpression(tagged) => {
                match self.template(&tagged.quasi, depth.min(MAX_DEPTH - 4)) {
                    Argument::Literal(text) => Some(Value::String(text)),
                    _ => None,
                }
            }
            sum @ Expression::BinaryExpression(_) => match self.sum(sum, depth.min(MAX_DEPTH - 4)) {
                Argument::Literal(text) => Some(Value::String(text)),
                _ => None,
            },
            // Minifiers write `!0` and `!1` for `true` and `false`.
            Expression::UnaryExpression(unary) if unary.operator.as_str() == "!" => match &unary.argument {
                Expression::NumericLiteral(number) => Some(Value::Bool(number.value == 0.0)),
                _ => None,
            },
            Expression::Identifier(name) => self.constant(name.name.as_str()),
            Expression::StaticMemberExpression(member) => self.member_value(member, depth),
            Expression::ArrayExpression(list) => {
                let mut items = Vec::new();
                for element in &list.elements {
                    items.extend(element.as_expression().and_then(|element| self.value(element, depth + 1)));
                }
                Some(Value::Array(items))
            }
            Expression::ObjectExpression(object) => Some(Value::Object(self.object_value(object, depth))),
            Expression::CallExpression(call) => self.value_of_call(call, depth),
            _ => None,
        }
    }

    pub(super) fn member_value(&mut self, member: &StaticMemberExpression<'_>, depth: usize) -> Option<Value> {
        let object = self.value(&member.object, depth + 1)?;
        let key = member.property.name.as_str();
        object.get(key).cloned()
    }

    pub(super) fn object_value(&mut self, object: &ObjectExpression<'_>, depth: usize) -> Map<String, Value> {
        let mut map = Map::new();
        for property in &object.properties {
            match property {
                ObjectPropertyKind::ObjectProperty(property) => {
                    let key = property.key.static_name().map(|key| key.to_string());
                    if let (Some(key), Some(value)) = (key, self.value(&property.value, depth + 1)) {
                        map.insert(key, value);
                    }
                }
                // A later spread overwrites earlier keys, as it does at run time.
                ObjectPropertyKind::SpreadProperty(spread) => {
                    if let Some(Value::Object(more)) = self.value(&spread.argument, depth + 1) {
                        map.extend(more);
                    }
                }
            }
        }
        map
    }

    pub(super) fn value_of_call(&mut self, call: &CallExpression<'_>, depth: usize) -> Option<Value> {
        let first = call.arguments.first().and_then(Node::as_expression);
        let callee = self.dotted(&call.callee, depth + 1).unwrap_or_default();
        if let Expression::StaticMemberExpression(member) = call.callee.get_inner_expression() {
            if member.property.name.as_str() == "join" {
                return self.joined(&member.object, first, depth);
            }
            if matches!(member.property.name.as_str(), "trim" | "trimEnd") {
                let text = self.value(&member.object, depth + 1)?;
                return Some(Value::String(text.as_str()?.trim().to_owned()));
            }
        }
        match callee.rsplit('.').next().unwrap_or_default() {
            "freeze" | "dedent" => self.value(first?, depth + 1),
            _ => None,
        }
    }

    /// `["a", "b"].join(" ")`.
    pub(super) fn joined(
        &mut self,
        list: &Expression<'_>,
        between: Option<&Expression<'_>>,
        depth: usize,
    ) -> Option<Value> {
        let between = match between {
            Some(between) => self.value(between, depth + 1)?,
            // `join` without an argument puts commas.
            None => Value::String(",".to_owned()),
        };
        let Expression::ArrayExpression(array) = list.get_inner_expression() else { return None };
        let Some(Value::Array(items)) = self.value(list, depth + 1) else { return None };
        let texts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
        // A part that is no literal was left out above: the text would be joined wrongly, so there is none.
        (texts.len() == array.elements.len()).then(|| Value::String(texts.join(between.as_str().unwrap_or_default())))
    }
}

fn either(first: Argument, second: Argument) -> Argument {
    match (first, second) {
        // One branch stands for both: an argument has one shape, and either literal is a value that may be used.
        (Argument::Literal(first), Argument::Literal(_)) => Argument::Literal(first),
        (composed @ Argument::Composed(_), _) | (_, composed @ Argument::Composed(_)) => composed,
        _ => Argument::Other,
    }
}

fn number_value(number: f64) -> Value {
    // Below this a double holds every integer exactly, so that it can be written without a fraction.
    if number.fract() == 0.0 && number.abs() < 9e15 { Value::from(number as i64) } else { Value::from(number) }
}
