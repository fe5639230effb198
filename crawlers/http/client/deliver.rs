//! Hands a document over by one POST: sent once, to an address of the operator's, and judged by its status.
//!
//! A delivery is no part of a crawl: no recording holds it, no credential of a source goes along, and no redirect is
//! followed. The caller alone tries again, because only the caller knows what was taken. An address here may be a
//! secret itself, so nothing that is said of a failure holds it.

use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use url::Url;

use super::super::address::{self, Origin};
use super::super::exchange::innermost;
use super::super::headers::text_of;
use super::super::redact::Secret;
use super::super::retry::retry_after;
use super::Http;
use crate::deliver::{Blame, NotDelivered};

/// A document and where it goes.
#[derive(Clone, Copy, Debug)]
pub struct Post<'a> {
    /// The address.
    pub url: &'a Secret,
    /// Media type of the document.
    pub content_type: &'static str,
    /// Further headers.
    pub headers: &'a [(&'static str, String)],
    /// The document.
    pub body: &'a [u8],
    /// The time that may pass until the answer's head is there.
    pub deadline: Duration,
}

impl Http {
    /// Sends a document once; done when the server has said 2xx.
    ///
    /// # Errors
    /// [`NotDelivered`]. A connection that gave no answer leaves open whether the server took it.
    pub async fn deliver(&self, post: &Post<'_>) -> Result<(), NotDelivered> {
        let url = address::parse(post.url.reveal()).map_err(|_| NotDelivered::notifier("its address is none"))?;
        let client = self.client(&url).await.map_err(|_| NotDelivered::notifier("its address may not be asked"))?;
        let request = client.post(url).headers(headers(post)?).body(post.body.to_vec());
        let answer = match tokio::time::timeout(post.deadline, request.send()).await {
            Ok(Ok(answer)) => answer,
            // The innermost cause alone: outer texts repeat the address, which may be a secret.
            Ok(Err(error)) => return Err(NotDelivered::notifier(format!("no answer: {}", innermost(&error)))),
            Err(_) => {
                return Err(NotDelivered::notifier(format!("no answer within {} ms", post.deadline.as_millis())));
            }
        };
        // The body of the answer is not read: it may be endless, and nothing in it is needed.
        let status = answer.status().as_u16();
        if (200..300).contains(&status) {
            return Ok(());
        }
        let asked = text_of(answer.headers(), &RETRY_AFTER);
        let date = text_of(answer.headers(), &reqwest::header::DATE);
        Err(NotDelivered {
            detail: format!("status {status}"),
            wait: asked.and_then(|asked| retry_after(&asked, date.as_deref())),
            // The document itself is at fault: too large, not understood.
            blame: if matches!(status, 400 | 413 | 415 | 422) { Blame::Message } else { Blame::Notifier },
        })
    }
}

fn headers(post: &Post<'_>) -> Result<HeaderMap, NotDelivered> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(post.content_type));
    for (name, value) in post.headers {
        let value = HeaderValue::from_str(value)
            .map_err(|_| NotDelivered::notifier(format!("the value for the header {name} cannot be sent")))?;
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}

/// Scheme, host and port of an address, for messages about one whose rest is a secret. None for text that is no http or
/// https address.
pub fn origin_of(address: &Secret) -> Option<String> {
    let url = address::parse(address.reveal()).ok()?;
    let (host, port) = Origin::of(&url).host_and_port();
    let url: Url = format!("{}://{host}:{port}/", url.scheme()).parse().ok()?;
    Some(url.as_str().trim_end_matches('/').to_owned())
}
