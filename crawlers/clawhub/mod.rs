//! The source `clawhub`: the skills of ClawHub.
//!
//! Source: its OpenAPI document and `http-api.md` as of 2026.

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claims, Listing, Locator};
use capdex_model::source_role::{SourceRole, Speaker};
use capdex_model::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::http::{HttpRequest, RateLimit};
use crate::{
    CrawlError, KeyMeta, ListFuture, ListPage, ListRequest, NextPage, Source, SourceMeta, WalkKind, WalkScope, claims,
    page,
};

/// The source.
pub const SOURCE: &dyn Source = &ClawHub;

/// Skills that are asked for in one page, the most that the API allows.
const PAGE_ROWS: &str = "200";

/// The most bytes of a page.
const MAX_PAGE_BYTES: u64 = 16 << 20;

/// The seconds before its watermark that a walk still looks at.
const OVERLAP_S: i64 = 10 * 60;

struct ClawHub;

const META: SourceMeta = SourceMeta {
    id: "clawhub",
    title: "ClawHub",
    about: "\
Each skill is a listing, `owner/slug` where the list names the owner and `slug` where it does not; several owners may have
one slug. It is located as the zip archive of its latest version. A skill whose files ClawHub does not host itself has no
version in the list, and no locator.

A full walk goes by `createdAt`, which the API calls stable for crawls, and ends where the server gives no further cursor;
a short page is no end. Between full walks the list goes by `updated`, newest first, until ten minutes before the newest
change of the last walk. A skill is unchanged where the digest of its entry without `stats` and `updatedAt` is the one of
the last visit.",
    endpoints: "`GET /api/v1/skills?limit=200&sort=createdAt&cursor=…`, between full walks with `sort=updated`; the archive \
                at `GET /api/v1/download?slug=…&version=…`.",
    limits: "3,000 reads and 1,200 downloads a minute for an address, four and five times as many with a key \
             (`http-api.md`, \"Rate limits\"), with `RateLimit-*` and `Retry-After`. capdex asks 600 times a minute at most.",
    stored: "Summary, topics, instants of creation and of the latest version. Downloads, counted over all \
             time, only to rank by.",
    terms: "ClawHub is MIT; directories may reuse its API where they cache, honour 429, link back, imply no endorsement and \
            mirror nothing that is hidden. Each skill is under its author's own licence.",
    base_url: Some("https://clawhub.ai"),
    rate_limits: &[("https://clawhub.ai", RateLimit { per_minute: 600, burst: 20, in_flight: 4 })],
    keys: &[KeyMeta {
        variable: "CAPDEX_CLAWHUB_KEY",
        header: "authorization",
        prefix: "Bearer ",
        is_required: false,
    }],
    walk: WalkKind::Directory { is_incremental: true },
    role: SourceRole { speaker: Speaker::Publisher, ..SourceRole::UNKNOWN },
};

#[derive(Clone, Debug, Serialize, Deserialize)]
struct ClawhubCursorState {
    cursor: Option<String>,
    newest: Option<Timestamp>,
    began: Timestamp,
}

impl Source for ClawHub {
    fn meta(&self) -> &'static SourceMeta {
        &META
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a> {
        Box::pin(step(request))
    }
}

async fn step(request: ListRequest<'_>) -> Result<ListPage, CrawlError> {
    let since = match request.walk {
        WalkScope::Since(watermark) => watermark.parse::<Timestamp>().ok(),
        WalkScope::Full => None,
    };
    let state: ClawhubCursorState = page::state(request.cursor).unwrap_or(ClawhubCursorState {
        cursor: None,
        newest: since,
        began: request.as_of.0,
    });
    let mut query = vec![("limit", PAGE_ROWS), ("sort", if since.is_some() { "updated" } else { "createdAt" })];
    query.extend(state.cursor.as_deref().map(|cursor| ("cursor", cursor)));
    let url = page::address(&request.settings.base_url, "/api/v1/skills", &query)?;
    let asked = HttpRequest {
        url: &url,
        accept: Some("application/json"),
        max_bytes: MAX_PAGE_BYTES,
        ..HttpRequest::default()
    };
    let mut whole = page::json(request.http, asked).await?;
    let malformed = |detail: String| CrawlError::bad_answer(&url, &detail);
    let items = page::objects(&mut whole, "items").map_err(malformed)?;
    let cursor = whole.get("nextCursor").ok_or_else(|| malformed("it has no \"nextCursor\"".to_owned()))?;
    let cursor = page::next_cursor(Some(cursor), state.cursor.as_deref()).map_err(malformed)?;
    let changes: Vec<_> = items.iter().filter_map(updated).collect();
    let is_past = since.is_some_and(|since| is_before(&changes, since));
    // The walk stops at the first old entry, so a list in another order would hide changes behind it.
    if since.is_some() && !changes.iter().rev().is_sorted() {
        return Err(malformed("asked for the newest first, it gave another order".to_owned()));
    }
    let newest = changes.into_iter().chain(state.newest).max();
    let base_url = &request.settings.base_url;
    let listed = page::entries(request.id, items, name, |item, key| read(item, key, base_url)).map_err(malformed)?;
    let next = match cursor.filter(|_| !is_past) {
        Some(cursor) => NextPage::More(page::cursor(&ClawhubCursorState { cursor: Some(cursor), newest, ..state })),
        // An entry that changed after the walk began may have moved past the cursor, so the watermark stays before it.
        None => NextPage::Complete { watermark: newest.map(|newest| newest.min(state.began).to_string()) },
    };
    Ok(ListPage { listed, next })
}

fn updated(item: &Map<String, Value>) -> Option<Timestamp> {
    claims::milliseconds(item.get("updatedAt")).known().copied()
}

/// True where the entries after this page changed before the watermark and its overlap.
fn is_before(changes: &[Timestamp], since: Timestamp) -> bool {
    changes.last().is_some_and(|last| last.unix_seconds() < since.unix_seconds().saturating_sub(OVERLAP_S))
}

fn owner(item: &Map<String, Value>) -> Option<&str> {
    let nested = || page::text(item.get("owner")?.as_object()?, "handle");
    page::text(item, "ownerHandle").or_else(nested)
}

fn name(item: &Map<String, Value>) -> Option<String> {
    let slug = page::text(item, "slug")?;
    // One owner must have one name, with and without the `@`.
    Some(owner(item).map_or_else(|| slug.to_owned(), |owner| format!("{}/{slug}", owner.trim_start_matches('@'))))
}

fn read(item: &Map<String, Value>, key: &ListingKey, base_url: &str) -> Result<(Listing, Value), String> {
    let latest = item.get("latestVersion").and_then(Value::as_object);
    let version = latest.and_then(|latest| page::text(latest, "version"));
    let locator = version.map(|version| archive(item, key, version, base_url)).transpose()?;
    let claims = Claims {
        description: claims::text(item.get("summary"), &capdex_model::listing::Claim::Unknown),
        keywords: claims::texts(item.get("topics")),
        created: claims::milliseconds(item.get("createdAt")),
        published: claims::milliseconds(latest.and_then(|latest| latest.get("createdAt"))),
        popularity: item.get("stats").and_then(|stats| stats.get("downloads")?.as_u64()),
        ..Claims::default()
    };
    let listing = Listing { key: key.clone(), locators: locator.into_iter().collect(), claims, references: Vec::new() };
    // Counts and the instant of an update change without a new version, so they are not part of the digest.
    Ok((listing, Value::Object(page::without(item, &["stats", "updatedAt"]))))
}

fn archive(item: &Map<String, Value>, key: &ListingKey, version: &str, base_url: &str) -> Result<Locator, String> {
    let slug = page::text(item, "slug").unwrap_or_default();
    let mut query = vec![("slug", slug), ("version", version)];
    query.extend(owner(item).map(|owner| ("ownerHandle", owner)));
    let url = page::address(base_url, "/api/v1/download", &query).map_err(|error| error.to_string())?;
    Ok(Locator::HttpFile {
        identity: key.to_string(),
        version: Some(version.to_owned()),
        url,
        // The slug is a stranger's text: a slash in it would make a path of the file name.
        filename: format!("{}.zip", slug.replace('/', "-")),
        integrity: Vec::new(),
    })
}

#[cfg(test)]
mod tests;
