//! JavaScript and TypeScript: what oxc's parser sees, in two walks: first what names stand for, then what is done.
//!
//! A name counts as a constant or an alias only where the file binds it once, or always to the same thing. Bundlers use
//! the same short names again and again.

use std::collections::BTreeMap;

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{
    ArrowFunctionExpression, AssignmentExpression, AssignmentTarget, BinaryExpression, BindingIdentifier,
    CallExpression, Class, ComputedMemberExpression, ConditionalExpression, Expression, ExpressionStatement,
    ForInStatement, ForOfStatement, IdentifierReference, ImportDeclaration, ImportDeclarationSpecifier,
    ImportExpression, MethodDefinition, NewExpression, ObjectExpression, Program, ReturnStatement, Statement,
    StaticMemberExpression, StringLiteral, TSEnumDeclaration, TSEnumMemberName, TemplateLiteral, ThrowStatement,
    TryStatement, UnaryExpression, VariableDeclarator,
};
use oxc_ast_visit::{Visit, walk};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;
use serde_json::Value;

use super::literal::Budget;
use super::taint::{TaintPropagation, TaintSources, TaintedArguments};
use super::{Argument, Findings, ParsedSource, SourceDialect, known_calls, secrets, walks};
use crate::document::Document;

mod asides;
mod bounded;
mod classes;
mod comparisons;
mod kept;
mod names;
mod parts;
mod shapes;
mod taint;

use names::member_of;

/// The depth to which the shape of an expression is followed.
const MAX_DEPTH: usize = 32;

/// Parses a file.
pub(super) fn parse(document: &Document, dialect: SourceDialect) -> ParsedSource {
    let text = document.text.as_str();
    let read = |program: &Program<'_>| {
        document.outline.keep_javascript(program, &document.path);
        let mut reader = JavascriptReader::new(text);
        reader.visit_program(program);
        // Names come first, since a call may use an alias that is declared further down.
        reader.naming = false;
        reader.collect(program);
        reader.findings.exhausted = reader.budget.exhausted;
        reader.findings
    };
    with_program(text, dialect, read).map_or_else(ParsedSource::Refused, ParsedSource::Read)
}

/// Hands on what the parser makes of a file, in the first of the dialects that its name allows which takes it, the likeliest
/// first. An error is the parser's word where none does.
pub(crate) fn with_program<T>(
    text: &str,
    dialect: SourceDialect,
    read: impl FnOnce(&Program<'_>) -> T,
) -> Result<T, String> {
    let kinds: &[SourceType] = match dialect {
        SourceDialect::TypeScript => &[SourceType::ts(), SourceType::tsx()],
        SourceDialect::Tsx => &[SourceType::tsx(), SourceType::ts()],
        SourceDialect::Jsx => &[SourceType::jsx()],
        SourceDialect::Script | SourceDialect::Python => &[SourceType::unambiguous(), SourceType::cjs()],
    };
    let mut message = String::new();
    // `<T>x` is a cast in TypeScript and markup in TSX, so a second dialect is tried where the first refuses.
    for kind in kinds {
        let allocator = Allocator::default();
        // CommonJS files may return at the top level; without the option such a file would be refused whole.
        let options =
            ParseOptions { allow_return_outside_function: true, preserve_parens: false, ..ParseOptions::default() };
        let parsed = Parser::new(&allocator, text, *kind).with_options(options).parse();
        if !parsed.panicked {
            return Ok(read(&parsed.program));
        }
        message = parsed.diagnostics.iter().next().map_or_else(String::new, ToString::to_string);
    }
    Err(message)
}

/// The meaning of a name.
#[derive(Clone, Debug, PartialEq)]
enum JavascriptMeaning {
    /// A module or a member of one, or a global.
    Alias(String),
    /// A literal value.
    Value(Value),
    /// An expression that has only a shape.
    Shape(Argument),
}

#[derive(Default)]
struct Binding {
    declared: u32,
    explained: u32,
    meaning: Option<JavascriptMeaning>,
    /// Set where two declarations differ, or where it is assigned again.
    doubtful: bool,
}

/// Walks a program twice: while `naming`, it learns what names stand for; then it collects.
pub(super) struct JavascriptReader<'t> {
    text: &'t str,
    names: BTreeMap<String, Binding>,
    findings: Findings,
    budget: Budget,
    naming: bool,
    taint: TaintPropagation,
    /// The arguments of the handler that is walked next which its tool's schema bounds: numbers, choices.
    safe: Vec<String>,
    /// The same for the schemas that the file gives a name.
    bounded: BTreeMap<String, Vec<String>>,
    /// The paths that streams were opened on, by the name of the stream.
    streams: BTreeMap<String, String>,
    /// The prefilter: text without any mention of the environment or of a secret's path skips the costly questions.
    mentions: JavascriptMentions,
    classes: classes::Classes,
    asides: asides::Asides,
}

struct JavascriptMentions {
    environment: bool,
    secret_paths: bool,
    /// The names of secrets that it lists.
    listed: Vec<String>,
}

impl<'t> JavascriptReader<'t> {
    fn new(text: &'t str) -> Self {
        let mentions = JavascriptMentions {
            environment: text.contains("process"),
            secret_paths: secrets::mentions_secret_path(text),
            listed: if text.contains("process.env") { secrets::listed_names(text) } else { Vec::new() },
        };
        Self {
            text,
            names: BTreeMap::new(),
            findings: Findings::default(),
            budget: Budget::new(),
            naming: true,
            taint: TaintPropagation::default(),
            safe: Vec::new(),
            bounded: BTreeMap::new(),
            streams: BTreeMap::new(),
            mentions,
            classes: classes::Classes::default(),
            asides: asides::Asides::default(),
        }
    }

    /// The walk that collects; again where functions turned out to hand on what matters after they were used.
    fn collect(&mut self, program: &Program<'_>) {
        // The second walk must not find the budget spent by the first.
        let budget = self.budget.clone();
        self.visit_program(program);
        // A few walks at most: one more would follow longer chains, but the time must stay linear in the text.
        for _ in 1..walks(self.text) {
            if !self.taint.again {
                break;
            }
            (self.findings, self.budget) = (Findings::default(), budget.clone());
            self.taint.restart();
            self.visit_program(program);
        }
    }
}

impl<'a> Visit<'a> for JavascriptReader<'_> {
    fn visit_binding_identifier(&mut self, it: &BindingIdentifier<'a>) {
        if self.naming {
            self.names.entry(it.name.to_string()).or_default().declared += 1;
        }
    }

    fn visit_variable_declarator(&mut self, it: &VariableDeclarator<'a>) {
        if self.naming {
            walk::walk_variable_declarator(self, it);
            self.learn(it);
        } else {
            self.follow_declarator(it);
        }
    }

    fn enter_node(&mut self, kind: AstKind<'a>) {
        if let (AstKind::Function(function), false) = (kind, self.naming) {
            self.enter_function(function);
            self.asides.enter();
        }
    }

    fn leave_node(&mut self, kind: AstKind<'a>) {
        if let (AstKind::Function(_), false) = (kind, self.naming) {
            self.leave_function();
            self.asides.leave();
        }
    }

    fn visit_arrow_function_expression(&mut self, it: &ArrowFunctionExpression<'a>) {
        if self.naming {
            walk::walk_arrow_function_expression(self, it);
        } else {
            self.follow_arrow(it);
        }
    }

    fn visit_statement(&mut self, it: &Statement<'a>) {
        // A statement has no value: what its expressions held must not reach the next statement.
        let outer = self.taint.take();
        walk::walk_statement(self, it);
        self.taint.held = outer;
    }

    fn visit_return_statement(&mut self, it: &ReturnStatement<'a>) {
        walk::walk_return_statement(self, it);
        let held = self.taint.take();
        self.taint.give_back(held);
        // Tool input alone is an echo; within other text it is content that the server made from it.
        if held.any(TaintSources::TOOL_INPUT) && held.any(TaintSources::COMPOSED) {
            self.keep(
                "return".to_owned(),
                Vec::new(),
                TaintedArguments { first: held, ..TaintedArguments::default() },
                it.span,
            );
        }
    }

    fn visit_throw_statement(&mut self, it: &ThrowStatement<'a>) {
        walk::walk_throw_statement(self, it);
        self.keep_leak("throw", TaintSources::TOKEN | TaintSources::SECRET, it.span);
    }

    fn visit_for_of_statement(&mut self, it: &ForOfStatement<'a>) {
        if self.naming {
            return walk::walk_for_of_statement(self, it);
        }
        // The loop's name is bound before the body, which uses it.
        self.follow_loop(&it.left, &it.right);
        self.visit_statement(&it.body);
    }

    fn visit_for_in_statement(&mut self, it: &ForInStatement<'a>) {
        if self.naming {
            return walk::walk_for_in_statement(self, it);
        }
        self.follow_loop(&it.left, &it.right);
        self.visit_statement(&it.body);
    }

    fn visit_class(&mut self, it: &Class<'a>) {
        if self.naming {
            self.classes.count += 1;
        }
        walk::walk_class(self, it);
    }

    fn visit_expression_statement(&mut self, it: &ExpressionStatement<'a>) {
        if !self.naming {
            self.note_alone(it);
        }
        walk::walk_expression_statement(self, it);
    }

    fn visit_try_statement(&mut self, it: &TryStatement<'a>) {
        if self.naming {
            walk::walk_try_statement(self, it);
        } else {
            self.follow_try(it);
        }
    }

    fn visit_method_definition(&mut self, it: &MethodDefinition<'a>) {
        if self.naming {
            if let Some(name) = it.key.static_name() {
                *self.classes.methods.entry(name.to_string()).or_default() += 1;
            }
        } else {
            // Calls name a method `this.x`, so that its inputs and returns are kept under that name.
            self.taint.name = it.key.static_name().map(|key| format!("this.{key}"));
        }
        walk::walk_method_definition(self, it);
    }

    fn visit_identifier_reference(&mut self, it: &IdentifierReference<'a>) {
        let sources = self.taint.of(it.name.as_str());
        self.taint.held |= sources;
    }

    fn visit_string_literal(&mut self, it: &StringLiteral<'a>) {
        self.taint.held |= self.taint.at_path(it.value.as_str());
        // The pattern for paths is costly, so literals are asked only in files that mention such a path at all.
        if self.mentions.secret_paths {
            self.taint.held |= secrets::of_path(it.value.as_str());
        }
    }

    fn visit_template_literal(&mut self, it: &TemplateLiteral<'a>) {
        let outer = self.taint.take();
        walk::walk_template_literal(self, it);
        let mut held = self.taint.take();
        // Without a followed value the template stays empty, so that the mark alone never counts as an origin.
        if !held.is_empty() {
            held |= TaintSources::COMPOSED;
        }
        // In `${home}/.ssh/id_rsa` only the last piece can end in the path of a secret.
        let last = it.quasis.last().filter(|_| self.mentions.secret_paths);
        held |= last.map_or(TaintSources::NONE, |quasi| secrets::of_path(quasi.value.raw.as_str()));
        self.taint.held = outer | held;
    }

    fn visit_binary_expression(&mut self, it: &BinaryExpression<'a>) {
        if self.naming {
            walk::walk_binary_expression(self, it);
        } else {
            self.follow_binary(it);
        }
    }

    fn visit_unary_expression(&mut self, it: &UnaryExpression<'a>) {
        // `!x`, `typeof x`, `-x`: the value of the operand does not survive.
        let outer = self.taint.take();
        walk::walk_unary_expression(self, it);
        self.taint.held = outer;
    }

    fn visit_conditional_expression(&mut self, it: &ConditionalExpression<'a>) {
        let outer = self.taint.take();
        // The test chooses a branch, but its value is in neither.
        self.visit_expression(&it.test);
        self.taint.held = outer;
        self.visit_expression(&it.consequent);
        self.visit_expression(&it.alternate);
    }

    fn visit_computed_member_expression(&mut self, it: &ComputedMemberExpression<'a>) {
        let outer = self.taint.take();
        walk::walk_computed_member_expression(self, it);
        // One member of the environment is not the whole of it.
        let mut held = self.taint.take() & !TaintSources::ENVIRONMENT;
        let listed = !self.naming && !self.mentions.listed.is_empty();
        if listed && self.dotted(&it.object, 0).as_deref() == Some("process.env") {
            held |= TaintSources::TOKEN;
            self.keep_listed(it.span);
        }
        self.taint.held = outer | held;
    }

    fn visit_import_declaration(&mut self, it: &ImportDeclaration<'a>) {
        let source = it.source.value.as_str();
        if !self.naming {
            self.findings.imports.push(source.to_owned());
            return;
        }
        let module = known_calls::javascript_module(source);
        for specifier in it.specifiers.iter().flatten() {
            let (local, path) = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(named) => {
                    (&named.local, member_of(Some(module.to_owned()), named.imported.name().as_str()))
                }
                ImportDeclarationSpecifier::ImportDefaultSpecifier(default) => (&default.local, module.to_owned()),
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(all) => (&all.local, module.to_owned()),
            };
            self.visit_binding_identifier(local);
            self.explain(local.name.as_str(), JavascriptMeaning::Alias(path));
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
            return walk::walk_assignment_expression(self, it);
        }
        self.follow_assignment(it);
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
        let name = it.property.name.as_str();
        // The dotted name is the costly part, so it is asked for only where `process` occurs.
        let object = if self.mentions.environment { self.dotted(&it.object, 0) } else { None };
        match object.as_deref() {
            Some("process.env") => {
                // Most variables are settings: only one that is named like a secret is followed.
                if secrets::is_secret_name(name) {
                    self.taint.held |= TaintSources::TOKEN;
                }
                let variable = vec![Argument::Literal(name.to_owned())];
                self.keep("process.env".to_owned(), variable, TaintedArguments::default(), it.span);
            }
            // What its user pipes into a program is the user's, as a file is.
            Some("process") if name == "stdin" => self.taint.held |= TaintSources::FILE,
            Some("process") if name == "env" => {
                self.taint.held |= TaintSources::ENVIRONMENT;
                self.keep("process.env".to_owned(), Vec::new(), TaintedArguments::default(), it.span);
            }
            _ => self.follow_member(it),
        }
    }

    fn visit_call_expression(&mut self, it: &CallExpression<'a>) {
        if self.naming {
            return walk::walk_call_expression(self, it);
        }
        self.keep_environment(&it.callee, &it.arguments, it.span);
        if is_require(it) {
            self.findings.imports.extend(self.through_call(it, 0));
        }
        self.follow_call(&it.callee, &it.arguments, it.span, false);
    }

    fn visit_new_expression(&mut self, it: &NewExpression<'a>) {
        if self.naming {
            return walk::walk_new_expression(self, it);
        }
        self.follow_call(&it.callee, &it.arguments, it.span, true);
    }

    fn visit_import_expression(&mut self, it: &ImportExpression<'a>) {
        if self.naming {
            return walk::walk_import_expression(self, it);
        }
        let outer = self.taint.take();
        walk::walk_import_expression(self, it);
        let taint = TaintedArguments { first: self.taint.take(), ..TaintedArguments::default() };
        match self.shape(&it.source, 0) {
            // A `data:` module carries its code in the text, and a computed name hides what is loaded: both are calls.
            Argument::Literal(module) if !module.starts_with("data:") && taint.first.is_empty() => {
                self.findings.imports.push(module);
            }
            shape => self.keep("import".to_owned(), vec![shape], taint, it.span),
        }
        self.taint.held = outer;
    }

    fn visit_object_expression(&mut self, it: &ObjectExpression<'a>) {
        if !self.naming {
            return self.follow_object(it);
        }
        walk::walk_object_expression(self, it);
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
