//! `capdex sources accept-removals`: lets a blocked mass deletion through.

use anyhow::Context as _;
use capdex_dataset::escape;
use capdex_model::time::AsOf;

use crate::cli::AcceptRemovalsArgs;
use crate::clock;
use crate::exit::{Exit, usage};
use crate::jobs::list;
use crate::options::Global;
use crate::output::Out;

pub(super) fn run(global: &Global, options: &AcceptRemovalsArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let state = super::reader(global)?.source_state(&options.source)?;
    let Some(state) = state else {
        return Err(usage(format!("{:?} was never walked; `capdex status` lists the sources", options.source)));
    };
    // Nothing held: the store need not be locked.
    if state.held == 0 {
        out.line(format_args!("Nothing is held back in {}.", escape::escape(&state.id)))?;
        return Ok(Exit::Done);
    }
    let at = global.as_of.unwrap_or_else(|| AsOf(clock::now()));
    let source = state.id.clone();
    let gone = super::decide(global, &options.waiting, move |decisions| list::confirm(decisions, &source, at))
        .context("failed to take the missing listings as gone")?;
    out.line(format_args!("{} of {} taken as gone.", escape::count(gone, "listing"), escape::escape(&state.id)))?;
    Ok(Exit::Done)
}
