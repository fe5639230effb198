//! Signatures of what is published, in the format of minisign: an operator's own `minisign` checks ours, and we check its.
//!
//! Bytes and texts come in and go out. Where keys lie and where a password comes from is the program's business.

use std::fs;
use std::io::{Cursor, ErrorKind, Read as _};
use std::path::Path;

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minisign::{PublicKey, SignatureBox};

use crate::export::file;

mod signing_key;

pub use signing_key::{KeyFault, KeyPairTexts, SigningKey};

/// The ending of a signature's file, behind the whole name of what is signed.
pub const ENDING: &str = ".minisig";
/// The most bytes of a signature or a public key. Those of minisign have some 300.
pub const MAX_BYTES: u64 = 4096;

/// The beginning of the trusted comment of every signature that this program makes.
const OWN_COMMENT: &str = "trusted comment: capdex ";
/// Characters of a public key in its one line.
const KEY_CHARACTERS: usize = 56;
/// Bytes of a key or a signature before the key's id: the algorithm.
const ALGORITHM: usize = 2;
/// The algorithm of keys, and of signatures before minisign 0.10: Ed25519 over the bytes themselves.
const PLAIN: &[u8] = b"Ed";
/// That of signatures since then: Ed25519 over the BLAKE2b of the bytes.
const HASHED: &[u8] = b"ED";
/// Bytes of a signature with its algorithm and key id, and of that over the comment.
const SIGNATURE_BYTES: [usize; 2] = [74, 64];

/// Why a signature is not accepted. Each is one sentence behind the name of what is signed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureFault {
    /// Nothing lies beside it.
    #[error("is not signed: there is no signature beside it")]
    Missing,
    /// More bytes than a signature has.
    #[error("has a signature of more than {MAX_BYTES} bytes, which no signature of minisign has")]
    TooLarge,
    /// Not in minisign's format.
    #[error("has a file beside it that is no signature of minisign: {0}")]
    Damaged(&'static str),
    /// The old algorithm, under which a signed text of 64 bytes could pass for the hash of another.
    #[error("is signed by minisign's old algorithm, which is not accepted: sign it again with minisign 0.10 or newer")]
    OldAlgorithm,
    /// Another key made it.
    #[error("is signed by the key {made_with}, and not by {wanted}")]
    Foreign {
        /// The id of the key that made it, as the signature says.
        made_with: String,
        /// The id of the key that was to be.
        wanted: String,
    },
    /// The key is right and the bytes are not.
    #[error("does not fit its signature by the key {0}: one of the two was changed since it was signed")]
    Wrong(String),
}

/// A public key, by which signatures are checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey(PublicKey);

impl VerifyingKey {
    /// Reads a key as minisign writes it: its one line, or the file of two lines.
    ///
    /// # Errors
    /// What is wrong with it, in a few words.
    pub fn of_text(text: &str) -> Result<Self, &'static str> {
        let lines: Vec<&str> = text.trim().lines().map(str::trim).collect();
        let line = match *lines.as_slice() {
            [line] => line,
            [comment, line] if comment.starts_with("untrusted comment:") => line,
            _ => return Err("it has not the lines of a public key of minisign"),
        };
        if line.len() != KEY_CHARACTERS {
            return Err("its line has not the length of a public key of minisign");
        }
        let key = PublicKey::from_base64(line).map_err(|_| "its line is no base64")?;
        match key.to_bytes().starts_with(PLAIN) {
            true => Ok(Self(key)),
            false => Err("it is of an algorithm that minisign has not"),
        }
    }

    /// The key's id as minisign prints it: 16 hex digits in capitals.
    pub fn id(&self) -> String {
        id(self.0.keynum())
    }

    /// The one line as minisign writes it.
    pub fn text(&self) -> String {
        self.0.to_base64()
    }

    /// Checks bytes against their signature, and gives its trusted comment. The comment is the signer's word; it may say anything.
    ///
    /// # Errors
    /// Why the signature is not accepted.
    pub fn check(&self, bytes: &[u8], signature: &[u8]) -> Result<String, SignatureFault> {
        let signature = parse(signature)?;
        if signature.keynum() != self.0.keynum() {
            return Err(SignatureFault::Foreign { made_with: id(signature.keynum()), wanted: self.id() });
        }
        minisign::verify(&self.0, &signature, Cursor::new(bytes), true, false, false)
            .map_err(|_| SignatureFault::Wrong(self.id()))?;
        signature.trusted_comment().map_err(|_| SignatureFault::Damaged("its comment is no text"))
    }

    /// Checks a file of a folder against the signature beside it, and gives its trusted comment.
    ///
    /// # Errors
    /// A file that cannot be read or has more than `max` bytes. The fault of a signature is told in the inner result.
    pub fn check_file(&self, dir: &Path, name: &str, max: u64) -> anyhow::Result<Result<String, SignatureFault>> {
        let path = dir.join(format!("{name}{ENDING}"));
        // First: whoever wrote the file may be anybody.
        let signature = match read(&path, MAX_BYTES) {
            Ok(Some(signature)) => signature,
            Ok(None) => return Ok(Err(SignatureFault::TooLarge)),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Err(SignatureFault::Missing)),
            Err(error) => return Err(error).with_context(|| format!("failed to read {}", path.display())),
        };
        let path = dir.join(name);
        let bytes = read(&path, max).with_context(|| format!("failed to read {}", path.display()))?;
        let bytes = bytes.with_context(|| format!("{} has more than {max} bytes", path.display()))?;
        Ok(self.check(&bytes, &signature))
    }
}

/// True for a signature that this program made, by the form of its trusted comment: it may replace it.
pub fn is_own(signature: &[u8]) -> bool {
    let text = std::str::from_utf8(signature).unwrap_or_default();
    parse(signature).is_ok() && text.lines().nth(2).is_some_and(|line| line.starts_with(OWN_COMMENT))
}

/// The bytes of a regular file; none where it has more than `max`.
fn read(path: &Path, max: u64) -> std::io::Result<Option<Vec<u8>>> {
    fs::symlink_metadata(path)?;
    let mut bytes = Vec::new();
    file::open_regular(path)?.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= max).then_some(bytes))
}

/// A signature whose every part has its length: the crate that checks it takes that for granted.
fn parse(bytes: &[u8]) -> Result<SignatureBox, SignatureFault> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(SignatureFault::TooLarge);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| SignatureFault::Damaged("it is no text"))?;
    let lines: Vec<&str> = text.lines().collect();
    let [_, signature, _, of_comment] = *lines.as_slice() else {
        return Err(SignatureFault::Damaged("it has not four lines"));
    };
    let decoded = [signature, of_comment].map(|line| STANDARD.decode(line.trim()));
    let [Ok(signature), Ok(of_comment)] = decoded else {
        return Err(SignatureFault::Damaged("a line of it is no base64"));
    };
    if [signature.len(), of_comment.len()] != SIGNATURE_BYTES {
        return Err(SignatureFault::Damaged("a line of it has not the length of a signature"));
    }
    match signature.get(..ALGORITHM) {
        Some(HASHED) => {}
        Some(PLAIN) => return Err(SignatureFault::OldAlgorithm),
        _ => return Err(SignatureFault::Damaged("it is of an algorithm that minisign has not")),
    }
    SignatureBox::from_string(text).map_err(|_| SignatureFault::Damaged("its lines do not begin as those of minisign"))
}

/// A key's id as minisign prints it: its eight bytes as one number, least significant first.
fn id(number: &[u8]) -> String {
    number.iter().rev().map(|byte| format!("{byte:02X}")).collect()
}

#[cfg(test)]
mod tests;
