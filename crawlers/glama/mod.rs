//! The source `glama`: the servers of Glama's directory.
//!
//! Source: the API's own description and answers as seen in 2026.

use std::collections::BTreeMap;

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims, Listing, Locator};
use capdex_model::source_role::{FilledBy, SourceRole};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::http::{HttpRequest, RateLimit};
use crate::{
    CrawlError, KeyMeta, ListFuture, ListPage, ListRequest, NextPage, Source, SourceMeta, WalkKind, claims, page,
    references,
};

/// The source.
pub const SOURCE: &dyn Source = &Glama;

/// The most bytes of a page: a hundred servers with all their tools.
const MAX_PAGE_BYTES: u64 = 32 << 20;

/// Members that Glama itself computes about a server.
const VOLATILE: [&str; 1] = ["scores"];

struct Glama;

const META: SourceMeta = SourceMeta {
    id: "glama",
    title: "Glama",
    about: "\
Each server is a listing under Glama's own `id`, because namespace and slug can change. It carries the text of its entry, and
its tools as a tools list where the directory has any; it refers to its repository. An entry is unchanged where the digest
of it without `scores` is the one of the last visit: the directory names no versions.

A walk goes from cursor to cursor, newest first, and ends where the directory says that there is no next page.",
    endpoints: "`GET /api/mcp/v1/servers?first=100&after=…`.",
    limits: "None published. capdex asks 60 times a minute at most, one after the other.",
    stored: "The text of the entry without `scores`, the tools, description, licence, repository.",
    terms: "Glama's API Data License: a key, visible attribution on each page that shows the data (\"Data from Glama\"), and a \
            link to the record (<https://glama.ai/mcp/servers>, with the entry's own `url`). Whoever publishes an export with \
            these listings must do so too.",
    base_url: Some("https://glama.ai"),
    rate_limits: &[("https://glama.ai", RateLimit { per_minute: 60, burst: 5, in_flight: 1 })],
    keys: &[KeyMeta {
        variable: "CAPDEX_GLAMA_KEY",
        header: "authorization",
        prefix: "Bearer ",
        is_required: true,
    }],
    walk: WalkKind::Directory { is_incremental: false },
    role: SourceRole { filled_by: FilledBy::Others, ..SourceRole::UNKNOWN },
};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct GlamaCursorState {
    after: String,
}

impl Source for Glama {
    fn meta(&self) -> &'static SourceMeta {
        &META
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a> {
        Box::pin(step(request))
    }
}

async fn step(request: ListRequest<'_>) -> Result<ListPage, CrawlError> {
    let after = page::state(request.cursor).map(|state: GlamaCursorState| state.after);
    let mut query = vec![("first", "100")];
    query.extend(after.as_deref().map(|after| ("after", after)));
    let url = page::address(&request.settings.base_url, "/api/mcp/v1/servers", &query)?;
    let asked = HttpRequest {
        url: &url,
        accept: Some("application/json"),
        max_bytes: MAX_PAGE_BYTES,
        ..HttpRequest::default()
    };
    let mut whole = page::json(request.http, asked).await?;
    let malformed = |detail: String| CrawlError::bad_answer(&url, &detail);
    let servers = page::objects(&mut whole, "servers").map_err(malformed)?;
    let next = next(&whole, after.as_deref()).map_err(malformed)?;
    let name = |server: &Map<String, Value>| page::text(server, "id").map(str::to_owned);
    let listed = page::entries(request.id, servers, name, read).map_err(malformed)?;
    Ok(ListPage { listed, next })
}

fn next(whole: &Value, asked: Option<&str>) -> Result<NextPage, String> {
    let info = whole.get("pageInfo");
    let said = |member: &str| info.and_then(|info| info.get(member));
    match said("hasNextPage").and_then(Value::as_bool) {
        // Without this word an end and a broken answer look alike, and the rest of the directory would count as gone.
        None => Err("it does not say whether there is a next page".to_owned()),
        Some(false) => Ok(NextPage::END),
        Some(true) => match page::next_cursor(said("endCursor"), asked)? {
            Some(after) => Ok(NextPage::More(page::cursor(&GlamaCursorState { after }))),
            None => Err("it has a next page and no cursor".to_owned()),
        },
    }
}

fn read(server: &Map<String, Value>, key: &ListingKey) -> Result<(Listing, Value), String> {
    let mut kept = page::without(server, &VOLATILE);
    // Taken before the tools move to a file of their own, so that the digest covers them.
    let canonical = Value::Object(kept.clone());
    // An empty list says that the directory knows no tools, not that the server has none.
    let tools = kept.remove("tools").filter(|tools| tools.as_array().is_some_and(|tools| !tools.is_empty()));
    let mut files = BTreeMap::from([("listing.json".to_owned(), page::pretty(&kept))]);
    if let Some(tools) = tools {
        let list = Map::from_iter([("tools".to_owned(), json!(tools))]);
        files.insert("tools.json".to_owned(), page::pretty(&list));
    }
    let repository = server.get("repository").and_then(Value::as_object);
    let claims = Claims {
        description: claims::text(server.get("description"), &Claim::Unknown),
        license: license(server.get("spdxLicense")),
        repository: repository.map_or(Claim::Unknown, |of| claims::text(of.get("url"), &Claim::Absent)),
        ..Claims::default()
    };
    let references = references::sorted([references::repository(&claims.repository)]);
    let locator = Locator::Inline { identity: key.to_string(), version: None, files };
    Ok((Listing { key: key.clone(), locators: vec![locator], claims, references }, canonical))
}

/// The licence's SPDX id, which stands in its address, `…/MIT.json`; else its name.
fn license(value: Option<&Value>) -> Claim<String> {
    let Some(license) = value.and_then(Value::as_object) else { return Claim::Unknown };
    let id = page::text(license, "url").and_then(|url| url.rsplit('/').next()?.strip_suffix(".json"));
    match id {
        Some(id) if !id.is_empty() => claims::of_text(id),
        _ => claims::text(license.get("name"), &Claim::Unknown),
    }
}

#[cfg(test)]
mod tests;
