//! Asides in JavaScript: calls whose result nobody uses and whose failure nobody hears of.

use oxc_ast::ast::{ArrowFunctionBody, CallExpression, Expression, ExpressionStatement, Statement, TryStatement};
use oxc_ast_visit::{Visit, walk};
use oxc_span::Span;

use super::JavascriptReader;

/// The state of the walk.
#[derive(Default)]
pub(super) struct Asides {
    /// The statements around that pass failures over, within the innermost function.
    silent: usize,
    /// The same for the functions around.
    outside: Vec<usize>,
    /// The call whose result is dropped, and whether its failure is as well.
    alone: Option<(Span, bool)>,
}

impl Asides {
    /// True for a call whose result is dropped where failures are passed over.
    pub(super) fn holds(&self, call: Span) -> bool {
        self.alone.is_some_and(|(alone, silent)| alone == call && (silent || self.silent > 0))
    }

    /// True for a call whose result is dropped.
    pub(super) fn is_alone(&self, call: Span) -> bool {
        self.alone.is_some_and(|(alone, _)| alone == call)
    }

    /// Enters a function, whose failures are its callers'.
    pub(super) fn enter(&mut self) {
        self.outside.push(std::mem::take(&mut self.silent));
    }

    /// Leaves a function.
    pub(super) fn leave(&mut self) {
        self.silent = self.outside.pop().unwrap_or_default();
    }
}

impl JavascriptReader<'_> {
    /// Notes a statement that is a call alone.
    pub(super) fn note_alone(&mut self, it: &ExpressionStatement<'_>) {
        let mut dropped = it.expression.get_inner_expression();
        loop {
            dropped = match dropped {
                Expression::AwaitExpression(waiting) => waiting.argument.get_inner_expression(),
                Expression::UnaryExpression(unary) if unary.operator.as_str() == "void" => {
                    unary.argument.get_inner_expression()
                }
                _ => break,
            };
        }
        let Expression::CallExpression(call) = dropped else { return };
        self.asides.alone = Some(caught(call).map_or((call.span, false), |asked| (asked, true)));
    }

    /// Walks a `try`.
    pub(super) fn follow_try<'a>(&mut self, it: &TryStatement<'a>) {
        let silent = it.handler.as_ref().is_some_and(|handler| handler.body.body.iter().all(is_silent));
        self.asides.silent += usize::from(silent);
        walk::walk_block_statement(self, &it.block);
        self.asides.silent -= usize::from(silent);
        if let Some(handler) = &it.handler {
            self.visit_catch_clause(handler);
        }
        if let Some(last) = &it.finalizer {
            walk::walk_block_statement(self, last);
        }
    }
}

/// The call before `.catch(() => {})`, whose failure is passed over.
fn caught(call: &CallExpression<'_>) -> Option<Span> {
    let Expression::StaticMemberExpression(member) = call.callee.get_inner_expression() else { return None };
    let nothing = match call.arguments.first()?.as_expression()?.get_inner_expression() {
        Expression::ArrowFunctionExpression(arrow) => match &arrow.body {
            ArrowFunctionBody::FunctionBody(body) => body.statements.iter().all(is_silent),
            value => value.as_expression().is_some_and(says_nothing),
        },
        Expression::FunctionExpression(function) => {
            function.body.as_ref().is_some_and(|body| body.statements.iter().all(is_silent))
        }
        _ => false,
    };
    match member.object.get_inner_expression() {
        Expression::CallExpression(asked) if member.property.name == "catch" && nothing => Some(asked.span),
        _ => None,
    }
}

/// True for a statement that tells nobody anything.
fn is_silent(statement: &Statement<'_>) -> bool {
    match statement {
        Statement::EmptyStatement(_) | Statement::BreakStatement(_) | Statement::ContinueStatement(_) => true,
        Statement::ReturnStatement(back) => back.argument.as_ref().is_none_or(says_nothing),
        _ => false,
    }
}

fn says_nothing(value: &Expression<'_>) -> bool {
    match value.get_inner_expression() {
        Expression::NullLiteral(_) => true,
        Expression::Identifier(name) => name.name == "undefined",
        Expression::UnaryExpression(unary) => unary.operator.as_str() == "void",
        _ => false,
    }
}
