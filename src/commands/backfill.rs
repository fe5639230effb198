//! `capdex backfill`: one source from its beginning, resumable.

use std::path::Path;

use super::{nightly, summary};
use crate::cli::{Backfill, Global};
use crate::config::{Schedule, known_source};
use crate::exit::{Exit, usage};
use crate::jobs::run as jobs;
use crate::output::Out;

pub(super) fn run(global: &Global, options: &Backfill, out: &mut Out) -> anyhow::Result<Exit> {
    known_source(&options.source)?;
    let schedule = schedule(options)?;
    if options.plan {
        return nightly::print_plan(global, &schedule, out);
    }
    let context = jobs::open(global, &schedule)?;
    let report = jobs::whole(&context, &schedule.name, None)?;
    summary::print_report(&report, out)?;
    out.line("Next: capdex export DIR · capdex status")?;
    Ok(nightly::exit_of(&report))
}

/// The schedule's settings for the source, overridden by the options.
fn schedule(options: &Backfill) -> anyhow::Result<Schedule> {
    let loaded = Schedule::load(options.config.as_deref())?;
    let mut section = loaded.sources.get(&options.source).cloned().unwrap_or_default();
    if options.config.is_none() {
        section.base_url = None;
    }
    if let Some(base_url) = &options.base_url {
        section.base_url = Some(base_url.clone());
    }
    if let Some(path) = &options.watchlist {
        section.watchlist = read_names(path)?;
    }
    if let Some(limit) = options.limit {
        section.watchlist.sort();
        section.watchlist.truncate(limit);
    }
    if section.watchlist.is_empty() {
        return Err(usage(format!("nothing to list in {}: give --watchlist FILE or --config FILE", options.source)));
    }
    Ok(Schedule::single(&options.source, section, loaded.http))
}

fn read_names(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| usage(format!("cannot read the watchlist {}: {error}", path.display())))?;
    Ok(text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|name| !name.is_empty())
        .map(ToOwned::to_owned)
        .collect())
}
