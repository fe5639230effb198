//! A stream of events that stays open while its reader sends other requests.
//!
//! It holds no place at its host while it is open, or the requests that it waits for could never be sent. It is asked for
//! once: whoever wants it has just heard from the host. Its bytes go into the recording when it is closed, so that a replay
//! has them all at once.

use std::collections::VecDeque;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use tokio::time::Instant;
use url::Url;

use super::super::HttpRequest;
use super::super::address::{self, Origin};
use super::super::events::{EventParser, StreamEvent};
use super::super::exchange::{self, Outgoing, Reply, Wire};
use super::super::headers::text_of;
use super::super::recording::{Exchange, Key, RecordedOutcome, headers_of};
use super::super::redact::redact_url;
use super::{Http, MAX_REDIRECTS, refused};
use crate::CrawlError;

/// An open stream.
pub struct EventStream {
    http: Http,
    url: Url,
    response: Response,
    parser: EventParser,
    ready: VecDeque<StreamEvent>,
    /// What a recording is to hold; none where nothing is recorded.
    recorded: Option<Vec<u8>>,
    received: u64,
    max_bytes: u64,
}

impl Http {
    /// Opens the event stream at an address. Redirects within its origin are followed.
    ///
    /// # Errors
    /// Any [`CrawlError`]; `Malformed` for an answer that is no event stream.
    pub async fn events(&self, request: HttpRequest<'_>) -> Result<EventStream, CrawlError> {
        let mut url = self.encrypted(address::parse(request.url)?)?;
        for _ in 0..=MAX_REDIRECTS {
            let response = self.open(&url, &request).await?;
            let status = response.status().as_u16();
            let kind = text_of(response.headers(), &CONTENT_TYPE).unwrap_or_default().to_ascii_lowercase();
            if status == 200 && kind.starts_with("text/event-stream") {
                let recorded = self.shared.recording.is_recording().then(Vec::new);
                return Ok(EventStream {
                    http: self.clone(),
                    url,
                    response,
                    parser: EventParser::default(),
                    ready: VecDeque::new(),
                    recorded,
                    received: 0,
                    max_bytes: request.max_bytes,
                });
            }
            self.record_head(&url, &response)?;
            match exchange::of_head(&response, &url)? {
                Reply::Redirect { to, .. } if Origin::of(&to) == Origin::of(&url) => url = to,
                Reply::Redirect { to, .. } => {
                    return Err(refused(&to, "a redirect of an event stream to another host"));
                }
                Reply::NotModified | Reply::Body { .. } => {
                    return Err(CrawlError::bad_answer(url.as_str(), "it is no event stream"));
                }
            }
        }
        Err(refused(&url, "more than five redirects"))
    }

    async fn open(&self, url: &Url, request: &HttpRequest<'_>) -> Result<Response, CrawlError> {
        let headers = self.headers(url, request.accept, None, request.headers)?;
        let (shared, client) = (&*self.shared, self.client(url).await?);
        let host = shared.hosts.host(url, self.host_limit(request.rate_limit));
        shared.check_circuit(&host, url, request)?;
        let place = self.admit(&host, url).await?;
        self.count(|counters| &counters.requests, 1);
        let received = AtomicU64::new(0);
        let wire = Wire { client, recording: &shared.recording, received_bytes: &received };
        let outgoing = Outgoing { headers, body: None, is_secret: false, max_bytes: request.max_bytes };
        let head = tokio::time::timeout(self.whole_deadline(), exchange::head(wire, url, outgoing)).await;
        drop(place);
        let head = head.unwrap_or_else(|_| Err(shared.out_of_time(url, None)));
        head.map_err(|failure| failure.into_error(url))
    }

    /// Records an answer that was no stream by its head alone.
    fn record_head(&self, url: &Url, response: &Response) -> Result<(), CrawlError> {
        let (status, headers) = (response.status().as_u16(), headers_of(response.headers()));
        let outcome = RecordedOutcome::Answer { status, headers, body: Vec::new() };
        self.shared.recording.record(&Exchange { key: Key::of(url, None), outcome })
    }

    fn whole_deadline(&self) -> Duration {
        Duration::from_millis(self.shared.settings.total_deadline_ms)
    }
}

impl EventStream {
    /// The address that answered, after redirects.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The next event; none at the end of the stream.
    ///
    /// # Errors
    /// `Transient` for a stream that breaks off or is silent for too long, `TooLarge` for one above the cap of the
    /// request.
    pub async fn next(&mut self) -> Result<Option<StreamEvent>, CrawlError> {
        let broken = |url: &Url, detail: String| CrawlError::Transient { subject: redact_url(url.clone()), detail };
        let deadline = self.http.whole_deadline();
        // For the whole event: a stream may drip comments for ever.
        let until = Instant::now() + deadline;
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            let chunk = match tokio::time::timeout_at(until, self.response.chunk()).await {
                Ok(Ok(chunk)) => chunk,
                Ok(Err(error)) => {
                    let detail = format!("the event stream broke off: {}", exchange::innermost(&error));
                    return Err(broken(&self.url, detail));
                }
                Err(_) => {
                    let detail = format!("the event stream had no event for {} ms", deadline.as_millis());
                    return Err(broken(&self.url, detail));
                }
            };
            let Some(chunk) = chunk else { return Ok(self.parser.end()) };
            let length = chunk.len() as u64;
            self.http.count(|counters| &counters.received_bytes, length);
            self.received = self.received.saturating_add(length);
            if self.received > self.max_bytes {
                let detail = format!("more than {} bytes of events", self.max_bytes);
                return Err(CrawlError::TooLarge { subject: redact_url(self.url.clone()), detail });
            }
            if let Some(recorded) = &mut self.recorded {
                recorded.extend_from_slice(&chunk);
            }
            self.ready.extend(self.parser.push(&chunk));
        }
    }
}

impl Drop for EventStream {
    /// Records what came, also where the reader gave up.
    fn drop(&mut self) {
        let Some(body) = self.recorded.take() else { return };
        let headers = headers_of(self.response.headers());
        let outcome = RecordedOutcome::Answer { status: 200, headers, body };
        let exchange = Exchange { key: Key::of(&self.url, None), outcome };
        if let Err(error) = self.http.shared.recording.record(&exchange) {
            tracing::error!(%error, "an event stream is missing from the record of the crawl");
        }
    }
}
