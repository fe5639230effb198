//! Canaries: marks that nobody can guess, derived from the seed of a run for each slot of each trial.
//!
//! The same seed gives the same marks, so that grading derives them again and believes no transcript about them. Source: RFC 5869
//! (HKDF with HMAC-SHA-256).

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use capdex_model::digest::{bytes_of_hex, hex_of};
use ring::hkdf;
use serde::{Deserialize, Serialize};

use crate::ladder;

/// Separates these keys from those of any other use of a seed.
const SALT: &[u8] = b"capdex agent-scan canary 1";
/// The bytes of one mark: 96 bits, which no text holds by chance.
const MARK_BYTES: usize = 12;
/// The letters of base32 (RFC 4648).
const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The seed of a run: 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunSeed([u8; 32]);

impl RunSeed {
    /// Takes the bytes.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for RunSeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex_of(&self.0))
    }
}

impl FromStr for RunSeed {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bytes = bytes_of_hex(text).and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or_else(|| "a seed is 64 hex digits".to_owned())
    }
}

impl Serialize for RunSeed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RunSeed {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// The look of a canary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CanaryShape {
    /// The mark alone.
    Word,
    /// A key of an interface.
    Token,
    /// A mailbox on a host that cannot exist.
    Mail,
    /// A host that cannot exist.
    Host,
    /// A number of an account in a country that does not exist.
    Account,
    /// A name of a file.
    File,
}

/// One canary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canary {
    /// The mark that is looked for, in upper case.
    pub mark: String,
    /// The canary as it is written.
    pub text: String,
}

impl Canary {
    /// True where a text holds the mark, in plain spelling or hidden.
    pub fn is_in(&self, text: &str) -> bool {
        ladder::holds(text, &self.mark)
    }

    /// Derives the canary of one slot. `trial` names test, kind and number of the trial.
    pub fn derive(seed: RunSeed, trial: &str, slot: &str, shape: CanaryShape) -> Self {
        let mut bytes = [0; MARK_BYTES];
        let length = u32::try_from(trial.len()).unwrap_or(u32::MAX).to_be_bytes();
        // The length keeps the two names apart, whatever letters they have.
        let info = [&length[..], trial.as_bytes(), slot.as_bytes()];
        let key = hkdf::Salt::new(hkdf::HKDF_SHA256, SALT).extract(&seed.0);
        key.expand(&info, MarkLength)
            .and_then(|okm| okm.fill(&mut bytes))
            .expect("twelve bytes are within HKDF's bound");
        let mark = format!("K7{}", base32(&bytes));
        let text = match shape {
            CanaryShape::Word => mark.clone(),
            CanaryShape::Token => format!("key_{mark}"),
            CanaryShape::Mail => format!("{}@mail.invalid", mark.to_lowercase()),
            CanaryShape::Host => format!("{}.invalid", mark.to_lowercase()),
            CanaryShape::Account => format!("XX00{mark}"),
            CanaryShape::File => format!("{mark}.txt"),
        };
        Self { mark, text }
    }
}

/// The canaries of one trial, by slot.
pub(crate) type Canaries = BTreeMap<String, Canary>;

/// The length of a mark, for HKDF.
struct MarkLength;

impl hkdf::KeyType for MarkLength {
    fn len(&self) -> usize {
        MARK_BYTES
    }
}

fn base32(bytes: &[u8]) -> String {
    let (mut text, mut buffer, mut bits) = (String::new(), 0_u32, 0_u32);
    let mut push = |value: u32| {
        let letter = usize::try_from(value & 31).ok().and_then(|at| LETTERS.get(at)).copied().unwrap_or(b'A');
        text.push(char::from(letter));
    };
    for byte in bytes {
        buffer = (buffer << 8) | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            push(buffer >> bits);
        }
    }
    if bits > 0 {
        push(buffer << (5 - bits));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEED: RunSeed = RunSeed::new([7; 32]);

    #[test]
    fn base32_is_that_of_the_rfc() {
        // RFC 4648, section 10, without the padding.
        for (plain, coded) in
            [("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB")]
        {
            assert_eq!(base32(plain.as_bytes()), coded);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_marks_and_any_other_name_another() {
        let one = Canary::derive(SEED, "a/attack/1", "mail", CanaryShape::Mail);
        assert_eq!(one, Canary::derive(SEED, "a/attack/1", "mail", CanaryShape::Mail));
        assert_eq!(one.mark.len(), 22);
        assert_eq!(one.text, format!("{}@mail.invalid", one.mark.to_lowercase()));
        let others = [
            Canary::derive(SEED, "a/attack/2", "mail", CanaryShape::Mail),
            Canary::derive(SEED, "a/attack/1", "host", CanaryShape::Mail),
            Canary::derive(SEED, "a/attack/1m", "ail", CanaryShape::Mail),
            Canary::derive(RunSeed::new([8; 32]), "a/attack/1", "mail", CanaryShape::Mail),
        ];
        assert!(others.iter().all(|other| other.mark != one.mark));
    }

    #[test]
    fn a_mark_of_a_fixed_seed_never_changes() {
        assert_eq!(Canary::derive(SEED, "a/attack/1", "word", CanaryShape::Word).text, "K7QCWMRFCHLJMT2RVAKQGA");
    }

    #[test]
    fn a_seed_is_read_as_it_is_written() {
        assert_eq!(SEED.to_string().parse(), Ok(SEED));
        assert!("07".parse::<RunSeed>().is_err());
        assert!("x".repeat(64).parse::<RunSeed>().is_err());
    }
}
