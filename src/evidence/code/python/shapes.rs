//! Shapes: what an expression is as an argument.

use rustpython_ruff_python_ast as ast;

use ast::Expr;

use super::super::Argument;
use super::super::literal::join;
use super::{MAX_DEPTH, MAX_RESOLVED, PythonMeaning, PythonReader};

impl<'a> PythonReader<'a> {
    /// The shape of an expression as an argument.
    pub(super) fn shape(&mut self, expression: &'a Expr, depth: usize) -> Argument {
        if depth > MAX_DEPTH {
            return Argument::Other;
        }
        match expression {
            Expr::StringLiteral(text) => Argument::Literal(text.value.to_str().to_owned()),
            Expr::FString(text) => self.formatted(text, depth),
            Expr::BinOp(binary) => self.binary(binary, depth),
            Expr::Name(name) => match self.names.get(name.id.as_str()).cloned().flatten() {
                Some(PythonMeaning::Alias(path)) => Argument::Name(path),
                // Steps of four and a count for each value: names bound to each other come to an end.
                Some(PythonMeaning::Bound(bound)) if self.spend() => match self.shape(bound, depth + 4) {
                    Argument::Other | Argument::Named(_) | Argument::Name(_) => Argument::Name(name.id.to_string()),
                    shape => shape,
                },
                _ => Argument::Name(name.id.to_string()),
            },
            Expr::Await(waiting) => self.shape(&waiting.value, depth + 1),
            Expr::List(list) => self.joined(&list.elts, " ", depth),
            Expr::Tuple(list) => self.joined(&list.elts, " ", depth),
            Expr::Dict(dict) => Argument::Named(self.named_items(dict)),
            Expr::Call(call) => self.result(call, depth),
            Expr::Attribute(member) if matches!(member.attr.as_str(), "text" | "content" | "data" | "stdout") => {
                match self.shape(&member.value, depth + 1) {
                    result @ Argument::Result(_) => result,
                    _ => self.dotted(expression, depth + 1).map_or(Argument::Other, Argument::Name),
                }
            }
            Expr::Attribute(member) if self.member_value(member).is_some() && self.spend() => {
                let value = self.member_value(member);
                match value.map(|value| self.shape(value, depth + 4)) {
                    Some(shape @ (Argument::Literal(_) | Argument::Composed(_))) => shape,
                    _ => self.dotted(expression, depth + 1).map_or(Argument::Other, Argument::Name),
                }
            }
            Expr::If(choice) => either(self.shape(&choice.body, depth + 1), self.shape(&choice.orelse, depth + 1)),
            other => self.dotted(other, depth + 1).map_or(Argument::Other, Argument::Name),
        }
    }

    pub(super) fn spend(&mut self) -> bool {
        self.resolved += 1;
        self.resolved <= MAX_RESOLVED
    }

    pub(super) fn joined(&mut self, items: &'a [Expr], between: &str, depth: usize) -> Argument {
        let mut pieces = Vec::new();
        // Tables of data are lists too; command lines are shorter than this.
        for item in items.iter().take(64) {
            pieces.push(self.shape(item, depth + 1));
        }
        join(&pieces, between).unwrap_or(Argument::Other)
    }

    pub(super) fn formatted(&mut self, text: &'a ast::ExprFString, depth: usize) -> Argument {
        let mut pieces = Vec::new();
        for part in text.value.iter() {
            match part {
                ast::FStringPart::Literal(literal) => pieces.push(Argument::Literal(literal.value.to_string())),
                ast::FStringPart::FString(formatted) => {
                    for element in &formatted.elements {
                        pieces.push(match element {
                            ast::InterpolatedStringElement::Literal(literal) => {
                                Argument::Literal(literal.value.to_string())
                            }
                            ast::InterpolatedStringElement::Interpolation(inner) => {
                                self.shape(&inner.expression, depth + 1)
                            }
                        });
                    }
                }
            }
        }
        join(&pieces, "").unwrap_or(Argument::Other)
    }

    /// Sums of text, `%` formats and paths joined by `/`, without recursion on the left side.
    pub(super) fn binary(&mut self, binary: &'a ast::ExprBinOp, depth: usize) -> Argument {
        // `"rm %s" % name`: the literal is a format, into which something is filled.
        if binary.op == ast::Operator::Mod {
            return match self.shape(&binary.left, depth + 1) {
                Argument::Literal(text) | Argument::Composed(text) => Argument::Composed(text),
                _ => Argument::Other,
            };
        }
        let between = match binary.op {
            ast::Operator::Add => "",
            ast::Operator::Div => "/",
            _ => return Argument::Other,
        };
        let mut operands = vec![&*binary.right];
        let mut rest = &*binary.left;
        // A loop, because generated concatenations are longer than the stack is deep.
        while let Expr::BinOp(inner) = rest {
            if inner.op != binary.op {
                break;
            }
            operands.push(&inner.right);
            rest = &inner.left;
        }
        operands.push(rest);
        let mut pieces = Vec::new();
        for operand in operands.into_iter().rev() {
            pieces.push(self.shape(operand, depth + 1));
        }
        join(&pieces, between).unwrap_or(Argument::Other)
    }

    pub(super) fn named_items(&mut self, dict: &'a ast::ExprDict) -> Vec<(String, String)> {
        let mut named = Vec::new();
        for item in &dict.items {
            if let (Some(Expr::StringLiteral(key)), Some(value)) = (&item.key, plain(&item.value)) {
                named.push((key.value.to_str().to_owned(), value));
            }
        }
        named
    }

    pub(super) fn result(&mut self, call: &'a ast::ExprCall, depth: usize) -> Argument {
        let callee = self.dotted(&call.func, depth + 1).unwrap_or_default();
        match callee.as_str() {
            "os.path.join" | "pathlib.Path" | "Path" | "pathlib.PurePath" => {
                return self.joined(&call.arguments.args, "/", depth);
            }
            "os.path.expanduser" | "os.path.expandvars" | "os.path.abspath" | "str" | "os.fspath"
            | "os.path.realpath" => {
                return call.arguments.args.first().map_or(Argument::Other, |first| self.shape(first, depth + 1));
            }
            "Path.home" | "pathlib.Path.home" => return Argument::Result(callee),
            _ => {}
        }
        if let Expr::Attribute(member) = &*call.func {
            match member.attr.as_str() {
                "format" => {
                    return match self.shape(&member.value, depth + 1) {
                        Argument::Literal(text) | Argument::Composed(text) => Argument::Composed(text),
                        _ => Argument::Other,
                    };
                }
                // Conversions are looked through, since rules ask for the text before them.
                "decode" | "strip" | "expanduser" | "resolve" | "absolute" | "lower" | "replace" | "encode"
                | "read" => {
                    return self.shape(&member.value, depth + 1);
                }
                "joinpath" => {
                    let mut pieces = vec![self.shape(&member.value, depth + 1)];
                    for item in call.arguments.args.iter().take(16) {
                        pieces.push(self.shape(item, depth + 1));
                    }
                    return join(&pieces, "/").unwrap_or(Argument::Other);
                }
                "join" => {
                    return match (self.shape(&member.value, depth + 1), call.arguments.args.first()) {
                        (Argument::Literal(between), Some(Expr::List(list))) => {
                            self.joined(&list.elts, &between, depth)
                        }
                        // The list is made at run time, but that text is put together is known.
                        (Argument::Literal(_), Some(_)) => Argument::Composed("{}".to_owned()),
                        _ => Argument::Other,
                    };
                }
                _ => {}
            }
        }
        if callee.is_empty() { Argument::Other } else { Argument::Result(callee) }
    }
}

/// The text of a plain literal, as the language spells it.
pub(super) fn plain(expression: &Expr) -> Option<String> {
    match expression {
        Expr::BooleanLiteral(value) => Some(if value.value { "True" } else { "False" }.to_owned()),
        Expr::NoneLiteral(_) => Some("None".to_owned()),
        Expr::StringLiteral(text) => Some(text.value.to_str().to_owned()),
        Expr::NumberLiteral(number) => match &number.value {
            ast::Number::Int(int) => Some(int.to_string()),
            ast::Number::Float(float) => Some(float.to_string()),
            ast::Number::Complex { .. } => None,
        },
        Expr::Attribute(member) => match &*member.value {
            Expr::Name(object) => Some(format!("{}.{}", object.id, member.attr)),
            _ => None,
        },
        _ => None,
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
