//! The token that a vendor puts where only its owner can: it is bound to one appeal and one identity, and is worthless elsewhere.
//!
//! Nothing secret is stored: whoever has the key can make the token again, and compares in constant time.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use capdex_model::appeal::AppealId;
use capdex_model::digest::Digest;
use capdex_model::time::{AsOf, Timestamp};
use ring::hmac;

/// The beginning of a token.
pub const MARK: &str = "capdex-appeal=v1;";
/// The most bytes of a place that may hold one.
pub const MAX_PLACE: usize = 4096;
/// Letters that a key has at least.
const LEAST_KEY: usize = 16;

/// The key that makes tokens.
#[derive(Clone)]
pub struct TokenKey {
    key: Arc<hmac::Key>,
    name: String,
}

impl fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TokenKey({})", self.name)
    }
}

impl TokenKey {
    /// Takes the text of a key.
    ///
    /// # Errors
    /// That it is too short to be one.
    pub fn of_text(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.len() < LEAST_KEY {
            return Err(format!("has {} letters; it needs {LEAST_KEY} at least", text.len()));
        }
        let name: String =
            Digest::of_fields([b"capdex-appeal-key".as_slice(), text.as_bytes()]).hex().chars().take(8).collect();
        Ok(Self { key: Arc::new(hmac::Key::new(hmac::HMAC_SHA256, text.as_bytes())), name })
    }

    /// Its name, by which an event says which key made a token.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The token of an appeal.
    pub fn token(&self, identity: &str, appeal: &AppealId, expires: Timestamp) -> String {
        let tag = hmac::sign(&self.key, &signed(identity, appeal, expires));
        format!("{MARK} a={appeal}; t={}; exp={expires}", URL_SAFE_NO_PAD.encode(tag.as_ref()))
    }
}

/// What the token vouches for. Fields have their length before them, so that no text moves from one to the next.
fn signed(identity: &str, appeal: &AppealId, expires: Timestamp) -> Vec<u8> {
    let expires = expires.to_string();
    let fields = ["capdex-appeal/1", identity, appeal.as_str(), &expires];
    Digest::of_fields(fields.map(str::as_bytes)).as_bytes().to_vec()
}

/// What a token must be.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The identity that is to be proved.
    pub identity: &'a str,
    /// The appeal.
    pub appeal: &'a AppealId,
    /// The end of the token that was given out last.
    pub expires: Timestamp,
    /// The name of the key that made it.
    pub key: &'a str,
}

/// Looks for the token in the text of a place; none where nothing there begins like one.
///
/// # Errors
/// Why what is there proves nothing.
pub fn look(text: &str, key: &TokenKey, expected: &Expected<'_>, now: AsOf) -> Option<Result<(), String>> {
    text.contains(MARK).then(|| check(text, key, expected, now))
}

fn check(text: &str, key: &TokenKey, expected: &Expected<'_>, now: AsOf) -> Result<(), String> {
    let refused = |why: &str| Err(why.to_owned());
    if text.len() > MAX_PLACE {
        return Err(format!("the place holds {} bytes; a token stands in {MAX_PLACE} at most", text.len()));
    }
    // Whoever needs two tokens has two places: one file for two things is how a stranger's token gets in.
    if text.matches(MARK).count() > 1 {
        return refused("two tokens stand in one place");
    }
    let line = text.lines().find_map(|line| line.split_once(MARK).map(|(_, rest)| rest.trim())).unwrap_or_default();
    let field = |name: &str| line.split(';').find_map(|part| part.trim().strip_prefix(name)?.strip_prefix('='));
    let (Some(appeal), Some(tag), Some(end)) = (field("a"), field("t"), field("exp")) else {
        return refused("the token is cut off or has other parts than a, t and exp");
    };
    if appeal != expected.appeal.as_str() {
        return refused("the token is of another appeal");
    }
    let Ok(end) = end.parse::<Timestamp>() else { return refused("the token's end is no instant") };
    let Ok(tag) = URL_SAFE_NO_PAD.decode(tag) else { return refused("the token is cut off or changed") };
    if key.name() != expected.key {
        return refused("the token was made with another key; challenge again");
    }
    if hmac::verify(&key.key, &signed(expected.identity, expected.appeal, end), &tag).is_err() {
        return refused("the token is forged, cut off, or of another identity");
    }
    if end != expected.expires {
        return refused("the token is of an earlier challenge");
    }
    if end <= now.0 {
        return refused("the token has expired");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(1_790_000_000 + seconds)
    }

    #[test]
    fn a_token_proves_one_appeal_of_one_identity_for_its_time() {
        let key = TokenKey::of_text("a key of sixteen letters").expect("a key");
        let other = TokenKey::of_text("another key of letters").expect("a key");
        let id: AppealId = "A-0123456789abcdef".parse().expect("an id");
        let stranger: AppealId = "A-fedcba9876543210".parse().expect("an id");
        let expected = Expected { identity: "npm:a", appeal: &id, expires: at(100), key: key.name() };
        let said = |text: &str| look(text, &key, &expected, AsOf(at(0)));
        let token = key.token("npm:a", &id, at(100));
        assert_eq!(said(&token), Some(Ok(())));
        assert_eq!(said(&format!("# notes\n{token}\n")), Some(Ok(())), "in a file with more");
        assert_eq!(said("capdex-appeal"), None);
        let refusals = [
            (key.token("npm:b", &id, at(100)), "another identity"),
            (other.token("npm:a", &id, at(100)), "forged"),
            (key.token("npm:a", &stranger, at(100)), "another appeal"),
            (key.token("npm:a", &id, at(90)), "earlier challenge"),
            (token.replace("exp=2", "exp=3"), "forged"),
            (token[..token.len() - 30].to_owned(), "cut off"),
            (token.replace("; t=", "; t=_"), "cut off"),
            (format!("{token}\n{token}"), "two tokens"),
            (format!("{token}{}", " ".repeat(MAX_PLACE)), "bytes"),
            (format!("{MARK} a={id}"), "cut off"),
        ];
        for (text, why) in refusals {
            let Some(Err(said)) = said(&text) else { panic!("{text} proves something") };
            assert!(said.contains(why), "{text}: {said}");
        }
        assert!(matches!(look(&token, &key, &expected, AsOf(at(100))), Some(Err(why)) if why.contains("expired")));
        assert!(matches!(look(&token, &other, &expected, AsOf(at(0))), Some(Err(why)) if why.contains("another key")));
        assert!(TokenKey::of_text("short").is_err());
    }
}
