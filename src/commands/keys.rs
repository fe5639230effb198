//! `capdex keys`: the keys that sign what is published.

use capdex_dataset::escape;

use crate::cli::{KeysCommand, KeysNewArgs};
use crate::exit::Exit;
use crate::output::Out;
use crate::signing::{self, MadePair};

pub(super) fn run(command: &KeysCommand, out: &mut Out) -> anyhow::Result<Exit> {
    let KeysCommand::New(KeysNewArgs { file, password_file }) = command;
    let (MadePair { secret, public, id, line }, has_password) = signing::make_pair(file, password_file.as_deref())?;
    let shown = |path: &std::path::Path| escape::escape(&path.display().to_string()).into_owned();
    let guarded = if has_password { "its password opens it" } else { "it has no password" };
    out.line(format_args!("key {id}\n  secret  {} ({guarded}; keep it, and show it to nobody)", shown(&secret)))?;
    out.line(format_args!("  public  {} (publish it)\n  {line}", shown(&public)))?;
    Ok(Exit::Done)
}
