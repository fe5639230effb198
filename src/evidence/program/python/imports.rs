//! Imports: the names that `import` and `from … import` bind, and calls that load a module by its name.

use rustpython_ruff_python_ast as ast;

use ast::Expr;

use super::super::outline::{Binding, Import, MODULE_SCOPE};
use super::PythonOutliner;

/// The most dots of a relative import: their number is the author's choice, and no package nests deeper.
const MAX_DOTS: u32 = 64;

impl PythonOutliner {
    pub(super) fn import(&mut self, import: &ast::StmtImport) {
        for alias in &import.names {
            let module = alias.name.as_str();
            self.builder.import(module);
            match &alias.asname {
                Some(local) => self.bind_module(local.as_str(), module),
                None => {
                    // `import os.path` binds `os` alone.
                    let root = module.split('.').next().unwrap_or_default();
                    self.bind_module(root, root);
                }
            }
        }
    }

    fn bind_module(&mut self, local: &str, module: &str) {
        if module == "importlib" {
            self.importlibs.insert(local.to_owned());
        }
        self.bind(local, Binding::from(Import::of(module, None)));
    }

    pub(super) fn import_from(&mut self, import: &ast::StmtImportFrom) {
        let dots = ".".repeat(import.level.min(MAX_DOTS) as usize);
        let module = format!("{dots}{}", import.module.as_ref().map_or("", ast::Identifier::as_str));
        if module.is_empty() {
            return;
        }
        self.builder.import(&module);
        for alias in &import.names {
            let name = alias.name.as_str();
            if name == "*" {
                if self.builder.scope == MODULE_SCOPE && self.starred.insert(module.clone()) {
                    self.builder.outline.exported_modules.push(module.clone());
                }
                continue;
            }
            let local = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
            if module == "importlib" && matches!(name, "import_module" | "__import__") {
                self.loaders.insert(local.to_owned());
            }
            let origin = Import::of(&module, Some(name.to_owned()));
            self.bind(local, Binding::from(origin));
        }
    }

    /// True for `importlib.import_module` and `__import__`, under any name that an import gave them.
    pub(super) fn loads_modules(&self, callee: &Expr) -> bool {
        match callee {
            Expr::Name(name) => self.loaders.contains(name.id.as_str()),
            Expr::Attribute(member) if matches!(member.attr.as_str(), "import_module" | "__import__") => match &*member
                .value
            {
                Expr::Name(object) => object.id.as_str() == "builtins" || self.importlibs.contains(object.id.as_str()),
                _ => false,
            },
            _ => false,
        }
    }
}
