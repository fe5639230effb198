//! `HttpRequest` and `HttpResponse`: what the client is asked for, within which bounds, and what it gives.

use capdex_model::listing::Validators;

use super::RateLimit;
use super::headers::KeptHeaders;

/// One request, with its bounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct HttpRequest<'a> {
    /// The address. User name, password and fragment in it are not sent.
    pub url: &'a str,
    /// The `Accept` header; any type where none is given.
    pub accept: Option<&'a str>,
    /// Validators that the last visit left; sent to the address's own host only.
    pub validators: Option<&'a Validators>,
    /// Further headers; sent to the address's own host only.
    pub headers: &'a [(&'static str, &'a str)],
    /// The body of a POST, for the few servers that are read by posting. None: a GET. A redirect is followed only where it
    /// says that the same is to be posted (307, 308) and stays within the origin.
    pub body: Option<&'a [u8]>,
    /// The rate limit of a host that has none of its own, if it is to be slower than that of others.
    pub rate_limit: Option<RateLimit>,
    /// True where the answer is a token, which no record of the crawl may hold.
    pub is_secret: bool,
    /// The most bytes that the body of the answer may have, decoded.
    pub max_bytes: u64,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpResponse {
    /// Nothing changed since the validators that were sent.
    NotModified,
    /// The whole body, decoded.
    Body {
        /// The bytes.
        bytes: Vec<u8>,
        /// Validators to ask with next time; the digest is none.
        validators: Validators,
        /// Headers that are kept.
        headers: Box<KeptHeaders>,
        /// The address that answered, after redirects.
        url: String,
    },
}
