//! `capdex backfill`: one source from its beginning, resumable.

use std::path::Path;

use capdex_crawlers::WalkKind;
use capdex_dataset::escape;
use capdex_dataset::export::rank_summary::{EarlierVerdicts, RankSummary};
use capdex_rubrics::rank::TRUST;

use super::summary::SummaryOf;
use super::{nightly, summary};
use crate::advice;
use crate::cli::BackfillArgs;
use crate::config::{Schedule, no_address, source_of};
use crate::exit::{Exit, usage};
use crate::jobs::run as jobs;
use crate::options::Global;
use crate::output::{self, Out};

pub(super) fn run(global: &Global, options: &BackfillArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let schedule = schedule(options, global.quiet)?;
    if options.plan {
        return nightly::print_plan(global, &schedule, out);
    }
    let mut context = jobs::open(global, &schedule, &options.recording)?;
    context.gaps.is_strict = options.strict;
    // One source was asked for by name, so leaving it out is an error and no warning.
    if let Some((id, reason)) = context.skipped.first_key_value() {
        return Err(usage(format!("{id} is not asked: {reason}")));
    }
    // The limit applies to directories too, which have no watchlist to cut.
    if let Some(run) = context.sources.get_mut(&options.source) {
        run.max_entries = options.limit.and_then(|limit| u64::try_from(limit).ok());
    }
    // A backfill writes no dataset; `capdex export` does when it is wanted.
    let last = if options.list_only { jobs::Last::List } else { jobs::Last::Watch };
    // Read now, because the run is about to replace them.
    let before = match options.list_only {
        true => EarlierVerdicts::default(),
        false => EarlierVerdicts::of(&context.store.reader()?, &context.pool, TRUST)?,
    };
    let report = jobs::whole(&context, &schedule.name, last)?;
    summary::print_report(&report, out)?;
    let mut explained = String::new();
    if !options.list_only {
        // Read from the store, because nothing was written that would hold it.
        let reader = context.store.reader()?;
        let ranks = RankSummary::of_store(&reader, &context.pool, context.as_of, TRUST, &before)?;
        summary::print_ranks(SummaryOf::Store, &ranks, out)?;
        if let Some(name) = summary::first_name(&ranks.top_rows) {
            explained = format!(" · capdex explain {name}");
        }
    }
    out.line(format_args!("Next: capdex export DIR · capdex status{explained}"))?;
    Ok(nightly::exit_of(&report))
}

/// The schedule's settings for the source, overridden by the options.
fn schedule(options: &BackfillArgs, is_quiet: bool) -> anyhow::Result<Schedule> {
    let loaded = Schedule::load(options.config.as_deref())?;
    let mut section = loaded.sources.get(&options.source).cloned().unwrap_or_default();
    // The built-in schedule's address belongs to the quick start, and not to whoever names the source by hand.
    if options.config.is_none() {
        section.base_url = None;
    }
    if let Some(base_url) = &options.base_url {
        if let Some(why) = no_address(base_url) {
            return Err(usage(format!("--base-url {why}")));
        }
        section.base_url = Some(base_url.clone());
    }
    if let Some(path) = &options.watchlist {
        section.packages = read_names(path)?;
    }
    if let Some(limit) = options.limit {
        // Sorted first, so that the same limit takes the same names each time.
        section.packages.sort();
        section.packages.truncate(limit);
    }
    let source = source_of(section.kind.as_deref().unwrap_or(&options.source))?;
    if section.packages.is_empty() && section.queries.is_empty() && source.meta().walk == WalkKind::Names {
        return Err(usage(format!("nothing to list in {}: give --watchlist FILE or --config FILE", options.source)));
    }
    if options.config.is_none() && options.watchlist.is_none() && !section.packages.is_empty() && !is_quiet {
        let names = escape::count(section.packages.len() as u64, "package");
        output::say(format_args!("without --watchlist and --config: {names} of the quick start"));
    }
    // The operator's decisions on identity and gaps hold for a single source as well.
    let (identity, max_gap_percent) = (loaded.identity, loaded.max_gap_percent);
    Ok(Schedule { identity, max_gap_percent, ..Schedule::single(&options.source, section, loaded.http) })
}

fn read_names(path: &Path) -> anyhow::Result<Vec<String>> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| usage(format!("cannot read the watchlist {}: {}", path.display(), advice::told(&error))))?;
    Ok(text
        .lines()
        // Comments are allowed, as in the lists that people keep by hand.
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|name| !name.is_empty())
        .map(ToOwned::to_owned)
        .collect())
}
