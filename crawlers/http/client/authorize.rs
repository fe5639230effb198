//! Puts credentials into the headers of a request. An app's token is asked for by a request of its own.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderValue};

use super::super::app::App;
use super::super::credentials::{Proof, Taken};
use super::super::{HttpRequest, HttpResponse};
use super::Http;
use crate::CrawlError;

/// The most bytes of an answer that holds a token.
const MAX_TOKEN_BYTES: u64 = 1 << 20;

impl Http {
    /// Puts the credentials into the headers; an app's token is asked for where there is none that holds.
    ///
    /// # Errors
    /// Any error of the request for a token.
    pub(super) async fn authorize(
        &self,
        taken: &Taken<'_>,
        now: Duration,
        headers: &mut HeaderMap,
    ) -> Result<(), CrawlError> {
        for (header, proof) in taken.proofs() {
            let value = match proof {
                Proof::Fixed(value) => value.clone(),
                Proof::App(app) => self.app_token(app, now).await?,
            };
            headers.insert(header.clone(), value);
        }
        Ok(())
    }

    async fn app_token(&self, app: &App, now: Duration) -> Result<HeaderValue, CrawlError> {
        let mut kept = app.token.lock().await;
        if let Some(token) = kept.as_ref().filter(|token| token.until > now) {
            return Ok(token.value.clone());
        }
        let token = app.token_in(&self.ask_for_token(app, now).await?, now)?;
        let value = token.value.clone();
        *kept = Some(token);
        Ok(value)
    }

    async fn ask_for_token(&self, app: &App, now: Duration) -> Result<Vec<u8>, CrawlError> {
        let proof = app.proof(now)?;
        let request = HttpRequest {
            url: &app.url,
            accept: Some("application/vnd.github+json"),
            // What is sent with a request of its own is not looked for among the credentials.
            headers: &[("authorization", &format!("Bearer {proof}"))],
            body: Some(b"{}"),
            is_secret: true,
            max_bytes: MAX_TOKEN_BYTES,
            ..HttpRequest::default()
        };
        // Boxed, because `get` itself may ask for a token: the future would contain itself.
        match Box::pin(self.send(request)).await? {
            HttpResponse::Body { bytes, .. } => Ok(bytes),
            HttpResponse::NotModified => {
                Err(CrawlError::bad_answer(&app.url, "no body, though nothing was known of it"))
            }
        }
    }
}
