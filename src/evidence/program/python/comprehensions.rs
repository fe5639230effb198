//! Comprehensions: loops inside each other, and the value of each turn.

use rustpython_ruff_python_ast as ast;

use ast::Expr;

use super::super::outline::{
    Function, FunctionId, FunctionKind, Node, NodeId, Origin, Parameter, ParameterKind, ScopeId,
};
use super::targets::Source;
use super::{PythonOutliner, ScopeKind, start};

impl PythonOutliner {
    /// A comprehension or generator of a value; a dictionary has a key too.
    pub(super) fn each(
        &mut self,
        generators: &[ast::Comprehension],
        key: Option<&Expr>,
        value: &Expr,
        offset: u32,
    ) -> NodeId {
        let around = self.builder.function;
        // What the outermost loop goes through is worked out outside of the comprehension.
        let mut over = generators.first().map(|first| self.expression(&first.iter));
        let outer = self.open_scope(ScopeKind::Comprehension);
        let mut turn = None;
        for generator in generators {
            let over = match over.take() {
                Some(over) => over,
                None => self.expression(&generator.iter),
            };
            turn = Some(self.turn(generator, over));
        }
        let key = key.map(|key| self.expression(key));
        let value = self.expression(value);
        self.builder.scope = outer;
        self.builder.function = around;
        match turn {
            Some(turn) => self.builder.node(Node::Each { turn, key, value }, offset),
            // The parser makes none without a loop, but its tree can say so.
            None => self.unknown(offset),
        }
    }

    /// One loop, which stays the one around for what follows.
    fn turn(&mut self, generator: &ast::Comprehension, over: NodeId) -> FunctionId {
        let turn = self.add_loop(&generator.target, over, start(generator));
        self.builder.function = Some(turn);
        self.assign(&generator.target, &Source::plain(Origin::Parameter(turn, 0)), start(&generator.target));
        self.each_dropped(&generator.ifs);
        turn
    }

    /// A loop in the present scope, with its variable as the one parameter.
    pub(super) fn add_loop(&mut self, target: &Expr, over: NodeId, offset: u32) -> FunctionId {
        let name = match target {
            Expr::Name(name) => name.id.to_string(),
            _ => String::new(),
        };
        self.builder.add_function(Function {
            name: None,
            kind: FunctionKind::Loop { over, keys: false },
            parent: self.builder.function,
            class: None,
            scope: self.builder.scope,
            parameters: vec![Parameter { name, annotation: None, default: None, kind: ParameterKind::Plain }],
            returns: Vec::new(),
            doc: None,
            decorators: Vec::new(),
            is_static: false,
            offset,
        })
    }

    /// The scope in which `:=` binds: that around all comprehensions.
    pub(super) fn scope_past_comprehensions(&self) -> ScopeId {
        let mut scope = self.builder.scope;
        while let (ScopeKind::Comprehension, Some(parent)) = (self.kind(scope), self.parent(scope)) {
            scope = parent;
        }
        scope
    }
}
