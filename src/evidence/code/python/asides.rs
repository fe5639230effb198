//! Asides in Python: calls whose result nobody uses and whose failure nobody hears of.

use rustpython_ruff_python_ast as ast;
use rustpython_ruff_text_size::{Ranged, TextRange};

use ast::visitor::Visitor;
use ast::{ExceptHandler, Expr, Stmt};

use super::PythonReader;

/// The state of the walk.
#[derive(Default)]
pub(super) struct Asides {
    /// The statements around that pass failures over, within the innermost function.
    silent: usize,
    /// The call whose result is dropped.
    alone: Option<TextRange>,
}

impl Asides {
    /// True for a call whose result is dropped where failures are passed over.
    pub(super) fn holds(&self, call: TextRange) -> bool {
        self.silent > 0 && self.alone == Some(call)
    }

    /// True for a call whose result is dropped.
    pub(super) fn is_alone(&self, call: TextRange) -> bool {
        self.alone == Some(call)
    }

    /// Enters a function, whose failures are its callers'.
    pub(super) fn enter(&mut self) -> usize {
        std::mem::take(&mut self.silent)
    }

    /// Leaves a function.
    pub(super) fn leave(&mut self, outside: usize) {
        self.silent = outside;
    }
}

impl<'a> PythonReader<'a> {
    /// Notes a statement that is a call alone.
    pub(super) fn note_alone(&mut self, statement: &Stmt) {
        let dropped = match statement {
            Stmt::Expr(alone) => Some(&*alone.value),
            // `_ = f()` says that the result is of no use.
            Stmt::Assign(assign) => match assign.targets.as_slice() {
                [Expr::Name(name)] if name.id.as_str() == "_" => Some(&*assign.value),
                _ => None,
            },
            // `with urlopen(request): pass` waits for the answer and no more.
            Stmt::With(with) if with.body.iter().all(is_silent) => with.items.last().map(|item| &item.context_expr),
            _ => None,
        };
        if let Some(call) = dropped.and_then(called) {
            self.asides.alone = Some(call);
        }
    }

    /// Walks a `try`.
    pub(super) fn follow_try(&mut self, tried: &'a ast::StmtTry) {
        let silent = !tried.handlers.is_empty()
            && tried.handlers.iter().all(|ExceptHandler::ExceptHandler(handler)| handler.body.iter().all(is_silent));
        self.follow_passing_over(&tried.body, silent);
        for ExceptHandler::ExceptHandler(handler) in &tried.handlers {
            self.visit_body(&handler.body);
        }
        self.visit_body(&tried.orelse);
        self.visit_body(&tried.finalbody);
    }

    /// Walks statements, whose failures are passed over or not.
    pub(super) fn follow_passing_over(&mut self, body: &'a [Stmt], silent: bool) {
        self.asides.silent += usize::from(silent);
        self.visit_body(body);
        self.asides.silent -= usize::from(silent);
    }

    /// True for `with contextlib.suppress(…)`.
    pub(super) fn suppresses(&self, with: &ast::StmtWith) -> bool {
        with.items.iter().any(|item| match &item.context_expr {
            Expr::Call(call) => self.dotted(&call.func, 0).as_deref() == Some("contextlib.suppress"),
            _ => false,
        })
    }
}

/// The call that an expression is, awaited or not.
fn called(expression: &Expr) -> Option<TextRange> {
    match expression {
        Expr::Call(call) => Some(call.range()),
        Expr::Await(waiting) => called(&waiting.value),
        _ => None,
    }
}

/// True for a statement that tells nobody anything.
fn is_silent(statement: &Stmt) -> bool {
    match statement {
        Stmt::Pass(_) | Stmt::Continue(_) | Stmt::Break(_) => true,
        Stmt::Expr(alone) => alone.value.is_literal_expr(),
        Stmt::Return(back) => back.value.as_ref().is_none_or(|value| matches!(&**value, Expr::NoneLiteral(_))),
        _ => false,
    }
}
