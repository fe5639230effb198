//! Asking a registry, with the anonymous token that it asks for.
//!
//! A registry says in its refusal where tokens are given; that address is checked like any other, and the token goes to
//! the registry alone.

use serde::Deserialize;

use super::RATE_LIMIT;
use super::reference::Reference;
use crate::CrawlError;
use crate::http::{Http, HttpRequest, HttpResponse, KeptHeaders, Secret};

/// The most bytes of a token's answer.
const MAX_TOKEN_BYTES: u64 = 64 * 1024;

#[derive(Deserialize)]
struct Granted {
    token: Option<String>,
    access_token: Option<String>,
}

/// A registry that is asked about one repository.
pub(super) struct OciRegistry<'a> {
    http: &'a Http,
    base_url: String,
    repository: String,
    token: Option<Secret>,
}

impl<'a> OciRegistry<'a> {
    pub(super) fn new(http: &'a Http, reference: &Reference) -> Self {
        Self { http, base_url: reference.base_url(), repository: reference.repository.clone(), token: None }
    }

    /// Asks below the repository; a token is fetched at the first refusal.
    ///
    /// # Errors
    /// Any error of the client.
    pub(super) async fn get(
        &mut self,
        path: &str,
        accept: &str,
        max_bytes: u64,
    ) -> Result<(Vec<u8>, Box<KeptHeaders>), CrawlError> {
        let url = format!("{}/{path}", self.base_url);
        match self.ask(&url, accept, max_bytes).await {
            // Once only: a registry that refuses its own token would be asked in a circle.
            Err(CrawlError::Unauthorized { challenge, subject }) if self.token.is_none() => {
                let token = self.fetch_token(&challenge).await?;
                self.token = token;
                if self.token.is_none() {
                    let detail = "it asks for a login that is no anonymous token".to_owned();
                    return Err(CrawlError::Denied { subject, detail });
                }
                self.ask(&url, accept, max_bytes).await
            }
            other => other,
        }
    }

    async fn ask(&self, url: &str, accept: &str, max_bytes: u64) -> Result<(Vec<u8>, Box<KeptHeaders>), CrawlError> {
        let authorization = self.token.as_ref().map(|token| format!("Bearer {}", token.reveal()));
        let headers: Vec<(&'static str, &str)> =
            authorization.as_deref().map(|value| ("authorization", value)).into_iter().collect();
        let request = HttpRequest {
            url,
            accept: Some(accept),
            headers: &headers,
            rate_limit: Some(RATE_LIMIT),
            max_bytes,
            ..HttpRequest::default()
        };
        match self.http.send(request).await? {
            HttpResponse::Body { bytes, headers, .. } => Ok((bytes, headers)),
            HttpResponse::NotModified => unreachable!("the client refuses this where nothing was known"),
        }
    }

    /// The anonymous token that a challenge `Bearer realm="…",service="…"` leads to; none for another kind of challenge.
    async fn fetch_token(&self, challenge: &str) -> Result<Option<Secret>, CrawlError> {
        let Some(url) = self.token_address(challenge) else { return Ok(None) };
        let request = HttpRequest {
            url: &url,
            rate_limit: Some(RATE_LIMIT),
            is_secret: true,
            max_bytes: MAX_TOKEN_BYTES,
            ..HttpRequest::default()
        };
        let HttpResponse::Body { bytes, .. } = self.http.send(request).await? else { return Ok(None) };
        let granted: Option<Granted> = serde_json::from_slice(&bytes).ok();
        // Registries use either name for the same token.
        Ok(granted.and_then(|granted| granted.token.or(granted.access_token)).map(Secret::new))
    }
}

impl OciRegistry<'_> {
    /// The address at which a token to read the repository is given.
    fn token_address(&self, challenge: &str) -> Option<String> {
        let realm = parameter(challenge, "realm")?;
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        if let Some(service) = parameter(challenge, "service") {
            query.append_pair("service", &service);
        }
        query.append_pair("scope", &format!("repository:{}:pull", self.repository));
        Some(format!("{realm}?{}", query.finish()))
    }
}

/// A parameter of a `Bearer` challenge, in quotes.
fn parameter(challenge: &str, name: &str) -> Option<String> {
    let rest = challenge.strip_prefix("Bearer ").or_else(|| challenge.strip_prefix("bearer "))?;
    rest.split(',').find_map(|part| {
        let value = part.trim().strip_prefix(name)?.strip_prefix('=')?;
        Some(value.trim_matches('"').to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_is_read_and_other_kinds_are_not() {
        let challenge = r#"Bearer realm="https://auth.test/token",service="r.test",scope="x""#;
        assert_eq!(parameter(challenge, "realm").as_deref(), Some("https://auth.test/token"));
        assert_eq!(parameter(challenge, "service").as_deref(), Some("r.test"));
        assert_eq!(parameter(challenge, "error"), None);
        assert_eq!(parameter("Basic realm=\"x\"", "realm"), None);
    }
}
