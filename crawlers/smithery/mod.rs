//! The source `smithery`: the servers of Smithery's registry.
//!
//! Source: the API's OpenAPI description in its SDK 0.7.0, and answers as seen in 2026-10.

use std::collections::BTreeMap;

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims, Listing, Locator};
use capdex_model::source_role::{SourceRole, Speaker};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::http::{HttpRequest, RateLimit};
use crate::{
    CrawlError, KeyMeta, ListFuture, ListPage, ListRequest, NextPage, Source, SourceMeta, WalkKind, claims, page,
    references,
};

/// The source.
pub const SOURCE: &dyn Source = &Smithery;

/// The most bytes of a page.
const MAX_PAGE_BYTES: u64 = 8 << 20;

/// Members that change without anybody deciding it.
const VOLATILE: [&str; 1] = ["useCount"];

struct Smithery;

const META: SourceMeta = SourceMeta {
    id: "smithery",
    title: "Smithery",
    about: "\
Each server is a listing, its `qualifiedName`. It carries the text of its entry, and refers to a repository where its
homepage is one. An entry is unchanged where the digest of it without `useCount` is the one of the last visit: the registry
names no versions.

A walk goes page by page to the last one that the registry announces. A page without entries before that is an error and
no end: without a key the list was seen to stop after 500 servers.",
    endpoints: "`GET /servers?page=<number>&pageSize=100`.",
    limits: "None published. capdex asks 60 times a minute at most, one after the other.",
    stored: "The text of the entry without `useCount`, description, instant of creation; the count, only to rank by.",
    terms: "The licence of the listing is not stated.",
    base_url: Some("https://registry.smithery.ai"),
    rate_limits: &[("https://registry.smithery.ai", RateLimit { per_minute: 60, burst: 5, in_flight: 1 })],
    keys: &[KeyMeta {
        variable: "CAPDEX_SMITHERY_KEY",
        header: "authorization",
        prefix: "Bearer ",
        is_required: false,
    }],
    walk: WalkKind::Directory { is_incremental: false },
    role: SourceRole { speaker: Speaker::Publisher, ..SourceRole::UNKNOWN },
};

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct SmitheryCursorState {
    page: u64,
}

impl Source for Smithery {
    fn meta(&self) -> &'static SourceMeta {
        &META
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a> {
        Box::pin(step(request))
    }
}

async fn step(request: ListRequest<'_>) -> Result<ListPage, CrawlError> {
    let SmitheryCursorState { page: number } = page::state(request.cursor).unwrap_or(SmitheryCursorState { page: 1 });
    let asked_for = number.to_string();
    let query = [("page", asked_for.as_str()), ("pageSize", "100")];
    let url = page::address(&request.settings.base_url, "/servers", &query)?;
    let asked = HttpRequest {
        url: &url,
        accept: Some("application/json"),
        max_bytes: MAX_PAGE_BYTES,
        ..HttpRequest::default()
    };
    let mut whole = page::json(request.http, asked).await?;
    let malformed = |detail: String| CrawlError::bad_answer(&url, &detail);
    let servers = page::objects(&mut whole, "servers").map_err(malformed)?;
    let said = |member: &str| whole.get("pagination").and_then(|of| of.get(member)).and_then(Value::as_u64);
    let (Some(current), Some(last)) = (said("currentPage"), said("totalPages")) else {
        return Err(malformed("it does not say which page it is and how many there are".to_owned()));
    };
    // A server that ignores the number would give the first page without end.
    if current != number {
        return Err(malformed(format!("page {number} was asked for, page {current} came")));
    }
    // Taken for the end, it would mark the rest of the list as gone.
    if servers.is_empty() && number < last {
        let detail = format!("the list stops at page {number} of {last}: is CAPDEX_SMITHERY_KEY set?");
        return Err(CrawlError::Denied { subject: crate::http::redact(&url), detail });
    }
    let name = |server: &Map<String, Value>| page::text(server, "qualifiedName").map(str::to_owned);
    let listed = page::entries(request.id, servers, name, read).map_err(malformed)?;
    let next = if number < last {
        NextPage::More(page::cursor(&SmitheryCursorState { page: number.saturating_add(1) }))
    } else {
        NextPage::END
    };
    Ok(ListPage { listed, next })
}

fn read(server: &Map<String, Value>, key: &ListingKey) -> Result<(Listing, Value), String> {
    let kept = page::without(server, &VOLATILE);
    let files = BTreeMap::from([("listing.json".to_owned(), page::pretty(&kept))]);
    let locator = Locator::Inline { identity: key.to_string(), version: None, files };
    let claims = Claims {
        description: claims::text(server.get("description"), &Claim::Unknown),
        created: claims::instant(server.get("createdAt")),
        popularity: server.get("useCount").and_then(Value::as_u64),
        ..Claims::default()
    };
    // A bare `owner/name` would read as a repository, but is no address.
    let homepage = page::text(server, "homepage").filter(|homepage| homepage.contains("://"));
    let references = references::sorted([homepage.and_then(references::of_repository)]);
    Ok((Listing { key: key.clone(), locators: vec![locator], claims, references }, Value::Object(kept)))
}

#[cfg(test)]
mod tests;
