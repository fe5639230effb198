//! Tests of the outlines of Python modules: small modules in, single facts out.

use crate::program::outline::FunctionKind;
use proptest::prelude::*;
use rustpython_ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use serde_json::json;

use super::super::outline::{
    Argument, Class, Element, Entry, Function, Key, Origin, Outline, ParameterKind, Part, Scope, Step, Write,
};
use super::*;

mod bindings;
mod bounds;
mod classes;
mod forms;
mod functions;
mod imports;
mod loops;
mod writes;

/// The outline of a text, whatever is wrong with it.
fn read(text: &str) -> Outline {
    let parsed = parse_unchecked(text, ParseOptions::from(Mode::Module));
    let ast::Mod::Module(module) = parsed.syntax() else { panic!("a module was asked for") };
    outline(module, "server.py")
}

/// The bindings of a name of the module.
fn bindings<'a>(outline: &'a Outline, name: &str) -> &'a [Binding] {
    bound_in(&outline.scopes[0], name)
}

fn bound_in<'a>(scope: &'a Scope, name: &str) -> &'a [Binding] {
    scope.names.get(name).unwrap_or_default()
}

/// The expression that a name of the module is bound to last.
fn value(outline: &Outline, name: &str) -> NodeId {
    match bindings(outline, name).last().map(|binding| &binding.origin) {
        Some(Origin::Expression(value)) => *value,
        other => panic!("{name} is bound to {other:?}"),
    }
}

fn function<'a>(outline: &'a Outline, name: &str) -> &'a Function {
    outline.functions.iter().find(|function| function.name.as_deref() == Some(name)).expect("the function is there")
}

fn number_of(outline: &Outline, name: &str) -> FunctionId {
    let found = outline.functions.iter().position(|function| function.name.as_deref() == Some(name));
    found.expect("the function is there") as FunctionId
}

fn class<'a>(outline: &'a Outline, name: &str) -> &'a Class {
    outline.classes.iter().find(|class| class.name.as_deref() == Some(name)).expect("the class is there")
}

/// The callees of all calls, in order.
fn callees(outline: &Outline) -> Vec<String> {
    let callee = |id: &NodeId| match outline.node(*id) {
        Node::Call { callee, .. } => shown(outline, *callee),
        other => panic!("{other:?} is no call"),
    };
    outline.calls.iter().map(callee).collect()
}

/// An expression in a short notation of these tests.
fn shown(outline: &Outline, id: NodeId) -> String {
    let all =
        |ids: &[NodeId], between: &str| ids.iter().map(|id| shown(outline, *id)).collect::<Vec<_>>().join(between);
    let element = |spread: bool, value: NodeId| format!("{}{}", if spread { "*" } else { "" }, shown(outline, value));
    let argument = |argument: &Argument| {
        let name = argument.name.as_ref().map(|name| format!("{name}=")).unwrap_or_default();
        format!("{name}{}", element(argument.spread, argument.value))
    };
    let entry = |entry: &Entry| match &entry.key {
        Key::Named(name) => format!("{name}: {}", shown(outline, entry.value)),
        Key::Computed(key) => format!("[{}]: {}", shown(outline, *key), shown(outline, entry.value)),
        Key::Spread => format!("**{}", shown(outline, entry.value)),
    };
    match outline.node(id) {
        Node::Unknown => "?".to_owned(),
        Node::Text(text) => format!("'{text}'"),
        Node::Plain(value) => value.to_string(),
        Node::Pattern(pattern) => format!("/{}/", pattern.text),
        Node::Joined(pieces) => format!("joined({})", all(pieces, ", ")),
        Node::Name(name, _) => name.to_string(),
        Node::This => "this".to_owned(),
        Node::Super => "super".to_owned(),
        Node::Member(object, name) => format!("{}.{name}", shown(outline, *object)),
        Node::Index(object, key) => format!("{}[{}]", shown(outline, *object), shown(outline, *key)),
        Node::Call { callee, arguments, constructs } => {
            assert!(!constructs, "Python has no new");
            let arguments: Vec<String> = arguments.iter().map(argument).collect();
            format!("{}({})", shown(outline, *callee), arguments.join(", "))
        }
        Node::Object(entries) => format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", ")),
        Node::List(elements) => {
            let each = |one: &Element| element(one.spread, one.value);
            format!("[{}]", elements.iter().map(each).collect::<Vec<_>>().join(", "))
        }
        Node::Function(id) => format!("function {id}"),
        Node::Class(id) => format!("class {id}"),
        Node::Choice(ids) => format!("({})", all(ids, " | ")),
        Node::Picked { sides: [one, other], arms: [first, second] } => format!(
            "({} == {} ? {} : {})",
            shown(outline, *one),
            shown(outline, *other),
            shown(outline, *first),
            shown(outline, *second)
        ),
        Node::Sum(left, right) => format!("({} + {})", shown(outline, *left), shown(outline, *right)),
        Node::Module(name) => format!("module {name}"),
        Node::Each { turn, key, value } => {
            let key = key.map(|key| format!("{}: ", shown(outline, key))).unwrap_or_default();
            format!("each {turn} {key}{}", shown(outline, *value))
        }
    }
}

/// The value of `x = …`, shown.
fn form(expression: &str) -> String {
    let outline = read(&format!("x = {expression}\n"));
    shown(&outline, value(&outline, "x"))
}
