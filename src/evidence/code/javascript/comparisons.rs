//! Sums and comparisons in JavaScript: what comes of two values.

use oxc_ast::ast::BinaryExpression;
use oxc_ast_visit::Visit;

use super::super::secrets;
use super::super::taint::{TaintSources, TaintedArguments};
use super::JavascriptReader;
use super::parts::last_name;

impl JavascriptReader<'_> {
    pub(super) fn follow_binary<'a>(&mut self, it: &BinaryExpression<'a>) {
        let outer = self.taint.take();
        self.visit_expression(&it.left);
        let left = self.taint.take();
        self.visit_expression(&it.right);
        let right = self.taint.take();
        let held = if it.operator.as_str() == "^" {
            left | right | TaintSources::DECODED
        } else if it.operator.is_equality() {
            // The result is a truth value and holds neither side.
            self.keep_comparison(it, left, right);
            TaintSources::NONE
        } else if it.operator.as_str() == "+" && !(left | right).is_empty() {
            left | right | TaintSources::COMPOSED
        } else {
            TaintSources::NONE
        };
        self.taint.held = outer | held;
    }

    /// A secret of the environment beside anything that is no literal, or two names of secrets beside each other.
    pub(super) fn keep_comparison(&mut self, it: &BinaryExpression<'_>, left: TaintSources, right: TaintSources) {
        let (first, second) = (last_name(&it.left), last_name(&it.right));
        // A comparison with a literal or `undefined` only asks whether the secret is set.
        let (Some(first), Some(second)) = (first, second) else { return };
        let secret = |name: &str| secrets::is_secret_name(name);
        let outside = TaintSources::REQUEST | TaintSources::TOOL_INPUT;
        if (left | right).any(TaintSources::TOKEN) || (secret(first) && secret(second) && (left | right).any(outside)) {
            let taint = TaintedArguments { receiver: TaintSources::NONE, first: left, rest: right };
            self.keep("compare".to_owned(), Vec::new(), taint, it.span);
        }
    }
}
