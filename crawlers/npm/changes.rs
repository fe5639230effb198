//! The feed of changes of a database that replicates an npm registry by CouchDB's protocol.
//!
//! A change names a package and nothing else; seqs are opaque but for the numbers that CouchDB 1 and npm give. Source:
//! npm's notes on replication, as of 2025-05-29 (no `include_docs`, at most 10,000 a page).

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::{NpmCursorState, ask, visits};
use crate::http::Http;
use crate::{CrawlError, ListPage, ListRequest, NextPage, package_lines, walk};

/// Changes on a page.
const LIMIT: usize = 10_000;
/// The most bytes of a page: 10,000 names of 214 bytes with their revisions stay far below.
const MAX_BYTES: u64 = 32 << 20;
/// The number of changes by which the feed is entered early, because it was seen to lose those that came in at one
/// moment.
const OVERLAP: u64 = 10;

#[derive(Deserialize)]
struct Database {
    update_seq: Value,
}

#[derive(Deserialize)]
struct Changes {
    results: Vec<NpmChange>,
    last_seq: Value,
}

#[derive(Deserialize)]
struct NpmChange {
    id: String,
}

/// The place of the feed now, a little before its end.
///
/// # Errors
/// Any error of the client, and `Malformed` for an answer of another form.
pub(super) async fn beginning(http: &Http, changes_url: &str) -> Result<String, CrawlError> {
    let (_, seq) = place(http, changes_url).await?;
    Ok(seq.parse::<u64>().map_or(seq, |number| number.saturating_sub(OVERLAP).to_string()))
}

/// The place of the feed now, and the address that told it.
async fn place(http: &Http, changes_url: &str) -> Result<(String, String), CrawlError> {
    let url = format!("{}/", changes_url.trim_end_matches('/'));
    let database: Database = ask(http, &url, MAX_BYTES).await?;
    let seq = seq_of(&database.update_seq).ok_or_else(|| CrawlError::bad_answer(&url, "its update_seq is none"))?;
    Ok((url, seq))
}

/// Refuses a feed that stands before the place where it was left: its numbers began anew, and what it has says nothing of
/// what changed.
fn check_place(url: &str, stands: &str, since: &str) -> Result<(), CrawlError> {
    match (number_of(stands), number_of(since)) {
        (Some(at), Some(left)) if at < left => {
            Err(CrawlError::bad_answer(url, format!("the feed stands at {at}, before {left}: it was made anew")))
        }
        _ => Ok(()),
    }
}

/// The number that a seq begins with: all of it at CouchDB 1 and npm, what stands before the dash at newer ones.
fn number_of(seq: &str) -> Option<u64> {
    seq.split('-').next()?.parse().ok()
}

/// One page of the feed: every name on it that the watchlist has is visited.
///
/// # Errors
/// Any error of the client, and `Malformed` for an answer of another form. `Malformed` too for a feed that stands
/// before `since`: it was made anew, and what it has says nothing of what changed.
pub(super) async fn step(request: &ListRequest<'_>, since: String) -> Result<ListPage, CrawlError> {
    let Some(base) = &request.settings.changes_url else {
        return Err(CrawlError::bad_answer("the feed of changes", "the schedule does not say where it is"));
    };
    // Asked at the beginning of each walk: behind the end of a feed, an empty page may say what was asked for.
    if request.cursor.is_none() {
        let (url, stands) = place(request.http, base).await?;
        check_place(&url, &stands, &since)?;
    }
    let encoded: String = url::form_urlencoded::byte_serialize(since.as_bytes()).collect();
    let url = format!("{}/_changes?since={encoded}&limit={LIMIT}", base.trim_end_matches('/'));
    let changes: Changes = ask(request.http, &url, MAX_BYTES).await?;
    let last = seq_of(&changes.last_seq).ok_or_else(|| CrawlError::bad_answer(&url, "its last_seq is none"))?;
    check_place(&url, &last, &since)?;
    let is_full = changes.results.len() >= LIMIT;
    // Such a page would be asked for without end.
    if is_full && last == since {
        return Err(CrawlError::bad_answer(&url, "a full page that leads nowhere"));
    }
    let changed: BTreeSet<String> = changes.results.into_iter().map(|change| change.id).collect();
    // The feed names every package of the registry.
    let mut wanted = package_lines::by_package(&request.settings.watchlist);
    wanted.retain(|package, _| changed.contains(package));
    let listed = visits::all(request, &wanted).await;
    let listed = walk::unless_all_failed(listed, request)?;
    let next = if is_full {
        NextPage::More(NpmCursorState::Changes(last).cursor())
    } else {
        NextPage::Complete { watermark: Some(last) }
    };
    Ok(ListPage { listed, next })
}

/// A seq as text: a number, or the opaque text of newer CouchDBs. One with a space is none: cursors are split at them.
fn seq_of(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) if !text.is_empty() && text.len() <= 1_024 && !text.contains(' ') => Some(text.clone()),
        _ => None,
    }
}
