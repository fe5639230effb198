//! Calls: callee, arguments, and what a call does to its object or loads.

use rustpython_ruff_python_ast as ast;

use ast::Expr;

use super::super::outline::{Argument, Node, NodeId, Part};
use super::{PythonOutliner, start};

impl PythonOutliner {
    pub(super) fn call(&mut self, call: &ast::ExprCall) -> NodeId {
        let offset = start(call);
        // `super` has no value of its own: what matters is that members are looked up in the bases.
        if !self.binds_super && matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "super") {
            self.arguments(&call.arguments);
            return self.builder.node(Node::Super, offset);
        }
        if self.loads_modules(&call.func) {
            return self.loaded(call);
        }
        let callee = self.expression(&call.func);
        let arguments = self.arguments(&call.arguments);
        self.additions(call, callee, &arguments);
        self.builder.node(Node::Call { callee, arguments: arguments.into(), constructs: false }, offset)
    }

    fn arguments(&mut self, arguments: &ast::Arguments) -> Vec<Argument> {
        let mut lowered = Vec::new();
        for argument in arguments.arguments_source_order() {
            lowered.push(match argument {
                ast::ArgOrKeyword::Arg(value) => {
                    Argument { name: None, spread: value.is_starred_expr(), value: self.expression(value) }
                }
                ast::ArgOrKeyword::Keyword(keyword) => Argument {
                    name: keyword.arg.as_ref().map(ToString::to_string),
                    spread: keyword.arg.is_none(),
                    value: self.expression(&keyword.value),
                },
            });
        }
        lowered
    }

    /// `import_module("x")`: the module, or the note that it is not known which.
    fn loaded(&mut self, call: &ast::ExprCall) -> NodeId {
        let callee = self.expression(&call.func);
        let arguments = self.arguments(&call.arguments);
        let named = call.arguments.keywords.iter().find(|keyword| keyword.arg.as_deref() == Some("name"));
        let module = call.arguments.args.first().or(named.map(|keyword| &keyword.value));
        if let Some(Expr::StringLiteral(module)) = module {
            let module = module.value.to_str();
            self.builder.import(module);
            return self.builder.node(Node::Module(module.into()), start(call));
        }
        self.builder.outline.loads_unknown = true;
        self.builder.node(Node::Call { callee, arguments: arguments.into(), constructs: false }, start(call))
    }

    /// Notes the writes of `x.append(y)`, `x.extend(y)` and their like.
    fn additions(&mut self, call: &ast::ExprCall, callee: NodeId, arguments: &[Argument]) {
        let (Expr::Attribute(member), Node::Member(object, _)) = (&*call.func, self.builder.outline.node(callee))
        else {
            return;
        };
        let (object, offset) = (*object, start(call));
        let plain = |argument: &Argument| argument.name.is_none() && !argument.spread;
        // The number of arguments tells a list's `insert` and a set's `add` from methods of the same name.
        match (member.attr.as_str(), arguments) {
            ("append" | "add", [value]) if plain(value) => {
                self.builder.write(object, Part::Element, value.value, offset);
            }
            ("insert", [at, value]) if plain(at) && plain(value) => {
                self.builder.write(object, Part::Element, value.value, offset);
            }
            ("extend", [value]) if plain(value) => self.builder.write(object, Part::Elements, value.value, offset),
            ("update", arguments) => {
                for argument in arguments {
                    // `x.update(key=value)` writes a key, `x.update(y)` and `x.update(**y)` write all of `y`.
                    let part = argument.name.clone().map_or(Part::Elements, Part::Member);
                    self.builder.write(object, part, argument.value, offset);
                }
            }
            _ => {}
        }
    }
}
