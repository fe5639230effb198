//! Text search in an npm registry: names to list that nobody has named before.
//!
//! Search is a ranking: pages overlap and shift while they are read, so that nothing follows from absence. Source: the
//! registry's own documentation of `/-/v1/search` (at most 250 a page and 10,000 deep).

use std::collections::BTreeSet;

use serde::Deserialize;

use super::{NpmCursorState, ask, visits};
use crate::{CrawlError, ListPage, ListRequest, NextPage, package_lines};

const SIZE: u64 = 250;
const MAX_DEPTH: u64 = 10_000;
const MAX_BYTES: u64 = 16 << 20;

#[derive(Deserialize)]
struct Results {
    objects: Vec<NpmSearchHit>,
    total: u64,
}

#[derive(Deserialize)]
struct NpmSearchHit {
    package: NpmSearchPackage,
}

#[derive(Deserialize)]
struct NpmSearchPackage {
    name: String,
}

/// One page of the results of query number `query`, each visited unless the watchlist has it.
///
/// # Errors
/// Any error of the client, and `Malformed` for an answer of another form.
pub(super) async fn step(
    request: &ListRequest<'_>,
    query: usize,
    from: u64,
    seq: Option<String>,
) -> Result<ListPage, CrawlError> {
    let Some(text) = request.settings.queries.get(query) else {
        return Ok(ListPage { listed: Vec::new(), next: NextPage::Complete { watermark: seq } });
    };
    let encoded: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
    let base_url = request.settings.base_url.trim_end_matches('/');
    let url = format!("{base_url}/-/v1/search?text={encoded}&size={SIZE}&from={from}");
    let results: Results = ask(request.http, &url, MAX_BYTES).await?;
    let count = u64::try_from(results.objects.len()).unwrap_or(u64::MAX);
    let found: BTreeSet<String> = results.objects.into_iter().map(|found| found.package.name).collect();
    let known = visits::watched(request);
    let new = package_lines::by_package(found.iter().filter(|name| !known.lines.contains_key(*name)));
    let listed = visits::all(request, &new).await;
    // By the number of results and not of new names: pages overlap.
    let after = from + count;
    // An empty page ends a query even where its total promises more.
    let is_more = count > 0 && after < results.total.min(MAX_DEPTH);
    let (query, from) = if is_more { (query, after) } else { (query + 1, 0) };
    let next = if query < request.settings.queries.len() {
        NextPage::More(NpmCursorState::Search(query, from, seq).cursor())
    } else {
        NextPage::Complete { watermark: seq }
    };
    Ok(ListPage { listed, next })
}
