//! HTTP+SSE, the transport of revision 2024-11-05: an event stream says where to post, and brings the answers.
//!
//! Source: the MCP specification, revision 2025-11-25, "Backwards Compatibility", and revision 2024-11-05, "HTTP with SSE".

use serde_json::Value;
use url::Url;

use super::answer::{self, JsonRpcReply};
use super::conversation::MAX_BYTES;
use crate::CrawlError;
use crate::http::{EventStream, Http, HttpRequest, HttpResponse, is_status, redact};

/// The most events that may come before the one that is waited for: pings, logs, reports of progress.
const MAX_EVENTS_BEFORE: usize = 64;
/// The most bytes of all events of one conversation.
const MAX_STREAM_BYTES: u64 = 48 << 20;

/// A conversation over an event stream.
pub(super) struct OlderTransport {
    stream: EventStream,
    /// Where questions are posted; of the stream's own origin.
    endpoint: String,
}

impl OlderTransport {
    /// Opens the stream at an address, and reads where to post. None where the address has no event stream.
    ///
    /// # Errors
    /// `Malformed` for a stream that does not say where to post, `Refused` for one that names another origin, and any error
    /// of reading it.
    pub(super) async fn open(http: &Http, url: &str) -> Result<Option<Self>, CrawlError> {
        let request = HttpRequest {
            url,
            accept: Some("text/event-stream"),
            rate_limit: Some(super::RATE_LIMIT),
            max_bytes: MAX_STREAM_BYTES,
            ..HttpRequest::default()
        };
        // Whatever else it has to say to a GET, it is no endpoint of this transport.
        let Ok(mut stream) = http.events(request).await else { return Ok(None) };
        for _ in 0..MAX_EVENTS_BEFORE {
            let Some(event) = stream.next().await.map_err(named)? else { break };
            if event.name == "endpoint" {
                let endpoint = endpoint(stream.url(), &event.data).map_err(named)?;
                return Ok(Some(Self { stream, endpoint }));
            }
        }
        Err(named(CrawlError::bad_answer(url, "its event stream does not say where to post")))
    }

    /// Posts a message, and waits for the answer to the question with this id; for none where there is no id.
    ///
    /// # Errors
    /// Any error of the client, each with the name of the transport; `Transient` for a stream without the answer.
    pub(super) async fn ask(
        &mut self,
        http: &Http,
        body: &Value,
        id: Option<u64>,
    ) -> Result<Option<JsonRpcReply>, CrawlError> {
        let answered = self.post(http, body, id).await.map_err(named)?;
        let Some(id) = id.filter(|_| answered.is_none()) else { return Ok(answered) };
        for _ in 0..MAX_EVENTS_BEFORE {
            let Some(event) = self.stream.next().await.map_err(named)? else { break };
            if let Some(reply) = answer::of_event(&event.data, id) {
                return Ok(Some(reply));
            }
        }
        let detail = "the event stream does not bring the answer".to_owned();
        Err(named(CrawlError::Transient { subject: redact(&self.endpoint), detail }))
    }

    /// Some servers answer the POST itself.
    async fn post(&self, http: &Http, body: &Value, id: Option<u64>) -> Result<Option<JsonRpcReply>, CrawlError> {
        let body = body.to_string();
        let request = HttpRequest {
            url: &self.endpoint,
            accept: Some("application/json, text/event-stream"),
            headers: &[("content-type", "application/json")],
            body: Some(body.as_bytes()),
            rate_limit: Some(super::RATE_LIMIT),
            max_bytes: MAX_BYTES,
            ..HttpRequest::default()
        };
        match http.send(request).await {
            Ok(HttpResponse::Body { bytes, headers, .. }) => {
                Ok(id.and_then(|id| answer::read(&bytes, headers.content_type.as_deref(), id).ok()))
            }
            Ok(HttpResponse::NotModified) => {
                Err(CrawlError::bad_answer(&self.endpoint, "\"not modified\" to a question"))
            }
            // Taken, and nothing to say: the answer comes as an event.
            Err(error) if is_status(&error, 204) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The address that the event `endpoint` names, of the stream's own origin.
fn endpoint(stream: &Url, data: &str) -> Result<String, CrawlError> {
    let malformed = |_| CrawlError::bad_answer(stream.as_str(), "the address that its event stream names is none");
    let mut url = stream.join(data.trim()).map_err(malformed)?;
    url.set_fragment(None);
    if url.origin() != stream.origin() || !url.username().is_empty() || url.password().is_some() {
        let detail = "its event stream names an address of another origin to post to".to_owned();
        return Err(CrawlError::Refused { subject: redact(url.as_str()), detail });
    }
    Ok(url.into())
}

/// An error of this transport: its text says so.
fn named(error: CrawlError) -> CrawlError {
    let over = |detail: String| format!("over HTTP+SSE: {detail}");
    match error {
        CrawlError::Transient { subject, detail } => CrawlError::Transient { subject, detail: over(detail) },
        CrawlError::Denied { subject, detail } => CrawlError::Denied { subject, detail: over(detail) },
        CrawlError::Malformed { subject, reason, detail } => {
            CrawlError::Malformed { subject, reason, detail: over(detail) }
        }
        CrawlError::Gone { subject } => {
            let detail = over("nothing answers where its event stream says to post (404)".to_owned());
            CrawlError::Denied { subject, detail }
        }
        other => other,
    }
}
