//! Names: what identifiers stand for, and the dotted names of expressions.

use oxc_ast::ast::{
    ArrayExpressionElement, BindingPattern, CallExpression, ChainElement, Expression, VariableDeclarator,
};
use serde_json::{Map, Value};

use super::super::{Argument, known_calls};
use super::{JavascriptMeaning, JavascriptReader, MAX_DEPTH};

impl JavascriptReader<'_> {
    pub(super) fn explain(&mut self, name: &str, meaning: JavascriptMeaning) {
        let binding = self.names.entry(name.to_owned()).or_default();
        binding.explained = binding.explained.saturating_add(1);
        match &binding.meaning {
            Some(known) if *known != meaning => binding.doubtful = true,
            Some(_) => {}
            None => binding.meaning = Some(meaning),
        }
    }

    pub(super) fn meaning(&self, name: &str) -> Option<&JavascriptMeaning> {
        let binding = self.names.get(name)?;
        // A declaration that explains nothing, such as a parameter, may hide the one that does.
        let sure = !binding.doubtful && binding.explained >= binding.declared;
        if sure { binding.meaning.as_ref() } else { None }
    }

    /// The value of a constant of this file.
    pub(in super::super) fn constant(&mut self, name: &str) -> Option<Value> {
        match self.meaning(name)? {
            JavascriptMeaning::Value(value) => {
                // Each use pays again: constants made of each other would double in size with every step.
                let value = value.clone();
                self.budget.take(value)
            }
            _ => None,
        }
    }

    /// The dotted name of an expression, aliases resolved; `None` where it has none.
    pub(super) fn dotted(&self, expression: &Expression<'_>, depth: usize) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        match expression.get_inner_expression() {
            Expression::Identifier(name) => Some(match self.meaning(name.name.as_str()) {
                Some(JavascriptMeaning::Alias(path)) => path.clone(),
                _ => name.name.to_string(),
            }),
            Expression::ThisExpression(_) => Some("this".to_owned()),
            Expression::StaticMemberExpression(member) => {
                let object = self.dotted(&member.object, depth + 1);
                Some(member_of(object, member.property.name.as_str()))
            }
            Expression::ComputedMemberExpression(member) => match member.expression.get_inner_expression() {
                Expression::StringLiteral(key) => {
                    Some(member_of(self.dotted(&member.object, depth + 1), key.value.as_str()))
                }
                // `child["ex" + "ec"]` keeps the name from a search; it is put together to be judged like any other.
                key => {
                    let key = folded(key, 0)?;
                    Some(member_of(self.dotted(&member.object, depth + 1), &key))
                }
            },
            // Bundlers call `(0, module.method)()` so that `this` is not bound.
            Expression::SequenceExpression(sequence) => self.dotted(sequence.expressions.last()?, depth + 1),
            Expression::AwaitExpression(waiting) => self.dotted(&waiting.argument, depth + 1),
            Expression::ImportExpression(import) => match &import.source {
                Expression::StringLiteral(source) => {
                    Some(known_calls::javascript_module(source.value.as_str()).to_owned())
                }
                _ => None,
            },
            Expression::CallExpression(call) => self.through_call(call, depth),
            Expression::ChainExpression(chain) => match &chain.expression {
                ChainElement::StaticMemberExpression(member) => {
                    let object = self.dotted(&member.object, depth + 1);
                    Some(member_of(object, member.property.name.as_str()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Calls whose result stands for one of their arguments: `require("x")`, `promisify(exec)`, a bundler's wrappers.
    pub(super) fn through_call(&self, call: &CallExpression<'_>, depth: usize) -> Option<String> {
        let first = call.arguments.first()?.as_expression()?;
        let callee = self.dotted(&call.callee, depth + 1)?;
        let last = callee.rsplit('.').next().unwrap_or_default();
        match (last, first) {
            ("require" | "__require" | "requireModule", Expression::StringLiteral(module)) => {
                Some(known_calls::javascript_module(module.value.as_str()).to_owned())
            }
            // A module that is named in pieces stands for that module all the same.
            ("require" | "__require", folded_name) if is_sum(folded_name) => {
                folded(folded_name, 0).map(|module| known_calls::javascript_module(&module).to_owned())
            }
            (
                "promisify"
                | "__toESM"
                | "__importStar"
                | "__importDefault"
                | "_interopRequireDefault"
                | "_interopRequireWildcard"
                | "_interopNamespace",
                _,
            ) => self.dotted(first, depth + 1),
            // A bundler's wrapper under a short name, `t(require("fs"), 1)`; with more arguments it is a call of its
            // own.
            (_, Expression::CallExpression(inner)) if call.arguments.len() <= 2 => {
                match inner.callee.get_inner_expression() {
                    Expression::Identifier(name) if matches!(name.name.as_str(), "require" | "__require") => {
                        self.through_call(inner, depth + 1)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    pub(super) fn learn(&mut self, declarator: &VariableDeclarator<'_>) {
        let Some(init) = &declarator.init else { return };
        match &declarator.id {
            BindingPattern::BindingIdentifier(name) => {
                self.note_bounded(name.name.as_str(), init);
                if let Some(meaning) = self.understand(init) {
                    self.explain(name.name.as_str(), meaning);
                }
            }
            BindingPattern::ObjectPattern(pattern) => {
                let Some(object) = self.dotted(init, 0) else { return };
                for property in &pattern.properties {
                    // A default in the pattern does not change which member the name stands for.
                    let inner = match &property.value {
                        BindingPattern::AssignmentPattern(with_default) => &with_default.left,
                        other => other,
                    };
                    if let (Some(key), BindingPattern::BindingIdentifier(name)) = (property.key.static_name(), inner) {
                        self.explain(
                            name.name.as_str(),
                            JavascriptMeaning::Alias(member_of(Some(object.clone()), &key)),
                        );
                    }
                }
            }
            _ => {}
        }
    }

    pub(super) fn understand(&mut self, init: &Expression<'_>) -> Option<JavascriptMeaning> {
        match init.get_inner_expression() {
            Expression::StaticMemberExpression(_)
            | Expression::SequenceExpression(_)
            | Expression::AwaitExpression(_)
            | Expression::ImportExpression(_) => {
                // A literal value tells more than a name, so it is asked for first.
                if let Some(value) = self.value(init, 0) {
                    return self.budget.take(value).map(JavascriptMeaning::Value);
                }
                return match self.dotted(init, 0) {
                    // A method of an unknown object is no name by which a call could be known.
                    Some(path) if !path.starts_with("*.") => Some(JavascriptMeaning::Alias(path)),
                    _ => Some(JavascriptMeaning::Shape(self.shape(init, 0)))
                        .filter(|meaning| *meaning != JavascriptMeaning::Shape(Argument::Other)),
                };
            }
            Expression::CallExpression(call) => {
                if let Some(path) = self.through_call(call, 0) {
                    return Some(JavascriptMeaning::Alias(path));
                }
            }
            // These are renamed to hide them from a search; other variables keep their own name.
            Expression::Identifier(name) if matches!(name.name.as_str(), "eval" | "Function" | "require") => {
                return Some(JavascriptMeaning::Alias(name.name.to_string()));
            }
            Expression::ComputedMemberExpression(_) => {
                return self.dotted(init, 0).filter(|path| !path.starts_with("*.")).map(JavascriptMeaning::Alias);
            }
            _ => {}
        }
        if let Some(value) = self.value(init, 0) {
            return self.budget.take(value).map(JavascriptMeaning::Value);
        }
        match self.shape(init, 0) {
            Argument::Other | Argument::Named(_) | Argument::Name(_) => None,
            shape => Some(JavascriptMeaning::Shape(shape)),
        }
    }

    pub(super) fn explain_member(&mut self, object: &str, key: &str, value: &str) {
        let binding = self.names.entry(object.to_owned()).or_default();
        let meaning = binding.meaning.get_or_insert_with(|| JavascriptMeaning::Value(Value::Object(Map::new())));
        if let JavascriptMeaning::Value(Value::Object(map)) = meaning {
            map.insert(key.to_owned(), Value::String(value.to_owned()));
            // The function around a compiled enumeration binds and assigns the same name again.
            binding.explained = u32::MAX;
            binding.doubtful = false;
        }
    }
}

/// Text that is written in pieces or backwards: `"ch" + "ild"`, `["a", "b"].join("")`,
/// `"x".split("").reverse().join("")`.
pub(super) fn folded(expression: &Expression<'_>, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    match expression.get_inner_expression() {
        Expression::StringLiteral(text) => Some(text.value.to_string()),
        Expression::TemplateLiteral(template) if template.expressions.is_empty() => {
            template.quasis.first().map(|quasi| quasi.value.raw.to_string())
        }
        Expression::BinaryExpression(sum) if sum.operator.as_str() == "+" => {
            Some(folded(&sum.left, depth + 1)? + &folded(&sum.right, depth + 1)?)
        }
        Expression::CallExpression(call) => {
            let Expression::StaticMemberExpression(member) = call.callee.get_inner_expression() else { return None };
            match (member.property.name.as_str(), member.object.get_inner_expression()) {
                ("join", Expression::ArrayExpression(list)) => {
                    let part = |element: &ArrayExpressionElement<'_>| folded(element.as_expression()?, depth + 1);
                    list.elements.iter().map(part).collect::<Option<Vec<String>>>().map(|parts| parts.concat())
                }
                // `"lave".split("").reverse().join("")` spells `eval` backwards.
                ("join", Expression::CallExpression(reverse)) => {
                    let inner = method_object(reverse, "reverse")?;
                    let Expression::CallExpression(split) = inner else { return None };
                    Some(folded(method_object(split, "split")?, depth + 1)?.chars().rev().collect())
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn method_object<'x, 'a>(call: &'x CallExpression<'a>, method: &str) -> Option<&'x Expression<'a>> {
    match call.callee.get_inner_expression() {
        Expression::StaticMemberExpression(member) if member.property.name.as_str() == method => {
            Some(member.object.get_inner_expression())
        }
        _ => None,
    }
}

/// True where text is written so that a search for it finds nothing.
pub(super) fn is_sum(expression: &Expression<'_>) -> bool {
    matches!(expression.get_inner_expression(), Expression::BinaryExpression(_) | Expression::CallExpression(_))
}

/// The dotted name of a member; `default` and `promises` are the module itself.
pub(super) fn member_of(object: Option<String>, name: &str) -> String {
    let object = object.unwrap_or_else(|| "*".to_owned());
    match name {
        "default" => object,
        "promises" if object == "fs" => object,
        _ => {
            // `globalThis.process.env` and `process.env` must be one name to the rules.
            let object = object.strip_prefix("globalThis.").unwrap_or(&object);
            format!("{object}.{name}")
        }
    }
}
