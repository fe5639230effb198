//! Clearing the store of work after a plan was taken in: all that it holds of it stands in the store by then.

use std::collections::BTreeSet;

use capdex_model::digest::Digest;
use capdex_spread::job::SCAN;
use capdex_spread::{BlobStore, names};

use super::plan::Plan;

/// Removes a plan, and unless they are kept all objects of its jobs.
///
/// # Errors
/// A store that fails.
pub(super) fn clear(store: &dyn BlobStore, plan: &Plan, keeps: bool) -> anyhow::Result<()> {
    // The head first: from then on no worker looks for more of it.
    store.delete(&names::head(&plan.id))?;
    for name in store.list(&names::plan(&plan.id))? {
        store.delete(&name)?;
    }
    if keeps {
        return Ok(());
    }
    let jobs: BTreeSet<Digest> =
        plan.jobs.iter().map(|job| job.digest).chain(plan.parts.values().flatten().copied()).collect();
    // Jobs before results: a late worker finds no job, and does nothing that is done.
    for name in jobs.iter().map(|job| names::job(SCAN, job)) {
        store.delete(&name)?;
    }
    for name in plan.jobs.iter().map(|job| names::pack(&job.pack)) {
        store.delete(&name)?;
    }
    for job in &jobs {
        store.delete(&names::out(SCAN, job))?;
    }
    for job in jobs.iter().filter(|job| plan.head.is_audited(job)) {
        store.delete(&names::audit(SCAN, job))?;
    }
    for folder in [names::all_tries(SCAN), names::all_dead(SCAN)] {
        for name in store.list(&folder)? {
            if names::job_of(&name).is_some_and(|of| jobs.contains(&of)) {
                store.delete(&name)?;
            }
        }
    }
    Ok(())
}
