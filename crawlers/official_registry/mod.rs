//! The source `official-registry`, and the others that speak its API. They share one walk, and differ by address, path,
//! extensions and what each is known to keep to.
//!
//! Sources: the registry's OpenAPI of 2025-12-01, its changelogs, its source code as of 2025-12-13, and dumps of its
//! rows from 2025-09 to 2026-08.

mod canonical;
#[cfg(test)]
pub(crate) mod fake;
pub(crate) mod id;
mod listing;
mod manual;
mod oci;
mod row;

use capdex_model::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::row::OfficialRegistryRow;
use crate::http::HttpRequest;
use crate::{CrawlError, ListFuture, ListPage, ListRequest, NextPage, Source, SourceMeta, WalkScope, page};

/// The official registry.
pub const SOURCE: &dyn Source = &OfficialRegistry {
    meta: &manual::OFFICIAL,
    path: "/v0.1/servers",
    extensions: &["io.modelcontextprotocol.registry/official"],
    is_official: true,
    is_incremental: true,
};

/// GitHub's curated registry.
pub const GITHUB: &dyn Source = &OfficialRegistry {
    meta: &manual::GITHUB,
    path: "/v0/servers",
    extensions: &["io.modelcontextprotocol.registry/official"],
    is_official: false,
    is_incremental: false,
};

/// PulseMCP.
pub const PULSEMCP: &dyn Source = &OfficialRegistry {
    meta: &manual::PULSEMCP,
    path: "/v0.1/servers",
    extensions: &["com.pulsemcp/server-version", "io.modelcontextprotocol.registry/official"],
    is_official: false,
    is_incremental: true,
};

/// Any other server that speaks the API, at an address that the operator gives.
pub const OTHERS: &dyn Source = &OfficialRegistry {
    meta: &manual::OTHERS,
    path: "/v0.1/servers",
    extensions: &["io.modelcontextprotocol.registry/official"],
    is_official: false,
    is_incremental: false,
};

/// Rows that are asked for in one page, the most that the API allows.
const PAGE_ROWS: usize = 100;

/// The most bytes of a page. The largest row ever recorded has 61,607.
const MAX_PAGE_BYTES: u64 = 32 << 20;

/// The seconds before its watermark at which a walk begins: rows are stamped before they can be read.
const OVERLAP_S: i64 = 10 * 60;

/// One registry, as far as it differs from the others.
struct OfficialRegistry {
    meta: &'static SourceMeta,
    path: &'static str,
    /// Members of `_meta` in which the registry says what it knows of a row; the first that is there counts.
    extensions: &'static [&'static str],
    /// True for the official one: the others are told by their adapters to keep to less.
    is_official: bool,
    is_incremental: bool,
}

/// The place of a walk. It holds nothing that grows from page to page, so that a server that leads in circles is seen
/// to repeat itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct OfficialRegistryCursorState {
    /// The server's own cursor of the next page.
    cursor: Option<String>,
    /// The newest instant of change that was seen, this walk or before.
    newest: Option<Timestamp>,
    /// When the walk began. Rows that changed later may have changed behind the cursor.
    began: Timestamp,
}

impl Source for OfficialRegistry {
    fn meta(&self) -> &'static SourceMeta {
        self.meta
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a> {
        Box::pin(self.step(request))
    }
}

impl OfficialRegistry {
    async fn step(&self, request: ListRequest<'_>) -> Result<ListPage, CrawlError> {
        let since = match request.walk {
            WalkScope::Since(watermark) if self.is_incremental => watermark.parse::<Timestamp>().ok(),
            _ => None,
        };
        let begin = || OfficialRegistryCursorState { cursor: None, newest: since, began: request.as_of.0 };
        let state: OfficialRegistryCursorState = page::state(request.cursor).unwrap_or_else(begin);
        let url = self.address(&request.settings.base_url, state.cursor.as_deref(), since)?;
        let asked = HttpRequest {
            url: &url,
            accept: Some("application/json"),
            max_bytes: MAX_PAGE_BYTES,
            ..HttpRequest::default()
        };
        let mut whole = page::json(request.http, asked).await?;
        let malformed = |detail: String| CrawlError::bad_answer(&url, &detail);
        let (rows, next) = self.read(&mut whole, state.cursor.as_deref()).map_err(malformed)?;
        let newest = rows.iter().filter_map(|row| row.updated).chain(state.newest).max();
        let listed = self.listed(&request, rows);
        let next = match next {
            Some(cursor) => {
                NextPage::More(page::cursor(&OfficialRegistryCursorState { cursor: Some(cursor), newest, ..state }))
            }
            None => NextPage::Complete { watermark: self.watermark(newest, state.began) },
        };
        Ok(ListPage { listed, next })
    }

    fn address(&self, base: &str, cursor: Option<&str>, since: Option<Timestamp>) -> Result<String, CrawlError> {
        let limit = PAGE_ROWS.to_string();
        let since =
            since.map(|since| Timestamp::from_unix_seconds(since.unix_seconds().saturating_sub(OVERLAP_S)).to_string());
        let mut query = vec![("limit", limit.as_str())];
        query.extend(cursor.map(|cursor| ("cursor", cursor)));
        match &since {
            // It implies that deleted rows are included, and refuses to be told otherwise.
            Some(since) => query.push(("updated_since", since)),
            None if self.is_official => query.push(("include_deleted", "true")),
            None => {}
        }
        page::address(base, self.path, &query)
    }

    /// The rows of a page and the cursor of the next one.
    ///
    /// # Errors
    /// The fault in the page's shape.
    fn read(
        &self,
        whole: &mut Value,
        asked: Option<&str>,
    ) -> Result<(Vec<OfficialRegistryRow>, Option<String>), String> {
        // Registries written in Go say null for an empty list.
        let rows = match whole.get("servers") {
            Some(Value::Null) => Vec::new(),
            _ => page::objects(whole, "servers")?,
        };
        let metadata = whole.get("metadata").and_then(Value::as_object).ok_or("it has no object \"metadata\"")?;
        // Both spellings were in use.
        let next = metadata.get("nextCursor").or_else(|| metadata.get("next_cursor"));
        let next = page::next_cursor(next, asked)?;
        if self.is_official {
            let count = metadata.get("count").and_then(Value::as_u64);
            // Rows that a damaged page lost would count as gone.
            if count.is_some_and(|count| count != rows.len() as u64) {
                return Err(format!("it has {} rows and says that it has {count:?}", rows.len()));
            }
            // Two crawlers took the first page for all when the name of this member changed.
            if rows.len() >= PAGE_ROWS && next.is_none() {
                return Err("a full page without a cursor: this API always gives one".to_owned());
            }
        }
        let rows = rows.into_iter().map(|row| OfficialRegistryRow::read(row, self.extensions, self.is_official));
        Ok((rows.collect::<Result<_, _>>()?, next))
    }

    fn listed(&self, request: &ListRequest<'_>, rows: Vec<OfficialRegistryRow>) -> Vec<crate::ListedEntry> {
        // Two rows under one key would contradict each other, so the first stands.
        let mut seen = std::collections::BTreeSet::new();
        let rows = rows.into_iter().filter(|row| seen.insert(row.key.clone()));
        rows.map(|row| {
            let key = request.key(&row.key);
            listing::listed(row, key, self.is_official)
        })
        .collect()
    }

    /// The watermark from which the next walk may go on: the newest change seen, but none from after the walk's
    /// beginning. A row that changed after that may have changed behind the cursor.
    fn watermark(&self, newest: Option<Timestamp>, began: Timestamp) -> Option<String> {
        let newest = newest.filter(|_| self.is_incremental)?;
        Some(newest.min(began).to_string())
    }
}

#[cfg(test)]
mod tests;
