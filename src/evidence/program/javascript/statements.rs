//! Statements: every branch is walked, and control flow is flattened.

use oxc_ast::ast::{
    Declaration, ForStatement, ForStatementInit, Statement, SwitchStatement, TryStatement, VariableDeclaration,
    VariableDeclarator,
};

use super::super::outline::{Binding, Origin};
use super::JavascriptOutliner;
use super::calls::is_named;

impl JavascriptOutliner {
    pub(super) fn statements(&mut self, statements: &[Statement<'_>]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    /// Statements in a scope of their own.
    pub(super) fn block(&mut self, statements: &[Statement<'_>]) {
        let outer = self.build.open_scope();
        self.statements(statements);
        self.build.scope = outer;
    }

    pub(super) fn statement(&mut self, it: &Statement<'_>) {
        match it {
            Statement::ExpressionStatement(it) => {
                self.expression(&it.expression);
            }
            Statement::BlockStatement(it) => self.block(&it.body),
            Statement::IfStatement(it) => {
                self.expression(&it.test);
                self.statement(&it.consequent);
                if let Some(alternate) = &it.alternate {
                    self.statement(alternate);
                }
            }
            Statement::ReturnStatement(it) => {
                let value = it.argument.as_ref().map(|value| self.expression(value));
                if let Some(value) = value {
                    self.gives(value);
                }
            }
            Statement::ForOfStatement(it) => self.for_of(it),
            Statement::ForInStatement(it) => self.for_in(it),
            Statement::ForStatement(it) => self.counting_loop(it),
            Statement::WhileStatement(it) => {
                self.expression(&it.test);
                self.statement(&it.body);
            }
            Statement::DoWhileStatement(it) => {
                self.statement(&it.body);
                self.expression(&it.test);
            }
            Statement::SwitchStatement(it) => self.switch(it),
            Statement::TryStatement(it) => self.attempt(it),
            Statement::ThrowStatement(it) => {
                self.expression(&it.argument);
            }
            Statement::LabeledStatement(it) => self.statement(&it.body),
            Statement::WithStatement(it) => {
                self.expression(&it.object);
                self.statement(&it.body);
            }
            Statement::BreakStatement(_)
            | Statement::ContinueStatement(_)
            | Statement::DebuggerStatement(_)
            | Statement::EmptyStatement(_) => {}
            other => match (other.as_declaration(), other.as_module_declaration()) {
                (Some(declaration), _) => self.declaration(declaration),
                (_, Some(declaration)) => self.module_declaration(declaration),
                _ => {}
            },
        }
    }

    pub(super) fn declaration(&mut self, it: &Declaration<'_>) {
        match it {
            Declaration::VariableDeclaration(it) => self.variables(it),
            Declaration::FunctionDeclaration(it) => {
                self.function_declaration(it);
            }
            Declaration::ClassDeclaration(it) => {
                self.class_declaration(it);
            }
            Declaration::TSEnumDeclaration(it) => self.enumeration(it),
            Declaration::TSNamespaceDeclaration(it) => self.typescript_namespace(it),
            Declaration::TSImportEqualsDeclaration(it) => self.import_equals(it),
            // Types, and the shapes of things that are defined elsewhere.
            Declaration::TSTypeAliasDeclaration(_)
            | Declaration::TSInterfaceDeclaration(_)
            | Declaration::TSExternalModuleDeclaration(_)
            | Declaration::TSGlobalDeclaration(_) => {}
        }
    }

    pub(super) fn variables(&mut self, it: &VariableDeclaration<'_>) {
        for declarator in &it.declarations {
            let scope = if it.kind.is_var() { self.variable_scope } else { self.build.scope };
            self.variable(declarator, scope, it.declare);
        }
    }

    fn variable(&mut self, it: &VariableDeclarator<'_>, scope: u32, ambient: bool) {
        let name = it.id.get_identifier_name();
        let Some(init) = &it.init else {
            if let (Some(name), false) = (name, ambient) {
                self.declare_alone(scope, name.as_str());
            }
            return;
        };
        if let Some(name) = name
            && is_named(init, &["createRequire"])
        {
            self.requires.insert(name.to_string());
        }
        let value = self.expression_of(init, name.as_ref().map(|name| name.as_str()));
        self.bind_pattern(
            &it.id,
            scope,
            &Binding { origin: Origin::Expression(value), path: Vec::new(), default: None },
        );
    }

    fn counting_loop(&mut self, it: &ForStatement<'_>) {
        let outer = self.build.open_scope();
        match &it.init {
            Some(ForStatementInit::VariableDeclaration(variables)) => self.variables(variables),
            Some(init) => {
                if let Some(init) = init.as_expression() {
                    self.expression(init);
                }
            }
            None => {}
        }
        for part in [&it.test, &it.update].into_iter().flatten() {
            self.expression(part);
        }
        self.statement(&it.body);
        self.build.scope = outer;
    }

    fn switch(&mut self, it: &SwitchStatement<'_>) {
        self.expression(&it.discriminant);
        let outer = self.build.open_scope();
        for case in &it.cases {
            if let Some(test) = &case.test {
                self.expression(test);
            }
            self.statements(&case.consequent);
        }
        self.build.scope = outer;
    }

    fn attempt(&mut self, it: &TryStatement<'_>) {
        self.block(&it.block.body);
        if let Some(handler) = &it.handler {
            let outer = self.build.open_scope();
            if let Some(parameter) = &handler.param {
                let caught = Binding { origin: Origin::Unknown, path: Vec::new(), default: None };
                self.bind_pattern(&parameter.pattern, self.build.scope, &caught);
            }
            self.statements(&handler.body.body);
            self.build.scope = outer;
        }
        if let Some(last) = &it.finalizer {
            self.block(&last.body);
        }
    }
}
