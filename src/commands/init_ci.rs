//! `capdex init --ci`: writes the file that a CI system or pre-commit reads.
//!
//! A file that is there is its user's: it is never changed.

use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::Context as _;
use capdex_dataset::escape;

use crate::ci::CiSystem;
use crate::cli::InitArgs;
use crate::exit::{Exit, usage};
use crate::files;
use crate::output::{self, Out};

pub(super) fn run(system: CiSystem, options: &InitArgs, out: &mut Out) -> anyhow::Result<Exit> {
    if options.print {
        out.raw(system.text().as_bytes())?;
        return Ok(Exit::Done);
    }
    let path = options.file.clone().unwrap_or_else(|| PathBuf::from(system.file()));
    let shown = escape::escape(&path.to_string_lossy()).into_owned();
    match std::fs::read(&path) {
        Ok(there) if there == system.text().as_bytes() => {
            output::say(format_args!("{shown} is as it would be written"))
        }
        Ok(_) => {
            let print = format!("`capdex init --ci {} --print` prints what to put into it", system.word());
            return Err(usage(format!("{shown} is there already and is left as it is; {print}")));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            files::replace_below(&path, system.text().as_bytes())
                .with_context(|| format!("failed to write {shown}"))?;
            output::say(format_args!("wrote {shown}{}", system.next()));
        }
        Err(error) => return Err(anyhow::Error::new(error).context(format!("failed to read {shown}"))),
    }
    Ok(Exit::Done)
}
