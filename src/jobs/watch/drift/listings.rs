//! The changes in one listing's own history: maintainers, the number of its repository, the files of a version, and
//! versions that its registry calls malicious.
//!
//! Different listings are never compared here.

use capdex_corpus::drift::{
    DriftKind, Effect, EffectKind, Release, ReleaseContext, VersionChange, file_effects, judge, owners, takedowns,
};
use capdex_db::{DriftEvent, ListingPair, StoreError, Writer};
use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::listing::Listing;
use capdex_model::time::AsOf;

use super::{of_package, raise};
use crate::jobs::{JobContext, StageReport, slugs};

/// Listings between two transactions.
const BATCH: usize = 256;

/// Compares every version of a listing with the one before, once.
pub(super) fn run(context: &JobContext, report: &mut StageReport) -> anyhow::Result<()> {
    let reader = context.store.reader()?;
    let pairs = reader.uncompared_listings()?;
    let at = context.as_of;
    // In batches, so that a first night over a large store does not hold one endless transaction.
    for batch in pairs.chunks(BATCH) {
        let found = batch.iter().map(|pair| {
            let mut event = event(pair, at);
            event.as_mut().map_or(Ok(()), |event| slugs::settle(&reader, event))?;
            Ok((pair.now.key.clone(), pair.version, event, pair.popularity))
        });
        let found: Vec<(ListingKey, i64, Option<DriftEvent>, Option<u64>)> =
            found.collect::<Result<_, StoreError>>()?;
        report.done += context.store.write(move |writer: &Writer<'_>| {
            let mut new = 0;
            for (key, version, event, popularity) in &found {
                if let Some(event) = event {
                    // Recorded before it is raised: the alert names the event by its key.
                    new += u64::from(writer.record_drift(event)?);
                    if let Some(alert) = raise::worst(std::slice::from_ref(event), *popularity) {
                        writer.raise(&alert, at)?;
                    }
                }
                // Marked whether or not something differed; otherwise every night would compare the pair again.
                writer.compared_listing(key, *version, at)?;
            }
            Ok(new)
        })?;
    }
    Ok(())
}

/// The event between two versions of a listing; none where the same people answer for the same repository and files.
fn event(pair: &ListingPair, at: AsOf) -> Option<DriftEvent> {
    // Who answers for a release line answers for its package, of which it is told.
    if pair.now.release_line().is_some() {
        return None;
    }
    let mut effects: Vec<Effect> = owners::effects(&pair.before, &pair.now);
    effects.extend(takedowns::effects(&pair.before, &pair.now));
    effects.extend(file_effects(&pair.before, &pair.now));
    if effects.is_empty() {
        return None;
    }
    let version = |listing: &Listing| listing.locators.first().and_then(|locator| locator.version().map(str::to_owned));
    let moved = match (pair.before.locators.first(), pair.now.locators.first()) {
        (Some(before), Some(now)) => Release::of(before).version_change(&Release::of(now)),
        _ => VersionChange::Unversioned,
    };
    // Severity depends on whether the version moved together with the change.
    let has_other_files = effects.iter().all(|effect| effect.kind == EffectKind::Packaging);
    let context = ReleaseContext { version_change: moved, has_other_files, ..ReleaseContext::default() };
    let judged = judge(&mut effects, context);
    // The package as a whole: of a listing without bytes, the one that it would have.
    let identity = pair.now.locators.first().map_or_else(|| pair.now.key.to_string(), |locator| locator.identity());
    // What is compared is who answers, so that the same change found again is the same event.
    let said = Digest::of_json(&effects);
    Some(DriftEvent {
        key: format!("drift:{}:{}:{said}", pair.now.key, pair.version),
        kind: DriftKind::Listing,
        from_version: version(&pair.before),
        to_version: version(&pair.now),
        // Effects are the changes here, because a listing has no bytes to differ.
        ..of_package(&identity, effects, judged, moved, at)
    })
}
