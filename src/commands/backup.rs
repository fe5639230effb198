//! `capdex backup` and `capdex restore`: copies of the store, and back.

use anyhow::Context as _;
use capdex_dataset::escape;
use capdex_db::{Reader, StoreError};

use crate::cli::{BackupArgs, RestoreArgs};
use crate::exit::{Exit, usage};
use crate::options::Global;
use crate::output::Out;
use crate::progress::StageProgress;

pub(super) fn backup(global: &Global, options: &BackupArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let reader: Reader = super::reader(global)?;
    let progress = StageProgress::stage("backup", Some(0), global.quiet);
    let mut before = 0;
    let copied = reader.backup(&options.file, |done, whole| {
        progress.expect(whole);
        // The total is known only once the copy has begun.
        progress.advance(done.saturating_sub(before));
        before = done;
    });
    progress.finish();
    let bytes = match copied {
        // A file that is there already is a mistake of usage, and is never written over.
        Err(error @ StoreError::Refused { .. }) => return Err(usage(error.to_string())),
        other => other.with_context(|| format!("failed to copy the store {}", global.db.display()))?,
    };
    out.line(format_args!(
        "{}: {}, checked. Back: capdex restore {0} --db {}",
        options.file.display(),
        escape::bytes(bytes),
        global.db.display()
    ))?;
    Ok(Exit::Done)
}

pub(super) fn restore(global: &Global, options: &RestoreArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let kept = match capdex_db::restore(&options.file, &global.db) {
        Err(error @ StoreError::Refused { .. }) => return Err(usage(error.to_string())),
        Err(error @ StoreError::Missing { .. }) => {
            return Err(usage(format!("{error}; name a file that `capdex backup` wrote")));
        }
        other => other.with_context(|| format!("failed to restore {}", options.file.display()))?,
    };
    // The store of before is kept, so that a wrong backup can be undone.
    let kept = kept.map_or_else(String::new, |kept| format!(" What was there is kept as {}.", kept.display()));
    let (file, store) = (options.file.display(), global.db.display());
    out.line(format_args!("{store} is {file} again.{kept} Next: capdex status"))?;
    Ok(Exit::Done)
}
