//! Headers of an answer: one as text, and those that are kept.

use reqwest::header::{HeaderMap, HeaderName};

/// Headers of an answer that are kept beside its validators. All of it is chosen by the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptHeaders {
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// `Link`, which says where the next page is.
    pub link: Option<String>,
    /// `Mcp-Session-Id`, by which an MCP endpoint knows its client again.
    pub mcp_session: Option<String>,
    /// `X-PyPI-Last-Serial`.
    pub pypi_serial: Option<String>,
    /// `Docker-Content-Digest`, the digest of an image manifest.
    pub docker_digest: Option<String>,
}

impl KeptHeaders {
    /// Takes them from an answer.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let text = |name: &'static str| text_of(headers, &HeaderName::from_static(name));
        Self {
            content_type: text("content-type"),
            link: text("link"),
            mcp_session: text("mcp-session-id"),
            pypi_serial: text("x-pypi-last-serial"),
            docker_digest: text("docker-content-digest"),
        }
    }
}

/// The text of a header; none where it is missing or is no text.
pub(super) fn text_of(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}
