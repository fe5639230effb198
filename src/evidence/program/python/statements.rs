//! Statements: what each binds, and the expressions and blocks in it, every branch in turn.

use rustpython_ruff_python_ast as ast;

use ast::{ExceptHandler, Expr, Operator, Stmt};

use super::super::outline::{Binding, Origin, Part};
use super::targets::Source;
use super::{PythonOutliner, last_name, start};

impl PythonOutliner {
    pub(super) fn body(&mut self, body: &[Stmt]) {
        for statement in body {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::FunctionDef(function) => self.function(function),
            Stmt::ClassDef(class) => self.class(class),
            Stmt::Return(result) => {
                if let Some(value) = &result.value {
                    let value = self.expression(value);
                    self.returns(value);
                }
            }
            Stmt::Delete(delete) => delete.targets.iter().for_each(|target| self.delete(target)),
            Stmt::TypeAlias(alias) => {
                self.type_parameters(alias.type_params.as_deref());
                let value = self.annotation(&alias.value);
                self.assign(&alias.name, &Source::plain(Origin::Expression(value)), start(alias));
            }
            Stmt::Assign(assign) => {
                let value = self.expression(&assign.value);
                for target in &assign.targets {
                    self.assign(target, &Source::plain(Origin::Expression(value)), start(target));
                }
            }
            Stmt::AugAssign(assign) => self.added(assign),
            Stmt::AnnAssign(assign) => self.annotated(assign),
            Stmt::For(turns) => self.loops(turns),
            Stmt::While(repeated) => {
                self.expression(&repeated.test);
                self.body(&repeated.body);
                self.body(&repeated.orelse);
            }
            Stmt::If(choice) => {
                self.expression(&choice.test);
                self.body(&choice.body);
                for clause in &choice.elif_else_clauses {
                    self.each_dropped(clause.test.as_ref());
                    self.body(&clause.body);
                }
            }
            Stmt::With(with) => {
                for item in &with.items {
                    self.with_item(item);
                }
                self.body(&with.body);
            }
            Stmt::Match(choice) => self.matches(choice),
            Stmt::Raise(raise) => self.each_dropped(raise.exc.as_deref().into_iter().chain(raise.cause.as_deref())),
            Stmt::Try(attempt) => {
                self.body(&attempt.body);
                for ExceptHandler::ExceptHandler(handler) in &attempt.handlers {
                    self.each_dropped(handler.type_.as_deref());
                    if let Some(name) = &handler.name {
                        self.bind(name.as_str(), Binding::from(Origin::Unknown));
                    }
                    self.body(&handler.body);
                }
                self.body(&attempt.orelse);
                self.body(&attempt.finalbody);
            }
            Stmt::Assert(assert) => self.each_dropped(std::iter::once(&*assert.test).chain(assert.msg.as_deref())),
            Stmt::Import(import) => self.import(import),
            Stmt::ImportFrom(import) => self.import_from(import),
            Stmt::Global(global) => self.declare(&global.names, true),
            Stmt::Nonlocal(nonlocal) => self.declare(&nonlocal.names, false),
            Stmt::Expr(statement) => {
                self.expression(&statement.value);
            }
            Stmt::Pass(_) | Stmt::Break(_) | Stmt::Continue(_) | Stmt::IpyEscapeCommand(_) => {}
        }
    }

    /// `x += y`, and the other operators that keep the name.
    fn added(&mut self, assign: &ast::StmtAugAssign) {
        if let (Expr::Name(name), false) = (&*assign.target, assign.op == Operator::BitOr) {
            let value = self.expression(&assign.value);
            // Numbers are what is multiplied and the like, and they say nothing.
            let origin = if assign.op == Operator::Add { Origin::Added(value) } else { Origin::Unknown };
            return self.bind(name.id.as_str(), Binding::from(origin));
        }
        let object = self.expression(&assign.target);
        let value = self.expression(&assign.value);
        // `|=` of dictionaries and sets adds to the object itself, as `update` does.
        if matches!(assign.op, Operator::Add | Operator::BitOr) {
            self.builder.write(object, Part::Elements, value, start(assign));
        }
    }

    fn annotated(&mut self, assign: &ast::StmtAnnAssign) {
        let annotation = self.annotation(&assign.annotation);
        let value = assign.value.as_deref().map(|value| self.expression(value));
        if let (Some(class), Expr::Name(name)) = (self.class_here(), &*assign.target) {
            self.field(class, name.id.as_str(), value, Some(annotation));
        }
        match value {
            Some(value) => self.rebind(&assign.target, &Source::plain(Origin::Expression(value)), start(assign)),
            // An annotation alone binds nothing; `self.x[f()]: int` still calls.
            None if !matches!(&*assign.target, Expr::Name(_)) => {
                self.expression(&assign.target);
            }
            None => {}
        }
    }

    fn loops(&mut self, turns: &ast::StmtFor) {
        let over = self.expression(&turns.iter);
        let turn = self.add_loop(&turns.target, over, start(turns));
        self.within(turn, |outliner| {
            outliner.assign(&turns.target, &Source::plain(Origin::Parameter(turn, 0)), start(&*turns.target));
            outliner.body(&turns.body);
        });
        self.body(&turns.orelse);
    }

    fn with_item(&mut self, item: &ast::WithItem) {
        let context = self.expression(&item.context_expr);
        let Some(target) = item.optional_vars.as_deref() else { return };
        // What a context gives on entering is its own; an open file alone is known to give itself.
        let opens = match &item.context_expr {
            Expr::Call(call) => last_name(&call.func) == Some("open"),
            _ => false,
        };
        let origin = if opens { Origin::Expression(context) } else { Origin::Unknown };
        self.assign(target, &Source::plain(origin), start(target));
    }
}
