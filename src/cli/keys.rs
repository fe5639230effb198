//! The options of signatures: the key that signs, and the commands about keys.
//!
//! Must not know what a command does.

use std::path::PathBuf;

use capdex_dataset::signature::SigningKey;
use clap::{Args, Subcommand};

use crate::signing;

/// Which key signs what is written.
#[derive(Debug, Args)]
pub struct SigningArgs {
    /// Sign what is written with this secret key, one of `capdex keys new` or of minisign.
    #[arg(long, value_name = "KEYFILE")]
    sign: Option<PathBuf>,
    /// The file that holds the key's password in its one line. Without it the variable `CAPDEX_KEY_PASSWORD` is asked.
    #[arg(long, value_name = "FILE", requires = "sign")]
    password_file: Option<PathBuf>,
}

impl SigningArgs {
    /// The key, opened; none where nothing is signed.
    ///
    /// # Errors
    /// A key that cannot be used.
    pub fn key(&self) -> anyhow::Result<Option<SigningKey>> {
        self.sign.as_deref().map(|path| signing::signing_key(path, self.password_file.as_deref())).transpose()
    }
}

/// The commands of `keys`.
#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Make a pair of keys in minisign's format: the secret one in FILE, for its owner alone, the public one in FILE.pub.
    #[command(
        after_help = "Examples:\n  capdex keys new capdex.key\n  CAPDEX_KEY_PASSWORD=... capdex keys new capdex.key\n  capdex keys new capdex.key --password-file password.txt"
    )]
    New(KeysNewArgs),
    /// Sign one file, such as a page of `check --report`, into FILE.minisig beside it. `verify FILE --key` checks it, and so does minisign.
    #[command(
        after_help = "Examples:\n  capdex check npm:@acme/notes --report notes.html\n  capdex keys sign notes.html --sign capdex.key\n  capdex verify notes.html --key capdex.key.pub"
    )]
    Sign(KeysSignArgs),
}

/// Options of `keys sign`.
#[derive(Debug, Args)]
pub struct KeysSignArgs {
    /// The file. A signature of ours beside it is replaced, and no other file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub signing: SigningArgs,
}

/// Options of `keys new`.
#[derive(Debug, Args)]
pub struct KeysNewArgs {
    /// The file of the secret key. A file that is there already is left as it is.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The file that holds the password of the new key in its one line. Without it the variable `CAPDEX_KEY_PASSWORD` is asked;
    /// without either the key has none.
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
}
