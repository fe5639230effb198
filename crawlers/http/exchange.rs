//! One request and its answer: sent once, read within a cap, and judged by what must be done about it.
//!
//! Retries and redirects are the caller's.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use capdex_model::listing::Validators;
use capdex_model::snapshot::GapReason;
use capdex_model::time::Timestamp;
use reqwest::Response;
use reqwest::header::{
    AGE, CONTENT_LENGTH, DATE, ETAG, HeaderMap, LAST_MODIFIED, LOCATION, RETRY_AFTER, WWW_AUTHENTICATE,
};
use tracing::trace;
use url::Url;

use super::address;
use super::headers::{KeptHeaders, text_of};
use super::rate::RateLimitHeaders;
use super::recording::{CrawlRecording, Exchange, Key, RecordedOutcome, headers_of, without_tokens};
use super::redact::redact_url;
use super::retry::{http_date, retry_after};
use super::stated_limit;
use crate::CrawlError;

/// The most bytes of a refusal's body that are read. GitHub's have a few hundred.
const MAX_REFUSAL_BYTES: usize = 16 * 1024;

/// An answer that stands.
pub(crate) enum Reply {
    /// 304.
    NotModified,
    /// 200 with its body, decoded.
    Body { bytes: Vec<u8>, validators: Validators, headers: Box<KeptHeaders> },
    /// A redirect, not followed.
    Redirect {
        /// The address that it leads to.
        to: Url,
        /// True where what was posted is to be posted there again (307, 308).
        keeps_method: bool,
    },
}

/// Why there is no answer.
pub(crate) enum Failure {
    /// Trying again would give the same.
    Final(CrawlError),
    /// Trying again may help; after the last try `error` stands.
    Again {
        error: CrawlError,
        /// The wait that the server asked for.
        wait: Option<Duration>,
        /// True where everybody who asks this host has to wait.
        is_for_all: bool,
    },
    /// The refusal's text alone says that too much was asked, and nothing says for how long.
    Limited,
}

impl Failure {
    pub(crate) fn again(error: CrawlError) -> Self {
        Self::Again { error, wait: None, is_for_all: false }
    }

    /// The error of a caller that does not try again.
    pub(crate) fn into_error(self, url: &Url) -> CrawlError {
        match self {
            Self::Final(error) | Self::Again { error, .. } => error,
            Self::Limited => {
                CrawlError::RetryAt { subject: subject(url), wait_s: super::retry::WAIT_WHEN_NONE_IS_GIVEN.as_secs() }
            }
        }
    }
}

/// A request, ready to be sent.
pub(crate) struct Outgoing<'a> {
    pub(crate) headers: HeaderMap,
    /// The body of a POST; a GET has none.
    pub(crate) body: Option<&'a [u8]>,
    /// True where the answer is a token.
    pub(crate) is_secret: bool,
    pub(crate) max_bytes: u64,
}

/// The client, the recording and the counter that a request goes through.
#[derive(Clone, Copy)]
pub(crate) struct Wire<'a> {
    pub(crate) client: &'a reqwest::Client,
    pub(crate) recording: &'a CrawlRecording,
    /// Counts the body's bytes, decoded, also of a try that fails.
    pub(crate) received_bytes: &'a AtomicU64,
}

/// Facts from the head of an answer beside what it brings. Nothing where nothing answered.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Heard {
    /// The status.
    pub(crate) status: Option<u16>,
    /// The budget that is left.
    pub(crate) rate: RateLimitHeaders,
    /// The server's clock, as far as the answer tells.
    pub(crate) date: Option<Timestamp>,
}

/// Sends one request and reads its answer, or takes both from the recording.
///
/// `heard` learns what the answer's head says, whatever the answer is.
pub(crate) async fn exchange(
    wire: Wire<'_>,
    url: &Url,
    outgoing: Outgoing<'_>,
    heard: &mut Heard,
) -> Result<Reply, Failure> {
    let key = Key::of(url, outgoing.body);
    let (max_bytes, is_secret) = (outgoing.max_bytes, outgoing.is_secret);
    let response = match send(wire, url, outgoing, &key).await {
        Ok(response) => response,
        Err(Failure::Again { error: CrawlError::Unreachable { subject, detail }, wait, is_for_all }) => {
            // A request without an answer is recorded too, so that a replay fails at the same place.
            let outcome = RecordedOutcome::Unanswered(detail.clone());
            wire.recording.record(&Exchange { key, outcome }).map_err(Failure::Final)?;
            return Err(Failure::Again { error: CrawlError::Unreachable { subject, detail }, wait, is_for_all });
        }
        Err(failure) => return Err(failure),
    };
    let status = response.status().as_u16();
    // Copied now, because reading the body consumes the response.
    let recorded = wire.recording.is_recording().then(|| headers_of(response.headers()));
    *heard = Heard {
        status: Some(status),
        rate: RateLimitHeaders::of(response.headers()),
        date: date_of(response.headers()),
    };
    trace!(url = subject(url), status, "answered");
    // The text of a refusal, as far as it was read: a replay judges by it as the crawl did.
    let mut refusal = Vec::new();
    let result = match status {
        // GitHub answers 202 while it still counts; the body is read like any other.
        200..=202 => read_body(response, url, max_bytes, wire.received_bytes).await,
        304 => Ok(Reply::NotModified),
        301 | 302 | 303 | 307 | 308 => redirect(&response, url).map_err(Failure::Final),
        403 | 429 if says_no_wait(response.headers()) => {
            let headers = response.headers().clone();
            refusal = read_refusal(response, wire.received_bytes).await;
            Err(match stated_limit::is_stated_in(&refusal) {
                true => Failure::Limited,
                false => of_status(status, &headers, url),
            })
        }
        _ => Err(of_status(status, response.headers(), url)),
    };
    if let Some(mut headers) = recorded {
        let body = match &result {
            // A record is a file that may be passed on, and must not hold a token.
            Ok(Reply::Body { bytes, .. }) if is_secret => without_tokens(bytes),
            Ok(Reply::Body { bytes, .. }) => bytes.clone(),
            _ => refusal,
        };
        let outcome = match &result {
            Err(Failure::Again { error: CrawlError::Transient { detail, .. }, .. }) if status < 300 => {
                RecordedOutcome::Broken(detail.clone())
            }
            // Of a body that was too large its length is enough for it to be too large again.
            Err(Failure::Final(CrawlError::TooLarge { .. })) => {
                headers.push(("content-length".to_owned(), max_bytes.saturating_add(1).to_string()));
                RecordedOutcome::Answer { status, headers, body }
            }
            _ => RecordedOutcome::Answer { status, headers, body },
        };
        wire.recording.record(&Exchange { key, outcome }).map_err(Failure::Final)?;
    }
    result
}

/// Sends a request whose body the caller reads; gives the answer's head. A request without an answer is recorded, any
/// other is for the caller to record.
///
/// # Errors
/// The failures of [`exchange`] that come before a status.
pub(crate) async fn head(wire: Wire<'_>, url: &Url, outgoing: Outgoing<'_>) -> Result<Response, Failure> {
    let key = Key::of(url, outgoing.body);
    let answer = send(wire, url, outgoing, &key).await;
    if let Err(Failure::Again { error: CrawlError::Unreachable { detail, .. }, .. }) = &answer {
        let outcome = RecordedOutcome::Unanswered(detail.clone());
        wire.recording.record(&Exchange { key, outcome }).map_err(Failure::Final)?;
    }
    answer
}

/// The meaning of an answer whose body is not read: a redirect, or "not modified".
///
/// # Errors
/// The error that its status means; `Malformed` for any status that has a body to read.
pub(crate) fn of_head(response: &Response, url: &Url) -> Result<Reply, CrawlError> {
    match response.status().as_u16() {
        304 => Ok(Reply::NotModified),
        301 | 302 | 303 | 307 | 308 => redirect(response, url),
        status => Err(of_status(status, response.headers(), url).into_error(url)),
    }
}

/// The answer's head, from the wire or from the recording.
async fn send(wire: Wire<'_>, url: &Url, outgoing: Outgoing<'_>, key: &Key) -> Result<Response, Failure> {
    let unreachable = |detail: String| Failure::again(CrawlError::Unreachable { subject: subject(url), detail });
    match wire.recording.answer(key) {
        None => {
            let request = match outgoing.body {
                None => wire.client.get(url.clone()),
                Some(body) => wire.client.post(url.clone()).body(body.to_vec()),
            };
            let answer = request.headers(outgoing.headers).send().await;
            answer.map_err(|error| of_unanswered(url, &error))
        }
        Some(RecordedOutcome::Unanswered(detail)) => Err(unreachable(detail)),
        Some(RecordedOutcome::Broken(detail)) => {
            Err(Failure::again(CrawlError::Transient { subject: subject(url), detail }))
        }
        Some(RecordedOutcome::Answer { status, headers, body }) => RecordedOutcome::response(status, &headers, body)
            .ok_or_else(|| unreachable("the recorded answer cannot be sent".to_owned())),
    }
}

/// Reads the body piece by piece, so that neither a header that lies nor a small body that expands gets past the cap.
async fn read_body(
    mut response: Response,
    url: &Url,
    max_bytes: u64,
    received_bytes: &AtomicU64,
) -> Result<Reply, Failure> {
    let validators = Validators {
        etag: text_of(response.headers(), &ETAG),
        last_modified: text_of(response.headers(), &LAST_MODIFIED),
        digest: None,
    };
    let headers = Box::new(KeptHeaders::of(response.headers()));
    let declared = text_of(response.headers(), &CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
    // An honest header saves the download; one that lies is caught below.
    if let Some(declared) = declared
        && declared > max_bytes
    {
        return Err(Failure::Final(too_large(url, max_bytes)));
    }
    let mut bytes = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => {
                received_bytes.fetch_add(chunk.len() as u64, Ordering::Relaxed);
                if bytes.len() as u64 + chunk.len() as u64 > max_bytes {
                    return Err(Failure::Final(too_large(url, max_bytes)));
                }
                bytes.extend_from_slice(&chunk);
            }
            Ok(None) => return Ok(Reply::Body { bytes, validators, headers }),
            Err(error) => {
                let detail = format!("the body ended early: {}", innermost(&error));
                return Err(Failure::again(CrawlError::Transient { subject: subject(url), detail }));
            }
        }
    }
}

/// The target of a redirect, not yet checked.
fn redirect(response: &Response, url: &Url) -> Result<Reply, CrawlError> {
    let malformed = |detail: &str| CrawlError::Malformed {
        subject: subject(url),
        reason: GapReason::BadAnswer,
        detail: detail.to_owned(),
    };
    let location = text_of(response.headers(), &LOCATION).ok_or_else(|| malformed("a redirect to nowhere"))?;
    // A location may be relative to the address that was asked.
    let next = url.join(&location).map_err(|_| malformed("a redirect to what is no address"))?;
    let keeps_method = matches!(response.status().as_u16(), 307 | 308);
    address::parse(next.as_str()).map(|to| Reply::Redirect { to, keeps_method })
}

/// True where the head of a refusal says nothing of when to come again.
fn says_no_wait(headers: &HeaderMap) -> bool {
    !headers.contains_key(RETRY_AFTER) && !RateLimitHeaders::of(headers).is_spent()
}

/// The beginning of a refusal's body. Where it breaks off, what came is all that there is.
async fn read_refusal(mut response: Response, received_bytes: &AtomicU64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        received_bytes.fetch_add(chunk.len() as u64, Ordering::Relaxed);
        let room = MAX_REFUSAL_BYTES.saturating_sub(bytes.len());
        bytes.extend(chunk.iter().take(room));
        if bytes.len() >= MAX_REFUSAL_BYTES {
            break;
        }
    }
    bytes
}

/// The failure that a status without a body means.
fn of_status(status: u16, headers: &HeaderMap, url: &Url) -> Failure {
    let subject = subject(url);
    let detail = format!("status {status}");
    match status {
        404 | 410 => Failure::Final(CrawlError::Gone { subject }),
        // GitHub says with 403 what others say with 429; what it means stands in the headers.
        403 if headers.contains_key(RETRY_AFTER) || RateLimitHeaders::of(headers).is_spent() => {
            too_many(subject, headers)
        }
        401 => {
            let challenge = text_of(headers, &WWW_AUTHENTICATE).unwrap_or_default();
            Failure::Final(CrawlError::Unauthorized { subject, challenge })
        }
        403 | 407 | 451 => Failure::Final(CrawlError::Denied { subject, detail }),
        429 => too_many(subject, headers),
        // 501 and 505 say that the server cannot do this at all.
        408 | 500 | 502..=504 | 506..=599 => {
            let wait = wait_of(headers);
            // A wait that the server names is for everybody who asks it; a failure alone may be about this address.
            let is_for_all = wait.is_some();
            Failure::Again { error: CrawlError::Transient { subject, detail }, wait, is_for_all }
        }
        _ => Failure::Final(CrawlError::Malformed { subject, reason: GapReason::BadAnswer, detail }),
    }
}

/// Returns true if an error is this status, which a server gave for what was asked and not for who asked.
pub(crate) fn is_status(error: &CrawlError, status: u16) -> bool {
    matches!(error, CrawlError::Malformed { detail, .. } if *detail == format!("status {status}"))
}

fn too_many(subject: String, headers: &HeaderMap) -> Failure {
    Failure::Again {
        error: CrawlError::RetryAt { subject, wait_s: super::retry::WAIT_WHEN_NONE_IS_GIVEN.as_secs() },
        // A server may name both waits; after the shorter one it would only refuse again.
        wait: wait_of(headers).max(RateLimitHeaders::of(headers).wait()),
        is_for_all: true,
    }
}

/// The time of the server's clock: `Date`, plus the time for which a cache kept the answer since (RFC 9111, section
/// 5.1).
fn date_of(headers: &HeaderMap) -> Option<Timestamp> {
    let date = http_date(&text_of(headers, &DATE)?)?;
    let age_s = text_of(headers, &AGE).and_then(|age| age.trim().parse::<u32>().ok()).unwrap_or(0);
    Some(Timestamp::from_unix_seconds(date.unix_seconds().saturating_add(i64::from(age_s))))
}

fn wait_of(headers: &HeaderMap) -> Option<Duration> {
    retry_after(&text_of(headers, &RETRY_AFTER)?, text_of(headers, &DATE).as_deref())
}

/// The failure that a request without any answer means.
fn of_unanswered(url: &Url, error: &reqwest::Error) -> Failure {
    // Our own refusal travels inside the client's error, and trying again would not change it.
    if let Some(refused) = address::refused_within(error) {
        return Failure::Final(CrawlError::Refused { subject: subject(url), detail: refused.to_string() });
    }
    Failure::again(CrawlError::Unreachable { subject: subject(url), detail: innermost(error) })
}

/// The deepest cause: the client's own text repeats the address, with everything that is in it.
pub(crate) fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.last().map_or_else(|| "no cause given".to_owned(), ToString::to_string)
}

fn too_large(url: &Url, max_bytes: u64) -> CrawlError {
    CrawlError::TooLarge { subject: subject(url), detail: format!("more than {max_bytes} bytes") }
}

fn subject(url: &Url) -> String {
    redact_url(url.clone())
}
