//! One conversation with an endpoint: who are you, and which tools do you have.
//!
//! Every bound is on what a hostile endpoint can make of it: pages, tools, bytes, and cursors that lead in a circle.
//! Every bound is on what a hostile endpoint can make of it: pages, tools, bytes, and cursors that lead in a circle.

use std::collections::BTreeSet;

use capdex_model::snapshot::GapReason;
use serde_json::{Value, json};

use super::answer::{self, JsonRpcReply};
use crate::CrawlError;
use crate::http::{Http, HttpRequest, HttpResponse, KeptHeaders, redact};

/// The revision without a handshake that is asked for.
const MODERN: &str = "2026-07-28";
/// The revision that is offered in a handshake; an endpoint answers with the one that it speaks.
const LEGACY: &str = "2025-11-25";
/// The most bytes of one answer. The largest tools lists have about 1 MB.
const MAX_BYTES: u64 = 16 << 20;
/// The most bytes of all tools of one endpoint.
const MAX_TOOL_BYTES: usize = 32 << 20;
/// Pages of tools that are read at most.
const MAX_PAGES: usize = 200;

/// All that an endpoint said in one conversation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct McpServerDescription {
    /// The revision of the protocol that it speaks.
    pub revision: String,
    /// Name, version and what else it says of itself.
    pub server: Value,
    /// Instructions that it gives to every model.
    pub instructions: Value,
    /// The tools, in its order.
    pub tools: Vec<Value>,
}

impl McpServerDescription {
    /// The content by which a change is measured: everything but the order of the tools.
    pub(super) fn canonical(&self) -> Value {
        let mut tools = self.tools.clone();
        tools.sort_by_cached_key(|tool| (tool.get("name").map(ToString::to_string), tool.to_string()));
        json!([self.server, self.instructions, tools])
    }
}

struct Endpoint<'a> {
    http: &'a Http,
    url: &'a str,
    revision: String,
    session: Option<String>,
    is_modern: bool,
    next_id: u64,
}

/// Asks an endpoint what it is and for its tools.
///
/// # Errors
/// Any error of the client; `Malformed` for answers of another form.
pub(super) async fn hold(http: &Http, url: &str) -> Result<McpServerDescription, CrawlError> {
    let mut endpoint = Endpoint { http, url, revision: MODERN.to_owned(), session: None, is_modern: true, next_id: 1 };
    let about = match endpoint.discover().await? {
        Some(about) => about,
        None => endpoint.initialize().await?,
    };
    let has_tools = about.pointer("/capabilities/tools").is_some();
    let tools = if has_tools { endpoint.tools().await? } else { Vec::new() };
    let in_meta = about.pointer("/_meta/io.modelcontextprotocol~1serverInfo");
    let server = about.get("serverInfo").or(in_meta).cloned().unwrap_or(Value::Null);
    let instructions = about.get("instructions").cloned().unwrap_or(Value::Null);
    Ok(McpServerDescription { revision: endpoint.revision, server, instructions, tools })
}

impl Endpoint<'_> {
    /// None where the endpoint does not know the question: it speaks an older revision.
    async fn discover(&mut self) -> Result<Option<Value>, CrawlError> {
        match self.ask("server/discover", json!({})).await {
            Ok(JsonRpcReply::Result(about)) if about.get("supportedVersions").is_some() => Ok(Some(about)),
            // Endpoints of older revisions answer an unknown method with an error, with 404 or with no JSON-RPC.
            Ok(_) | Err(CrawlError::Gone { .. } | CrawlError::Malformed { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn initialize(&mut self) -> Result<Value, CrawlError> {
        self.is_modern = false;
        LEGACY.clone_into(&mut self.revision);
        let params = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": client_info()});
        let about = match self.ask("initialize", params).await? {
            JsonRpcReply::Result(about) if about.get("capabilities").is_some() => about,
            JsonRpcReply::Result(_) => return Err(self.malformed("it does not say what it can do")),
            JsonRpcReply::Error(code, message) => return Err(self.refused(code, &message)),
        };
        if let Some(revision) = about.get("protocolVersion").and_then(Value::as_str).filter(|text| is_date(text)) {
            revision.clone_into(&mut self.revision);
        }
        let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        // An endpoint may refuse everything else until it has this notification.
        self.send("notifications/initialized", &notification).await?;
        Ok(about)
    }

    async fn tools(&mut self) -> Result<Vec<Value>, CrawlError> {
        let (mut tools, mut cursors, mut cursor, mut bytes) = (Vec::new(), BTreeSet::new(), None::<String>, 0);
        for _ in 0..MAX_PAGES {
            let params = cursor.as_ref().map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
            let result = match self.ask("tools/list", params).await? {
                JsonRpcReply::Result(result) => result,
                JsonRpcReply::Error(code, message) => return Err(self.refused(code, &message)),
            };
            let Some(Value::Array(page)) = result.get("tools").cloned() else {
                return Err(self.malformed("its tools are no list"));
            };
            // Over all pages: each alone may stay below the cap for one answer.
            bytes += page.iter().map(|tool| tool.to_string().len()).sum::<usize>();
            if bytes > MAX_TOOL_BYTES {
                let detail = format!("more than {MAX_TOOL_BYTES} bytes of tools");
                return Err(CrawlError::TooLarge { subject: redact(self.url), detail });
            }
            tools.extend(page);
            match result.get("nextCursor").and_then(Value::as_str) {
                None => return Ok(tools),
                Some(next) if !cursors.insert(next.to_owned()) => {
                    return Err(self.malformed("its cursor leads in a circle"));
                }
                Some(next) => cursor = Some(next.to_owned()),
            }
        }
        Err(self.malformed("its pages of tools do not end"))
    }

    async fn ask(&mut self, method: &'static str, mut params: Value) -> Result<JsonRpcReply, CrawlError> {
        let id = self.next_id;
        self.next_id += 1;
        if self.is_modern
            && let Some(params) = params.as_object_mut()
        {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientInfo": client_info(),
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            params.insert("_meta".to_owned(), meta);
        }
        let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let (bytes, headers) = self.send(method, &body).await?;
        if method == "initialize" {
            // The id goes back in a header of every request, so a long one is not kept.
            self.session = headers.mcp_session.clone().filter(|session| session.len() <= 1_024);
        }
        answer::read(&bytes, headers.content_type.as_deref(), id).map_err(|detail| self.malformed(&detail))
    }

    async fn send(&self, method: &str, body: &Value) -> Result<(Vec<u8>, Box<KeptHeaders>), CrawlError> {
        let body = body.to_string();
        let mut headers = vec![("content-type", "application/json")];
        if self.is_modern {
            headers.extend([("mcp-protocol-version", MODERN), ("mcp-method", method)]);
        } else if method != "initialize" {
            headers.push(("mcp-protocol-version", self.revision.as_str()));
        }
        headers.extend(self.session.as_deref().map(|session| ("mcp-session-id", session)));
        let request = HttpRequest {
            url: self.url,
            accept: Some("application/json, text/event-stream"),
            headers: &headers,
            body: Some(body.as_bytes()),
            rate_limit: Some(super::RATE_LIMIT),
            max_bytes: MAX_BYTES,
            ..HttpRequest::default()
        };
        match self.http.send(request).await? {
            HttpResponse::Body { bytes, headers, .. } => Ok((bytes, headers)),
            HttpResponse::NotModified => Err(self.malformed("\"not modified\" to a question")),
        }
    }

    fn malformed(&self, detail: &str) -> CrawlError {
        CrawlError::Malformed { subject: redact(self.url), reason: GapReason::BadAnswer, detail: detail.to_owned() }
    }

    fn refused(&self, code: i64, message: &str) -> CrawlError {
        CrawlError::Denied { subject: redact(self.url), detail: format!("error {code}: {message}") }
    }
}

fn client_info() -> Value {
    json!({"name": "capdex", "version": env!("CARGO_PKG_VERSION")})
}

/// Revisions are dates; anything else would be a text of the endpoint's choice in our headers.
fn is_date(text: &str) -> bool {
    text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}
