//! `Digest`, the one content address: SHA-256 with the text form `sha256:<64 hex digits>`.
//!
//! Bytes, fields, canonical JSON and trees are each hashed by a function of their own.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::canonical_json;

/// The SHA-256 of some bytes. Orders by value, prints as `sha256:<hex>`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Hashes `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Hashes a sequence of fields unambiguously: each field is preceded by its length, so that `["ab", "c"]` and
    /// `["a", "bc"]` differ.
    pub fn of_fields<'a>(fields: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = Sha256::new();
        for field in fields {
            // The length before each field: otherwise text could move from one field to the next unseen.
            hasher.update((field.len() as u64).to_le_bytes());
            hasher.update(field);
        }
        Self(hasher.finalize().into())
    }

    /// Hashes the canonical JSON of `value`, in the form of RFC 8785 (JCS): anybody can compute it again.
    pub fn of_json<T: Serialize>(value: &T) -> Self {
        Self::of(&canonical_json::of(value))
    }

    /// The same digest, without going through a `Value`, for values whose keys are in their order as they are. These
    /// are a `Value` itself, texts, sorted maps and lists of those.
    pub fn of_sorted_json<T: Serialize + ?Sized>(value: &T) -> Self {
        Self::of(&canonical_json::of_sorted(value))
    }

    /// Hashes a tree: `(path, digest of the bytes)` in the order given, which must be sorted by path.
    pub fn of_tree<'a>(entries: impl IntoIterator<Item = (&'a str, Digest)>) -> Self {
        let mut hasher = Sha256::new();
        for (path, digest) in entries {
            // A digest has one length, and so needs none before it.
            hasher.update((path.len() as u64).to_le_bytes());
            hasher.update(path.as_bytes());
            hasher.update(digest.0);
        }
        Self(hasher.finalize().into())
    }

    /// Takes the 32 raw bytes, as a database column holds them.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 raw bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The 64 lower-case hex digits, without the prefix.
    pub fn hex(&self) -> String {
        hex_of(&self.0)
    }
}

/// Bytes that come piece by piece, hashed as they come.
#[derive(Clone, Debug, Default)]
pub struct Hashing(Sha256);

impl Hashing {
    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all bytes that were added.
    pub fn digest(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

/// Lower-case hex digits of any bytes.
pub fn hex_of(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [DIGITS[usize::from(byte >> 4)] as char, DIGITS[usize::from(byte & 15)] as char])
        .collect()
}

/// Reads an even number of hex digits of either case; `None` for anything else.
pub fn bytes_of_hex(text: &str) -> Option<Vec<u8>> {
    // Half a byte is no byte: a digest that lost a digit must not be read as another.
    if !text.len().is_multiple_of(2) {
        return None;
    }
    text.as_bytes()
        .chunks_exact(2)
        .map(|pair| match pair {
            [high, low] => {
                // `from_str_radix` would take a sign, as in `+f`.
                let high = char::from(*high).to_digit(16)?;
                let low = char::from(*low).to_digit(16)?;
                u8::try_from(high * 16 + low).ok()
            }
            _ => None,
        })
        .collect()
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text was not `sha256:` and 64 hex digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not of the form sha256:<64 hex digits>")]
pub struct ParseDigestError(String);

impl FromStr for Digest {
    type Err = ParseDigestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.strip_prefix("sha256:")
            // Both cases of hex are read; what is printed is lower case.
            .and_then(bytes_of_hex)
            .and_then(|bytes| <[u8; 32]>::try_from(bytes).ok())
            .map(Self)
            .ok_or_else(|| ParseDigestError(text.to_owned()))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::canonical_json::tests::any_json;

    #[test]
    fn text_and_value_round_trip() {
        let digest = Digest::of(b"abc");
        assert_eq!(digest.to_string(), "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert!("sha256:00".parse::<Digest>().is_err());
        assert!("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".parse::<Digest>().is_err());
    }

    proptest! {
        #[test]
        fn what_is_sorted_is_hashed_as_all_json_is(value in any_json(), text in proptest::option::of(".{0,40}")) {
            prop_assert_eq!(Digest::of_sorted_json(&value), Digest::of_json(&value));
            prop_assert_eq!(Digest::of_sorted_json(&text), Digest::of_json(&text));
            let absent: Option<Value> = None;
            prop_assert_eq!(Digest::of(b"null"), Digest::of_json(&absent));
            let map = BTreeMap::from([(text.unwrap_or_default(), &value)]);
            prop_assert_eq!(Digest::of_sorted_json(&map), Digest::of_json(&map));
            let sets = [BTreeSet::from(["b", "a"]), BTreeSet::from(["c"])];
            prop_assert_eq!(Digest::of_sorted_json(&sets), Digest::of_json(&serde_json::json!([sets[0], sets[1]])));
        }
    }

    #[test]
    fn fields_do_not_run_together() {
        assert_ne!(Digest::of_fields([&b"ab"[..], b"c"]), Digest::of_fields([&b"a"[..], b"bc"]));
    }
}
