//! `HttpReply`: the reply to one request, ready to be sent again; and the results of a route.
//!
//! The request itself is not known here.

use std::io::Write as _;

use capdex_model::digest::Digest;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::StatusCode;
use hyper::body::Bytes;
use serde::Serialize;
use serde_json::json;

/// The media types that are given.
pub(super) const JSON: &str = "application/json; charset=utf-8";
pub(super) const HTML: &str = "text/html; charset=utf-8";
pub(super) const SVG: &str = "image/svg+xml; charset=utf-8";
pub(super) const ATOM: &str = "application/atom+xml; charset=utf-8";
pub(super) const CSS: &str = "text/css; charset=utf-8";
pub(super) const SCRIPT: &str = "text/javascript; charset=utf-8";
pub(super) const XML: &str = "application/xml; charset=utf-8";
pub(super) const PLAIN: &str = "text/plain; charset=utf-8";
/// Of refusals, as RFC 9457 has them.
pub(super) const PROBLEM: &str = "application/problem+json";

/// Bytes below which an answer is not worth compressing: it fits into one packet.
const WORTH_COMPRESSING: usize = 1_400;

/// The result of a route.
pub(super) enum RouteReply {
    /// Bytes of a media type.
    Found(&'static str, Vec<u8>),
    /// It is at another path, which is told as seen from this one.
    Elsewhere(String),
    /// There is no such thing; one line why.
    Missing(String),
    /// The request makes no sense; one line why.
    Wrong(String),
}

impl RouteReply {
    /// A JSON document.
    ///
    /// # Errors
    /// A value that is no JSON, which no view is.
    pub(super) fn json(value: &impl Serialize) -> anyhow::Result<Self> {
        let mut body = serde_json::to_vec(value)?;
        body.push(b'\n');
        Ok(Self::Found(JSON, body))
    }

    /// Text of a media type.
    pub(super) fn text(media: &'static str, text: String) -> Self {
        Self::Found(media, text.into_bytes())
    }
}

/// The reply to one request.
#[derive(Clone, Debug)]
pub(super) struct HttpReply {
    /// The status.
    pub(super) status: StatusCode,
    /// The media type.
    pub(super) media: &'static str,
    /// The bytes.
    pub(super) body: Bytes,
    /// The same compressed; none where that is not worth it.
    pub(super) gzip: Option<Bytes>,
    /// The digest of the bytes, quoted, as `ETag` has it; empty where an answer is not worth keeping.
    pub(super) etag: String,
    /// Seconds after which to ask again, where that may help.
    pub(super) retry: Option<u32>,
    /// Where it is instead.
    pub(super) location: Option<String>,
}

impl HttpReply {
    /// From what a route says.
    pub(super) fn of(said: RouteReply) -> Self {
        match said {
            RouteReply::Found(media, body) => {
                // Half a digest is enough to tell two answers apart, and headers stay short.
                let digits: String = Digest::of(&body).hex().chars().take(32).collect();
                let gzip = gzipped(&body);
                Self {
                    etag: format!("\"{digits}\""),
                    body: body.into(),
                    gzip,
                    media,
                    status: StatusCode::OK,
                    retry: None,
                    location: None,
                }
            }
            RouteReply::Elsewhere(path) => {
                let why = format!("it is at {path}");
                Self { location: Some(path), ..Self::refusal(StatusCode::FOUND, &why) }
            }
            RouteReply::Missing(why) => Self::refusal(StatusCode::NOT_FOUND, &why),
            RouteReply::Wrong(why) => Self::refusal(StatusCode::BAD_REQUEST, &why),
        }
    }

    /// Anything but success, with one line of ours why: a problem as RFC 9457 has it.
    pub(super) fn refusal(status: StatusCode, why: &str) -> Self {
        // Without a type of our own its title is that of the status.
        let title = status.canonical_reason().unwrap_or_default();
        let body = json!({ "type": "about:blank", "title": title, "status": status.as_u16(), "detail": why });
        // No tag: a refusal may be a success the next moment, and must not be kept.
        let body = format!("{body}\n").into();
        Self { status, media: PROBLEM, body, gzip: None, etag: String::new(), retry: None, location: None }
    }

    /// That it has to be asked again.
    pub(super) fn later(why: &str, seconds: u32) -> Self {
        Self { retry: Some(seconds), ..Self::refusal(StatusCode::SERVICE_UNAVAILABLE, why) }
    }

    /// True where it may be kept until the store changes.
    pub(super) fn is_kept(&self) -> bool {
        self.status == StatusCode::OK && !self.etag.is_empty()
    }
}

/// Some bytes compressed, where that is worth it. Done once for each answer, and kept with it.
fn gzipped(body: &[u8]) -> Option<Bytes> {
    if body.len() < WORTH_COMPRESSING {
        return None;
    }
    let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
    encoder.write_all(body).ok()?;
    encoder.finish().ok().map(Bytes::from)
}
