//! The OpenAPI of the service, written from the table of routes.
//!
//! Says what holds for every route (errors, validators, pages) once; routes are named in their table alone.

use serde_json::{Map, Value, json};

use super::route::{Route, RouteMethod, RouteOutput};

/// The document of these routes.
pub(super) fn document(routes: &[Route]) -> Value {
    let mut paths = Map::new();
    for route in routes {
        let method = match route.method {
            RouteMethod::Get => "get",
            RouteMethod::Post(_) => "post",
        };
        // The document knows no name of several parts: their slashes have to be encoded, or not, as one likes.
        paths.insert(route.path.replace("...}", "}"), json!({ method: operation(route) }));
    }
    json!({
        "openapi": "3.0.3",
        "info": {
            "title": "capdex",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Read-only. Every answer has an ETag; If-None-Match with it gives 304 until the store changes. Text of strangers stands in JSON as they wrote it: escape it where you show it.",
            "license": { "name": "Apache-2.0" }
        },
        "paths": paths,
        "components": { "schemas": { "Problem": {
            "type": "object",
            "description": "What went wrong, as RFC 9457 has it.",
            "required": ["type", "title", "status", "detail"],
            "properties": { "type": { "type": "string" }, "title": { "type": "string" }, "status": { "type": "integer" }, "detail": { "type": "string" } }
        } } }
    })
}

fn operation(route: &Route) -> Value {
    // Names stand in the path itself, so that no list can forget one.
    let named = route.path.split('{').skip(1).filter_map(|rest| Some(rest.split('}').next()?.trim_end_matches('.')));
    let mut parameters: Vec<Value> = named
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    parameters.extend(route.params.iter().map(|param| {
        // Text is not restricted by the document: the service says what is wrong with a value.
        let schema =
            if param.is_number { json!({ "type": "integer", "minimum": 0 }) } else { json!({ "type": "string" }) };
        json!({ "name": param.name, "in": "query", "description": param.about, "schema": schema })
    }));
    let error = |why: &str| {
        let schema = json!({ "$ref": "#/components/schemas/Problem" });
        json!({ "description": why, "content": { "application/problem+json": { "schema": schema } } })
    };
    let mut operation = json!({
        "operationId": id_of(route.path),
        "summary": route.about,
        "parameters": parameters,
        "responses": {
            "200": {
                "description": "What was asked for.",
                "headers": { "ETag": { "description": "A digest of the answer.", "schema": { "type": "string" } } },
                "content": content(route.gives)
            },
            "304": { "description": "It is as If-None-Match says." },
            "400": error("The request makes no sense."),
            "404": error("There is no such thing."),
            "503": error("The store is being loaded, or too much is asked at once.")
        }
    });
    if let (RouteMethod::Post(schema), Some(operation)) = (route.method, operation.as_object_mut()) {
        let body = json!({ "required": true, "content": { "application/json": { "schema": schema() } } });
        operation.insert("requestBody".to_owned(), body);
        if let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) {
            responses.remove("304");
            responses.insert("413".to_owned(), error("The body is too long."));
        }
    }
    operation
}

fn content(gives: RouteOutput) -> Value {
    match gives {
        RouteOutput::One(schema) => json!({ "application/json": { "schema": {
            "type": "object",
            "required": ["schema"],
            "properties": { "schema": { "type": "string", "enum": [schema] } }
        } } }),
        RouteOutput::Many(schema) => json!({ "application/json": { "schema": {
            "type": "object",
            "required": ["schema", "as_of", "engine_version", "program_sha256", "total", "items", "next"],
            "properties": {
                "schema": { "type": "string", "enum": [schema] },
                "as_of": { "type": "string", "format": "date-time" },
                "engine_version": { "type": "string", "description": "the version of the program that answers" },
                "program_sha256": { "type": "string", "nullable": true, "description": "the digest of its file, hex" },
                "total": { "type": "integer", "description": "items on all pages" },
                "items": { "type": "array", "items": { "type": "object" } },
                "next": { "type": "string", "nullable": true, "description": "the `after` of the next page; null on the last" }
            }
        } } }),
        RouteOutput::Other("application/json") => json!({ "application/json": { "schema": { "type": "object" } } }),
        RouteOutput::Other(media) => json!({ media: { "schema": { "type": "string" } } }),
    }
}

/// `/api/v1/rules/{rule}` as `api_v1_rules_rule`.
fn id_of(path: &str) -> String {
    let words = path.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}
