//! The methods of MCP that every server here has: the handshake, discovery, and its tools.
//!
//! Sources: the revisions of the Model Context Protocol from 2024-11-05 to 2026-07-28. The last has no handshake, and names its
//! revision in each request.

use serde_json::{Map, Value, json};

use super::client::Client;
use super::message::{Request, RpcError};

/// The revisions that are spoken, the oldest first.
pub const REVISIONS: [&str; 5] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", MODERN];
/// The revision without a handshake.
const MODERN: &str = "2026-07-28";
/// The latest with a handshake, which is offered to a client that asks for one that is not spoken.
const LATEST_WITH_HANDSHAKE: &str = "2025-11-25";
/// The key under which a request without a handshake names its revision.
const REVISION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// What a server offers through the protocol.
pub(crate) trait McpService {
    /// Its name and version.
    fn info(&self) -> Value;
    /// What it tells a client about itself.
    fn instructions(&mut self) -> String;
    /// Milliseconds for which its list may be kept.
    fn kept_ms(&self) -> u64;
    /// What it can do beside tools that never change.
    fn capabilities(&self) -> Value {
        json!({"tools": {}})
    }
    /// Hears what the client can do, by the parameters of its handshake.
    fn meet(&mut self, _params: &Map<String, Value>) {}
    /// The tools as `tools/list` gives them.
    fn tools(&mut self) -> Value;
    /// Calls a tool.
    ///
    /// # Errors
    /// A call that does not fit the protocol.
    fn call(&mut self, params: &Map<String, Value>, client: &mut dyn Client) -> Result<Value, RpcError>;
    /// Answers any other method.
    ///
    /// # Errors
    /// A method that is not known.
    fn other(&mut self, _request: &Request<'_>) -> Result<Value, RpcError> {
        Err(RpcError::method())
    }
}

/// Answers one request. The client can be asked and told something meanwhile.
///
/// # Errors
/// A request that does not fit the protocol.
pub(super) fn dispatch(
    service: &mut dyn McpService,
    request: &Request<'_>,
    client: &mut dyn Client,
) -> Result<Value, RpcError> {
    let meta = request.params.get("_meta").and_then(|meta| meta.get(REVISION_KEY));
    let revision = meta.and_then(Value::as_str);
    if let Some(revision) = revision.filter(|revision| !REVISIONS.contains(revision)) {
        return Err(RpcError::revision(&REVISIONS, revision));
    }
    let is_modern = revision == Some(MODERN);
    let complete = |result: Value| if is_modern { with(result, json!({"resultType": "complete"})) } else { result };
    match request.method {
        "initialize" => {
            service.meet(request.params);
            Ok(initialize(service, request))
        }
        "server/discover" => Ok(discover(service)),
        "ping" => Ok(complete(json!({}))),
        "tools/list" => {
            let list = json!({"tools": service.tools()});
            let kept = json!({"ttlMs": service.kept_ms(), "cacheScope": "public"});
            Ok(complete(if is_modern { with(list, kept) } else { list }))
        }
        "tools/call" => service.call(request.params, client).map(complete),
        _ => service.other(request).map(complete),
    }
}

fn with(mut result: Value, more: Value) -> Value {
    if let (Some(result), Value::Object(more)) = (result.as_object_mut(), more) {
        result.extend(more);
    }
    result
}

fn initialize(service: &mut dyn McpService, request: &Request<'_>) -> Value {
    let asked = request.params.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    let revision = REVISIONS.iter().find(|revision| **revision == asked && asked != MODERN);
    json!({
        "protocolVersion": revision.unwrap_or(&LATEST_WITH_HANDSHAKE),
        "capabilities": service.capabilities(),
        "serverInfo": service.info(),
        "instructions": service.instructions(),
    })
}

fn discover(service: &mut dyn McpService) -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": REVISIONS,
        "capabilities": service.capabilities(),
        "instructions": service.instructions(),
        "ttlMs": service.kept_ms(),
        "cacheScope": "public",
        "_meta": {"io.modelcontextprotocol/serverInfo": service.info()},
    })
}
