//! Tokens of a GitHub App. A key signs who asks, the server gives a token for an hour, and a new one is asked for
//! before it ends (`client/authorize.rs` asks).
//!
//! Sources: GitHub, "Generating a JSON Web Token (JWT) for a GitHub App" and "Generating an installation access token
//! for a GitHub App". Standards: RFC 7515, RFC 7519.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use capdex_model::time::Timestamp;
use reqwest::header::HeaderValue;
use ring::rand::SystemRandom;
use ring::rsa::KeyPair;
use ring::signature::RSA_PKCS1_SHA256;
use serde::Deserialize;
use tokio::sync::Mutex;

use super::AppCredential;
use crate::CrawlError;

/// The time before its end at which a token is replaced.
const MARGIN: Duration = Duration::from_secs(300);

/// The time for which a token is used that states no end, or whose end has passed by our reckoning.
const SHORTEST: Duration = Duration::from_secs(60);

/// The time by which a signature is backdated, and the time for which it holds, in seconds: clocks differ, and more
/// than ten minutes are not taken.
const BACKDATED_S: i64 = 60;
const HOLDS_S: i64 = 540;

/// One installation of one app.
pub(super) struct App {
    /// The address at which a token is asked for.
    pub(super) url: String,
    id: String,
    key: KeyPair,
    made: Timestamp,
    /// The token that was asked for last. Locked while one is asked for, so that many requests at once ask for one.
    pub(super) token: Mutex<Option<InstallationToken>>,
}

/// A token that a server gave.
pub(super) struct InstallationToken {
    /// The header's value.
    pub(super) value: HeaderValue,
    /// When a new one is to be asked for.
    pub(super) until: Duration,
}

/// The server's answer.
#[derive(Deserialize)]
struct InstallationTokenReply {
    token: String,
    expires_at: Option<String>,
}

impl App {
    /// Reads the key.
    ///
    /// # Errors
    /// `Malformed` for a key that is none, or an installation that is no number.
    pub(super) fn read(credential: &AppCredential) -> Result<Self, CrawlError> {
        let key = key_of_pem(credential.private_key.reveal())
            .ok_or_else(|| CrawlError::bad_answer(&credential.base_url, "the app's key is not an RSA key in PEM"))?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_id =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
        // Both become part of an address or of a signed claim, in which other letters could change the meaning.
        if !is_number(&credential.installation) || !is_id(&credential.app) {
            return Err(CrawlError::bad_answer(
                &credential.base_url,
                "the app or its installation is not written as its id",
            ));
        }
        let base_url = credential.base_url.trim_end_matches('/');
        let url = format!("{base_url}/app/installations/{}/access_tokens", credential.installation);
        Ok(Self { url, id: credential.app.clone(), key, made: credential.made, token: Mutex::new(None) })
    }

    /// Reads the answer to a request for a token.
    ///
    /// # Errors
    /// `Malformed` for an answer without one, and for a token that no header can carry.
    pub(super) fn token_in(&self, answer: &[u8], now: Duration) -> Result<InstallationToken, CrawlError> {
        let given: InstallationTokenReply = serde_json::from_slice(answer)
            .map_err(|_| CrawlError::bad_answer(&self.url, "the answer holds no token"))?;
        let end = given.expires_at.and_then(|end| end.parse::<Timestamp>().ok());
        let rest = end.and_then(|end| u64::try_from(end.unix_seconds().saturating_sub(self.time(now))).ok());
        let rest = rest.map(Duration::from_secs).unwrap_or_default();
        // A minute at least, so that clocks that differ do not make every request ask for a token.
        let until = now.saturating_add(rest.saturating_sub(MARGIN).max(SHORTEST));
        let mut value = HeaderValue::from_str(&format!("Bearer {}", given.token))
            .map_err(|_| CrawlError::bad_answer(&self.url, "the token has letters that no header can carry"))?;
        // Sensitive headers are left out of debug output.
        value.set_sensitive(true);
        Ok(InstallationToken { value, until })
    }

    /// A signed statement of who asks for a token.
    ///
    /// # Errors
    /// `Malformed` for a key that cannot sign.
    pub(super) fn proof(&self, now: Duration) -> Result<String, CrawlError> {
        self.signed(self.time(now)).ok_or_else(|| CrawlError::bad_answer(&self.url, "the app's key cannot sign"))
    }

    /// The time of day in seconds.
    fn time(&self, now: Duration) -> i64 {
        self.made.unix_seconds().saturating_add(i64::try_from(now.as_secs()).unwrap_or(i64::MAX))
    }

    fn signed(&self, time: i64) -> Option<String> {
        let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"RS256","typ":"JWT"}"#);
        let claims = serde_json::json!({
            "iat": time.saturating_sub(BACKDATED_S), "exp": time.saturating_add(HOLDS_S), "iss": self.id});
        let signed = format!("{header}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
        let mut signature = vec![0; self.key.public().modulus_len()];
        self.key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature).ok()?;
        Some(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

/// The key in a PEM text: PKCS #1, as GitHub gives it, or PKCS #8.
fn key_of_pem(pem: &str) -> Option<KeyPair> {
    let (_, rest) = pem.split_once("-----BEGIN ")?;
    let (kind, rest) = rest.split_once("-----")?;
    let (body, _) = rest.split_once("-----END ")?;
    let body: String = body.split_whitespace().collect();
    let der = STANDARD.decode(body).ok()?;
    match kind {
        "RSA PRIVATE KEY" => KeyPair::from_der(&der).ok(),
        "PRIVATE KEY" => KeyPair::from_pkcs8(&der).ok(),
        _ => None,
    }
}
