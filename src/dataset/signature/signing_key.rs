//! `SigningKey`: a secret key of minisign, opened, and what it signs.

use std::fmt;
use std::io::Cursor;

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use capdex_model::time::AsOf;
use minisign::{KeyPair, PublicKey, SecretKey, SecretKeyBox};

use super::{PLAIN, id};
use crate::program::program;

/// Where a secret key says how its password was stretched, and the word for no password.
const STRETCHING: std::ops::Range<usize> = 2..4;
const NOT_STRETCHED: &[u8] = &[0, 0];

/// Why a secret key cannot be used. Each is one sentence behind the name of its file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyFault {
    /// Not in minisign's format.
    #[error("is no secret key of minisign")]
    Damaged,
    /// It has a password and none was given.
    #[error("has a password")]
    PasswordMissing,
    /// It has another password.
    #[error("has another password than the one that was given")]
    PasswordWrong,
}

/// The two files of a new pair, each with its text.
#[derive(Clone)]
pub struct KeyPairTexts {
    /// The text of the secret key.
    pub secret: String,
    /// The text of the public key.
    pub public: String,
    /// Its id: 16 hex digits in capitals.
    pub id: String,
}

/// A secret key that signs. What it prints for debugging is its id alone.
#[derive(Clone)]
pub struct SigningKey {
    secret: SecretKey,
    public: PublicKey,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("SigningKey").field(&self.id()).finish()
    }
}

impl SigningKey {
    /// Makes a new pair from the randomness of the system; with a password the secret one is of no use without it.
    ///
    /// # Errors
    /// A system that gives no randomness or no memory.
    pub fn new_pair(password: Option<&str>) -> anyhow::Result<KeyPairTexts> {
        let (pair, comment) = match password {
            Some(password) => {
                (KeyPair::generate_encrypted_keypair(Some(password.to_owned())), "capdex encrypted secret key")
            }
            None => (KeyPair::generate_unencrypted_keypair(), "capdex secret key without a password"),
        };
        let pair = pair.context("failed to make a pair of keys")?;
        Ok(KeyPairTexts {
            secret: pair.sk.to_box(Some(comment)).context("failed to write the secret key")?.into_string(),
            public: pair.pk.to_box().context("failed to write the public key")?.into_string(),
            id: id(pair.pk.keynum()),
        })
    }

    /// Opens a key as minisign writes it. A password is not looked at where the key has none.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn of_text(text: &str, password: Option<&str>) -> Result<Self, KeyFault> {
        let line = text.lines().nth(1).ok_or(KeyFault::Damaged)?;
        let bytes = STANDARD.decode(line.trim()).map_err(|_| KeyFault::Damaged)?;
        if !bytes.starts_with(PLAIN) {
            return Err(KeyFault::Damaged);
        }
        let boxed = SecretKeyBox::from_string(text).map_err(|_| KeyFault::Damaged)?;
        // The crate asks at the terminal where no password is given, so it is never called without one.
        let secret = if bytes.get(STRETCHING) == Some(NOT_STRETCHED) {
            boxed.into_unencrypted_secret_key().map_err(|_| KeyFault::Damaged)?
        } else {
            // A key that is too short is no key, and has no password either.
            SecretKey::from_bytes(&bytes).map_err(|_| KeyFault::Damaged)?;
            let password = password.ok_or(KeyFault::PasswordMissing)?;
            boxed.into_secret_key(Some(password.to_owned())).map_err(|_| KeyFault::PasswordWrong)?
        };
        let public = PublicKey::from_secret_key(&secret).map_err(|_| KeyFault::Damaged)?;
        Ok(Self { secret, public })
    }

    /// The key's id as minisign prints it: 16 hex digits in capitals.
    pub fn id(&self) -> String {
        id(self.secret.keynum())
    }

    /// Signs the manifest of something that is published, and gives the text of the signature's file. `digest` (hex) and `as_of`
    /// are what the trusted comment names it by, beside the version of the program. No two signatures of the same bytes are alike.
    ///
    /// # Errors
    /// A system that gives no randomness.
    pub fn sign(&self, bytes: &[u8], what: &str, digest: &str, as_of: AsOf) -> anyhow::Result<String> {
        let version = &program().engine_version;
        let trusted = format!("capdex {what} sha256:{digest} night {as_of} program {version}");
        let untrusted = format!("signature by the key {}", self.id());
        let signed =
            minisign::sign(Some(&self.public), &self.secret, Cursor::new(bytes), Some(&trusted), Some(&untrusted));
        Ok(signed.context("failed to sign")?.into_string())
    }
}
