//! Tests of the outlines of JavaScript and TypeScript.

use oxc_allocator::Allocator;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;
use proptest::prelude::*;

use crate::program::outline::{
    Argument, Binding, FunctionKind, Key, Node, NodeId, Origin, Outline, ParameterKind, Part, Step,
};

fn outline_as(text: &str, kind: SourceType) -> Option<Outline> {
    let allocator = Allocator::default();
    let options =
        ParseOptions { allow_return_outside_function: true, preserve_parens: false, ..ParseOptions::default() };
    let parsed = Parser::new(&allocator, text, kind).with_options(options).parse();
    (!parsed.panicked).then(|| super::outline(&parsed.program, "a.js"))
}

fn script(text: &str) -> Outline {
    outline_as(text, SourceType::unambiguous()).expect("it parses")
}

fn typescript(text: &str) -> Outline {
    outline_as(text, SourceType::ts()).expect("it parses")
}

/// An expression in short: `?` unknown, `'a'` text, `<m>` a module, `fn f`, `(a | b)` a choice, `` `…` `` joined text.
fn show(outline: &Outline, id: NodeId) -> String {
    let all = |ids: &[NodeId]| ids.iter().map(|id| show(outline, *id)).collect::<Vec<_>>();
    match outline.node(id) {
        Node::Unknown => "?".to_owned(),
        Node::Text(text) => format!("'{text}'"),
        Node::Plain(value) => value.to_string(),
        Node::Pattern(pattern) => format!("/{}/", pattern.text),
        Node::Joined(pieces) => format!("`{}`", all(pieces).join(" ")),
        Node::Name(name, _) => name.to_string(),
        Node::This => "this".to_owned(),
        Node::Super => "super".to_owned(),
        Node::Member(object, name) => format!("{}.{name}", show(outline, *object)),
        Node::Index(object, key) => format!("{}[{}]", show(outline, *object), show(outline, *key)),
        Node::Call { callee, arguments, constructs } => {
            let new = if *constructs { "new " } else { "" };
            format!("{new}{}({})", show(outline, *callee), show_arguments(outline, arguments))
        }
        Node::Object(entries) => {
            let entries = entries.iter().map(|entry| match &entry.key {
                Key::Named(name) => format!("{name}: {}", show(outline, entry.value)),
                Key::Computed(key) => format!("[{}]: {}", show(outline, *key), show(outline, entry.value)),
                Key::Spread => format!("...{}", show(outline, entry.value)),
            });
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        Node::List(elements) => {
            let dots = |spread: bool| if spread { "..." } else { "" };
            let elements =
                elements.iter().map(|element| format!("{}{}", dots(element.spread), show(outline, element.value)));
            format!("[{}]", elements.collect::<Vec<_>>().join(", "))
        }
        Node::Function(id) => format!("fn {}", outline.functions[*id as usize].name.as_deref().unwrap_or("")),
        Node::Class(id) => format!("class {}", outline.classes[*id as usize].name.as_deref().unwrap_or("")),
        Node::Choice(parts) => format!("({})", all(parts).join(" | ")),
        Node::Picked { sides: [one, other], arms: [first, second] } => format!(
            "({} == {} ? {} : {})",
            show(outline, *one),
            show(outline, *other),
            show(outline, *first),
            show(outline, *second)
        ),
        Node::Sum(left, right) => format!("({} + {})", show(outline, *left), show(outline, *right)),
        Node::Module(name) => format!("<{name}>"),
        Node::Each { .. } => "each".to_owned(),
    }
}

fn show_arguments(outline: &Outline, arguments: &[Argument]) -> String {
    let dots = |spread: bool| if spread { "..." } else { "" };
    let shown = arguments.iter().map(|argument| format!("{}{}", dots(argument.spread), show(outline, argument.value)));
    shown.collect::<Vec<_>>().join(", ")
}

fn show_binding(outline: &Outline, binding: &Binding) -> String {
    let mut text = match &binding.origin {
        Origin::Expression(id) => show(outline, *id),
        Origin::Added(id) => format!("+= {}", show(outline, *id)),
        Origin::Parameter(_, index) => format!("parameter {index}"),
        Origin::Import(it) => format!("import {} of {}", it.name.as_deref().unwrap_or("*"), it.module),
        Origin::Function(id) => format!("fn {}", outline.functions[*id as usize].name.as_deref().unwrap_or("")),
        Origin::Class(id) => format!("class {}", outline.classes[*id as usize].name.as_deref().unwrap_or("")),
        Origin::Unknown => "?".to_owned(),
    };
    for step in &binding.path {
        text.push_str(&match step {
            Step::Key(key) => format!(".{key}"),
            Step::At(index) => format!("[{index}]"),
            Step::Rest => "...".to_owned(),
        });
    }
    if let Some(default) = binding.default {
        text.push_str(&format!(" = {}", show(outline, default)));
    }
    text
}

/// The bindings of a name in every scope, in the order of the scopes.
fn bound(outline: &Outline, name: &str) -> Vec<String> {
    let bindings = outline.scopes.iter().filter_map(|scope| scope.names.get(name)).flatten();
    bindings.map(|binding| show_binding(outline, binding)).collect()
}

/// The number of the scopes that declare a name.
fn scopes_of(outline: &Outline, name: &str) -> Vec<usize> {
    let scopes = outline.scopes.iter().enumerate();
    scopes.filter(|(_, scope)| scope.names.contains(name)).map(|(index, _)| index).collect()
}

fn exports(outline: &Outline) -> Vec<String> {
    outline.exports.iter().map(|(name, value)| format!("{name}: {}", show(outline, *value))).collect()
}

fn calls(outline: &Outline) -> Vec<String> {
    outline.calls.iter().map(|id| show(outline, *id)).collect()
}

fn writes(outline: &Outline) -> Vec<String> {
    let shown = outline.writes.iter().map(|write| {
        let part = match &write.part {
            Part::Member(name) => format!(".{name}"),
            Part::Keyed(key) => format!("[{}]", show(outline, *key)),
            Part::Element => " <-".to_owned(),
            Part::Elements => " <-...".to_owned(),
        };
        format!("{}{part} {}", show(outline, write.object), show(outline, write.value))
    });
    shown.collect()
}

/// Each function with what it returns, in the order of the text; loops as `loop`.
fn functions(outline: &Outline) -> Vec<String> {
    let shown = outline.functions.iter().map(|function| {
        let returns: Vec<_> = function.returns.iter().map(|id| show(outline, *id)).collect();
        match function.kind {
            FunctionKind::Loop { over, keys } => {
                format!("loop {} {}", if keys { "in" } else { "of" }, show(outline, over))
            }
            _ => format!("{} -> {}", function.name.as_deref().unwrap_or("?"), returns.join(", ")),
        }
    });
    shown.collect()
}

/// The value of `const x = …`.
fn value(text: &str) -> String {
    let outline = typescript(&format!("const x = {text};"));
    bound(&outline, "x").join("; ")
}

mod bindings;
mod forms;
mod modules;
