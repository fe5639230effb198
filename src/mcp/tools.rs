//! The tools: their definitions, and the call of one.

use capdex_dataset::escape;
use capdex_dataset::program::{Program, program};
use serde_json::{Map, Value, json};

use super::message::RpcError;
use super::{McpServer, check, diff, explain, search};
use crate::quotation::NOTICE;

/// The most letters of one argument.
const MAX_ARGUMENT: usize = 512;
/// The most bytes of the text of one answer.
const MAX_TEXT: usize = 16 << 10;

/// The answer of a tool.
pub(super) struct ToolAnswer {
    /// The answer in lines of text.
    pub(super) text: String,
    /// The same for programs.
    pub(super) structured: Value,
}

/// The definitions as `tools/list` gives them. `may_ask` where registries may be asked, `has_dataset` where a dataset was named.
pub fn list(may_ask: bool, has_dataset: bool) -> Value {
    let known = if has_dataset { "the store of capdex and a dataset" } else { "the store of capdex" };
    let from =
        if may_ask { format!("{known}, and registries for what is not known there") } else { format!("{known} alone") };
    let target = "A package, a repository or an MCP server, as npm:NAME@VERSION, pypi:NAME@VERSION, github:OWNER/NAME@COMMIT, a \
                  package URL, or an address. The version may be left out.";
    let text = |about: &str| json!({"type": "string", "minLength": 1, "maxLength": MAX_ARGUMENT, "description": about});
    let tool = |name: &str, title: &str, about: String, required: Value, properties: Value| {
        json!({
            "name": name, "title": title, "description": about,
            "inputSchema": {"type": "object", "properties": properties, "required": required, "additionalProperties": false},
            "annotations": {"title": title, "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
                            "openWorldHint": may_ask},
        })
    };
    let targets = json!({"type": "array", "minItems": 1, "maxItems": check::MAX_TARGETS, "items": text(target),
                         "description": "The packages, repositories and servers that are asked about."});
    json!([
        tool(
            "check",
            "Judge before an install",
            format!(
                "Gives a verdict on each package, repository or MCP server: ok, watch, caution, block or unknown, with the reason. Use \
                 when somebody wants to install or start one. Answers from {from}. Returns one line for each, and the findings."
            ),
            json!(["targets"]),
            json!({"targets": targets}),
        ),
        tool(
            "explain",
            "Explain a verdict",
            format!(
                "Lists the findings behind the verdict on one stored capability: rule, place, reason and fix. Use when somebody asks why a \
                 skill, an MCP server or a package has its verdict. Answers from {known} alone."
            ),
            json!(["capability"]),
            json!({"capability": text("The name of a capability, such as npm:NAME or a name that search returned.")}),
        ),
        tool(
            "diff",
            "Compare two versions",
            format!(
                "Tells what an agent could newly do with the second of two versions of a package, repository or MCP server. Use when \
                 somebody wants to update one. Answers from {from}. Returns the new abilities and the new findings."
            ),
            json!(["before", "after"]),
            json!({"before": text(target), "after": text(target)}),
        ),
        tool(
            "search",
            "Find stored names",
            format!(
                "Finds up to {} skills, MCP servers, hooks and packages in {known} whose names hold all the words of the query, with \
                 their verdicts. Use when only a part of a name is known.",
                search::MAX_FOUND
            ),
            json!(["query"]),
            json!({"query": text("Words or parts of a name.")}),
        ),
    ])
}

/// Calls a tool. A fault while it worked is an answer that its caller can read.
///
/// # Errors
/// A tool that is not there.
pub(super) fn call(server: &McpServer, params: &Map<String, Value>) -> Result<Value, RpcError> {
    let none = Map::new();
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let arguments = match params.get("arguments") {
        None | Some(Value::Null) => &none,
        Some(arguments) => arguments.as_object().ok_or_else(|| RpcError::params("arguments are an object"))?,
    };
    let outcome = match name {
        "check" => texts(arguments, "targets", check::MAX_TARGETS).map(|targets| check::answer(server, &targets)),
        "explain" => text(arguments, "capability").map(|name| explain::answer(server, name)),
        "diff" => text(arguments, "before")
            .and_then(|before| Ok((before, text(arguments, "after")?)))
            .map(|(before, after)| diff::answer(server, before, after)),
        "search" => text(arguments, "query").map(|query| search::answer(server, query)),
        _ => return Err(RpcError::params("this server has no tool of that name")),
    };
    Ok(match outcome {
        Ok(Ok(answer)) => done(answer),
        Ok(Err(error)) => {
            tracing::warn!(tool = name, "a call of a tool failed: {}", escape::escape(&format!("{error:#}")));
            // The error may quote a stranger, and names files of this machine.
            refused("it could not be answered: the store or a registry did not answer as expected")
        }
        Err(why) => refused(&why),
    })
}

fn done(answer: ToolAnswer) -> Value {
    let mut text = format!("{NOTICE}\n{}", answer.text);
    if text.len() > MAX_TEXT {
        let end = text.floor_char_boundary(MAX_TEXT);
        // At a line's end, so that no quotation loses its mark.
        text.truncate(text.get(..end).and_then(|kept| kept.rfind('\n')).unwrap_or(0));
        text.push_str("\nThe rest was left out.");
    }
    let mut structured = answer.structured;
    // Some clients show a model the one, and some the other.
    if let Some(structured) = structured.as_object_mut() {
        structured.insert("notice".to_owned(), NOTICE.into());
        let Program { engine_version, program_sha256 } = program();
        structured.insert("engine_version".to_owned(), json!(engine_version));
        structured.insert("program_sha256".to_owned(), json!(program_sha256));
    }
    json!({"content": [{"type": "text", "text": text}], "structuredContent": structured, "isError": false})
}

fn refused(why: &str) -> Value {
    json!({"content": [{"type": "text", "text": why}], "isError": true})
}

/// An argument that is a text.
fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> Result<&'a str, String> {
    arguments.get(name).and_then(within).ok_or_else(|| format!("{name} is a text of 1 to {MAX_ARGUMENT} letters"))
}

/// An argument that is a list of texts.
fn texts<'a>(arguments: &'a Map<String, Value>, name: &str, most: usize) -> Result<Vec<&'a str>, String> {
    let why = || format!("{name} is a list of 1 to {most} texts, each of at most {MAX_ARGUMENT} letters");
    let list = arguments.get(name).and_then(Value::as_array).filter(|list| (1..=most).contains(&list.len()));
    list.and_then(|list| list.iter().map(within).collect()).ok_or_else(why)
}

fn within(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.trim().is_empty() && text.chars().count() <= MAX_ARGUMENT)
}
