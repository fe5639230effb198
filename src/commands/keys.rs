//! `capdex keys`: the keys that sign what is published.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use capdex_dataset::escape;
use capdex_dataset::signature::{ENDING, is_own};
use capdex_model::digest::Digest;
use capdex_model::time::AsOf;

use crate::advice;
use crate::cli::{KeysCommand, KeysNewArgs, KeysSignArgs};
use crate::clock;
use crate::exit::{Exit, usage};
use crate::files;
use crate::options::Global;
use crate::output::Out;
use crate::signing::{self, MadePair};

/// A larger file is no page.
pub(super) const MAX_BYTES: u64 = 256 << 20;

pub(super) fn run(global: &Global, command: &KeysCommand, out: &mut Out) -> anyhow::Result<Exit> {
    match command {
        KeysCommand::New(options) => new(options, out),
        KeysCommand::Sign(options) => sign(global, options, out),
    }
}

/// Signs one file.
fn sign(global: &Global, options: &KeysSignArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let key = options.signing.key()?.ok_or_else(|| usage("name the secret key with --sign"))?;
    let (file, shown) = (&options.file, escape::escape(&options.file.display().to_string()).into_owned());
    let told = |error| usage(format!("cannot read {shown}: {}", advice::told(&error)));
    let about = fs::symlink_metadata(file).map_err(told)?;
    if !about.is_file() || about.len() > MAX_BYTES {
        return Err(usage(format!("{shown} is no file of at most {MAX_BYTES} bytes: name the page itself")));
    }
    let mut beside = file.clone().into_os_string();
    beside.push(ENDING);
    let beside = PathBuf::from(beside);
    // Nothing of the user's is touched: only what this program signed before.
    if fs::symlink_metadata(&beside).is_ok() && !fs::read(&beside).is_ok_and(|there| is_own(&there)) {
        let there = escape::escape(&beside.display().to_string()).into_owned();
        return Err(usage(format!("{there} is there and is no signature of capdex: move it away")));
    }
    let bytes = fs::read(file).map_err(told)?;
    let at = global.as_of.unwrap_or_else(|| AsOf(clock::now()));
    let signature = key.sign(&bytes, "page", &Digest::of(&bytes).hex(), at)?;
    files::replace(&beside, signature.as_bytes()).with_context(|| format!("failed to write {}", beside.display()))?;
    out.line(format_args!("{shown} is signed by the key {}, in {shown}{ENDING}", key.id()))?;
    Ok(Exit::Done)
}

fn new(options: &KeysNewArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let KeysNewArgs { file, password_file } = options;
    let (MadePair { secret, public, id, line }, has_password) = signing::make_pair(file, password_file.as_deref())?;
    let shown = |path: &std::path::Path| escape::escape(&path.display().to_string()).into_owned();
    let guarded = if has_password { "its password opens it" } else { "it has no password" };
    out.line(format_args!("key {id}\n  secret  {} ({guarded}; keep it, and show it to nobody)", shown(&secret)))?;
    out.line(format_args!("  public  {} (publish it)\n  {line}", shown(&public)))?;
    Ok(Exit::Done)
}
