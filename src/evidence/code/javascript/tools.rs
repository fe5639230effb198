//! Tools that JavaScript and TypeScript register, in the idioms of the official SDK, FastMCP and mcp-framework.
//!
//! Goes by method names and by the keys of objects, never by the names of variables, so that minified bundles read the
//! same. An object is a tool only with a literal name and a schema beside it: a property called `name` inside a schema
//! is none.

use oxc_ast::ast::{
    Argument as Node, CallExpression, Class, ClassElement, Expression, ObjectExpression, ObjectPropertyKind,
};
use serde_json::{Map, Value};

use super::super::literal::is_annotations;
use super::super::tool_fields::tool;
use super::{JavascriptReader, start_of};

/// `server.tool(name, …)`, `server.registerTool(name, {…}, handler)`, `new Tool({…})`.
pub(super) fn from_call(reader: &mut JavascriptReader<'_>, call: &CallExpression<'_>) {
    let Expression::StaticMemberExpression(member) = call.callee.get_inner_expression() else { return };
    let method = member.property.name.as_str();
    if !matches!(method, "tool" | "registerTool" | "addTool" | "registerAppTool") || call.arguments.len() < 2 {
        return;
    }
    let name = call.arguments.first().and_then(Node::as_expression).and_then(|node| reader.value(node, 0));
    let Some(Value::String(name)) = name else { return };
    let mut fields = Map::new();
    fields.insert("name".to_owned(), Value::String(name));
    // The SDK's overloads put description, schema and annotations in any of the next places.
    for argument in call.arguments.iter().skip(1).take(5) {
        let Some(argument) = argument.as_expression() else { continue };
        match reader.value(argument, 0) {
            Some(Value::String(text)) => {
                fields.entry("description").or_insert(Value::String(text));
            }
            // `tool` takes a bare shape where the other methods take a configuration.
            Some(Value::Object(config)) if method != "tool" || is_config(&config) => fields.extend(config),
            Some(value) if is_annotations(&value) => {
                fields.insert("annotations".to_owned(), value);
            }
            Some(value @ Value::Object(_)) => {
                fields.entry("inputSchema").or_insert(value);
            }
            _ => {}
        }
    }
    keep(reader, &fields, start_of(call));
}

/// True where the object after a name is a registration of its own and no shape: `{description: "…", inputSchema: …}`.
fn is_config(config: &Map<String, Value>) -> bool {
    config.get("description").is_some_and(Value::is_string) || config.contains_key("inputSchema")
}

/// `{name: "…", description: "…", inputSchema: …}`, wherever it stands.
pub(super) fn from_object(reader: &mut JavascriptReader<'_>, object: &ObjectExpression<'_>) {
    let has = |wanted: &str| object.properties.iter().any(|property| has_key(property, wanted));
    let schema = ["inputSchema", "input_schema"].iter().any(|key| has(key));
    // Keys are looked at before any value is put together, since most objects are no tools.
    if !has("name") || !(schema || (has("description") && (has("parameters") || has("execute")))) {
        return;
    }
    let fields = reader.object_value(object, 0);
    if schema || fields.contains_key("description") {
        keep(reader, &fields, start_of(object));
    }
}

fn has_key(property: &ObjectPropertyKind<'_>, wanted: &str) -> bool {
    match property {
        ObjectPropertyKind::ObjectProperty(property) => property.key.is_specific_static_name(wanted),
        ObjectPropertyKind::SpreadProperty(_) => false,
    }
}

/// `class AddTool extends MCPTool { name = "…"; description = "…"; schema = {…} }`.
pub(super) fn from_class(reader: &mut JavascriptReader<'_>, class: &Class<'_>) {
    let mut fields = Map::new();
    for element in &class.body.body {
        let ClassElement::PropertyDefinition(property) = element else { continue };
        let Some(key) = property.key.static_name() else { continue };
        if !matches!(key.as_ref(), "name" | "description" | "schema" | "inputSchema" | "annotations") {
            continue;
        }
        if let Some(value) = property.value.as_ref().and_then(|value| reader.value(value, 0)) {
            // mcp-framework calls the input schema `schema`.
            let key = if key == "schema" { "inputSchema".to_owned() } else { key.to_string() };
            fields.insert(key, value);
        }
    }
    if fields.contains_key("inputSchema") && fields.contains_key("description") {
        keep(reader, &fields, start_of(class));
    }
}

fn keep(reader: &mut JavascriptReader<'_>, fields: &Map<String, Value>, offset: usize) {
    if let Some(tool) = tool(fields, reader.path) {
        reader.findings.tools.push((offset, tool));
    }
}
