//! The watch stage: runs every pass over what the store holds, in their order, and raises what they find.
//!
//! Must not fetch, scan or score. A pass runs again only when something that it reads has changed.

use super::{Context, StageReport};
use crate::clock;

mod drift;
pub(crate) mod lookalikes;

/// Runs one pass; what it looked at and what was new.
type Run = fn(&Context) -> anyhow::Result<StageReport>;

/// Every pass in its order: later ones read what earlier ones store.
const PASSES: &[(&str, Run)] = &[("drift", drift::run), ("lookalikes", lookalikes::run)];

/// Runs the passes whose input has changed.
///
/// # Errors
/// What the store says.
pub fn run(context: &Context) -> anyhow::Result<StageReport> {
    let watch = clock::Stopwatch::start();
    let mut report = StageReport::default();
    for (name, pass) in PASSES {
        let mut state = context.store.reader()?.watched_state()?;
        if *name == "lookalikes" {
            state.push_str(&lookalikes::lists_state(&context.popular)?);
        }
        if context.store.reader()?.pass_input(name)?.as_ref() == Some(&state) {
            continue;
        }
        let of_pass = pass(context)?;
        report.items += of_pass.items;
        report.done += of_pass.done;
        let (at, name) = (context.as_of, *name);
        context.store.write(move |writer| writer.pass_ran(name, &state, at))?;
    }
    report.wall_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}
