//! A walk over documents: the addresses of a watchlist, one in a step, each read as a whole.
//!
//! The adapter of a source reads the documents. A full walk reads every document, so that what it does not list is
//! gone. A walk since a watermark asks only for what changed. The watermark holds the validators of each document,
//! because a document that did not change names no entries by which they could be kept. A document that cannot be read
//! does not keep the others from being read; it keeps the walk from being complete.

use std::collections::BTreeMap;

use capdex_model::digest::Digest;
use capdex_model::listing::Validators;
use capdex_model::time::Timestamp;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::http::{HttpRequest, HttpResponse};
use crate::references::OperatorForge;
use crate::{
    CrawlError, ListPage, ListRequest, ListedEntry, NextPage, SourceSettings, WalkCursor, WalkScope, names, page,
};

/// A document as it came.
pub(crate) struct SourceDocument {
    /// The source that lists its entries.
    pub(crate) id: String,
    /// Its own name, the beginning of its entries' names.
    pub(crate) name: String,
    /// Its address.
    pub(crate) url: String,
    /// Its bytes.
    pub(crate) bytes: Vec<u8>,
    /// The operator's own forges.
    pub(crate) forges: Vec<OperatorForge>,
}

/// Lists the entries of a document, or says what is wrong with it.
pub(crate) type DocumentLister = fn(&SourceDocument) -> Result<Vec<ListedEntry>, String>;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct DocumentsCursorState {
    /// The document that is asked for next.
    next: usize,
    /// Documents that could not be read.
    failed: usize,
    /// The validators of those that were.
    marks: BTreeMap<String, Validators>,
    /// The night of the walk: one that ended with failures begins anew on another.
    began: Timestamp,
    /// Which list of documents it is.
    of: String,
}

/// Takes one step: one document.
///
/// # Errors
/// An error that may pass, with the document to be asked for again; and, after the last document, that some could not
/// be read.
pub(crate) async fn step(
    request: &ListRequest<'_>,
    max_bytes: u64,
    read: DocumentLister,
) -> Result<ListPage, CrawlError> {
    let addresses = addresses(request.settings);
    let mut state = begin(request, &addresses);
    let Some(url) = addresses.get(state.next) else { return end(request, &state) };
    // A full walk sends no validators: "not modified" names no entries, so all of them would count as gone.
    let known = state.marks.get(url).filter(|_| matches!(request.walk, WalkScope::Since(_))).cloned();
    let asked = HttpRequest { url, validators: known.as_ref(), max_bytes, ..HttpRequest::default() };
    let read = match request.http.visiting(url, url).send(asked).await {
        Ok(HttpResponse::NotModified) => Ok(Vec::new()),
        Ok(HttpResponse::Body { bytes, validators, .. }) => {
            state.marks.insert(url.clone(), validators);
            let name = name_of(url, &addresses);
            let forges = request.settings.forges.clone();
            let document = SourceDocument { id: request.id.to_owned(), name, url: url.clone(), bytes, forges };
            // Parsing would hold up the threads that wait for answers; a panic costs this document only.
            let listed = tokio::task::spawn_blocking(move || read(&document)).await;
            listed.unwrap_or_else(|error| Err(error.to_string())).map_err(|detail| CrawlError::bad_answer(url, &detail))
        }
        Err(error) => Err(page::not_gone(error)),
    };
    let listed = match read {
        Ok(listed) => listed,
        // A host that is not there keeps nobody waiting for it.
        Err(error) if error.is_transient() && !matches!(error, CrawlError::Unreachable { .. }) => return Err(error),
        Err(error) => {
            state.failed += 1;
            // Without its validators the next walk asks for the whole document again.
            state.marks.remove(url);
            vec![failed(request, url, &error)]
        }
    };
    state.next += 1;
    // A walk with failures takes one step more, which `end` turns into an error instead of a complete walk.
    if state.next < addresses.len() || state.failed > 0 {
        return Ok(ListPage { listed, next: NextPage::More(cursor(state)) });
    }
    Ok(ListPage { listed, next: NextPage::Complete { watermark: watermark(&state.marks) } })
}

/// The watchlist, or the base address where that is the one document.
fn addresses(settings: &SourceSettings) -> Vec<String> {
    match settings.watchlist.is_empty() && !settings.base_url.is_empty() {
        true => vec![settings.base_url.clone()],
        false => settings.watchlist.clone(),
    }
}

fn begin(request: &ListRequest<'_>, addresses: &[String]) -> DocumentsCursorState {
    // By their places, so that a list is the same at a mirror.
    let places: Vec<_> = addresses.iter().map(|address| parts(address).join("/")).collect();
    let of = Digest::of_fields(places.iter().map(String::as_bytes)).hex();
    let began = request.as_of.0;
    // Places count in one list only: a cursor of another would skip documents.
    let is_own =
        |state: &DocumentsCursorState| state.of == of && (state.next < addresses.len() || state.began == began);
    page::state(request.cursor).filter(is_own).unwrap_or_else(|| {
        let marks = match request.walk {
            WalkScope::Since(watermark) => serde_json::from_str(watermark).unwrap_or_default(),
            WalkScope::Full => BTreeMap::new(),
        };
        DocumentsCursorState { next: 0, failed: 0, marks, began, of }
    })
}

fn end(request: &ListRequest<'_>, state: &DocumentsCursorState) -> Result<ListPage, CrawlError> {
    if state.failed == 0 {
        return Ok(ListPage { listed: Vec::new(), next: NextPage::END });
    }
    let detail = format!("{} of its documents could not be read", state.failed);
    Err(CrawlError::Transient { subject: request.id.to_owned(), detail })
}

/// The state as a cursor; without validators where those are too many, which costs no more than asking again.
fn cursor(mut state: DocumentsCursorState) -> WalkCursor {
    let whole = page::cursor(&state);
    if whole.0.len() <= WalkCursor::MAX_BYTES {
        return whole;
    }
    state.marks.clear();
    page::cursor(&state)
}

fn watermark(marks: &BTreeMap<String, Validators>) -> Option<String> {
    let text = serde_json::to_string(marks).expect("validators are texts");
    // Without a watermark the next walk reads everything, which is right and only slower.
    (!marks.is_empty() && text.len() <= WalkCursor::MAX_BYTES).then_some(text)
}

fn failed(request: &ListRequest<'_>, url: &str, error: &CrawlError) -> ListedEntry {
    // An address of the watchlist may hold a token, so only its redacted form becomes a name.
    let address = crate::http::redact(url);
    let name = if names::is_usable(&address) { address } else { names::stand_in(&address) };
    ListedEntry::Failed { key: request.key(name), gap: error.to_gap(), transient: error.is_transient() }
}

/// The name of a document: the first two parts of its path, which at forges are an owner and a repository. It is the
/// whole path if another document has those two parts as well.
fn name_of(url: &str, addresses: &[String]) -> String {
    let own = short_name(url);
    let is_shared = addresses.iter().filter(|address| short_name(address) == own).count() > 1;
    if is_shared { parts(url).join("/") } else { own }
}

fn short_name(url: &str) -> String {
    match parts(url).as_slice() {
        [owner, repository, _, ..] => format!("{owner}/{repository}"),
        parts => {
            let host = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
            std::iter::once(host).chain(parts.iter().cloned()).collect::<Vec<_>>().join("/")
        }
    }
}

fn parts(url: &str) -> Vec<String> {
    let url = Url::parse(url).ok();
    let parts = url.iter().filter_map(Url::path_segments).flatten();
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
