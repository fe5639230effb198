//! Python: what ruff's parser sees, in two walks: first what names stand for, then what is done.
//!
//! Syntax errors do not stop it: what the parser recovers is read, and the file is called damaged.

use std::collections::{BTreeMap, BTreeSet};

use rustpython_ruff_python_ast as ast;
use rustpython_ruff_python_parser::{Mode, ParseOptions, parse_unchecked};

use ast::visitor::{self, Visitor};
use ast::{Expr, Stmt};

use super::taint::TaintPropagation;
use super::{Call, Findings, ParsedSource, excerpt, known_calls, secrets, walks};
use crate::document::Document;

mod asides;
mod classes;
mod comparisons;
mod floods;
mod fold;
mod kept;
mod shapes;
mod taint;
mod written;

/// The depth to which the shape of an expression is followed.
const MAX_DEPTH: usize = 32;

/// Parses a file.
pub(super) fn parse(document: &Document) -> ParsedSource {
    let text = document.text.as_str();
    let parsed = parse_unchecked(text, ParseOptions::from(Mode::Module));
    let message = parsed.errors().first().map(ToString::to_string);
    let ast::Mod::Module(module) = parsed.syntax() else { return ParsedSource::Refused("no module".to_owned()) };
    document.outline.keep_python(module, &document.path);
    let mut reader = PythonReader::new(text);
    reader.visit_body(&module.body);
    // Names come first, since a call may use an alias that is bound further down.
    reader.naming = false;
    reader.visit_body(&module.body);
    // A few walks over the calls at most, so that the time stays linear in the text.
    for _ in 1..walks(text) {
        if !reader.taint.again {
            break;
        }
        reader.findings = Findings::default();
        reader.taint.restart();
        reader.visit_body(&module.body);
    }
    match message {
        None => ParsedSource::Read(reader.findings),
        Some(message) => ParsedSource::Damaged(reader.findings, message),
    }
}

/// The meaning of a name.
#[derive(Clone, PartialEq)]
enum PythonMeaning<'a> {
    /// A module or a member of one.
    Alias(String),
    /// The expression that it is bound to.
    Bound(&'a Expr),
}

/// Walks a module twice: while `naming`, it learns what names stand for; then it collects.
struct PythonReader<'a> {
    text: &'a str,
    names: BTreeMap<&'a str, Option<PythonMeaning<'a>>>,
    findings: Findings,
    /// The number of names resolved in the shape now put together.
    resolved: usize,
    naming: bool,
    taint: TaintPropagation,
    /// The classes around the statement that is walked, with how many functions were open around each.
    classes: Vec<(&'a str, usize)>,
    /// The number of functions open around it.
    functions: usize,
    /// The paths that files were opened on, by the name of the open file.
    streams: BTreeMap<&'a str, &'a str>,
    /// The same for paths in plain text.
    literal_streams: BTreeMap<&'a str, &'a str>,
    mentions: PythonMentions,
    /// The classes of the file.
    class_names: BTreeSet<&'a str>,
    /// The class of an object, by its name or as `self.name`; none where it is made of several.
    instances: BTreeMap<String, Option<&'a str>>,
    asides: asides::Asides,
    /// The values of the members of classes, where they are bound once.
    member_values: BTreeMap<String, Option<&'a Expr>>,
    /// The classes around, while names are learnt.
    learning: Vec<&'a str>,
    /// The paths that files were opened on, as they are written, by the name of the open file.
    opened: BTreeMap<&'a str, &'a Expr>,
}

/// The prefilter: the subjects that the text mentions at all.
struct PythonMentions {
    environment: bool,
    secret_paths: bool,
    /// The names of secrets that it lists.
    listed: Vec<String>,
}

/// The most names that are resolved for one call.
const MAX_RESOLVED: usize = 2_000;

impl<'a> PythonReader<'a> {
    fn new(text: &'a str) -> Self {
        let asks = text.contains("environ") || text.contains("getenv");
        let mentions = PythonMentions {
            environment: text.contains("environ"),
            secret_paths: secrets::mentions_secret_path(text),
            listed: if asks { secrets::listed_names(text) } else { Vec::new() },
        };
        Self {
            text,
            names: BTreeMap::new(),
            findings: Findings::default(),
            resolved: 0,
            naming: true,
            taint: TaintPropagation::default(),
            classes: Vec::new(),
            functions: 0,
            streams: BTreeMap::new(),
            literal_streams: BTreeMap::new(),
            mentions,
            class_names: BTreeSet::new(),
            instances: BTreeMap::new(),
            asides: asides::Asides::default(),
            member_values: BTreeMap::new(),
            learning: Vec::new(),
            opened: BTreeMap::new(),
        }
    }

    /// A name that is bound twice stands for nothing, unless both are imports: those of `try` and `except` agree in
    /// use.
    fn explain(&mut self, name: &'a str, meaning: PythonMeaning<'a>) {
        self.names
            .entry(name)
            .and_modify(|known| {
                if !matches!((&known, &meaning), (Some(PythonMeaning::Alias(_)), PythonMeaning::Alias(_))) {
                    *known = None;
                }
            })
            .or_insert(Some(meaning));
    }

    /// The dotted name of an expression, aliases resolved; `None` where it has none.
    fn dotted(&self, expression: &Expr, depth: usize) -> Option<String> {
        if depth > MAX_DEPTH {
            return None;
        }
        match expression {
            Expr::Name(name) => Some(match self.names.get(name.id.as_str()) {
                Some(Some(PythonMeaning::Alias(path))) => path.clone(),
                Some(Some(PythonMeaning::Bound(bound))) => {
                    self.other_name(bound, depth).unwrap_or_else(|| name.id.to_string())
                }
                _ => name.id.to_string(),
            }),
            Expr::Attribute(member) => {
                let object = self.dotted(&member.value, depth + 1).unwrap_or_else(|| "*".to_owned());
                Some(format!("{object}.{}", member.attr.as_str()))
            }
            Expr::Await(waiting) => self.dotted(&waiting.value, depth + 1),
            Expr::Call(call) => {
                let callee = self.dotted(&call.func, depth + 1)?;
                match (callee.as_str(), &*call.arguments.args) {
                    // A module that is loaded by name stands for itself, however the name is put together.
                    ("__import__" | "importlib.import_module" | "importlib.__import__", [module, ..]) => {
                        fold::folded(module, 0)
                    }
                    // `getattr(os, "sys" + "tem")` is `os.system`.
                    ("getattr", [object, member, ..]) => {
                        let object = self.dotted(object, depth + 1)?;
                        Some(format!("{object}.{}", fold::folded(member, 0)?))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The function or module that a name is another name for: `run = os.system`.
    fn other_name(&self, bound: &Expr, depth: usize) -> Option<String> {
        match bound {
            Expr::Name(_) | Expr::Attribute(_) | Expr::Call(_) => {
                // Steps of four: names bound to each other, in a circle even, come to an end soon.
                let path = self.dotted(bound, depth + 4)?;
                let module = path.split('.').next().unwrap_or_default();
                // Other names keep their own spelling, since an alias of a local object says nothing.
                (known_calls::is_kept_python(&path) || matches!(module, "os" | "builtins")).then_some(path)
            }
            _ => None,
        }
    }

    fn learn(&mut self, statement: &'a Stmt) {
        self.learn_objects(statement);
        match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    match &alias.asname {
                        Some(local) => self.explain(local.as_str(), PythonMeaning::Alias(alias.name.to_string())),
                        None => {
                            // `import os.path` binds `os` alone.
                            let root = alias.name.as_str().split('.').next().unwrap_or_default();
                            self.explain(root, PythonMeaning::Alias(root.to_owned()));
                        }
                    }
                }
            }
            // A relative import names a file of the package, which no rule knows by name.
            Stmt::ImportFrom(import) if import.level == 0 => {
                let module = import.module.as_ref().map_or("", ast::Identifier::as_str);
                for alias in &import.names {
                    let local = alias.asname.as_ref().unwrap_or(&alias.name);
                    self.explain(local.as_str(), PythonMeaning::Alias(format!("{module}.{}", alias.name)));
                }
            }
            Stmt::Assign(assign) => {
                for target in &assign.targets {
                    if let Expr::Name(name) = target {
                        self.explain(name.id.as_str(), PythonMeaning::Bound(&assign.value));
                    }
                }
            }
            Stmt::AnnAssign(assign) => {
                if let (Expr::Name(name), Some(value)) = (&*assign.target, &assign.value) {
                    self.explain(name.id.as_str(), PythonMeaning::Bound(value));
                }
            }
            Stmt::AugAssign(assign) => {
                if let Expr::Name(name) = &*assign.target {
                    // `x += y` makes another value of it, so that the name stands for none.
                    self.names.insert(name.id.as_str(), None);
                }
            }
            // A class hides what the name stood for, and is no other name for anything.
            Stmt::ClassDef(class) => _ = self.names.insert(class.name.as_str(), None),
            _ => {}
        }
    }

    fn note_imports(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Import(import) => {
                self.findings.imports.extend(import.names.iter().map(|alias| alias.name.to_string()))
            }
            Stmt::ImportFrom(import) => {
                // The number of dots is the author's choice: bounded before it becomes a string.
                let dots = ".".repeat(import.level.min(64) as usize);
                let module = import.module.as_ref().map_or("", ast::Identifier::as_str);
                self.findings.imports.push(format!("{dots}{module}"));
            }
            _ => {}
        }
    }
}

impl<'a> Visitor<'a> for PythonReader<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if self.naming {
            self.learn(statement);
            if let Stmt::ClassDef(class) = statement {
                self.learning.push(class.name.as_str());
                self.learn_members(&class.body);
                visitor::walk_stmt(self, statement);
                self.learning.pop();
                return;
            }
            return visitor::walk_stmt(self, statement);
        }
        self.note_imports(statement);
        self.follow_statement(statement);
    }

    fn visit_parameter(&mut self, parameter: &'a ast::Parameter) {
        if self.naming {
            // A parameter hides the constant of the same name, and its value is the caller's.
            self.names.insert(parameter.name.as_str(), None);
        }
        visitor::walk_parameter(self, parameter);
    }

    fn visit_comprehension(&mut self, comprehension: &'a ast::Comprehension) {
        if self.naming {
            visitor::walk_comprehension(self, comprehension);
        } else {
            self.follow_comprehension(comprehension);
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if !self.naming && self.follow_expression(expression) {
            return;
        }
        visitor::walk_expr(self, expression);
    }
}
