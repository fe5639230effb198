//! The methods of MCP that this server has: the handshake, discovery, and its tools.
//!
//! Sources: the revisions of the Model Context Protocol from 2024-11-05 to 2026-07-28. The last has no handshake, and names its
//! revision in each request.

use serde_json::{Value, json};

use super::message::{Request, RpcError};
use super::{McpServer, tools};
use crate::quotation::NOTICE;

/// The revisions that are spoken, the oldest first.
pub const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN];
/// The revision without a handshake.
const MODERN: &str = "2026-07-28";
/// The latest with a handshake, which is offered to a client that asks for one that is not spoken.
const LATEST_WITH_HANDSHAKE: &str = "2025-11-25";
/// The key under which a request without a handshake names its revision.
const REVISION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// Milliseconds for which a list may be kept: it never changes while the server runs.
const KEPT_MS: u64 = 3_600_000;

/// Answers one request.
///
/// # Errors
/// A request that does not fit the protocol.
pub(super) fn dispatch(server: &McpServer, request: &Request<'_>) -> Result<Value, RpcError> {
    let meta = request.params.get("_meta").and_then(|meta| meta.get(REVISION_KEY));
    let revision = meta.and_then(Value::as_str);
    if let Some(revision) = revision.filter(|revision| !REVISIONS.contains(revision)) {
        return Err(RpcError::revision(&REVISIONS, revision));
    }
    let is_modern = revision == Some(MODERN);
    let complete = |result: Value| if is_modern { with(result, json!({"resultType": "complete"})) } else { result };
    match request.method {
        "initialize" => Ok(initialize(server, request)),
        "server/discover" => Ok(discover(server)),
        "ping" => Ok(complete(json!({}))),
        "tools/list" => {
            let list = json!({"tools": tools::list(server.may_ask)});
            let kept = json!({"ttlMs": KEPT_MS, "cacheScope": "public"});
            Ok(complete(if is_modern { with(list, kept) } else { list }))
        }
        "tools/call" => tools::call(server, request.params).map(complete),
        _ => Err(RpcError::method()),
    }
}

fn with(mut result: Value, more: Value) -> Value {
    if let (Some(result), Value::Object(more)) = (result.as_object_mut(), more) {
        result.extend(more);
    }
    result
}

fn server_info() -> Value {
    json!({"name": "capdex", "title": "capdex", "version": env!("CARGO_PKG_VERSION")})
}

fn instructions(server: &McpServer) -> String {
    let asks =
        if server.may_ask { "its store, and from registries for what that does not know" } else { "its store alone" };
    format!(
        "capdex tells what is known of MCP servers, skills and packages before they are installed. It answers from {asks}. {NOTICE}"
    )
}

fn initialize(server: &McpServer, request: &Request<'_>) -> Value {
    let asked = request.params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    let revision = REVISIONS.iter().find(|revision| **revision == asked && asked != MODERN);
    json!({
        "protocolVersion": revision.unwrap_or(&LATEST_WITH_HANDSHAKE),
        "capabilities": {"tools": {}},
        "serverInfo": server_info(),
        "instructions": instructions(server),
    })
}

fn discover(server: &McpServer) -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": REVISIONS,
        "capabilities": {"tools": {}},
        "instructions": instructions(server),
        "ttlMs": KEPT_MS,
        "cacheScope": "public",
        "_meta": {"io.modelcontextprotocol/serverInfo": server_info()},
    })
}
