//! Functions: their parameters, their bodies and what they return.

use oxc_ast::ast::{
    ArrowFunctionBody, ArrowFunctionExpression, FormalParameter, FormalParameters, Function as FunctionNode,
};

use super::super::outline::{
    Binding, ClassId, Function, FunctionId, FunctionKind, Node, NodeId, Origin, Parameter, ParameterKind, Part, ScopeId,
};
use super::JavascriptOutliner;

/// What is known of a function before its parameters.
pub(super) struct FunctionHead {
    pub(super) name: Option<String>,
    pub(super) kind: FunctionKind,
    pub(super) class: Option<ClassId>,
    pub(super) decorators: Vec<NodeId>,
    pub(super) is_static: bool,
    pub(super) offset: u32,
}

impl FunctionHead {
    pub(super) fn plain(name: Option<&str>, offset: u32) -> Self {
        Self {
            name: name.map(str::to_owned),
            kind: FunctionKind::Plain,
            class: None,
            decorators: Vec::new(),
            is_static: false,
            offset,
        }
    }
}

/// The place to go back to after a function.
pub(super) struct OuterPlace {
    scope: ScopeId,
    function: Option<FunctionId>,
    variable_scope: ScopeId,
    shadowed: bool,
}

impl JavascriptOutliner {
    /// A declared function, bound to its name. Signatures without a body are left out.
    pub(super) fn function_declaration(&mut self, it: &FunctionNode<'_>) -> Option<FunctionId> {
        let name = it.id.as_ref().map(|id| id.name.as_str());
        let id = self.function(it, FunctionHead::plain(name, it.span.start))?;
        if let Some(name) = name {
            self.declare(self.variable_scope, name, Origin::Function(id));
        }
        Some(id)
    }

    /// A function expression; its own name is bound inside of it.
    pub(super) fn function_expression(&mut self, it: &FunctionNode<'_>, name: Option<&str>) -> NodeId {
        let own = it.id.as_ref().map(|id| id.name.as_str());
        match self.function(it, FunctionHead::plain(own.or(name), it.span.start)) {
            Some(id) => {
                if let (Some(own), Some(scope)) = (own, self.build.function_mut(id).map(|function| function.scope)) {
                    self.declare(scope, own, Origin::Function(id));
                }
                self.build.node(Node::Function(id), it.span.start)
            }
            None => self.unknown(it.span.start),
        }
    }

    /// A function with a body.
    pub(super) fn function(&mut self, it: &FunctionNode<'_>, head: FunctionHead) -> Option<FunctionId> {
        let body = it.body.as_ref()?;
        let (id, outer) = self.enter(head, &it.params);
        self.parameters(id, &it.params);
        self.statements(&body.statements);
        self.leave(outer);
        Some(id)
    }

    pub(super) fn arrow(&mut self, it: &ArrowFunctionExpression<'_>, head: FunctionHead) -> NodeId {
        let (id, outer) = self.enter(head, &it.params);
        self.parameters(id, &it.params);
        match &it.body {
            ArrowFunctionBody::FunctionBody(body) => self.statements(&body.statements),
            _ => {
                let value = it.get_expression().map(|value| self.expression(value));
                if let Some(value) = value {
                    self.gives(value);
                }
            }
        }
        self.leave(outer);
        self.build.node(Node::Function(id), it.span.start)
    }

    pub(super) fn enter(&mut self, head: FunctionHead, parameters: &FormalParameters<'_>) -> (FunctionId, OuterPlace) {
        let outer = OuterPlace {
            function: self.build.function,
            variable_scope: self.variable_scope,
            shadowed: self.shadowed,
            scope: self.build.open_scope(),
        };
        let FunctionHead { name, kind, class, decorators, is_static, offset } = head;
        let id = self.build.add_function(Function {
            name,
            kind,
            parent: outer.function,
            class,
            scope: self.build.scope,
            parameters: Vec::new(),
            returns: Vec::new(),
            doc: None,
            decorators,
            is_static,
            offset,
        });
        self.build.function = Some(id);
        self.variable_scope = self.build.scope;
        self.shadowed |= shadows_exports(parameters);
        (id, outer)
    }

    pub(super) fn leave(&mut self, outer: OuterPlace) {
        self.build.scope = outer.scope;
        self.build.function = outer.function;
        self.variable_scope = outer.variable_scope;
        self.shadowed = outer.shadowed;
    }

    pub(super) fn parameters(&mut self, id: FunctionId, it: &FormalParameters<'_>) {
        if let Some(function) = self.build.function_mut(id) {
            function.parameters.reserve_exact(it.items.len() + usize::from(it.rest.is_some()));
        }
        for (index, parameter) in it.items.iter().enumerate() {
            for decorator in &parameter.decorators {
                self.expression(&decorator.expression);
            }
            let name = parameter.pattern.get_identifier_name().map(|name| name.to_string()).unwrap_or_default();
            let default = parameter.initializer.as_ref().map(|value| self.expression_of(value, Some(&name)));
            self.add_parameter(id, Parameter { name, annotation: None, default, kind: ParameterKind::Plain });
            let given = Binding { origin: Origin::Parameter(id, index), path: Vec::new(), default };
            self.bind_pattern(&parameter.pattern, self.build.scope, &given);
            self.keep_property(parameter);
        }
        if let Some(rest) = &it.rest {
            let name = rest.rest.argument.get_identifier_name().map(|name| name.to_string()).unwrap_or_default();
            self.add_parameter(id, Parameter { name, annotation: None, default: None, kind: ParameterKind::Rest });
            let origin = Origin::Parameter(id, it.items.len());
            let given = Binding { origin, path: Vec::new(), default: None };
            self.bind_pattern(&rest.rest.argument, self.build.scope, &given);
        }
    }

    fn add_parameter(&mut self, id: FunctionId, parameter: Parameter) {
        if let Some(function) = self.build.function_mut(id) {
            function.parameters.push(parameter);
        }
    }

    /// `constructor(private x: T)` writes `this.x`.
    fn keep_property(&mut self, it: &FormalParameter<'_>) {
        let Some(name) = it.pattern.get_identifier_name() else { return };
        if it.accessibility.is_some() || it.readonly || it.r#override {
            let offset = it.span.start;
            let object = self.build.node(Node::This, offset);
            let value = self.name(name.as_str(), offset);
            self.build.write(object, Part::Member(name.to_string()), value, offset);
        }
    }

    /// Notes what the function around returns or yields. Loops stand inside of it.
    pub(super) fn gives(&mut self, value: NodeId) {
        let mut next = self.build.function;
        while let Some(id) = next {
            let Some(function) = self.build.function_mut(id) else { return };
            if !function.is_loop() {
                function.returns.push(value);
                return;
            }
            next = function.parent;
        }
    }
}

/// True where `module` or `exports` are given to a function, as bundlers give them to the modules within. The factories
/// of UMD and AMD modules, which begin with `require, exports`, are given the real ones.
fn shadows_exports(it: &FormalParameters<'_>) -> bool {
    let is = |index: usize, wanted: &str| {
        let name = it.items.get(index).and_then(|parameter| parameter.pattern.get_identifier_name());
        name.is_some_and(|name| name.as_str() == wanted)
    };
    let given = (0..it.items.len()).any(|index| is(index, "module") || is(index, "exports"));
    given && !(is(0, "require") && is(1, "exports"))
}
