//! Inference from absence: a listing that neither of the last two whole walks saw is gone. It is not where so many are
//! missing at once that the source is more likely broken than empty.
//!
//! The source is not asked again: only the store's own rows are compared.

use capdex_db::{Decisions, StoreError, WalkMode};
use capdex_model::snapshot::{Gap, GapReason};
use capdex_model::time::AsOf;
use tracing::warn;

use super::STAGE;
use super::walk_context::WalkContext;
use capdex_dataset::views::ledger::WalkReport;

/// So few missing listings are never too many.
const ALWAYS_ALLOWED: u64 = 5;

/// Takes what is missing after a whole walk as gone, or holds it back for an operator.
pub(super) fn infer(walker: &WalkContext<'_>, mode: WalkMode, walked: &mut WalkReport) -> anyhow::Result<()> {
    // A source that is asked by name says itself which names are gone, and a walk of changes sees only a part.
    let names_are_given = matches!(walker.source.meta().walk, capdex_crawlers::WalkKind::Names);
    if mode != WalkMode::Full || names_are_given {
        return Ok(());
    }
    let (store, id, at) = (&walker.context.store, walker.id.to_owned(), walker.context.as_of);
    let reader = store.reader()?;
    // Those that two whole walks in a row did not see: one broken page is no removal.
    let missing = u64::try_from(reader.missing(&id)?.len())?;
    let (active, _) = reader.listing_counts(&id)?;
    // A share for large directories and a floor for small ones, where one listing would be more than any share.
    let allowed = (active * u64::from(walker.run.max_gone_percent) / 100).max(ALWAYS_ALLOWED);
    if missing <= allowed {
        walked.gone += store.write(move |writer| writer.drop_missing(&id, &gap(), at))?;
        return Ok(());
    }
    // A broken or hostile directory must not take thousands of packages out of the dataset in one night.
    warn!(source = walker.id, missing, active, "too many listings are missing at once; nothing is taken as gone");
    walked.held = missing;
    let detail = format!(
        "{missing} of {active} listings are missing, more than {allowed}: `capdex sources accept-removals {id}` takes them as gone"
    );
    let gap = Gap::new(id.clone(), GapReason::BadAnswer, detail);
    // Held and recorded together: the gap is what tells an operator that somebody has to decide.
    store.write(move |writer| {
        writer.hold_missing(&id, missing)?;
        writer.record_gap(STAGE, &id, &gap, at)
    })?;
    Ok(())
}

/// Takes what is held back as gone, because an operator says so; how many listings that were.
///
/// # Errors
/// Errors of the store.
pub fn confirm(decisions: &Decisions<'_>, source: &str, at: AsOf) -> Result<u64, StoreError> {
    // The gap that asked for this decision is answered by it.
    decisions.accept_removals(source, STAGE, &gap(), at)
}

fn gap() -> Gap {
    Gap::new("", GapReason::NotFound, "two whole walks of the source did not see it")
}
