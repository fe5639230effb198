//! JavaScript and TypeScript: what oxc's parser sees, in two walks: first what names stand for, then what is done.
//!
//! Must not judge. A name counts as a constant or an alias only where the file binds it once, or always to the same
//! thing: bundlers use the same short names again and again.

use std::collections::BTreeMap;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    Argument as Node, ArrayExpressionElement, AssignmentExpression, AssignmentTarget, BindingIdentifier,
    CallExpression, Class, Expression, ImportDeclaration, ImportDeclarationSpecifier, ImportExpression, NewExpression,
    ObjectExpression, SpreadElement, StaticMemberExpression, TSEnumDeclaration, TSEnumMemberName, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{GetSpan, SourceType, Span};
use serde_json::Value;

use super::literal::Budget;
use super::{Argument, Call, Dialect, Findings, Parsed, callees, excerpt, script_tools};

mod names;
mod shapes;

use names::member_of;

/// How deep the shape of an expression is followed.
const MAX_DEPTH: usize = 32;

/// Parses a file in the dialects that its name allows, the likeliest first.
pub(super) fn parse(text: &str, path: &str, dialect: Dialect) -> Parsed {
    let kinds: &[SourceType] = match dialect {
        Dialect::TypeScript => &[SourceType::ts(), SourceType::tsx()],
        Dialect::Tsx => &[SourceType::tsx(), SourceType::ts()],
        Dialect::Jsx => &[SourceType::jsx()],
        Dialect::Script | Dialect::Python => &[SourceType::unambiguous(), SourceType::cjs()],
    };
    let mut message = String::new();
    for kind in kinds {
        let allocator = Allocator::default();
        let options =
            ParseOptions { allow_return_outside_function: true, preserve_parens: false, ..ParseOptions::default() };
        let parsed = Parser::new(&allocator, text, *kind).with_options(options).parse();
        if !parsed.panicked {
            let mut reader = Reader::new(text, path);
            reader.visit_program(&parsed.program);
            reader.naming = false;
            reader.visit_program(&parsed.program);
            reader.findings.exhausted = reader.budget.exhausted;
            return Parsed::Read(reader.findings);
        }
        message = parsed.diagnostics.iter().next().map_or_else(String::new, ToString::to_string);
    }
    Parsed::Refused(message)
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq)]
enum Meaning {
    /// A module or a member of one, or a global.
    Alias(String),
    /// A literal value.
    Value(Value),
    /// What has only a shape.
    Shape(Argument),
}

#[derive(Default)]
struct Binding {
    declared: u32,
    explained: u32,
    meaning: Option<Meaning>,
    /// Whether two declarations differ or it is assigned again.
    doubtful: bool,
}

/// Walks a program twice: while `naming`, it learns what names stand for; then it collects.
pub(super) struct Reader<'t> {
    text: &'t str,
    pub(super) path: &'t str,
    names: BTreeMap<String, Binding>,
    pub(super) findings: Findings,
    budget: Budget,
    naming: bool,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, path: &'t str) -> Self {
        let (names, findings) = (BTreeMap::new(), Findings::default());
        Self { text, path, names, findings, budget: Budget::new(), naming: true }
    }

    fn keep(&mut self, callee: String, arguments: Vec<Argument>, span: Span) {
        let text = excerpt(self.text, span.start as usize, span.end as usize);
        let call = Call { callee, arguments, place: crate::fact::Place::default(), text };
        self.findings.keep_call(span.start as usize, call);
    }

    fn keep_call(&mut self, callee: &Expression<'_>, arguments: &[Node<'_>], span: Span) {
        let name = self.dotted(callee, 0).or_else(|| method_of(callee));
        let Some(name) = name.filter(|name| callees::script(name)) else { return };
        let mut shapes = Vec::new();
        for argument in arguments.iter().take(16) {
            shapes.push(argument.as_expression().map_or(Argument::Other, |argument| self.shape(argument, 0)));
        }
        if name == "require" && matches!(shapes.as_slice(), [Argument::Literal(_)]) {
            return;
        }
        self.keep(name, shapes, span);
    }

    /// Records that a call takes the whole environment.
    fn keep_environment(&mut self, callee: &Expression<'_>, arguments: &[Node<'_>], span: Span) {
        let whole = |argument: &Node<'_>| {
            argument.as_expression().and_then(|node| self.dotted(node, 0)).as_deref() == Some("process.env")
        };
        if arguments.iter().any(whole) {
            let taker = self.dotted(callee, 0).unwrap_or_else(|| "*".to_owned());
            self.keep("process.env".to_owned(), vec![Argument::Name(taker)], span);
        }
    }
}

impl<'a> Visit<'a> for Reader<'_> {
    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        if self.naming {
            self.names.entry(it.name.to_string()).or_default().declared += 1;
        }
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        walk::walk_variable_declarator(self, it);
        if self.naming {
            self.learn(it);
        }
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        let source = it.source.value.as_str();
        if !self.naming {
            self.findings.imports.push(source.to_owned());
            return;
        }
        let module = callees::script_module(source);
        for specifier in it.specifiers.iter().flatten() {
            let (local, path) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(named) => {
                    (&named.local, member_of(Some(module.to_owned()), named.imported.name().as_str()))
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => (&default.local, module.to_owned()),
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(all) => (&all.local, module.to_owned()),
            };
            self.visit_binding_identifier(local);
            self.explain(local.name.as_str(), Meaning::Alias(path));
        }
    }

    fn visit_assignment_expression(&mut self, it: &AssignmentExpression<'a>) {
        if self.naming {
            match &it.left {
                // `Name = {}` opens a compiled enumeration or namespace.
                AssignmentTarget::AssignmentTargetIdentifier(name) if !is_empty_object(&it.right) => {
                    self.names.entry(name.name.to_string()).or_default().doubtful = true;
                }
                AssignmentTarget::ComputedMemberExpression(member) => {
                    // A compiled enumeration: `Name["ADD"] = "add"`.
                    if let (
                        Expression::Identifier(object),
                        Expression::StringLiteral(key),
                        Expression::StringLiteral(value),
                    ) = (&member.object, &member.expression, &it.right)
                    {
                        self.explain_member(object.name.as_str(), key.value.as_str(), value.value.as_str());
                    }
                }
                _ => {}
            }
        }
        walk::walk_assignment_expression(self, it);
    }

    fn visit_ts_enum_declaration(&mut self, it: &TSEnumDeclaration<'a>) {
        if self.naming {
            for member in &it.body.members {
                let key = match &member.id {
                    TSEnumMemberName::Identifier(name) => name.name.to_string(),
                    TSEnumMemberName::String(name) => name.value.to_string(),
                    _ => continue,
                };
                if let Some(Expression::StringLiteral(value)) = &member.initializer {
                    self.explain_member(it.id.name.as_str(), &key, value.value.as_str());
                }
            }
        }
    }

    fn visit_static_member_expression(&mut self, it: &StaticMemberExpression<'a>) {
        if self.naming {
            return walk::walk_static_member_expression(self, it);
        }
        let object = self.dotted(&it.object, 0);
        let name = it.property.name.as_str();
        match object.as_deref() {
            Some("process.env") => {
                self.keep("process.env".to_owned(), vec![Argument::Literal(name.to_owned())], it.span)
            }
            Some("process") if name == "env" => self.keep("process.env".to_owned(), Vec::new(), it.span),
            _ => walk::walk_static_member_expression(self, it),
        }
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if !self.naming {
            self.keep_call(&it.callee, &it.arguments, it.span);
            self.keep_environment(&it.callee, &it.arguments, it.span);
            if let Some(module) = self.through_call(it, 0).filter(|_| is_require(it)) {
                self.findings.imports.push(module);
            }
            script_tools::from_call(self, it);
        }
        walk::walk_call_expression(self, it);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        if !self.naming {
            self.keep_call(&it.callee, &it.arguments, it.span);
        }
        walk::walk_new_expression(self, it);
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        if !self.naming {
            match self.shape(&it.source, 0) {
                Argument::Literal(module) => self.findings.imports.push(module),
                shape => self.keep("import".to_owned(), vec![shape], it.span),
            }
        }
        walk::walk_import_expression(self, it);
    }

    fn visit_object_expression(&mut self, it: &ObjectExpression<'a>) {
        if !self.naming {
            script_tools::from_object(self, it);
        }
        walk::walk_object_expression(self, it);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        if !self.naming {
            script_tools::from_class(self, it);
        }
        walk::walk_class(self, it);
    }

    fn visit_spread_element(&mut self, it: &SpreadElement<'a>) {
        walk::walk_spread_element(self, it);
    }

    fn visit_array_expression_element(&mut self, it: &ArrayExpressionElement<'a>) {
        walk::walk_array_expression_element(self, it);
    }
}

fn is_require(call: &CallExpression<'_>) -> bool {
    matches!(call.callee.get_inner_expression(), Expression::Identifier(name) if matches!(name.name.as_str(), "require" | "__require"))
}

/// `*.name` for a method of an object that has no name.
fn method_of(callee: &Expression<'_>) -> Option<String> {
    match callee.get_inner_expression() {
        Expression::StaticMemberExpression(member) => Some(format!("*.{}", member.property.name.as_str())),
        _ => None,
    }
}

fn is_empty_object(expression: &Expression<'_>) -> bool {
    matches!(expression, Expression::ObjectExpression(object) if object.properties.is_empty())
}

/// The start of an expression, as a byte offset.
pub(super) fn start_of(span: &impl GetSpan) -> usize {
    span.span().start as usize
}
