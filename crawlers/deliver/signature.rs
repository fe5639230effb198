//! Signs a document by the convention of Standard Webhooks: an id, an instant, and an HMAC over both and the body.
//!
//! Source: standardwebhooks.com, specification 1.0.0 (`webhook-id`, `webhook-timestamp`, `webhook-signature: v1,<base64
//! of HMAC-SHA256 over "id.timestamp.body">`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

use super::NotDelivered;
use crate::http::Secret;

/// The mark of a secret in the convention's own form; base64 follows.
const MARK: &str = "whsec_";
/// A shorter key is a mistake.
const MIN_KEY_BYTES: usize = 16;

/// The three headers for a document.
///
/// # Errors
/// A failure of the notifier for a secret that is too short, or begins with `whsec_` and goes on with what is no base64.
pub fn headers(
    secret: &Secret,
    id: &str,
    unix_seconds: i64,
    body: &[u8],
) -> Result<[(&'static str, String); 3], NotDelivered> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, &key_of(secret)?);
    let mut context = hmac::Context::with_key(&key);
    // Id and instant are signed too, so that a recorded request cannot be sent again under another id or date.
    context.update(format!("{id}.{unix_seconds}.").as_bytes());
    context.update(body);
    let signature = format!("v1,{}", STANDARD.encode(context.sign()));
    Ok([
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", unix_seconds.to_string()),
        ("webhook-signature", signature),
    ])
}

/// The bytes of a key: what follows the mark, decoded, or the text as it is.
fn key_of(secret: &Secret) -> Result<Vec<u8>, NotDelivered> {
    // A secret out of a file often ends with a line break, which is no part of the key.
    let text = secret.reveal().trim();
    let key = match text.strip_prefix(MARK) {
        Some(coded) => {
            STANDARD.decode(coded).map_err(|_| NotDelivered::notifier("its secret is no base64 after whsec_"))?
        }
        None => text.as_bytes().to_vec(),
    };
    // A short key can be found by trial from one recorded request.
    if key.len() < MIN_KEY_BYTES {
        return Err(NotDelivered::notifier(format!("its secret has fewer than {MIN_KEY_BYTES} bytes")));
    }
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_specification_is_met() {
        let secret = Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let body = br#"{"test": 2432232314}"#;
        let [id, at, signature] =
            headers(&secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body).expect("signed");
        assert_eq!(id, ("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek".to_owned()));
        assert_eq!(at, ("webhook-timestamp", "1614265330".to_owned()));
        assert_eq!(signature, ("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=".to_owned()));
    }

    #[test]
    fn a_secret_that_is_none_signs_nothing() {
        for secret in ["", "short", "whsec_", "whsec_MfKQ", "whsec_not base64 at all, but long enough"] {
            let error = headers(&Secret::new(secret), "msg_1", 0, b"").expect_err("refused");
            assert!(secret.is_empty() || !error.detail.contains(secret), "{error}");
        }
        assert!(headers(&Secret::new("sixteen letters!"), "msg_1", 0, b"").is_ok());
    }
}
