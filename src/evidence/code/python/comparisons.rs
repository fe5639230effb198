//! Comparisons in Python: what is held against a secret, and what is asked about a value before it is used.

use rustpython_ruff_python_ast as ast;
use rustpython_ruff_text_size::Ranged;

use ast::Expr;
use ast::visitor::Visitor;

use super::super::secrets;
use super::super::taint::{TaintSources, TaintedArguments};
use super::PythonReader;
use super::written::root_of;

impl<'a> PythonReader<'a> {
    /// A secret of the environment beside anything that is no literal, or two names of secrets beside each other.
    pub(super) fn follow_comparison(&mut self, compare: &'a ast::ExprCompare) {
        let outer = self.taint.take();
        self.visit_expr(&compare.left);
        let left = self.taint.take();
        for other in &compare.comparators {
            self.visit_expr(other);
        }
        let right = self.taint.take();
        self.taint.held = outer;
        // Only a plain `==` leaks by its time how much of a secret was guessed.
        let equality = matches!(&*compare.ops, [ast::CmpOp::Eq | ast::CmpOp::NotEq]);
        let (Some(first), Some(second)) = (last_name(&compare.left), compare.comparators.first().and_then(last_name))
        else {
            for asked in std::iter::once(&*compare.left).chain(&*compare.comparators) {
                self.question(asked);
            }
            return;
        };
        let both = secrets::is_secret_name(first) && secrets::is_secret_name(second);
        let outside = (left | right).any(TaintSources::REQUEST | TaintSources::TOOL_INPUT);
        if equality && ((left | right).any(TaintSources::TOKEN) || (both && outside)) {
            let taint = TaintedArguments { receiver: TaintSources::NONE, first: left, rest: right };
            self.keep("compare".to_owned(), Vec::new(), taint, compare.range());
        }
        // `x in allowed` checks `x` and not the list.
        if matches!(&*compare.ops, [ast::CmpOp::In | ast::CmpOp::NotIn]) {
            self.question(&compare.left);
        }
    }

    fn question(&mut self, asked: &Expr) {
        self.question_about(root_of(asked));
    }

    pub(super) fn question_about(&mut self, asked: Option<&str>) {
        // A number needs no check, and would lend its own to the text that it becomes a part of.
        let text = |name: &&str| !(self.taint.of(name) & !TaintSources::TOOL_NUMBER).is_empty();
        if let Some(name) = asked.filter(text) {
            self.taint.assign(name, TaintSources::CHECKED, false);
        }
    }
}

fn last_name(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(member) => Some(member.attr.as_str()),
        // No literal, yet without a name: the empty name is never that of a secret.
        Expr::Call(_) | Expr::FString(_) | Expr::BinOp(_) | Expr::Subscript(_) => Some(""),
        _ => None,
    }
}
