//! The source `mcp`: live MCP endpoints, asked what they are and what they list for models. The answer of an endpoint is
//! both its listing and its bytes.
//!
//! Read-only: `server/discover` or `initialize`, then the lists of tools, prompts and resources and the pages of its user
//! interface (`ui://`); never a call, never another resource, never a credential. What they list is scanned elsewhere. Sources: the MCP specification, revisions 2026-07-28 and 2025-11-25
//! (streamable HTTP) and 2024-11-05 (HTTP+SSE).

mod answer;
mod conversation;
mod older_transport;
mod ui_pages;

use std::collections::BTreeMap;
use std::time::Duration;

use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims, Listing, Locator, Validators};
use capdex_model::repository_signals::RepositorySignals;
use capdex_model::snapshot::GapReason;
use capdex_model::source_role::{Ecosystem, SourceRole, Speaker};
use serde_json::{Value, json};
use url::Url;

use crate::http::{Http, RateLimit};
use crate::walk::{self, Visited};
use crate::{CrawlError, ListFuture, ListRequest, Source, SourceMeta, WalkKind};

use conversation::McpServerDescription;
use ui_pages::UiPage;

/// The source.
pub const SOURCE: &dyn Source = &Mcp;

struct Mcp;

/// One request at a time with a pause between: a census of ten thousand endpoints that went faster rate-limited itself.
pub(crate) const RATE_LIMIT: RateLimit = RateLimit { per_minute: 90, burst: 1, in_flight: 1 };

/// The time that one conversation may take in all, but for waits for rate limits: a slow pace is our own choice.
const PATIENCE: Duration = Duration::from_secs(300);

const META: SourceMeta = SourceMeta {
    id: "mcp",
    title: "live MCP endpoints",
    about: "\
Lists endpoints by their address: those of the watchlist, and those that registry rows name as remotes. Each is asked with
`server/discover` (revision 2026-07-28), and where it answers that with an error with `initialize`; where it takes no POST,
over its event stream (HTTP+SSE, revision 2024-11-05). Then for its tools and, where it says that it has them, its prompts,
resources and templates of resources, page by page, and for the pages of its user interface (`ui://`), up to 24 of up to 1 MB.
Nothing is ever called, no other resource is read and no credential is sent. The answer is the listing, and its lists are what is scanned.

A redirect within the endpoint's own origin is followed (307, 308), any other is refused. An address of the watchlist may lie
on the operator's own network, one that a listing names may not.

An endpoint is unchanged where the digest of its name, version, instructions and lists, in the order of their names, is the
one of the last visit. One that asks for credentials, refuses or does not answer is unknown, never gone.",
    endpoints: "`POST <address>` with JSON-RPC: `server/discover`, `initialize`, `notifications/initialized`, `tools/list`, \
                `prompts/list`, `resources/list`, `resources/templates/list`, `resources/read` of `ui://`; `GET <address>` for the event stream of HTTP+SSE.",
    limits: "None published; capdex sends one request at a time to a host, at most 90 a minute.",
    stored: "Name, version, instructions, tools with descriptions, schemas and annotations, the lists of prompts and \
             resources, and the pages of its user interface.",
    terms: "Those of each endpoint; only what it tells every client before any login is read.",
    base_url: None,
    rate_limits: &[],
    keys: &[],
    walk: WalkKind::Names,
    role: SourceRole {
        speaker: Speaker::Artifact(Ecosystem::Mcp),
        precedence: 5,
        ..SourceRole::UNKNOWN
    },
};

impl Source for Mcp {
    fn meta(&self) -> &'static SourceMeta {
        &META
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a> {
        Box::pin(async move {
            let names = request.settings.walked.names(|| request.settings.watchlist.clone());
            walk::step(&request, &names, |name, known| visit(request.http.clone(), request.key(name), known)).await
        })
    }
}

async fn visit(http: Http, key: ListingKey, known: Option<Validators>) -> Result<Visited, CrawlError> {
    let url = address(&key.name)?;
    let said = conversation::hold(&http.visiting(&key.name, &url).timed(), &url).await.map_err(never_gone)?;
    let digest = Digest::of_json(&said.canonical());
    if known.and_then(|known| known.digest) == Some(digest) {
        return Ok(Visited::Unchanged);
    }
    let validators = Validators { digest: Some(digest), ..Validators::default() };
    Ok(Visited::Changed(Box::new(listing(key, &said)), validators))
}

/// The address that a name is.
///
/// # Errors
/// `Malformed` for text that is none, and for one with a user or a password in it.
fn address(name: &str) -> Result<String, CrawlError> {
    let malformed = |detail: &str| CrawlError::Malformed {
        subject: crate::http::redact(name),
        reason: GapReason::Malformed,
        detail: detail.to_owned(),
    };
    let url = Url::parse(name).map_err(|_| malformed("this is no address of an endpoint"))?;
    // Credentials in a published address are a slip of its publisher's, and to use them would be a login.
    if !matches!(url.scheme(), "http" | "https") || !url.username().is_empty() || url.password().is_some() {
        return Err(malformed("only http and https without a user are asked"));
    }
    Ok(url.into())
}

/// An endpoint that is not there may be back tomorrow: absence is said by whoever lists it.
fn never_gone(error: CrawlError) -> CrawlError {
    match error {
        CrawlError::Gone { subject } => {
            CrawlError::Denied { subject, detail: "nothing answers at this address (404)".to_owned() }
        }
        other => other,
    }
}

fn listing(key: ListingKey, said: &McpServerDescription) -> Listing {
    let mut document = json!({
        "server": said.server,
        "protocolVersion": said.revision,
        "instructions": said.instructions,
        "tools": said.tools,
    });
    if let Some(document) = document.as_object_mut() {
        document.extend(said.kept.clone());
    }
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let mut files = BTreeMap::from([("tools.json".to_owned(), format!("{document:#}\n"))]);
    for (number, page) in (1..).zip(&said.pages) {
        files.insert(ui_pages::file_name(number, &page.uri), page.text.clone());
    }
    let resources: Vec<Value> = said.resources.iter().map(|resource| with_rights(resource, &said.pages)).collect();
    // Each list beside it has the form of the answer to its method.
    for (file, member, entries) in [
        ("prompts.json", "prompts", &said.prompts),
        ("resources.json", "resources", &resources),
        ("resource-templates.json", "resourceTemplates", &said.templates),
    ] {
        if !entries.is_empty() {
            files.insert(file.to_owned(), format!("{:#}\n", json!({ member: entries })));
        }
    }
    let claims = Claims {
        description: text(&said.server, "description").map_or(Claim::Unknown, Claim::Known),
        repository_signals: RepositorySignals::default(),
        ..Claims::default()
    };
    // An address means one endpoint, whatever an operator calls the source that asks it.
    let identity = format!("{}:{}", Ecosystem::Mcp.as_str(), key.name);
    let locator = Locator::Inline { identity, version: text(&said.server, "version"), files };
    Listing { key, locators: vec![locator], claims, references: Vec::new() }
}

/// A resource with the rights that its page asks for, where the list says nothing of them: clients go by either.
fn with_rights(resource: &Value, pages: &[UiPage]) -> Value {
    let mut resource = resource.clone();
    let uri = resource.get("uri").and_then(Value::as_str);
    let page = pages.iter().find(|page| Some(page.uri.as_str()) == uri && !page.meta.is_null());
    if let (Some(page), Some(object)) = (page, resource.as_object_mut())
        && !object.contains_key("_meta")
    {
        object.insert("_meta".to_owned(), page.meta.clone());
    }
    resource
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod transport_tests;
