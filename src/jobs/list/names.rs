//! Tonight's names of a source: those that the schedule lists, and those that other listings refer to and that are due.
//!
//! Only the store is read.

use std::collections::BTreeSet;

use capdex_crawlers::{SourceSettings, WalkKind, source};
use capdex_db::{Reader, WalkMode};
use capdex_model::release_line;
use capdex_model::time::AsOf;

use crate::config::SourceRun;
use crate::jobs::JobContext;

/// The settings of a source with tonight's names in its watchlist. A walk of changes has all names in it, because the feed
/// says which of them are due.
///
/// # Errors
/// Errors of the store.
pub(super) fn tonight(
    context: &JobContext,
    id: &str,
    run: &SourceRun,
    mode: WalkMode,
) -> anyhow::Result<SourceSettings> {
    let mut settings = run.settings.clone();
    // A source that follows nothing is asked for the schedule's list alone: strangers' references cost it no request.
    if run.follows {
        let reader = context.store.reader()?;
        let due = match mode {
            // Asked anew means all of them, whether due or not.
            WalkMode::Full if context.ignore_validators => reader.references(&run.kind)?,
            // The cap bounds the night: anybody can refer to any number of names.
            WalkMode::Full => reader.due_references(&run.kind, id, context.as_of, run.max_references)?,
            WalkMode::Since => reader.references(&run.kind)?,
        };
        // A set, so that a name of both lists is asked for once and the order is the same every night.
        let mut names: BTreeSet<String> = settings.watchlist.into_iter().chain(due).collect();
        if release_line::has_lines(&run.kind) {
            // What is known of a package's lines is looked at with the package: they cost no request.
            let packages: BTreeSet<&str> = names.iter().map(|name| release_line::package_of(name)).collect();
            let lines = reader.known_lines(&run.kind, id, &packages)?;
            names.extend(lines);
        }
        settings.watchlist = names.into_iter().collect();
    }
    Ok(settings)
}

/// The number of names that will be asked for, as far as that is known before the walk. None where a directory is walked,
/// whose end only the source knows.
///
/// # Errors
/// Errors of the store.
pub(super) fn expected(context: &JobContext) -> anyhow::Result<Option<u64>> {
    // One directory makes the total unknown, and a bar with a wrong total is worse than one without.
    if context.sources.values().any(|run| is_directory(&run.kind)) {
        return Ok(None);
    }
    let mut total = 0;
    for (id, run) in &context.sources {
        total += tonight(context, id, run, WalkMode::Full)?.watchlist.len();
    }
    Ok(u64::try_from(total).ok())
}

/// True where a source lists its entries itself.
pub(in crate::jobs) fn is_directory(kind: &str) -> bool {
    source(kind).is_some_and(|source| matches!(source.meta().walk, WalkKind::Directory { .. }))
}

/// True where a source reads this machine and sends nothing.
pub(in crate::jobs) fn is_local(kind: &str) -> bool {
    source(kind).is_some_and(|source| source.meta().role.is_local())
}

/// The names that a source would be asked for, as far as a reader of the store can tell.
///
/// # Errors
/// Errors of the store.
pub(in crate::jobs) fn planned(
    reader: Option<&Reader>,
    id: &str,
    run: &SourceRun,
    at: AsOf,
) -> anyhow::Result<BTreeSet<String>> {
    let mut names: BTreeSet<String> = run.settings.watchlist.iter().cloned().collect();
    // Without a store nothing is known of references, and the plan covers the schedule's list alone.
    if let Some(reader) = reader.filter(|_| run.follows) {
        names.extend(reader.due_references(&run.kind, id, at, run.max_references)?);
    }
    Ok(names)
}
