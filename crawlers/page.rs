//! One page of a directory's list: asked for, read as JSON within bounds, and the state that a walk carries from page to
//! page.
//!
//! Directories that page through JSON share it.

use std::collections::BTreeSet;

use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Listing, Validators};
use capdex_model::snapshot::{Gap, GapReason};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::http::{Http, HttpRequest, HttpResponse};
use crate::{CrawlError, ListedEntry, WalkCursor, json, names};

/// The longest cursor that is taken from a server.
const MAX_SERVER_CURSOR_BYTES: usize = 8 * 1024;

/// The bytes of one page or document of a directory.
///
/// # Errors
/// Any [`CrawlError`] but `Gone`: where the list itself is not there, nothing is known of its entries.
pub(crate) async fn bytes(http: &Http, request: HttpRequest<'_>) -> Result<Vec<u8>, CrawlError> {
    match http.send(request).await {
        Ok(HttpResponse::Body { bytes, .. }) => Ok(bytes),
        Ok(HttpResponse::NotModified) => {
            Err(CrawlError::bad_answer(request.url, "\"not modified\" though nothing was asked"))
        }
        Err(error) => Err(not_gone(error)),
    }
}

/// A list that answers 404 or 410 was moved or switched off, which says nothing of its entries.
pub(crate) fn not_gone(error: CrawlError) -> CrawlError {
    match error {
        CrawlError::Gone { subject } => {
            let detail = "the list itself answers 404 or 410: this API was moved or switched off (sunset)";
            CrawlError::Denied { subject, detail: detail.to_owned() }
        }
        error => error,
    }
}

/// One page as JSON.
///
/// # Errors
/// The errors of [`bytes`]; `Malformed` for what is no JSON.
pub(crate) async fn json(http: &Http, request: HttpRequest<'_>) -> Result<Value, CrawlError> {
    let bytes = bytes(http, request).await?;
    let read = tokio::task::spawn_blocking(move || json::parse(&bytes, |_, _| false)).await;
    let read = read.unwrap_or_else(|error| Err(error.to_string()));
    read.map_err(|error| CrawlError::bad_answer(request.url, &error))
}

/// A member that is an array of objects, taken out.
///
/// # Errors
/// The fault, in words: no array, or an item that is no object.
pub(crate) fn objects(whole: &mut Value, member: &str) -> Result<Vec<Map<String, Value>>, String> {
    // Taken and not copied: a page may have tens of megabytes.
    let Some(Value::Array(items)) = whole.get_mut(member).map(Value::take) else {
        return Err(format!("it has no array {member:?}"));
    };
    let object = |item: Value| match item {
        Value::Object(object) => Ok(object),
        _ => Err(format!("an item of {member:?} is no object")),
    };
    items.into_iter().map(object).collect()
}

/// A text that is not blank.
pub(crate) fn text<'a>(object: &'a Map<String, Value>, member: &str) -> Option<&'a str> {
    object.get(member).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// The cursor that a server gives for the next page; none for null, blank or nothing.
///
/// # Errors
/// The fault in the cursor: no text, too long, or the one that was just asked with.
pub(crate) fn next_cursor(value: Option<&Value>, asked: Option<&str>) -> Result<Option<String>, String> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.is_empty() => Ok(None),
        Some(Value::String(text)) if Some(text.as_str()) == asked => Err("its cursor leads to itself".to_owned()),
        // The cursor is kept in the store and sent back, so its length is bounded.
        Some(Value::String(text)) if text.len() <= MAX_SERVER_CURSOR_BYTES => Ok(Some(text.clone())),
        Some(Value::String(_)) => Err(format!("its cursor has more than {MAX_SERVER_CURSOR_BYTES} bytes")),
        Some(_) => Err("its cursor is no text".to_owned()),
    }
}

/// A walk's state as its cursor.
pub(crate) fn cursor<T: Serialize>(state: &T) -> WalkCursor {
    WalkCursor(serde_json::to_string(state).expect("states of walks are texts and numbers"))
}

/// The state of a walk. None at its beginning, and where another version wrote it: then it begins anew.
pub(crate) fn state<T: DeserializeOwned>(cursor: Option<&WalkCursor>) -> Option<T> {
    serde_json::from_str(&cursor?.0).ok()
}

/// An entry that could not be read, in a page that could. Its key stands in for a name that may not be one.
pub(crate) fn failed(mut key: ListingKey, detail: impl Into<String>) -> ListedEntry {
    if !names::is_usable(&key.name) {
        key.name = names::stand_in(&key.name);
    }
    ListedEntry::Failed { gap: Gap::new(key.to_string(), GapReason::BadAnswer, detail), transient: false, key }
}

/// The entries of a page of the source `id`, each name once. `read` gives the listing of an entry, and the part of it
/// that a digest is taken of. That part has neither addresses, which differ from mirror to mirror, nor counts, which
/// change every day.
///
/// # Errors
/// The fault that makes the page malformed: an entry in which `name` finds no name.
pub(crate) fn entries(
    id: &str,
    entries: Vec<Map<String, Value>>,
    name: impl Fn(&Map<String, Value>) -> Option<String>,
    read: impl Fn(&Map<String, Value>, &ListingKey) -> Result<(Listing, Value), String>,
) -> Result<Vec<ListedEntry>, String> {
    let mut seen = BTreeSet::new();
    let mut listed = Vec::new();
    for entry in entries {
        let key = ListingKey::new(id, name(&entry).ok_or("an entry without a name")?);
        // Two entries under one key would contradict each other, so the first stands.
        if !seen.insert(key.name.clone()) {
            continue;
        }
        if !names::is_usable(&key.name) {
            listed.push(failed(key, "this is no name of an entry"));
            continue;
        }
        listed.push(match read(&entry, &key) {
            Ok((listing, canonical)) => {
                let validators = Validators { digest: Some(Digest::of_json(&canonical)), ..Validators::default() };
                ListedEntry::Changed { listing: Box::new(listing), validators }
            }
            Err(detail) => failed(key, detail),
        });
    }
    Ok(listed)
}

/// An entry as it is kept: without the members named, and without those that are null.
pub(crate) fn without(entry: &Map<String, Value>, left_out: &[&str]) -> Map<String, Value> {
    let is_kept = |member: &str, value: &Value| !value.is_null() && !left_out.contains(&member);
    entry
        .iter()
        .filter(|(member, value)| is_kept(member, value))
        .map(|(member, value)| (member.clone(), value.clone()))
        .collect()
}

/// An entry as the text that a listing carries.
pub(crate) fn pretty(entry: &Map<String, Value>) -> String {
    serde_json::to_string_pretty(entry).expect("what was read as JSON can be written")
}

/// An address below a base address, each segment encoded.
///
/// # Errors
/// The fault: a segment that would lead elsewhere, or a base address that is none.
pub(crate) fn below(base_url: &str, segments: &[&str]) -> Result<String, String> {
    if segments.iter().any(|segment| matches!(*segment, "" | "." | "..")) {
        return Err("a part of its name leads elsewhere".to_owned());
    }
    let mut url = url::Url::parse(base_url).map_err(|error| error.to_string())?;
    let mut path = url.path_segments_mut().map_err(|()| "the base address has no path".to_owned())?;
    path.pop_if_empty().extend(segments);
    drop(path);
    Ok(url.into())
}

/// An address below a base address, with a query.
///
/// # Errors
/// `Malformed` for a base address that is none.
pub(crate) fn address(base_url: &str, path: &str, query: &[(&str, &str)]) -> Result<String, CrawlError> {
    let whole = format!("{}{path}", base_url.trim_end_matches('/'));
    let mut url = url::Url::parse(&whole).map_err(|error| CrawlError::bad_answer(&whole, error.to_string()))?;
    // An empty query would leave a bare `?`, which a recording takes for another address.
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    Ok(url.into())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cursor_leads_on_or_ends_or_is_refused() {
        let next = |value: Value| next_cursor(Some(&value), Some("here"));
        assert_eq!(next(json!(null)), Ok(None));
        assert_eq!(next(json!("")), Ok(None));
        assert_eq!(next_cursor(None, None), Ok(None));
        assert_eq!(next(json!("there")), Ok(Some("there".to_owned())));
        assert_eq!(next(json!("x".repeat(MAX_SERVER_CURSOR_BYTES))).map(|next| next.is_some()), Ok(true));
        for bad in [json!("here"), json!(1), json!("x".repeat(MAX_SERVER_CURSOR_BYTES + 1))] {
            assert!(next(bad).is_err());
        }
    }

    #[test]
    fn an_address_keeps_the_path_of_its_base() {
        let with = |query: &[(&str, &str)]| address("http://127.0.0.1/sub/", "/list", query).expect("an address");
        assert_eq!(with(&[]), "http://127.0.0.1/sub/list");
        assert_eq!(with(&[("q", "a+b"), ("cursor", "x:y/z")]), "http://127.0.0.1/sub/list?q=a%2Bb&cursor=x%3Ay%2Fz");
        assert!(address("nowhere", "/", &[]).is_err());
    }

    #[test]
    fn a_segment_stays_one_segment() {
        let path = |name: &str| below("http://127.0.0.1/sub/", &["a", name]);
        assert_eq!(path("b c/d?e").as_deref(), Ok("http://127.0.0.1/sub/a/b%20c%2Fd%3Fe"));
        assert!(path("..").is_err());
        assert!(path("").is_err());
        assert!(below("nowhere", &["a"]).is_err());
    }

    #[test]
    fn a_bad_name_fails_under_one_that_stands_in() {
        let ListedEntry::Failed { key, .. } = failed(ListingKey::new("test", "a\nb"), "bad") else { panic!("failed") };
        assert!(key.name.starts_with("ab#"));
        assert!(names::is_usable(&key.name));
    }
}
