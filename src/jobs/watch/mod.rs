//! The watch stage: runs every pass over what the store holds, in their order, and raises what they find.
//!
//! Must not fetch, scan or score. A pass runs again only when something that it reads has changed.

use super::{Context, StageReport};
use crate::clock;

mod campaigns;
mod clones;
mod collisions;
mod drift;
mod identity;
pub(crate) mod lookalikes;
mod sightings;
mod standing;

/// Runs one pass; what it looked at and what was new.
type Run = fn(&Context) -> anyhow::Result<StageReport>;

/// Every pass in its order: later ones read what earlier ones store.
const PASSES: &[(&str, Run)] = &[
    ("identity", identity::run),
    ("drift", drift::run),
    ("lookalikes", lookalikes::run),
    ("collisions", collisions::run),
    ("clones", clones::run),
    ("campaigns", campaigns::run),
    // No pass by itself: what is told the rules follows from all of them.
    ("sightings", sightings::run),
];

/// Runs the passes whose input has changed.
///
/// # Errors
/// What the store says.
pub fn run(context: &Context) -> anyhow::Result<StageReport> {
    let watch = clock::Stopwatch::start();
    let mut report = StageReport::default();
    for (name, pass) in PASSES {
        let state = state_of(context, name, &context.store.reader()?.watched_state()?)?;
        if context.store.reader()?.pass_input(name)?.as_ref() == Some(&state) {
            continue;
        }
        let of_pass = pass(context)?;
        if context.stop.is_asked() {
            break;
        }
        report.items += of_pass.items;
        report.done += of_pass.done;
        let (at, name) = (context.as_of, *name);
        context.store.write(move |writer| writer.pass_ran(name, &state, at))?;
    }
    report.wall_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

/// Notes that passes which ran over a state of the store need not run over the present one.
///
/// # Errors
/// What the store says.
pub fn carry_over(context: &Context, from: &str) -> anyhow::Result<()> {
    let reader = context.store.reader()?;
    let to = reader.watched_state()?;
    for (name, _) in PASSES {
        if reader.pass_input(name)? == Some(state_of(context, name, from)?) {
            let (at, name, to) = (context.as_of, *name, state_of(context, name, &to)?);
            context.store.write(move |writer| writer.pass_ran(name, &to, at))?;
        }
    }
    Ok(())
}

/// Everything that a pass reads: the watched state of the store, and what the operator says.
fn state_of(context: &Context, pass: &str, watched: &str) -> anyhow::Result<String> {
    let mut state = format!("{watched}.{}", context.overrides.digest());
    if pass == "lookalikes" {
        state.push_str(&lookalikes::lists_state(&context.popular)?);
    }
    Ok(state)
}
