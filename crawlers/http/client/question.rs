//! Asks an endpoint of the operator's by one POST, sent once, and reads its answer within one deadline.
//!
//! For models. No recording holds it, since it carries texts that are kept elsewhere; no credential of a source goes along; no
//! redirect is followed, because it would carry the key. The caller alone tries again, because only the caller pays.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, DATE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};

use super::super::address;
use super::super::exchange::innermost;
use super::super::headers::text_of;
use super::super::redact::Secret;
use super::super::retry::retry_after;
use super::Http;

/// A question and where it goes.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The address.
    pub url: &'a str,
    /// Further headers.
    pub headers: &'a [(&'static str, &'a str)],
    /// The header that carries the key, and its value.
    pub key: Option<(&'static str, &'a Secret)>,
    /// The body, JSON.
    pub body: &'a [u8],
    /// The most bytes of the answer, decoded.
    pub max_bytes: usize,
    /// The time from the first step of connecting to the last byte of the answer.
    pub deadline: Duration,
}

/// An answer with any status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The status.
    pub status: u16,
    /// The media type that it says it has; empty where it says none.
    pub media_type: String,
    /// How long it asks to be left alone.
    pub wait: Option<Duration>,
    /// The body.
    pub bytes: Vec<u8>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotAnswered {
    /// It was not whole within the deadline.
    Timeout,
    /// There was no connection, or it broke off; the cause, without the address.
    Unreachable(String),
    /// It has more bytes than it may have.
    TooLarge,
    /// The address may not be asked, or a header cannot be sent.
    Refused(String),
}

impl Http {
    /// Asks once.
    ///
    /// # Errors
    /// [`NotAnswered`]: whatever is no whole answer. A status of failure is an answer.
    pub async fn question(&self, question: &Question<'_>) -> Result<Answered, NotAnswered> {
        let refused = |why: &str| NotAnswered::Refused(why.to_owned());
        let url = address::parse(question.url).map_err(|_| refused("its address is none"))?;
        let exchange = async {
            let client = self.client(&url).await.map_err(|_| refused("its address may not be asked"))?;
            let request = client.post(url.clone()).headers(headers(question)?).body(question.body.to_vec());
            // The innermost cause alone: outer texts repeat the address.
            let broken = |error: &reqwest::Error| match error.is_timeout() {
                true => NotAnswered::Timeout,
                false => NotAnswered::Unreachable(innermost(error)),
            };
            let mut answer = request.send().await.map_err(|error| broken(&error))?;
            let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
            let mut bytes = Vec::new();
            // Piece by piece, so that neither a header that lies nor a small body that expands gets past the bound.
            while let Some(piece) = answer.chunk().await.map_err(|error| broken(&error))? {
                if bytes.len() + piece.len() > question.max_bytes {
                    // Of a failure the status is enough.
                    if (200..300).contains(&status) {
                        return Err(NotAnswered::TooLarge);
                    }
                    break;
                }
                bytes.extend_from_slice(&piece);
            }
            let asked = text_of(&headers, &RETRY_AFTER);
            let wait = asked.and_then(|asked| retry_after(&asked, text_of(&headers, &DATE).as_deref()));
            let media_type = text_of(&headers, &CONTENT_TYPE).unwrap_or_default();
            Ok(Answered { status, media_type, wait, bytes })
        };
        tokio::time::timeout(question.deadline, exchange).await.unwrap_or(Err(NotAnswered::Timeout))
    }
}

fn headers(question: &Question<'_>) -> Result<HeaderMap, NotAnswered> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let cannot = |name: &str| NotAnswered::Refused(format!("the value for the header {name} cannot be sent"));
    for (name, value) in question.headers {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value).map_err(|_| cannot(name))?);
    }
    if let Some((name, key)) = question.key {
        let mut value = HeaderValue::from_str(key.reveal()).map_err(|_| cannot(name))?;
        // Whoever writes headers into a log leaves this one out.
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}
