//! One page of a search or a list: the repositories on it, and whether there are more.
//!
//! Must not know what becomes of them. A page that a link names is never asked for by that link: the next one has the
//! next number.

use std::collections::BTreeMap;

use capdex_model::time::AsOf;
use serde_json::Value;
use url::Url;

use super::place::At;
use super::queries::Query;
use super::repository::{Repository, name_of};
use super::visit::{DOCUMENT, Visitor};
use crate::forge::{self, MAX_DOCUMENT_BYTES};
use crate::http::{Answer, KeptHeaders, Request};
use crate::{CrawlError, json};

/// Entries on a page.
const PER_PAGE: u64 = 100;

/// The last page of a search: what lies behind it is refused.
const LAST_PAGE_OF_SEARCH: u64 = 10;

/// The last page of a list that is asked for; no owner has so many repositories.
const LAST_PAGE_OF_LIST: u64 = 2_000;

/// What a page gave.
pub(super) struct Found {
    /// The repositories by name, with what the page says of each where it says all that a listing has.
    pub(super) repositories: BTreeMap<String, Option<Repository>>,
    /// Where the walk of this query goes on; none at its end.
    pub(super) next: Option<At>,
}

/// Asks for the page at which a walk stands.
pub(super) async fn ask(visitor: &Visitor, query: &Query, at: &At, as_of: AsOf) -> Result<Found, CrawlError> {
    let url = address(visitor, query, at)?;
    let request = Request { url: &url, accept: Some(DOCUMENT), max_bytes: MAX_DOCUMENT_BYTES, ..Request::default() };
    let (bytes, headers) = match visitor.http.get(request).await {
        Ok(Answer::Body { bytes, headers, .. }) => (bytes, headers),
        Ok(Answer::NotModified) => return Err(CrawlError::bad_answer(&url, "no body, though nothing was known of it")),
        // An owner that is no more has no repositories.
        Err(CrawlError::Gone { subject }) if matches!(query, Query::Owner { .. }) => {
            tracing::warn!(url = subject, "what the schedule wants listed does not exist");
            return Ok(Found { repositories: BTreeMap::new(), next: None });
        }
        Err(error) => return Err(error),
    };
    let document = json::parse(&bytes, |_, _| false).map_err(|error| CrawlError::bad_answer(&url, error))?;
    match at {
        At::Search { index, shards, page } => searched(*index, shards, *page, query, &document, as_of)
            .ok_or_else(|| CrawlError::bad_answer(&url, "no results")),
        At::List { index, page } => {
            listed(*index, *page, &document, &headers).ok_or_else(|| CrawlError::bad_answer(&url, "no list"))
        }
        At::Ids { index, since } => {
            by_id(*index, *since, query, &document).ok_or_else(|| CrawlError::bad_answer(&url, "no list"))
        }
        At::Names { .. } => Ok(Found { repositories: BTreeMap::new(), next: None }),
    }
}

fn address(visitor: &Visitor, query: &Query, at: &At) -> Result<String, CrawlError> {
    let size = PER_PAGE.to_string();
    let base = &visitor.base_url;
    match (query, at) {
        (Query::Repositories(text), At::Search { shards, page, .. }) => {
            let search = shards.last().map_or_else(|| text.clone(), |shard| shard.search(text));
            let terms = [
                ("q", search.as_str()),
                ("sort", "stars"),
                ("order", "desc"),
                ("per_page", &size),
                ("page", &page.to_string()),
            ];
            forge::address(base, ["search", "repositories"], &terms)
        }
        (Query::Code(text), At::Search { shards, page, .. }) => {
            let search = shards.last().map_or_else(|| text.clone(), |shard| shard.search(text));
            forge::address(
                base,
                ["search", "code"],
                &[("q", &search), ("per_page", &size), ("page", &page.to_string())],
            )
        }
        (Query::Owner { kind, name }, At::List { page, .. }) => {
            let which = if *kind == "orgs" { "public" } else { "owner" };
            let terms = [("type", which), ("sort", "full_name"), ("per_page", &size), ("page", &page.to_string())];
            forge::address(base, [*kind, name, "repos"], &terms)
        }
        (Query::Ids { .. }, At::Ids { since, .. }) => {
            forge::address(base, ["repositories"], &[("since", &since.to_string())])
        }
        _ => Err(CrawlError::bad_answer(base, "the cursor and the query do not fit")),
    }
}

/// A page of a search. A search that has more results than it gives, or did not come to its end, is split instead.
fn searched(
    index: usize,
    shards: &[super::shard::Shard],
    page: u64,
    query: &Query,
    document: &Value,
    as_of: AsOf,
) -> Option<Found> {
    let total = document.get("total_count")?.as_u64()?;
    let is_incomplete = document.get("incomplete_results")?.as_bool()?;
    let items = document.get("items")?.as_array()?;
    let (shard, others) = shards.split_last()?;
    let at = |shards: Vec<_>, page| At::Search { index, shards, page };
    if is_incomplete || total > PER_PAGE * LAST_PAGE_OF_SEARCH {
        let now = u64::try_from(as_of.0.unix_seconds()).unwrap_or(0).saturating_add(86_400);
        let halves = match query {
            Query::Code(text) => shard.split_code(text),
            Query::Repositories(text) => shard.split_repositories(text, now),
            _ => None,
        };
        if let Some([low, high]) = halves {
            let shards = others.iter().cloned().chain([low, high]).collect();
            return Some(Found { repositories: BTreeMap::new(), next: Some(at(shards, 1)) });
        }
        tracing::warn!(total, is_incomplete, "a search cannot be split further: some of its results are not seen");
    }
    let is_last = page >= LAST_PAGE_OF_SEARCH || items.is_empty() || page * PER_PAGE >= total;
    let next = match is_last {
        false => Some(at(shards.to_vec(), page + 1)),
        true if others.is_empty() => None,
        true => Some(at(others.to_vec(), 1)),
    };
    let repositories = match query {
        Query::Code(_) => items.iter().filter_map(|item| named(item.get("repository")?, false)).collect(),
        _ => items.iter().filter_map(|item| named(item, true)).collect(),
    };
    Some(Found { repositories, next })
}

fn listed(index: usize, page: u64, document: &Value, headers: &KeptHeaders) -> Option<Found> {
    let items = document.as_array()?;
    let is_more = headers.link.as_deref().and_then(|link| linked(link, "next")).is_some();
    if items.is_empty() && (is_more || page > 1) {
        // The page before said that there is this one.
        return None;
    }
    let next = (is_more && page < LAST_PAGE_OF_LIST).then_some(At::List { index, page: page + 1 });
    Some(Found { repositories: items.iter().filter_map(|item| named(item, true)).collect(), next })
}

fn by_id(index: usize, since: u64, query: &Query, document: &Value) -> Option<Found> {
    let Query::Ids { to, .. } = query else { return None };
    let items = document.as_array()?;
    let id = |item: &Value| item.get("id").and_then(Value::as_u64);
    let last = items.iter().filter_map(id).max();
    let is_wanted = |item: &&Value| id(item).is_some_and(|id| id > since && id <= *to);
    let repositories = items.iter().filter(is_wanted).filter_map(|item| named(item, false)).collect();
    // What does not lead on is the end, and so is what leads beyond it.
    let next = last.filter(|last| *last > since && last < to).map(|since| At::Ids { index, since });
    Some(Found { repositories, next })
}

/// The name of an entry, and all that it says where `is_whole`; none for a private one and for what has no name.
fn named(item: &Value, is_whole: bool) -> Option<(String, Option<Repository>)> {
    let name = item.get("full_name")?.as_str()?;
    name_of(name)?;
    if item.get("private").and_then(Value::as_bool) == Some(true) {
        return None;
    }
    let read = if is_whole { Repository::read(item).ok() } else { None };
    Some((name.to_ascii_lowercase(), read))
}

/// The address that a `Link` header gives for a relation (RFC 8288).
pub(super) fn linked(link: &str, relation: &str) -> Option<Url> {
    let wanted = format!("rel=\"{relation}\"");
    let entry = link.split(',').find(|entry| entry.split(';').skip(1).any(|part| part.trim() == wanted))?;
    let address = entry.split(';').next()?.trim().strip_prefix('<')?.strip_suffix('>')?;
    Url::parse(address).ok()
}
