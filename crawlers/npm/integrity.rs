//! The digests that a packument publishes for a tarball.
//!
//! Source: Subresource Integrity (W3C), section 3.5: hashes separated by white space, each with options after `?`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use capdex_model::digest::hex_of;
use capdex_model::listing::Integrity;
use serde_json::Value;

/// Every digest of `dist`, strongest first, each once. Empty where none is published.
///
/// A SHA-512 that is damaged is kept as it is, and fits no bytes. A package whose digest cannot be met must fail, not
/// pass unchecked. Digests of unknown kinds are left out.
pub(crate) fn of_dist(dist: &Value) -> Vec<Integrity> {
    let stated = dist.get("integrity").and_then(Value::as_str).unwrap_or_default();
    let mut found: Vec<_> = stated.split_whitespace().filter_map(of_hash).collect();
    if let Some(shasum) = dist.get("shasum").and_then(Value::as_str).filter(|shasum| !shasum.is_empty()) {
        found.push(Integrity::Sha1(shasum.to_ascii_lowercase()));
    }
    found.sort();
    found.dedup();
    found
}

fn of_hash(hash: &str) -> Option<Integrity> {
    let (algorithm, rest) = hash.split_once('-')?;
    let value = rest.split_once('?').map_or(rest, |(value, _)| value);
    // A value that does not decode is kept and fits no bytes: dropped, it would turn the check off.
    let hex = || STANDARD.decode(value).map_or_else(|_| value.to_owned(), |bytes| hex_of(&bytes));
    match algorithm {
        "sha512" => Some(Integrity::Sha512(value.to_owned())),
        "sha256" => Some(Integrity::Sha256(hex())),
        "sha1" => Some(Integrity::Sha1(hex())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn all_digests_are_kept_strongest_first() {
        let sha1 = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
        let dist = json!({"integrity": "sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk= sha384-AAAA sha512-BBBB?x sha512-AAAA", "shasum": sha1});
        let expected =
            [Integrity::Sha512("AAAA".into()), Integrity::Sha512("BBBB".into()), Integrity::Sha1(sha1.into())];
        assert_eq!(of_dist(&dist), expected);
    }

    #[test]
    fn none_is_none_and_damaged_is_kept() {
        assert_eq!(of_dist(&json!({})), []);
        assert_eq!(of_dist(&json!({"integrity": "", "shasum": ""})), []);
        assert_eq!(of_dist(&json!({"integrity": "sha512-!"})), [Integrity::Sha512("!".into())]);
        assert_eq!(of_dist(&json!({"integrity": 7, "shasum": []})), []);
    }
}
