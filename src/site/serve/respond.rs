//! The response to a request as it is sent: its headers, its form, and nothing to whoever has it already.

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Response, StatusCode};

use super::badge;
use super::reply::{HttpReply, SVG};
use super::route::RouteMethod;
use crate::report::layout;

/// What a compressed answer's tag ends with: it has other bytes, and so another name.
const GZIP_MARK: &str = "-gzip\"";

/// The parts of a request that its response depends on, beside the answer itself.
pub(super) struct Asked<'a> {
    pub(super) method: &'a Method,
    pub(super) headers: &'a HeaderMap,
    pub(super) path: &'a str,
    /// The way in which its path is asked.
    pub(super) allowed: RouteMethod,
    /// The origins whose pages may read the API; `*` is any.
    pub(super) origins: &'a [String],
}

impl Asked<'_> {
    /// True for what is made to be used by pages of others.
    fn is_for_others(&self) -> bool {
        self.is_badge() || (self.path.starts_with("/api/") && !self.origins.is_empty())
    }

    fn is_badge(&self) -> bool {
        self.path.starts_with("/badge/")
    }

    /// The origin that may read the answer.
    fn origin(&self) -> Option<&str> {
        // A badge is a picture or a few words that anybody may show.
        if self.is_badge() || self.origins.iter().any(|origin| origin == "*") {
            return self.is_for_others().then_some("*");
        }
        let asking = self.headers.get(header::ORIGIN)?.to_str().ok()?;
        self.origins.iter().map(String::as_str).find(|origin| *origin == asking && self.is_for_others())
    }

    fn takes_gzip(&self) -> bool {
        let named = self.headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
        named.flat_map(|value| value.split(',')).any(|coding| {
            let mut parts = coding.split(';').map(str::trim);
            // `gzip;q=0` refuses it.
            parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"))
                && !parts.any(|part| part.replace(' ', "").trim_start_matches("q=").parse() == Ok(0.0))
        })
    }

    /// True where it has an answer with this tag already, in whatever form.
    fn has(&self, etag: &str) -> bool {
        // Weak tags compare as equal, since caches on the way may have weakened ours.
        let bare = |tag: &str| tag.trim().trim_start_matches("W/").replace(GZIP_MARK, "\"");
        !etag.is_empty()
            && self
                .headers
                .get_all(header::IF_NONE_MATCH)
                .iter()
                .filter_map(|value| value.to_str().ok())
                .any(|value| value.split(',').map(bare).any(|tag| tag == "*" || tag == etag))
    }
}

/// The answer as it is sent. Whoever has it already gets its name only.
pub(super) fn respond(answer: &HttpReply, asked: &Asked<'_>) -> Response<Full<Bytes>> {
    let is_known = asked.has(&answer.etag);
    let gzip = answer.gzip.as_ref().filter(|_| asked.takes_gzip());
    let whole = gzip.unwrap_or(&answer.body);
    let is_head = *asked.method == Method::HEAD;
    let body = if is_known || is_head { Bytes::new() } else { whole.clone() };
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = if is_known { StatusCode::NOT_MODIFIED } else { answer.status };
    let headers = response.headers_mut();
    let mut put = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    put(header::CONTENT_TYPE, answer.media);
    if gzip.is_some() && !is_known {
        put(header::CONTENT_ENCODING, "gzip");
    }
    let is_for_all = asked.origins.iter().all(|origin| origin == "*");
    match (answer.gzip.is_some(), is_for_all) {
        (true, true) => put(header::VARY, "accept-encoding"),
        (true, false) => put(header::VARY, "accept-encoding, origin"),
        (false, false) => put(header::VARY, "origin"),
        (false, true) => {}
    }
    let caching = match (answer.etag.is_empty(), asked.is_badge()) {
        (true, _) => "no-store".to_owned(),
        // Those who show it ask at every view of their page.
        (false, true) => format!("public, max-age={}", badge::KEPT_SECONDS),
        // Kept answers are asked for again each time, so that a new night shows at once.
        (false, false) => "no-cache".to_owned(),
    };
    put(header::CACHE_CONTROL, &caching);
    put(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    put(header::REFERRER_POLICY, "no-referrer");
    // A badge is made to be shown elsewhere; a picture can do nothing.
    let policy = if answer.media == SVG {
        "default-src 'none'; style-src 'unsafe-inline'".to_owned()
    } else {
        format!("{}; frame-ancestors 'none'", layout::POLICY)
    };
    put(header::CONTENT_SECURITY_POLICY, &policy);
    let reach = if asked.is_for_others() { "cross-origin" } else { "same-origin" };
    put(HeaderName::from_static("cross-origin-resource-policy"), reach);
    if let Some(origin) = asked.origin() {
        put(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        put(header::ACCESS_CONTROL_EXPOSE_HEADERS, "etag, retry-after");
    }
    if !answer.etag.is_empty() {
        let tag =
            if gzip.is_some() { answer.etag.trim_end_matches('"').to_owned() + GZIP_MARK } else { answer.etag.clone() };
        put(header::ETAG, &tag);
    }
    if is_head && !is_known {
        // As long as the body that GET would send, which is what HEAD is for.
        put(header::CONTENT_LENGTH, &whole.len().to_string());
    }
    if answer.status == StatusCode::METHOD_NOT_ALLOWED {
        put(header::ALLOW, asked.allowed.allowed());
    }
    // Who was refused is not worth a connection: what it still sends is not read.
    let refused = [StatusCode::METHOD_NOT_ALLOWED, StatusCode::MISDIRECTED_REQUEST, StatusCode::PAYLOAD_TOO_LARGE];
    if refused.contains(&answer.status) {
        put(header::CONNECTION, "close");
    }
    if let Some(path) = &answer.location {
        put(header::LOCATION, path);
    }
    if let Some(seconds) = answer.retry {
        put(header::RETRY_AFTER, &seconds.to_string());
    }
    response
}

/// What a browser is told that asks whether a page of another origin may ask: which methods and headers. None where it may not.
pub(super) fn preflight(asked: &Asked<'_>) -> Option<Response<Full<Bytes>>> {
    let origin = asked.origin().filter(|_| *asked.method == Method::OPTIONS)?;
    let mut response = Response::new(Full::new(Bytes::new()));
    *response.status_mut() = StatusCode::NO_CONTENT;
    let told = [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, origin),
        (header::ACCESS_CONTROL_ALLOW_METHODS, asked.allowed.allowed()),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "content-type, if-none-match"),
        (header::ACCESS_CONTROL_MAX_AGE, "86400"),
        (header::VARY, "origin"),
    ];
    for (name, value) in told {
        response.headers_mut().insert(name, HeaderValue::from_str(value).ok()?);
    }
    Some(response)
}
