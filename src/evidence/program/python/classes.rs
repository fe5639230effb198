//! Classes: bases, fields and methods.

use rustpython_ruff_python_ast as ast;

use super::super::outline::{Binding, Class, Origin};
use super::{PythonOutliner, ScopeKind, last_name, start};
use crate::docstring::docstring;

impl PythonOutliner {
    pub(super) fn class(&mut self, class: &ast::StmtClassDef) {
        self.decorators(&class.decorator_list);
        self.type_parameters(class.type_params.as_deref());
        let mut bases = Vec::new();
        let mut is_abstract = false;
        let arguments = class.arguments.as_deref();
        for argument in arguments.into_iter().flat_map(ast::Arguments::arguments_source_order) {
            let value = self.expression(argument.value());
            // A keyword such as `metaclass` is no base, nor is a list of bases.
            if let ast::ArgOrKeyword::Arg(base) = argument
                && !base.is_starred_expr()
            {
                is_abstract |= last_name(base) == Some("ABC");
                bases.push(value);
            }
        }
        let name = class.name.as_str();
        let id = self.builder.add_class(Class {
            name: Some(name.to_owned()),
            bases,
            fields: Vec::new(),
            methods: std::collections::BTreeMap::new(),
            doc: docstring(&class.body),
            is_abstract,
            offset: start(class),
        });
        self.bind(name, Binding::from(Origin::Class(id)));
        let outer = self.open_scope(ScopeKind::Class(id));
        self.bind_type_parameters(class.type_params.as_deref());
        self.body(&class.body);
        self.builder.scope = outer;
    }
}
