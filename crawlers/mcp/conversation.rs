//! One conversation with an endpoint: who are you, and which tools, prompts and resources do you have.
//!
//! Every bound is on what a hostile endpoint can make of it: pages, tools, bytes, and cursors that lead in a circle.

use std::collections::BTreeSet;

use capdex_model::digest::Digest;
use capdex_model::snapshot::GapReason;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::PATIENCE;
use super::answer::{self, JsonRpcReply};
use super::older_transport::OlderTransport;
use super::ui_pages::{self, MAX_PAGE_BYTES, UiPage};
use crate::CrawlError;
use crate::http::{Http, HttpRequest, HttpResponse, KeptHeaders, is_status, redact};

/// The revision without a handshake that is asked for.
const MODERN: &str = "2026-07-28";
/// The revision that is offered in a handshake; an endpoint answers with the one that it speaks.
const LEGACY: &str = "2025-11-25";
/// The revision that is offered over an event stream, the last one of that transport.
const OLDEST: &str = "2024-11-05";
/// The most bytes of one answer. The largest tools lists have about 1 MB.
pub(super) const MAX_BYTES: u64 = 16 << 20;
/// The most bytes of all that one endpoint lists.
const MAX_LISTED_BYTES: usize = 32 << 20;
/// Pages that are read at most, over all lists.
const MAX_PAGES: usize = 200;
/// The member of an answer that holds templates of resources; the capability `resources` stands for both lists.
const TEMPLATES: &str = "resourceTemplates";
/// JSON-RPC's code for a method that a server does not know.
const METHOD_NOT_FOUND: i64 = -32601;

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
    /// The prompts, in its order.
    pub prompts: Vec<Value>,
    /// The resources, in its order; those of its user interface (`ui://`) are among them.
    pub resources: Vec<Value>,
    /// The templates of resources, in its order.
    pub templates: Vec<Value>,
    /// The pages of its user interface, in the order in which they are named.
    pub pages: Vec<UiPage>,
    /// What it says of keeping its list of tools: `ttlMs` and `cacheScope`.
    pub kept: Map<String, Value>,
}

impl McpServerDescription {
    /// The content by which a change is measured: everything but the order of what it lists.
    pub(super) fn canonical(&self) -> Value {
        let sorted = |entries: &[Value]| {
            let mut entries = entries.to_vec();
            entries.sort_by_cached_key(|entry| (entry.get("name").map(ToString::to_string), entry.to_string()));
            entries
        };
        let tools = sorted(&self.tools);
        // A server of tools alone keeps the digest that it had before the other lists were asked for.
        let has_lists = !(self.prompts.is_empty() && self.resources.is_empty() && self.templates.is_empty());
        if !has_lists && self.pages.is_empty() {
            return json!([self.server, self.instructions, tools]);
        }
        let more = [&self.prompts, &self.resources, &self.templates].map(|entries| sorted(entries));
        if self.pages.is_empty() {
            return json!([self.server, self.instructions, tools, more]);
        }
        let mut pages: Vec<Value> =
            self.pages.iter().map(|page| json!([page.uri, Digest::of(page.text.as_bytes()), page.meta])).collect();
        pages.sort_by_cached_key(ToString::to_string);
        json!([self.server, self.instructions, tools, more, pages])
    }
}

struct Endpoint<'a> {
    http: &'a Http,
    /// The address that answers: the one that was asked, or where it redirects to within its origin.
    url: String,
    revision: String,
    session: Option<String>,
    is_modern: bool,
    next_id: u64,
    /// The event stream of the older transport; none over streamable HTTP.
    older: Option<OlderTransport>,
    begun: Instant,
    pages: usize,
    listed_bytes: usize,
    /// What the last answer with a list of tools said of keeping it.
    kept: Map<String, Value>,
}

/// Asks an endpoint what it is and what it lists.
///
/// # Errors
/// Any error of the client; `Malformed` for answers of another form.
pub(super) async fn hold(http: &Http, url: &str) -> Result<McpServerDescription, CrawlError> {
    let mut endpoint = Endpoint {
        http,
        url: url.to_owned(),
        revision: MODERN.to_owned(),
        session: None,
        is_modern: true,
        next_id: 1,
        older: None,
        begun: Instant::now(),
        pages: 0,
        listed_bytes: 0,
        kept: Map::new(),
    };
    let about = match endpoint.discover().await? {
        Some(about) => about,
        None => endpoint.introduce().await?,
    };
    let has = |name: &str| about.pointer(&format!("/capabilities/{name}")).is_some();
    let tools = if has("tools") { endpoint.list("tools/list", "tools", false).await? } else { Vec::new() };
    let prompts = if has("prompts") { endpoint.list("prompts/list", "prompts", true).await? } else { Vec::new() };
    let (mut resources, mut templates) = (Vec::new(), Vec::new());
    if has("resources") {
        resources = endpoint.list("resources/list", "resources", true).await?;
        templates = endpoint.list("resources/templates/list", TEMPLATES, true).await?;
    }
    let pages = endpoint.ui_pages(&ui_pages::named(&resources, &tools)).await?;
    let in_meta = about.pointer("/_meta/io.modelcontextprotocol~1serverInfo");
    let server = about.get("serverInfo").or(in_meta).cloned().unwrap_or(Value::Null);
    let instructions = about.get("instructions").cloned().unwrap_or(Value::Null);
    let Endpoint { revision, kept, .. } = endpoint;
    Ok(McpServerDescription { revision, server, instructions, tools, prompts, resources, templates, pages, kept })
}

impl Endpoint<'_> {
    /// None where the endpoint does not know the question: it speaks an older revision.
    async fn discover(&mut self) -> Result<Option<Value>, CrawlError> {
        match self.ask("server/discover", json!({})).await {
            Ok(JsonRpcReply::Result(about)) if about.get("supportedVersions").is_some() => Ok(Some(about)),
            // Endpoints of older revisions answer an unknown method with whatever error they have: of JSON-RPC, a status
            // of theirs or of a gateway before them, a login page. Limits and silence are no such answer.
            Ok(_) => Ok(None),
            Err(
                CrawlError::Gone { .. }
                | CrawlError::Malformed { .. }
                | CrawlError::Unauthorized { .. }
                | CrawlError::Denied { .. }
                | CrawlError::Transient { .. },
            ) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The handshake, over streamable HTTP and else over the older transport.
    async fn introduce(&mut self) -> Result<Value, CrawlError> {
        self.is_modern = false;
        let refusal = match self.initialize(LEGACY).await {
            // The specification's sign of an older server: it does not take a POST here.
            Err(error) if takes_no_post(&error) => error,
            said => return said,
        };
        self.older = OlderTransport::open(self.http, &self.url).await?;
        // No event stream either: what it said to the POST stands.
        if self.older.is_none() { Err(refusal) } else { self.initialize(OLDEST).await }
    }

    async fn initialize(&mut self, revision: &str) -> Result<Value, CrawlError> {
        revision.clone_into(&mut self.revision);
        let params = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": client_info()});
        let about = match self.ask("initialize", params).await? {
            JsonRpcReply::Result(about) if about.get("capabilities").is_some() => about,
            JsonRpcReply::Result(_) => return Err(self.malformed("it does not say what it can do")),
            JsonRpcReply::Error(code, message) => return Err(self.refused(code, &message)),
        };
        if let Some(revision) = about.get("protocolVersion").and_then(Value::as_str).filter(|text| is_date(text)) {
            revision.clone_into(&mut self.revision);
        }
        // An endpoint may refuse everything else until it has this notification.
        self.notify("notifications/initialized").await?;
        Ok(about)
    }

    /// All pages of one list. Where `is_optional`, an endpoint that does not know the method lists nothing.
    async fn list(&mut self, method: &'static str, member: &str, is_optional: bool) -> Result<Vec<Value>, CrawlError> {
        let (mut entries, mut cursors, mut cursor) = (Vec::new(), BTreeSet::new(), None::<String>);
        loop {
            self.pages += 1;
            if self.pages > MAX_PAGES {
                return Err(self.malformed(&format!("the pages of its {member} do not end")));
            }
            let params = cursor.as_ref().map_or_else(|| json!({}), |cursor| json!({ "cursor": cursor }));
            let result = match self.ask(method, params).await {
                Ok(JsonRpcReply::Result(result)) => result,
                Ok(JsonRpcReply::Error(METHOD_NOT_FOUND, _)) if is_optional => return Ok(entries),
                // Some servers say the same with a status. Only of templates nothing else is announced.
                Err(error) if is_optional && member == TEMPLATES && takes_no_post(&error) => return Ok(entries),
                Ok(JsonRpcReply::Error(code, message)) => {
                    return Err(self.refused(code, &format!("{method}: {message}")));
                }
                Err(error) => return Err(error),
            };
            let Some(Value::Array(page)) = result.get(member).cloned() else {
                return Err(self.malformed(&format!("its {member} are no list")));
            };
            if member == "tools" {
                let said = ["ttlMs", "cacheScope"].into_iter().filter_map(|key| Some((key, result.get(key)?.clone())));
                self.kept = said.map(|(key, value)| (key.to_owned(), value)).collect();
            }
            // Over all pages and lists: each alone may stay below the cap for one answer.
            self.listed_bytes += page.iter().map(|entry| entry.to_string().len()).sum::<usize>();
            if self.listed_bytes > MAX_LISTED_BYTES {
                let detail = format!("more than {MAX_LISTED_BYTES} bytes of tools, prompts and resources");
                return Err(CrawlError::TooLarge { subject: redact(&self.url), detail });
            }
            entries.extend(page);
            match result.get("nextCursor").and_then(Value::as_str) {
                None => return Ok(entries),
                Some(next) if !cursors.insert(next.to_owned()) => {
                    return Err(self.malformed("its cursor leads in a circle"));
                }
                Some(next) => cursor = Some(next.to_owned()),
            }
        }
    }

    /// The pages of its user interface. One that it does not have, no client has either.
    async fn ui_pages(&mut self, uris: &[String]) -> Result<Vec<UiPage>, CrawlError> {
        if uris.len() > ui_pages::MAX_PAGES {
            return Err(self.malformed(&format!("more than {} pages of a user interface", ui_pages::MAX_PAGES)));
        }
        let mut pages = Vec::new();
        for uri in uris {
            let answer = match self.ask("resources/read", json!({ "uri": uri })).await? {
                JsonRpcReply::Result(answer) => answer,
                JsonRpcReply::Error(..) => continue,
            };
            let Some(page) = ui_pages::of_answer(uri, &answer) else { continue };
            self.listed_bytes += page.text.len();
            if page.text.len() > MAX_PAGE_BYTES || self.listed_bytes > MAX_LISTED_BYTES {
                let detail = format!("a page of its user interface has more than {MAX_PAGE_BYTES} bytes");
                return Err(CrawlError::TooLarge { subject: redact(&self.url), detail });
            }
            pages.push(page);
        }
        Ok(pages)
    }

    async fn ask(&mut self, method: &'static str, mut params: Value) -> Result<JsonRpcReply, CrawlError> {
        // Deadlines of single requests do not bound a conversation of many pages.
        if self.begun.elapsed().saturating_sub(self.http.waited()) > PATIENCE {
            let detail = format!("the conversation took more than {} s", PATIENCE.as_secs());
            return Err(CrawlError::Transient { subject: redact(&self.url), detail });
        }
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
        if let Some(older) = &mut self.older {
            let reply = older.ask(self.http, &body, Some(id)).await?;
            return reply.ok_or_else(|| self.malformed("no answer to a question"));
        }
        let (bytes, headers) = self.send(method, &body).await?;
        if method == "initialize" {
            // The id goes back in a header of every request, so a long one is not kept.
            self.session = headers.mcp_session.clone().filter(|session| session.len() <= 1_024);
        }
        answer::read(&bytes, headers.content_type.as_deref(), id).map_err(|detail| self.malformed(&detail))
    }

    /// Sends a message that wants no answer.
    async fn notify(&mut self, method: &'static str) -> Result<(), CrawlError> {
        let body = json!({"jsonrpc": "2.0", "method": method});
        if let Some(older) = &mut self.older {
            return older.ask(self.http, &body, None).await.map(drop);
        }
        match self.send(method, &body).await {
            // "No content" is what some servers have to say to it.
            Err(error) if !is_status(&error, 204) => Err(error),
            _ => Ok(()),
        }
    }

    async fn send(&mut self, method: &str, body: &Value) -> Result<(Vec<u8>, Box<KeptHeaders>), CrawlError> {
        let named = body.pointer("/params/uri").and_then(Value::as_str);
        let message = body.to_string();
        let mut headers = vec![("content-type", "application/json")];
        if self.is_modern {
            headers.extend([("mcp-protocol-version", MODERN), ("mcp-method", method)]);
            // Addresses that no header can carry are told in the body alone.
            let name = named.filter(|name| name.bytes().all(|byte| byte.is_ascii_graphic()));
            headers.extend(name.map(|name| ("mcp-name", name)));
        } else if method != "initialize" {
            headers.push(("mcp-protocol-version", self.revision.as_str()));
        }
        headers.extend(self.session.as_deref().map(|session| ("mcp-session-id", session)));
        let request = HttpRequest {
            url: &self.url,
            accept: Some("application/json, text/event-stream"),
            headers: &headers,
            body: Some(message.as_bytes()),
            rate_limit: Some(super::RATE_LIMIT),
            max_bytes: MAX_BYTES,
            ..HttpRequest::default()
        };
        match self.http.send(request).await? {
            HttpResponse::Body { bytes, headers, url, .. } => {
                // Servers that are mounted below a path redirect each message (`/mcp` to `/mcp/`); once is enough.
                self.url = url;
                Ok((bytes, headers))
            }
            HttpResponse::NotModified => Err(self.malformed("\"not modified\" to a question")),
        }
    }

    fn malformed(&self, detail: &str) -> CrawlError {
        CrawlError::Malformed { subject: redact(&self.url), reason: GapReason::BadAnswer, detail: detail.to_owned() }
    }

    fn refused(&self, code: i64, message: &str) -> CrawlError {
        CrawlError::Denied { subject: redact(&self.url), detail: format!("error {code}: {message}") }
    }
}

/// True where an endpoint does not take a POST: a status of 400 to 499 that is neither a login nor a limit.
fn takes_no_post(error: &CrawlError) -> bool {
    matches!(error, CrawlError::Gone { .. }) || (400..500).any(|status| is_status(error, status))
}

fn client_info() -> Value {
    json!({"name": "capdex", "version": env!("CARGO_PKG_VERSION")})
}

/// Revisions are dates; anything else would be a text of the endpoint's choice in our headers.
fn is_date(text: &str) -> bool {
    text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}
