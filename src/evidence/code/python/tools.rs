//! Tools that Python registers: decorated functions, `Tool(…)` values and dictionaries of the same shape.
//!
//! A function's parameters become the schema of its arguments by their annotations; its docstring is the description.

use rustpython_ruff_python_ast as ast;
use rustpython_ruff_text_size::Ranged;

use ast::{Expr, Stmt};
use serde_json::{Map, Value, json};

use super::super::literal::{object_schema, optional};
use super::super::tool_fields::tool;
use super::PythonReader;
use crate::docstring::docstring;

/// The depth to which annotations are followed.
const MAX_DEPTH: usize = 16;

/// A function under `@mcp.tool()`, `@server.tool(name=…)`, `@app.tool` or a bare `@tool`.
pub(super) fn from_function<'a>(reader: &mut PythonReader<'a>, function: &'a ast::StmtFunctionDef) {
    for decorator in &function.decorator_list {
        let (callee, arguments) = match &decorator.expression {
            Expr::Call(call) => (&*call.func, Some(&call.arguments)),
            other => (other, None),
        };
        let Some(path) = reader.dotted(callee, 0) else { continue };
        if !matches!(path.rsplit('.').next(), Some("tool" | "mcp_tool")) {
            continue;
        }
        let mut fields = Map::new();
        if let Some(arguments) = arguments {
            // FastMCP takes the name as the first argument.
            if let Some(Value::String(name)) = arguments.args.first().and_then(|first| reader.value(first)) {
                fields.insert("name".to_owned(), Value::String(name));
            }
            keywords(reader, arguments, &mut fields);
        }
        fields.entry("name").or_insert_with(|| function.name.to_string().into());
        if let Some(text) = docstring(&function.body) {
            fields.entry("description").or_insert(Value::String(text));
        }
        let schema = parameters(reader, &function.parameters);
        fields.insert("inputSchema".to_owned(), schema);
        keep(reader, &fields, function.range().start().to_usize());
        return;
    }
}

/// `Tool(name=…, description=…, inputSchema=…)`, `add_tool(f, name=…, description=…)`.
pub(super) fn from_call<'a>(reader: &mut PythonReader<'a>, call: &'a ast::ExprCall) {
    let Some(path) = reader.dotted(&call.func, 0) else { return };
    if !matches!(path.rsplit('.').next(), Some("Tool" | "add_tool" | "from_function")) {
        return;
    }
    let mut fields = Map::new();
    if path.rsplit('.').next() == Some("Tool") {
        // Only `Tool` takes these by position; the others take the function first.
        for (key, argument) in ["name", "description", "inputSchema"].into_iter().zip(&call.arguments.args) {
            fields.extend(reader.value(argument).map(|value| (key.to_owned(), value)));
        }
    }
    keywords(reader, &call.arguments, &mut fields);
    // `Tool(name=…)` alone may be any class of that name.
    if fields.contains_key("description") || fields.contains_key("inputSchema") {
        keep(reader, &fields, call.range().start().to_usize());
    }
}

/// `{"name": "…", "description": "…", "inputSchema": {…}}`.
pub(super) fn from_dict<'a>(reader: &mut PythonReader<'a>, dict: &'a ast::ExprDict) {
    let has = |wanted: &str| {
        dict.items
            .iter()
            .any(|item| matches!(&item.key, Some(Expr::StringLiteral(key)) if key.value.to_str() == wanted))
    };
    let schema = has("inputSchema") || has("input_schema");
    // Keys are looked at before any value is put together, since most dictionaries are no tools.
    if !has("name") || !(schema || (has("description") && has("parameters"))) {
        return;
    }
    let mut fields = Map::new();
    for item in &dict.items {
        if let Some(Expr::StringLiteral(key)) = &item.key
            && let Some(value) = reader.value(&item.value)
        {
            fields.insert(key.value.to_str().to_owned(), value);
        }
    }
    keep(reader, &fields, dict.range().start().to_usize());
}

fn keep(reader: &mut PythonReader<'_>, fields: &Map<String, Value>, offset: usize) {
    if let Some(tool) = tool(fields, reader.path) {
        reader.findings.tools.push((offset, tool));
    }
}

fn keywords<'a>(reader: &mut PythonReader<'a>, arguments: &'a ast::Arguments, fields: &mut Map<String, Value>) {
    for keyword in arguments.keywords.iter() {
        if let Some(name) = &keyword.arg
            && let Some(value) = reader.value(&keyword.value)
        {
            fields.insert(name.to_string(), value);
        }
    }
}

fn parameters<'a>(reader: &mut PythonReader<'a>, parameters: &'a ast::Parameters) -> Value {
    let mut properties = Map::new();
    for parameter in parameters.iter_non_variadic_params() {
        let name = parameter.name().as_str();
        let annotation = parameter.annotation();
        let is_context = annotation.is_some_and(|annotation| mentions_context(reader, annotation));
        // The framework passes these, and the model never sees them.
        if matches!(name, "self" | "cls" | "ctx") || is_context {
            continue;
        }
        let mut schema = annotation.map_or(json!({}), |annotation| annotated(reader, annotation, 0));
        if let Some(default) = parameter.default() {
            schema = field(reader, default, schema).unwrap_or_else(|schema| with_default(reader, default, schema));
        }
        properties.insert(name.to_owned(), schema);
    }
    object_schema(properties)
}

fn mentions_context(reader: &PythonReader<'_>, annotation: &Expr) -> bool {
    let name = match annotation {
        Expr::Subscript(subscript) => reader.dotted(&subscript.value, 0),
        other => reader.dotted(other, 0),
    };
    name.is_some_and(|name| name.rsplit('.').next() == Some("Context"))
}

fn with_default<'a>(reader: &mut PythonReader<'a>, default: &'a Expr, mut schema: Value) -> Value {
    // `= None` says that it may be left out, and is no value worth telling.
    if let (Some(map), Some(value)) = (schema.as_object_mut(), reader.value(default))
        && !value.is_null()
    {
        map.insert("default".to_owned(), value);
    }
    optional(schema)
}

/// Puts what `Field(default, description=…)` says into a schema; gives the schema back where it is no such call.
fn field<'a>(reader: &mut PythonReader<'a>, expression: &'a Expr, mut schema: Value) -> Result<Value, Value> {
    let Expr::Call(call) = expression else { return Err(schema) };
    let is_field = reader.dotted(&call.func, 0).is_some_and(|name| name.rsplit('.').next() == Some("Field"));
    if !is_field {
        return Err(schema);
    }
    let mut settings = Map::new();
    keywords(reader, &call.arguments, &mut settings);
    let first = call.arguments.args.first();
    // `Field(...)` means required in pydantic.
    let required = matches!(first, Some(Expr::EllipsisLiteral(_)));
    if let Some(map) = schema.as_object_mut() {
        for key in ["description", "title", "examples", "pattern"] {
            map.extend(settings.get(key).map(|value| (key.to_owned(), value.clone())));
        }
        let default = first.and_then(|first| reader.value(first)).or_else(|| settings.get("default").cloned());
        map.extend(default.filter(|value| !value.is_null()).map(|value| ("default".to_owned(), value)));
    }
    let has_default = settings.contains_key("default") || settings.contains_key("default_factory") || first.is_some();
    Ok(if has_default && !required { optional(schema) } else { schema })
}

/// The schema of an annotation.
fn annotated<'a>(reader: &mut PythonReader<'a>, annotation: &'a Expr, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        return json!({});
    }
    match annotation {
        Expr::BinOp(union) => {
            let (left, right) = (annotated(reader, &union.left, depth + 1), annotated(reader, &union.right, depth + 1));
            // `X | None` reads as `X`: whether it may be left out is told by its default.
            match (is_null(&left), is_null(&right)) {
                (false, true) => left,
                (true, false) => right,
                _ => json!({ "anyOf": [left, right] }),
            }
        }
        Expr::NoneLiteral(_) => json!({ "type": "null" }),
        Expr::Subscript(subscript) => generic(reader, subscript, depth),
        other => {
            let name = reader.dotted(other, 0).unwrap_or_default();
            named(reader, name.rsplit('.').next().unwrap_or_default(), depth)
        }
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("null")
}

fn named(reader: &mut PythonReader<'_>, name: &str, depth: usize) -> Value {
    match name {
        "str" | "Path" | "UUID" | "datetime" | "date" => json!({ "type": "string" }),
        "int" => json!({ "type": "integer" }),
        "float" | "Decimal" => json!({ "type": "number" }),
        "bool" => json!({ "type": "boolean" }),
        "list" | "List" | "set" | "tuple" | "Sequence" => json!({ "type": "array" }),
        "dict" | "Dict" | "Mapping" => json!({ "type": "object" }),
        _ => model(reader, name, depth).unwrap_or_else(|| json!({})),
    }
}

fn generic<'a>(reader: &mut PythonReader<'a>, subscript: &'a ast::ExprSubscript, depth: usize) -> Value {
    let name = reader.dotted(&subscript.value, 0).unwrap_or_default();
    let items: &[Expr] = match &*subscript.slice {
        Expr::Tuple(items) => &items.elts,
        other => std::slice::from_ref(other),
    };
    let Some(first) = items.first() else { return json!({}) };
    match name.rsplit('.').next().unwrap_or_default() {
        "Annotated" => {
            let mut schema = annotated(reader, first, depth + 1);
            for note in items.iter().skip(1) {
                schema = field(reader, note, schema).unwrap_or_else(|schema| schema);
                if let (Expr::StringLiteral(text), Some(map)) = (note, schema.as_object_mut()) {
                    map.entry("description").or_insert(text.value.to_str().into());
                }
            }
            schema
        }
        "Optional" => annotated(reader, first, depth + 1),
        "Union" => {
            let mut choices: Vec<Value> =
                items.iter().take(32).map(|item| annotated(reader, item, depth + 1)).collect();
            choices.retain(|choice| !is_null(choice));
            if choices.len() == 1 { choices.remove(0) } else { json!({ "anyOf": choices }) }
        }
        "Literal" => {
            let choices: Vec<Value> = items.iter().filter_map(|item| reader.value(item)).collect();
            json!({ "type": "string", "enum": choices })
        }
        "list" | "List" | "Sequence" | "set" | "Set" | "Iterable" | "tuple" | "Tuple" => {
            json!({ "type": "array", "items": annotated(reader, first, depth + 1) })
        }
        "dict" | "Dict" | "Mapping" => json!({ "type": "object" }),
        _ => json!({}),
    }
}

/// The schema of a class of this file by its annotated fields, as pydantic reads them.
fn model(reader: &mut PythonReader<'_>, name: &str, depth: usize) -> Option<Value> {
    let class = reader.class(name)?;
    // A class without a base is no pydantic model; the depth ends models that contain each other.
    if depth > MAX_DEPTH || class.arguments.is_none() {
        return None;
    }
    let mut properties = Map::new();
    for statement in &class.body {
        let Stmt::AnnAssign(assign) = statement else { continue };
        let Expr::Name(name) = &*assign.target else { continue };
        let mut schema = annotated(reader, &assign.annotation, depth + 4);
        if let Some(default) = &assign.value {
            schema = field(reader, default, schema).unwrap_or_else(|schema| with_default(reader, default, schema));
        }
        properties.insert(name.id.to_string(), schema);
    }
    (!properties.is_empty()).then(|| object_schema(properties))
}

/// Calls that stand for a value: `Model.model_json_schema()`, `ToolAnnotations(readOnlyHint=True)`, `dict(a=1)`.
pub(super) fn value_of_call<'a>(reader: &mut PythonReader<'a>, call: &'a ast::ExprCall, depth: usize) -> Option<Value> {
    let path = reader.dotted(&call.func, 0)?;
    match path.rsplit('.').next()? {
        // Servers built on the low-level API hand over `Model.model_json_schema()` as the input schema.
        "model_json_schema" | "schema" => {
            let owner = path.rsplit('.').nth(1)?.to_owned();
            model(reader, &owner, 0)
        }
        "ToolAnnotations" | "dict" => {
            let mut map = Map::new();
            for keyword in call.arguments.keywords.iter() {
                if let (Some(name), Some(value)) = (&keyword.arg, reader.part(&keyword.value, depth + 1)) {
                    map.insert(name.to_string(), value);
                }
            }
            Some(Value::Object(map))
        }
        "dedent" | "cleandoc" => reader.part(call.arguments.args.first()?, depth + 1),
        _ => None,
    }
}
