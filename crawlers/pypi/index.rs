//! The whole simple index in JSON, with a serial for each project: one request that tells what changed.
//!
//! Source: PEP 691 with the serials that the index adds (`_last-serial`).

use std::collections::BTreeSet;

use capdex_model::ids::pypi_name;
use serde::Deserialize;

use crate::CrawlError;
use crate::http::{Http, HttpRequest, HttpResponse, KeptHeaders};

const ACCEPT: &str = "application/vnd.pypi.simple.v1+json";
/// The most bytes of the whole index; it has about 40 MB.
const MAX_BYTES: u64 = 256 << 20;

#[derive(Deserialize)]
struct PypiIndexReply {
    meta: Meta,
    projects: Vec<PypiIndexProject>,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(rename = "_last-serial")]
    last_serial: Option<u64>,
}

#[derive(Deserialize)]
struct PypiIndexProject {
    name: String,
    #[serde(rename = "_last-serial")]
    last_serial: Option<u64>,
}

/// The serial of the index now.
///
/// # Errors
/// Any error of the client, and `Malformed` for an index without serials.
pub(super) async fn serial(http: &Http, url: &str) -> Result<String, CrawlError> {
    let (_, serial) = read(http, url).await?;
    Ok(serial.to_string())
}

/// Those of `names` whose serial is greater than `since`, sorted, and the serial of the index. A name that the index
/// does not have is not among them. It is gone only when a whole walk asks for it and is told so.
///
/// # Errors
/// Any error of the client, and `Malformed` for an index without serials and for one that stands before `since`.
pub(super) async fn changed(
    http: &Http,
    url: &str,
    since: &str,
    names: BTreeSet<String>,
) -> Result<(Vec<String>, String), CrawlError> {
    let since: u64 = since.parse().map_err(|_| CrawlError::bad_answer(url, "the last serial is no number"))?;
    let (projects, serial) = read(http, url).await?;
    if serial < since {
        return Err(CrawlError::bad_answer(
            url,
            format!("the index stands at {serial}, before {since}: it was made anew"),
        ));
    }
    // A project without a serial is asked for: better one request too many than a change missed.
    let is_newer = |project: &PypiIndexProject| project.last_serial.is_none_or(|serial| serial > since);
    let changed: BTreeSet<String> = projects
        .into_iter()
        .filter(is_newer)
        .map(|project| pypi_name(&project.name))
        .filter(|name| names.contains(name))
        .collect();
    Ok((changed.into_iter().collect(), serial.to_string()))
}

async fn read(http: &Http, url: &str) -> Result<(Vec<PypiIndexProject>, u64), CrawlError> {
    let url = format!("{}/", url.trim_end_matches('/'));
    let request = HttpRequest { url: &url, accept: Some(ACCEPT), max_bytes: MAX_BYTES, ..HttpRequest::default() };
    let HttpResponse::Body { bytes, headers, .. } = http.send(request).await? else {
        return Err(CrawlError::bad_answer(&url, "no body"));
    };
    // 40 MB of JSON take too long for a thread of the runtime.
    let parsed = tokio::task::spawn_blocking(move || serde_json::from_slice::<PypiIndexReply>(&bytes)).await;
    let index = parsed.map_err(|error| CrawlError::bad_answer(&url, error.to_string()))?;
    let index = index.map_err(|error| CrawlError::bad_answer(&url, error.to_string()))?;
    let serial = index.meta.last_serial.or_else(|| of_header(&headers));
    let serial = serial.ok_or_else(|| CrawlError::bad_answer(&url, "the index has no serial"))?;
    Ok((index.projects, serial))
}

fn of_header(headers: &KeptHeaders) -> Option<u64> {
    headers.pypi_serial.as_deref()?.trim().parse().ok()
}
