//! The operator's keys: secret ones by which what is published is signed, public ones by which it is checked.
//!
//! Signing itself is done in `capdex_dataset::signature`. A password comes from a file or from the environment, never from the command
//! line, which every process of the machine can read.

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use capdex_dataset::signature::{KeyFault, KeyPairTexts, MAX_BYTES, SigningKey, VerifyingKey};

use crate::exit::usage;

/// The variable that holds the password of a key.
pub const PASSWORD: &str = "CAPDEX_KEY_PASSWORD";
/// The most bytes of a password: minisign's own bound.
const MAX_PASSWORD: usize = 1024;
/// The ending of the public key's file, behind the whole name of the secret one.
const PUBLIC: &str = ".pub";

/// Opens the key of a file.
///
/// # Errors
/// Wrong usage: a file that cannot be read or is no key, and a password that is missing or wrong.
pub fn signing_key(path: &Path, password_file: Option<&Path>) -> anyhow::Result<SigningKey> {
    let shown = path.display();
    let text = read_short(path).map_err(|why| usage(format!("the key {shown} {why}")))?;
    let password = password(password_file)?;
    SigningKey::of_text(&text, password.as_deref()).map_err(|fault| {
        let advice = match fault {
            KeyFault::PasswordMissing => format!(": set {PASSWORD}, or name a file that holds it with --password-file"),
            KeyFault::Damaged | KeyFault::PasswordWrong => String::new(),
        };
        usage(format!("the key {shown} {fault}{advice}"))
    })
}

/// Reads a public key: the text itself, or the file that holds it.
///
/// # Errors
/// One sentence that says what is wrong.
pub fn verifying_key(text: &str) -> Result<VerifyingKey, String> {
    // The text of a key has a length that no sensible name of a file has; what is none may still be one.
    if let Ok(key) = VerifyingKey::of_text(text) {
        return Ok(key);
    }
    let file =
        read_short(Path::new(text)).map_err(|why| format!("it is no public key of minisign, and the file {why}"))?;
    VerifyingKey::of_text(&file).map_err(|why| format!("the file holds no public key: {why}"))
}

/// The files of a pair that was made.
pub struct MadePair {
    /// The secret key; nobody but its owner may read it.
    pub secret: PathBuf,
    /// The public key.
    pub public: PathBuf,
    /// The key's id.
    pub id: String,
    /// The public key in its one line.
    pub line: String,
}

/// Makes a pair of keys. A file that is there already is left as it is.
///
/// # Errors
/// Wrong usage where a file of either name is there; a folder that cannot be written.
pub fn make_pair(path: &Path, password_file: Option<&Path>) -> anyhow::Result<(MadePair, bool)> {
    let password = password(password_file)?;
    let mut public = path.as_os_str().to_owned();
    public.push(PUBLIC);
    let public = PathBuf::from(public);
    for path in [path, &public] {
        if fs::symlink_metadata(path).is_ok() {
            return Err(there_already(path));
        }
    }
    let KeyPairTexts { secret, public: public_text, id } = SigningKey::new_pair(password.as_deref())?;
    write_new(path, &secret, true)?;
    if let Err(error) = write_new(&public, &public_text, false) {
        // A secret key alone would stand in the way of the next try.
        let _ = fs::remove_file(path);
        return Err(error);
    }
    let line = public_text.lines().nth(1).unwrap_or_default().to_owned();
    Ok((MadePair { secret: path.to_owned(), public, id, line }, password.is_some()))
}

/// The password of a file, or else of the environment; none where neither is named.
fn password(file: Option<&Path>) -> anyhow::Result<Option<String>> {
    let password = match file {
        Some(path) => {
            let text = read_short(path)
                .map_err(|why| usage(format!("the file of the password, {}, {why}", path.display())))?;
            Some(text.trim_end_matches(['\r', '\n']).to_owned())
        }
        None => match std::env::var(PASSWORD) {
            Ok(password) => Some(password),
            Err(std::env::VarError::NotPresent) => None,
            Err(std::env::VarError::NotUnicode(_)) => return Err(usage(format!("{PASSWORD} is no text"))),
        },
    };
    match password {
        Some(password) if password.is_empty() => Err(usage("the password is empty: give one, or name none")),
        Some(password) if password.len() > MAX_PASSWORD => {
            Err(usage(format!("the password has more than {MAX_PASSWORD} bytes")))
        }
        password => Ok(password),
    }
}

/// A file of a few lines as text, or why it is none.
fn read_short(path: &Path) -> Result<String, String> {
    let cannot = |error: std::io::Error| format!("cannot be read: {error}");
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(cannot)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("has more than {MAX_BYTES} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| "is no text".to_owned())
}

/// Writes a file that is not there yet, through no link; a secret one for its owner alone from its first byte on.
fn write_new(path: &Path, text: &str, is_secret: bool) -> anyhow::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if is_secret { 0o600 } else { 0o644 });
    let mut file = match options.open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Err(there_already(path)),
        opened => opened.with_context(|| format!("failed to make {}", path.display()))?,
    };
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if written.is_err() {
        let _ = fs::remove_file(path);
    }
    written.with_context(|| format!("failed to write {}", path.display()))
}

fn there_already(path: &Path) -> anyhow::Error {
    usage(format!("{} is there already, and no key is ever written over: name another file", path.display()))
}
