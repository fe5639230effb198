//! The watch stage: runs every pass over what the store holds, in their order, and raises what they find.
//!
//! Nothing is fetched, scanned or scored. A pass runs again only when something that it reads has changed.

use capdex_dataset::stopwatch::Stopwatch;
use tracing::info;

use super::{JobContext, StageReport};
use active_capabilities::ActiveCapabilities;

mod active_capabilities;
mod campaigns;
mod clones;
mod collisions;
mod corpus_signals;
mod drift;
mod identity;
pub(crate) mod typosquats;

/// One pass, as the stage runs it.
struct Pass {
    /// Its word, as in alerts and corpus signals.
    id: &'static str,
    /// Version of its judgement: with another one it runs again over what it has looked at.
    version: u32,
    /// Runs it; reports the items it looked at and those that were new.
    run: RunPass,
}

/// How a pass is run.
enum RunPass {
    /// It reads what it asks of the store.
    Alone(fn(&JobContext) -> anyhow::Result<StageReport>),
    /// It compares all capabilities, which are read once for all such passes.
    OverAll(fn(&JobContext, &ActiveCapabilities) -> anyhow::Result<StageReport>),
}

/// Every pass in its order: later ones read what earlier ones store.
const PASSES: &[Pass] = &[
    Pass { id: "identity", version: 3, run: RunPass::Alone(identity::run) },
    Pass { id: "drift", version: 1, run: RunPass::Alone(drift::run) },
    Pass { id: "lookalikes", version: 2, run: RunPass::Alone(typosquats::run) },
    Pass { id: "collisions", version: 2, run: RunPass::Alone(collisions::run) },
    Pass { id: "clones", version: 2, run: RunPass::OverAll(clones::run) },
    Pass { id: "campaigns", version: 1, run: RunPass::OverAll(campaigns::run) },
    // No pass by itself: what is told the rules follows from all of them.
    Pass { id: "sightings", version: 3, run: RunPass::Alone(corpus_signals::run) },
];

/// Runs the passes whose input has changed.
///
/// # Errors
/// Errors of the store.
pub fn run(context: &JobContext) -> anyhow::Result<StageReport> {
    let watch = Stopwatch::start();
    let mut report = StageReport::default();
    let active = ActiveCapabilities::default();
    for pass in PASSES {
        // Asked anew for each pass, because earlier passes change what later ones read.
        let state = state_of(context, pass, &context.store.reader()?.watched_state()?)?;
        if context.store.reader()?.pass_input(pass.id)?.as_ref() == Some(&state) {
            continue;
        }
        let pass_watch = Stopwatch::start();
        let of_pass = match pass.run {
            RunPass::Alone(run) => run(context),
            RunPass::OverAll(run) => run(context, &active),
        }?;
        let duration_ms = u64::try_from(pass_watch.elapsed().as_millis()).unwrap_or(u64::MAX);
        info!(pass = pass.id, items = of_pass.items, duration_ms, "pass ran");
        // A pass that was cut short must not be noted as done.
        if context.stop.is_asked() {
            break;
        }
        report.items += of_pass.items;
        report.done += of_pass.done;
        let at = context.as_of;
        context.store.write(move |writer| writer.pass_ran(pass.id, &state, at))?;
    }
    report.wall_ms = u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(report)
}

/// Notes that passes which ran over a state of the store need not run over the present one.
///
/// # Errors
/// Errors of the store.
pub fn carry_over(context: &JobContext, from: &str) -> anyhow::Result<()> {
    let reader = context.store.reader()?;
    let to = reader.watched_state()?;
    for pass in PASSES {
        // A pass that did not run over the earlier state has work to do and keeps it.
        if reader.pass_input(pass.id)? == Some(state_of(context, pass, from)?) {
            let (at, to) = (context.as_of, state_of(context, pass, &to)?);
            context.store.write(move |writer| writer.pass_ran(pass.id, &to, at))?;
        }
    }
    Ok(())
}

/// Everything that a pass depends on: its version, the watched state of the store, and what the operator says.
fn state_of(context: &JobContext, pass: &Pass, watched: &str) -> anyhow::Result<String> {
    let mut state = format!("{}.{watched}.{}", pass.version, context.overrides.digest());
    // The one pass with input outside the store.
    if pass.id == "lookalikes" {
        state.push_str(&typosquats::lists_state(&context.popular)?);
    }
    Ok(state)
}

#[cfg(test)]
mod tests;
