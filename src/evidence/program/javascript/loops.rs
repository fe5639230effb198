//! Loops over the elements or the keys of something, which stand inside as functions of one parameter.

use oxc_ast::ast::{Expression, ForInStatement, ForOfStatement, ForStatementLeft, Statement};

use super::super::outline::{Binding, Function, FunctionKind, Origin, Parameter, ParameterKind};
use super::JavascriptOutliner;

impl JavascriptOutliner {
    pub(super) fn for_of(&mut self, it: &ForOfStatement<'_>) {
        self.each(&it.left, &it.right, &it.body, false, it.span.start);
    }

    pub(super) fn for_in(&mut self, it: &ForInStatement<'_>) {
        self.each(&it.left, &it.right, &it.body, true, it.span.start);
    }

    fn each(
        &mut self,
        left: &ForStatementLeft<'_>,
        right: &Expression<'_>,
        body: &Statement<'_>,
        keys: bool,
        offset: u32,
    ) {
        let over = self.expression(right);
        let (scope, parent) = (self.build.open_scope(), self.build.function);
        let parameter = Parameter {
            name: variable_name(left).unwrap_or_default(),
            annotation: None,
            default: None,
            kind: ParameterKind::Plain,
        };
        let turn = self.build.add_function(Function {
            name: None,
            kind: FunctionKind::Loop { over, keys },
            parent,
            class: None,
            scope: self.build.scope,
            parameters: vec![parameter],
            returns: Vec::new(),
            doc: None,
            decorators: Vec::new(),
            is_static: false,
            offset,
        });
        self.build.function = Some(turn);
        let element = Binding { origin: Origin::Parameter(turn, 0), path: Vec::new(), default: None };
        match left {
            ForStatementLeft::VariableDeclaration(it) => {
                let scope = if it.kind.is_var() { self.variable_scope } else { self.build.scope };
                for declarator in &it.declarations {
                    self.bind_pattern(&declarator.id, scope, &element);
                }
            }
            other => {
                if let Some(target) = other.as_assignment_target() {
                    self.assign_pattern(target, &element);
                }
            }
        }
        self.statement(body);
        (self.build.scope, self.build.function) = (scope, parent);
    }
}

/// The name of the variable, where it is not taken apart.
fn variable_name(left: &ForStatementLeft<'_>) -> Option<String> {
    match left {
        ForStatementLeft::VariableDeclaration(it) => it
            .declarations
            .first()
            .and_then(|declarator| declarator.id.get_identifier_name())
            .map(|name| name.to_string()),
        ForStatementLeft::AssignmentTargetIdentifier(name) => Some(name.name.to_string()),
        _ => None,
    }
}
