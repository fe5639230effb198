//! Expressions: the form of each; what has none is unknown, and its parts are walked all the same.

use rustpython_ruff_python_ast as ast;

use ast::{BoolOp, CmpOp, Expr, Number, Operator, UnaryOp};
use serde_json::Value;

use super::super::outline::{Element, Entry, Key, Node, NodeId};
use super::{PythonOutliner, last_name, start};

impl PythonOutliner {
    /// Lowers an expression.
    pub(super) fn expression(&mut self, expression: &Expr) -> NodeId {
        let offset = start(expression);
        match expression {
            Expr::BoolOp(operation) => self.boolean(operation),
            Expr::Named(named) => self.walrus(named),
            Expr::BinOp(operation) => self.binary(operation, Self::expression),
            Expr::UnaryOp(operation) => self.unary(operation),
            Expr::Lambda(lambda) => self.lambda(lambda),
            Expr::If(choice) => {
                let body = self.expression(&choice.body);
                let sides = self.compared(&choice.test);
                let other = self.expression(&choice.orelse);
                let node = match sides {
                    Some((sides, true)) => Node::Picked { sides, arms: [body, other] },
                    Some((sides, false)) => Node::Picked { sides, arms: [other, body] },
                    None => Node::Choice([body, other].into()),
                };
                self.builder.node(node, offset)
            }
            Expr::Dict(dict) => self.dictionary(dict),
            Expr::Set(set) => self.list(&set.elts, offset),
            Expr::List(list) => self.list(&list.elts, offset),
            Expr::Tuple(tuple) => self.list(&tuple.elts, offset),
            Expr::ListComp(each) => self.each(&each.generators, None, &each.elt, offset),
            Expr::SetComp(each) => self.each(&each.generators, None, &each.elt, offset),
            Expr::Generator(each) => self.each(&each.generators, None, &each.elt, offset),
            Expr::DictComp(each) => self.each(&each.generators, Some(&each.key), &each.value, offset),
            Expr::Await(awaited) => self.expression(&awaited.value),
            Expr::Starred(starred) => self.expression(&starred.value),
            Expr::Yield(yielded) => {
                if let Some(value) = &yielded.value {
                    let value = self.expression(value);
                    self.returns(value);
                }
                self.unknown(offset)
            }
            Expr::YieldFrom(yielded) => {
                let values = self.expression(&yielded.value);
                // What is yielded is an element of the operand, and which one is not known.
                let place = self.unknown(offset);
                let element = self.builder.node(Node::Index(values, place), offset);
                self.returns(element);
                self.unknown(offset)
            }
            Expr::Compare(comparison) => {
                self.each_dropped(std::iter::once(&*comparison.left).chain(&comparison.comparators));
                self.unknown(offset)
            }
            Expr::Call(call) => self.call(call),
            Expr::FString(text) => self.formatted(text),
            Expr::TString(text) => self.template(text),
            Expr::StringLiteral(text) => self.builder.node(Node::Text(text.value.to_str().into()), offset),
            Expr::NumberLiteral(number) => self.number(&number.value, false, offset),
            Expr::BooleanLiteral(truth) => self.builder.node(Node::plain(truth.value), offset),
            Expr::NoneLiteral(_) => self.builder.node(Node::plain(Value::Null), offset),
            // A name that nothing binds, so that `Field(...)` can be told from `Field(None)`.
            Expr::EllipsisLiteral(_) => self.builder.node(Node::Name("Ellipsis".into(), self.builder.scope), offset),
            Expr::Attribute(member) => {
                let object = self.expression(&member.value);
                self.builder.node(Node::Member(object, member.attr.as_str().into()), offset)
            }
            Expr::Subscript(subscript) => self.subscript(subscript),
            Expr::Name(name) => self.name(name.id.as_str(), offset),
            Expr::Slice(slice) => {
                let parts = [&slice.lower, &slice.upper, &slice.step];
                self.each_dropped(parts.into_iter().filter_map(|part| part.as_deref()));
                self.unknown(offset)
            }
            Expr::BytesLiteral(_) | Expr::IpyEscapeCommand(_) => self.unknown(offset),
        }
    }

    /// Lowers expressions whose values nothing takes.
    pub(super) fn each_dropped<'a>(&mut self, expressions: impl IntoIterator<Item = &'a Expr>) {
        for expression in expressions {
            self.expression(expression);
        }
    }

    /// A name that is read.
    pub(super) fn name(&mut self, name: &str, offset: u32) -> NodeId {
        if name.is_empty() {
            return self.unknown(offset);
        }
        let scope = self.scope_of(self.builder.scope, name);
        self.builder.node(Node::Name(name.into(), scope), offset)
    }

    /// The two sides of a test whether they are equal, and whether it asks so or the opposite; none for any other test.
    fn compared(&mut self, test: &Expr) -> Option<([NodeId; 2], bool)> {
        if let Expr::Compare(it) = test
            && let ([operator @ (CmpOp::Eq | CmpOp::NotEq)], [right]) = (&*it.ops, &*it.comparators)
        {
            return Some(([self.expression(&it.left), self.expression(right)], *operator == CmpOp::Eq));
        }
        self.expression(test);
        None
    }

    fn boolean(&mut self, operation: &ast::ExprBoolOp) -> NodeId {
        let values: Vec<NodeId> = operation.values.iter().map(|value| self.expression(value)).collect();
        match (operation.op, values.last()) {
            // Where the left side is true, which is the case that matters, the right one is the value.
            (BoolOp::And, Some(last)) => *last,
            _ => self.builder.node(Node::Choice(values.into()), start(operation)),
        }
    }

    /// A chain of operators, its operands lowered by `lower`.
    pub(super) fn binary(&mut self, operation: &ast::ExprBinOp, lower: impl Fn(&mut Self, &Expr) -> NodeId) -> NodeId {
        let mut steps = vec![operation];
        let mut first = &*operation.left;
        // A loop, because generated concatenations are longer than the stack is deep.
        while let Expr::BinOp(inner) = first {
            steps.push(inner);
            first = &inner.left;
        }
        let mut value = lower(self, first);
        for step in steps.into_iter().rev() {
            let right = lower(self, &step.right);
            value = self.combined(value, step, right);
        }
        value
    }

    fn combined(&mut self, left: NodeId, step: &ast::ExprBinOp, right: NodeId) -> NodeId {
        let offset = start(step);
        let node = match step.op {
            Operator::Add => Node::Sum(left, right),
            Operator::Div => {
                let slash = self.builder.node(Node::Text("/".into()), offset);
                Node::Sum(left, self.builder.node(Node::Sum(slash, right), offset))
            }
            // What is filled into a format is not followed.
            Operator::Mod => Node::Joined([left, self.unknown(offset)].into()),
            Operator::BitOr => Node::Choice([left, right].into()),
            _ => Node::Unknown,
        };
        self.builder.node(node, offset)
    }

    fn unary(&mut self, operation: &ast::ExprUnaryOp) -> NodeId {
        let offset = start(operation);
        match (operation.op, &*operation.operand) {
            (UnaryOp::USub, Expr::NumberLiteral(number)) => self.number(&number.value, true, offset),
            (UnaryOp::UAdd, Expr::NumberLiteral(number)) => self.number(&number.value, false, offset),
            (_, operand) => {
                self.expression(operand);
                self.unknown(offset)
            }
        }
    }

    fn number(&mut self, number: &Number, negative: bool, offset: u32) -> NodeId {
        let value = match number {
            // Python's integers have no bound; one beyond 64 bits has no value here.
            Number::Int(int) => int.as_i64().map(|int| Value::from(if negative { -int } else { int })),
            Number::Float(float) => {
                serde_json::Number::from_f64(if negative { -float } else { *float }).map(Value::Number)
            }
            Number::Complex { .. } => None,
        };
        self.builder.node(value.map_or(Node::Unknown, Node::plain), offset)
    }

    fn list(&mut self, elements: &[Expr], offset: u32) -> NodeId {
        let elements = elements
            .iter()
            .map(|element| Element { spread: element.is_starred_expr(), value: self.expression(element) })
            .collect();
        self.builder.node(Node::List(elements), offset)
    }

    fn dictionary(&mut self, dict: &ast::ExprDict) -> NodeId {
        let mut entries = Vec::new();
        for item in &dict.items {
            let key = match &item.key {
                None => Key::Spread,
                Some(Expr::StringLiteral(key)) => Key::Named(key.value.to_str().into()),
                Some(key) => Key::Computed(self.expression(key)),
            };
            let value = self.expression(&item.value);
            if let Key::Named(name) = &key {
                self.christen(value, name);
            }
            entries.push(Entry { key, value });
        }
        self.builder.node(Node::Object(entries.into()), start(dict))
    }

    fn subscript(&mut self, subscript: &ast::ExprSubscript) -> NodeId {
        // `Mode = Literal["fast"]` names a type outside of an annotation.
        if matches!(last_name(&subscript.value), Some("Annotated" | "Literal" | "Optional" | "Union")) {
            return self.parametrized(subscript);
        }
        let value = self.expression(&subscript.value);
        let node = match &*subscript.slice {
            Expr::StringLiteral(key) => Node::Member(value, key.value.to_str().into()),
            key => Node::Index(value, self.expression(key)),
        };
        self.builder.node(node, start(subscript))
    }
}
