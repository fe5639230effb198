//! Modules: `import` and `export`.

use oxc_ast::ast::{
    BindingPattern, Declaration, ExportDefaultDeclaration, ExportDefaultDeclarationKind, ExportFromDeclaration,
    ExportNamedDeclaration, ImportDeclaration, ImportDeclarationSpecifier, ModuleDeclaration,
    TSImportEqualsDeclaration, TSModuleReference, TSTypeName,
};

use super::super::outline::{Entry, Import, Key, Node, NodeId, Origin};
use super::JavascriptOutliner;

impl JavascriptOutliner {
    pub(super) fn module_declaration(&mut self, it: &ModuleDeclaration<'_>) {
        match it {
            ModuleDeclaration::ImportDeclaration(it) => self.import_declaration(it),
            ModuleDeclaration::ExportDeclaration(it) => self.export_declaration(&it.declaration),
            ModuleDeclaration::ExportNamedDeclaration(it) => self.export_names(it),
            ModuleDeclaration::ExportFromDeclaration(it) => self.export_from(it),
            ModuleDeclaration::ExportDefaultDeclaration(it) => self.export_default(it),
            ModuleDeclaration::ExportAllDeclaration(it) if it.export_kind.is_value() => {
                let source = it.source.value.as_str();
                match &it.exported {
                    Some(name) => {
                        let module = self.module(source, it.span.start);
                        self.export(name.name().as_str(), module);
                    }
                    None => {
                        self.build.import(source);
                        self.build.outline.exported_modules.push(source.to_owned());
                    }
                }
            }
            ModuleDeclaration::TSExportAssignment(it) => {
                let value = self.expression(&it.expression);
                self.export("=", value);
            }
            ModuleDeclaration::ExportAllDeclaration(_) | ModuleDeclaration::TSNamespaceExportDeclaration(_) => {}
        }
    }

    fn import_declaration(&mut self, it: &ImportDeclaration<'_>) {
        if it.import_kind.is_type() {
            return;
        }
        let module = it.source.value.as_str();
        let mut types = 0;
        let specifiers = it.specifiers.as_ref().map_or(&[][..], |specifiers| specifiers.as_slice());
        for specifier in specifiers {
            let name = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(it) if it.import_kind.is_type() => {
                    types += 1;
                    continue;
                }
                ImportDeclarationSpecifier::ImportSpecifier(it) => Some(it.imported.name().to_string()),
                ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => Some("default".to_owned()),
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => None,
            };
            let origin = Import::of(module, name);
            self.declare(self.build.scope, specifier.local().name.as_str(), origin);
        }
        // An import of types alone loads nothing.
        if types == 0 || types < specifiers.len() {
            self.build.import(module);
        }
    }

    /// `import x = require("y")` and `import x = a.b`.
    pub(super) fn import_equals(&mut self, it: &TSImportEqualsDeclaration<'_>) {
        if it.import_kind.is_type() {
            return;
        }
        let offset = it.span.start;
        let origin = match &it.module_reference {
            TSModuleReference::ExternalModuleReference(it) => {
                let module = it.expression.value.as_str();
                self.build.import(module);
                Import::of(module, None)
            }
            TSModuleReference::IdentifierReference(it) => Origin::Expression(self.name(it.name.as_str(), offset)),
            TSModuleReference::QualifiedName(it) => {
                let object = self.qualified(&it.left, offset);
                Origin::Expression(self.build.node(Node::Member(object, it.right.name.as_str().into()), offset))
            }
        };
        self.declare(self.build.scope, it.id.name.as_str(), origin);
    }

    fn qualified(&mut self, it: &TSTypeName<'_>, offset: u32) -> NodeId {
        match it {
            TSTypeName::IdentifierReference(it) => self.name(it.name.as_str(), offset),
            TSTypeName::QualifiedName(it) => {
                let object = self.qualified(&it.left, offset);
                self.build.node(Node::Member(object, it.right.name.as_str().into()), offset)
            }
            TSTypeName::ThisExpression(_) => self.build.node(Node::This, offset),
        }
    }

    fn export_declaration(&mut self, it: &Declaration<'_>) {
        self.declaration(it);
        match it {
            Declaration::VariableDeclaration(it) if !it.declare => {
                for declarator in &it.declarations {
                    self.export_pattern(&declarator.id);
                }
            }
            Declaration::FunctionDeclaration(it) if it.body.is_none() => {}
            other => {
                if let (Some(id), false) = (other.id(), other.declare() || other.is_type()) {
                    self.export_name(id.name.as_str(), id.name.as_str(), id.span.start);
                }
            }
        }
    }

    fn export_pattern(&mut self, pattern: &BindingPattern<'_>) {
        for id in pattern.get_binding_identifiers() {
            self.export_name(id.name.as_str(), id.name.as_str(), id.span.start);
        }
    }

    fn export_names(&mut self, it: &ExportNamedDeclaration<'_>) {
        for specifier in it.specifiers.iter().filter(|specifier| specifier.export_kind.is_value()) {
            if it.export_kind.is_value() {
                let (exported, local) = (specifier.exported.name(), specifier.local.name());
                self.export_name(exported.as_str(), local.as_str(), specifier.span.start);
            }
        }
    }

    fn export_from(&mut self, it: &ExportFromDeclaration<'_>) {
        if it.export_kind.is_type() {
            return;
        }
        let source = it.source.value.as_str();
        let mut specifiers = it.specifiers.iter().filter(|specifier| specifier.export_kind.is_value()).peekable();
        if specifiers.peek().is_some() || it.specifiers.is_empty() {
            self.build.import(source);
        }
        for specifier in specifiers {
            let offset = specifier.span.start;
            let module = self.build.node(Node::Module(source.into()), offset);
            let member = self.build.node(Node::Member(module, specifier.local.name().as_str().into()), offset);
            self.export(specifier.exported.name().as_str(), member);
        }
    }

    fn export_default(&mut self, it: &ExportDefaultDeclaration<'_>) {
        let offset = it.span.start;
        let (name, value) = match &it.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(it) => match self.function_declaration(it) {
                Some(id) => (it.id.as_ref(), Node::Function(id)),
                None => return,
            },
            ExportDefaultDeclarationKind::ClassDeclaration(it) => match self.class_declaration(it) {
                Some(id) => (it.id.as_ref(), Node::Class(id)),
                None => return,
            },
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => return,
            other => {
                if let Some(value) = other.as_expression().map(|value| self.expression(value)) {
                    self.export("default", value);
                }
                return;
            }
        };
        match name {
            Some(name) => self.export_name("default", name.name.as_str(), offset),
            None => {
                let value = self.build.node(value, offset);
                self.export("default", value);
            }
        }
    }

    fn export_name(&mut self, exported: &str, local: &str, offset: u32) {
        let value = self.name(local, offset);
        self.export(exported, value);
    }

    /// Exports a value from the namespace around, or from the module.
    fn export(&mut self, name: &str, value: NodeId) {
        match &mut self.namespace {
            Some(entries) => entries.push(Entry { key: Key::Named(name.to_owned()), value }),
            None => {
                self.build.outline.exports.insert(name.to_owned(), value);
            }
        }
    }
}
