//! Functions: parameters, what they return, and how decorators change the kind.

use rustpython_ruff_python_ast as ast;

use ast::Expr;

use super::super::outline::{
    Binding, ClassId, Function, FunctionId, FunctionKind, Node, NodeId, Origin, Parameter, ParameterKind,
};
use super::{PythonOutliner, ScopeKind, last_name, start};
use crate::docstring::docstring;

impl PythonOutliner {
    /// `def` and `async def`.
    pub(super) fn function(&mut self, function: &ast::StmtFunctionDef) {
        let class = self.class_here();
        let decorators = self.decorators(&function.decorator_list);
        self.type_parameters(function.type_params.as_deref());
        // Defaults and annotations are worked out where the function is defined.
        let parameters = self.parameters(&function.parameters);
        if let Some(result) = &function.returns {
            self.annotation(result);
        }
        let name = function.name.as_str();
        let id = self.builder.add_function(Function {
            name: Some(name.to_owned()),
            kind: kind(function, class),
            parent: self.builder.function,
            class,
            scope: self.builder.scope,
            parameters,
            returns: Vec::new(),
            doc: docstring(&function.body),
            decorators,
            is_static: class.is_some()
                && (is_decorated(function, "staticmethod") || is_decorated(function, "classmethod")),
            offset: start(function),
        });
        if let Some(class) = class {
            self.add_method(class, function, id);
        }
        self.bind(name, Binding::from(Origin::Function(id)));
        let outer = self.enter(id);
        self.bind_type_parameters(function.type_params.as_deref());
        self.within(id, |outliner| outliner.body(&function.body));
        self.builder.scope = outer;
    }

    pub(super) fn lambda(&mut self, lambda: &ast::ExprLambda) -> NodeId {
        let parameters = lambda.parameters.as_deref().map(|parameters| self.parameters(parameters));
        let id = self.builder.add_function(Function {
            name: None,
            kind: FunctionKind::Plain,
            parent: self.builder.function,
            class: None,
            scope: self.builder.scope,
            parameters: parameters.unwrap_or_default(),
            returns: Vec::new(),
            doc: None,
            decorators: Vec::new(),
            is_static: false,
            offset: start(lambda),
        });
        let outer = self.enter(id);
        let value = self.within(id, |outliner| outliner.expression(&lambda.body));
        if let Some(function) = self.builder.function_mut(id) {
            function.returns.push(value);
        }
        self.builder.scope = outer;
        self.builder.node(Node::Function(id), start(lambda))
    }

    /// Opens the scope of a function and binds its parameters; returns the scope to go back to.
    fn enter(&mut self, id: FunctionId) -> u32 {
        let outer = self.open_scope(ScopeKind::Function);
        let scope = self.builder.scope;
        let mut names = Vec::new();
        if let Some(function) = self.builder.function_mut(id) {
            function.scope = scope;
            names.extend(function.parameters.iter().map(|parameter| parameter.name.clone()));
        }
        for (index, name) in names.iter().enumerate() {
            self.bind(name, Binding::from(Origin::Parameter(id, index)));
        }
        outer
    }

    /// Decorators as expressions, outermost first.
    pub(super) fn decorators(&mut self, decorators: &[ast::Decorator]) -> Vec<NodeId> {
        decorators.iter().map(|decorator| self.expression(&decorator.expression)).collect()
    }

    fn parameters(&mut self, parameters: &ast::Parameters) -> Vec<Parameter> {
        let mut lowered = Vec::new();
        for parameter in parameters.posonlyargs.iter().chain(&parameters.args) {
            lowered.push(self.with_default(parameter, ParameterKind::Plain));
        }
        if let Some(rest) = &parameters.vararg {
            lowered.push(self.parameter(rest, ParameterKind::Rest));
        }
        for parameter in &parameters.kwonlyargs {
            lowered.push(self.with_default(parameter, ParameterKind::KeywordOnly));
        }
        if let Some(rest) = &parameters.kwarg {
            lowered.push(self.parameter(rest, ParameterKind::KeywordRest));
        }
        lowered
    }

    fn with_default(&mut self, parameter: &ast::ParameterWithDefault, kind: ParameterKind) -> Parameter {
        let mut lowered = self.parameter(&parameter.parameter, kind);
        lowered.default = parameter.default.as_deref().map(|default| self.expression(default));
        lowered
    }

    fn parameter(&mut self, parameter: &ast::Parameter, kind: ParameterKind) -> Parameter {
        let annotation = parameter.annotation.as_deref().map(|annotation| self.annotation(annotation));
        Parameter { name: parameter.name.to_string(), annotation, default: None, kind }
    }

    fn add_method(&mut self, class: ClassId, function: &ast::StmtFunctionDef, id: FunctionId) {
        let Some(class) = self.builder.class_mut(class) else { return };
        class.is_abstract |= is_decorated(function, "abstractmethod");
        // The setter of a property has its name, but reading it calls the getter.
        if !is_decorated(function, "setter") && !is_decorated(function, "deleter") {
            class.methods.insert(function.name.to_string(), id);
        }
    }
}

fn kind(function: &ast::StmtFunctionDef, class: Option<ClassId>) -> FunctionKind {
    if class.is_none() {
        FunctionKind::Plain
    } else if function.name.as_str() == "__init__" {
        FunctionKind::Constructor
    } else if is_decorated(function, "property") || is_decorated(function, "cached_property") {
        FunctionKind::Getter
    } else {
        FunctionKind::Method
    }
}

/// True where a decorator has a name, alone or at the end of a dotted one: `abc.abstractmethod`.
fn is_decorated(function: &ast::StmtFunctionDef, name: &str) -> bool {
    function.decorator_list.iter().any(|decorator| match &decorator.expression {
        // A call makes another decorator, whatever its name is.
        Expr::Call(_) => false,
        other => last_name(other) == Some(name),
    })
}
