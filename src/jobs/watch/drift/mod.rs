//! Drift: compares the last two snapshots of each package, and the last versions of each listing, once each.
//!
//! Nothing is fetched. Both snapshots are read from their stored bytes and judged by the rules of now under the claims of
//! now. The difference between the two is due to the bytes alone, never to a new rule or a new claim.

mod listings;
mod raise;
mod removals;
pub(super) mod takedowns;
mod unread;

use capdex_corpus::drift::{
    self, CapabilityVersion, Change, Drift, DriftClass, DriftKind, PackageVersion, Release, ReleaseContext,
    VersionChange, owners,
};
use capdex_dataset::bulk;
use capdex_db::{DriftEvent, Reader, Scanned, SnapshotPair, SnapshotSeen, Writer};
use capdex_evidence::Evidence;
use capdex_model::alert::ScoreChange;
use capdex_model::bundle::Bundle;
use capdex_model::capability::Kind;
use capdex_model::fact::Severity;
use capdex_model::facts::SparseFacts;
use capdex_model::ids::{CapabilityId, slug_of};
use capdex_model::listing::Locator;
use capdex_model::snapshot::Completeness;
use capdex_model::time::AsOf;

use super::super::{JobContext, StageReport, slugs};
use crate::analysis;
use crate::progress::StageProgress;

/// Pairs between two batches of transactions: bounds memory and what a kill costs.
const BATCH: usize = 8;

/// Records what changed since the snapshot before.
///
/// # Errors
/// Errors of the store.
pub(super) fn run(context: &JobContext) -> anyhow::Result<StageReport> {
    let mut report = StageReport::default();
    listings::run(context, &mut report)?;
    takedowns::run(context, &mut report)?;
    snapshots(context, &mut report)?;
    unread::run(context, &mut report)?;
    // Last: it settles what waits, which includes what the comparison above has just withheld.
    removals::run(context, &mut report)?;
    Ok(report)
}

/// A pair with its bytes and what surrounds it.
struct LoadedPair {
    pair: SnapshotPair,
    around: ReleaseContext,
    is_live: bool,
    before: Bundle,
    after: Bundle,
    /// The version since which nothing was told, with what surrounds the whole way from it.
    since: Option<Baseline>,
    /// The version since which nothing was acknowledged, where that is another.
    accepted: Option<Baseline>,
}

/// An older version that a release is compared with, with what surrounds the whole way from it.
struct Baseline {
    seen: SnapshotSeen,
    around: ReleaseContext,
    bundle: Bundle,
}

/// The result of comparing one pair.
struct PairComparison {
    events: Vec<DriftEvent>,
    drifts: Vec<Drift>,
}

fn snapshots(context: &JobContext, report: &mut StageReport) -> anyhow::Result<()> {
    let reader = context.store.reader()?;
    let pairs = reader.uncompared_snapshots()?;
    let progress = StageProgress::stage("watch", u64::try_from(pairs.len()).ok(), context.quiet);
    let at = context.as_of;
    for batch in pairs.chunks(BATCH) {
        // Between batches: every pair is either compared and saved, or left for the next run.
        if context.stop.is_asked() {
            break;
        }
        // The bytes of a whole batch are in memory at once, which is why it is small.
        let items: Vec<LoadedPair> =
            batch.iter().map(|pair| load_pair(&reader, pair, at)).collect::<anyhow::Result<_>>()?;
        bulk::ordered(
            &context.pool,
            &items,
            BATCH,
            |item| compare(item, at),
            |items, compared| {
                for (item, compared) in items.iter().zip(compared) {
                    report.items += 1;
                    progress.advance(1);
                    report.done += save(context, &reader, item, compared)?;
                }
                Ok(())
            },
        )?;
    }
    progress.finish();
    Ok(())
}

fn load_pair(reader: &Reader, pair: &SnapshotPair, at: AsOf) -> anyhow::Result<LoadedPair> {
    let new = Release::of(&pair.after.locator);
    // Asked of the listing's history, because the release itself says nothing of who made it.
    let is_of_new_owner = is_of_new_owner(reader, pair, at)?;
    let around = |before: &SnapshotSeen| {
        let old = Release::of(&before.locator);
        ReleaseContext {
            version_change: old.version_change(&new),
            is_same_release: old.is_same(&new),
            is_tag: new.is_tag,
            has_other_files: old.has_other_files(&new),
            is_of_new_owner,
            is_new: false,
            is_over_versions: before.id != pair.before.id,
        }
    };
    let bundle = |seen: &SnapshotSeen| reader.bundle(seen.id);
    let (before, after) = (bundle(&pair.before)?, bundle(&pair.after)?);
    // Over several versions only a version that moved, or what has none, is a change of its own; all else each night tells by itself.
    let is_further = |around: &ReleaseContext| around.version_change != VersionChange::No;
    let baseline = |seen: Option<&SnapshotSeen>| -> anyhow::Result<Option<Baseline>> {
        let further = seen.map(|seen| (around(seen), seen)).filter(|(around, _)| is_further(around));
        further.map(|(around, seen)| Ok(Baseline { seen: seen.clone(), around, bundle: bundle(seen)? })).transpose()
    };
    let (since, accepted) = (baseline(pair.since.as_ref())?, baseline(pair.accepted.as_ref())?);
    Ok(LoadedPair {
        around: around(&pair.before),
        pair: pair.clone(),
        is_live: new.is_live,
        before,
        after,
        since,
        accepted,
    })
}

/// True where everybody who could publish was replaced not long ago.
fn is_of_new_owner(reader: &Reader, pair: &SnapshotPair, at: AsOf) -> anyhow::Result<bool> {
    let Some(listing) = &pair.listing else { return Ok(false) };
    let history = reader.listing_history(listing)?;
    let is_recent = |since: &AsOf| at.0.unix_seconds() - since.0.unix_seconds() <= owners::RECENT_DAYS * 86_400;
    // Any version of the recent past counts: a hand-over two releases ago still concerns this one.
    let replaced = history.windows(2).any(|two| match two {
        [(before, _), (now, since)] => {
            let replaced = |effect: &drift::Effect| effect.kind == drift::EffectKind::OwnerReplaced;
            is_recent(since) && owners::effects(before, now).iter().any(replaced)
        }
        _ => false,
    });
    Ok(replaced)
}

fn compare(item: &LoadedPair, at: AsOf) -> PairComparison {
    // Both sides at once; the two scans are nearly all of the time.
    let (before, after) = rayon::join(|| analysis::read(&item.before), || analysis::read(&item.after));
    // What could not be read whole proves no absence.
    let old = side(&before.0, &before.1, item.pair.before.is_whole).with_gaps(&item.before.gaps);
    let mut new = side(&after.0, &after.1, item.pair.after.is_whole).with_gaps(&item.after.gaps);
    if let Locator::NpmPackage { url, .. } = &item.pair.after.locator {
        new = new.from_registry(url);
    }
    let drifts = drift::compare(&old, &new, item.around, capdex_rules::mask_line);
    let mut events: Vec<DriftEvent> =
        drifts.iter().map(|drift| event(item, &item.pair.before, drift, &old, &new, at)).collect();
    let is_told = |events: &[DriftEvent]| events.iter().any(|event| event.severity >= Severity::Medium);
    if let Some(since) = item.since.as_ref().filter(|_| !is_told(&events)) {
        events.extend(over_versions(item, since, (&old, &new), at));
    }
    if let Some(accepted) = item.accepted.as_ref().filter(|_| !is_told(&events)) {
        events.extend(completed_theft(item, accepted, (&old, &new), at));
    }
    PairComparison { events, drifts }
}

/// The worst that came about over several versions of which each by itself was nothing to tell; none where all of them
/// together are nothing to tell either.
fn over_versions(
    item: &LoadedPair,
    since: &Baseline,
    (before, new): (&PackageVersion<'_>, &PackageVersion<'_>),
    at: AsOf,
) -> Option<DriftEvent> {
    let read = analysis::read(&since.bundle);
    let old = side(&read.0, &read.1, since.seen.is_whole).with_gaps(&since.bundle.gaps);
    let to = |version: &PackageVersion<'_>| drift::compare(&old, version, since.around, capdex_rules::mask_line);
    let drifts = to(new);
    let grave = drifts.iter().filter(|drift| drift.severity >= Severity::Medium && drift.kind == DriftKind::Changed);
    let worst = grave.max_by_key(|drift| (drift.severity, drift.class, drift.capability));
    // What came in between is new since then for as long as it stands: it is told with the part that completes a theft.
    let completed = || {
        let is_complete = drift::is_theft(&drifts, since.around) && !drift::is_theft(&to(before), since.around);
        let grave = drifts.iter().filter(|drift| is_complete && drift.severity >= Severity::Medium);
        grave.max_by_key(|drift| (drift.severity, drift.class, drift.capability))
    };
    Some(event(item, &since.seen, worst.or_else(completed)?, &old, new, at))
}

/// The theft whose last part this release brings, over all versions since somebody acknowledged a change: something else that was told
/// in between, and that nobody answered, accepts none of its parts. None where the parts were together before, which was told then.
fn completed_theft(
    item: &LoadedPair,
    accepted: &Baseline,
    (before, new): (&PackageVersion<'_>, &PackageVersion<'_>),
    at: AsOf,
) -> Option<DriftEvent> {
    let read = analysis::read(&accepted.bundle);
    let old = side(&read.0, &read.1, accepted.seen.is_whole).with_gaps(&accepted.bundle.gaps);
    let to = |version: &PackageVersion<'_>| drift::compare(&old, version, accepted.around, capdex_rules::mask_line);
    let drifts = to(new);
    if !drift::is_theft(&drifts, accepted.around) || drift::is_theft(&to(before), accepted.around) {
        return None;
    }
    let there = drifts.iter().filter(|drift| drift.kind != DriftKind::Gone);
    let worst = there.max_by_key(|drift| (drift.severity, drift.class, drift.effects.len(), drift.capability))?;
    Some(event(item, &accepted.seen, worst, &old, new, at))
}

fn side<'a>(evidence: &'a Evidence, scanned: &'a [Scanned], is_whole: bool) -> PackageVersion<'a> {
    let seen = scanned.iter().map(|one| CapabilityVersion {
        capability: &one.capability,
        pins: &one.pins,
        facts: &one.facts,
        completeness: &one.completeness,
    });
    // A file that was too large or broken leaves its capability partly unread.
    let is_read = scanned.iter().all(|one| matches!(one.completeness, Completeness::Analysed));
    PackageVersion::new(evidence, seen, is_whole && is_read)
}

/// The event of a drift. Its key holds both contents, so that the same change is one event however often the nights are
/// compared.
fn event(
    item: &LoadedPair,
    from: &SnapshotSeen,
    drift: &Drift,
    old: &PackageVersion<'_>,
    new: &PackageVersion<'_>,
    at: AsOf,
) -> DriftEvent {
    let (before, after) = (old.seen.get(&drift.capability), new.seen.get(&drift.capability));
    let slug = after.or(before).map_or_else(String::new, |seen| seen.capability.slug.clone());
    let text = |digest: Option<capdex_model::digest::Digest>| digest.map_or_else(|| "none".into(), |it| it.to_string());
    let version = |seen: &SnapshotSeen| seen.locator.version().map(str::to_owned);
    DriftEvent {
        key: format!("drift:{}:{}:{}", drift.capability, text(drift.from), text(drift.to)),
        capability: drift.capability,
        slug,
        kind: drift.kind,
        from: drift.from,
        to: drift.to,
        from_version: drift.from.and_then(|_| version(from)),
        to_version: drift.to.and_then(|_| version(&item.pair.after)),
        changes: drift.changes.clone(),
        class: drift.class,
        severity: drift.severity,
        effects: drift.effects.clone(),
        moved: item.around.version_change,
        // Both sides under today's rubrics, so that a change of score is due to the bytes.
        scores: score_changes(before.map(|seen| seen.facts), after.map(|seen| seen.facts), at),
        // The lines come masked out of the comparison, so secrets never reach the store.
        diff: drift.diff.clone(),
        at,
    }
}

/// The event of effects that are about a package as a whole, and not about the bytes of one capability: those are the changes
/// themselves. Its key, kind and versions are the caller's.
fn of_package(
    identity: &str,
    effects: Vec<drift::Effect>,
    (class, severity): (DriftClass, Severity),
    moved: VersionChange,
    at: AsOf,
) -> DriftEvent {
    DriftEvent {
        key: String::new(),
        capability: CapabilityId::of(identity, Kind::Package, ""),
        slug: slug_of(identity, Kind::Package, ""),
        kind: DriftKind::Changed,
        from: None,
        to: None,
        from_version: None,
        to_version: None,
        changes: effects.iter().map(|effect| Change::new("changed", &effect.subject, &effect.detail)).collect(),
        class,
        severity,
        effects,
        moved,
        scores: Vec::new(),
        diff: Vec::new(),
        at,
    }
}

/// The changes of each rubric's score; those that stayed are left out.
fn score_changes(before: Option<&SparseFacts>, after: Option<&SparseFacts>, at: AsOf) -> Vec<ScoreChange> {
    let scores = |facts: Option<&SparseFacts>| facts.map(|facts| analysis::score(facts, None, at)).unwrap_or_default();
    let (old, new) = (scores(before), scores(after));
    let rubrics: std::collections::BTreeSet<&str> = old.iter().chain(&new).map(|score| &*score.rubric.id).collect();
    let shown = |scores: &[capdex_model::score::Score], rubric: &str| {
        let score = scores.iter().find(|score| score.rubric.id == rubric)?;
        score.value.map(|value| format!("{value} {}", score.grade))
    };
    let change = |rubric: &str| ScoreChange {
        rubric: rubric.to_owned(),
        before: shown(&old, rubric),
        after: shown(&new, rubric),
    };
    rubrics.into_iter().map(change).filter(|change| change.before != change.after).collect()
}

/// Stores what came of a pair, raises the worst of it, and notes that the pair was compared; how many events were new.
fn save(context: &JobContext, reader: &Reader, item: &LoadedPair, mut compared: PairComparison) -> anyhow::Result<u64> {
    // Before anything is raised: a tool that an endpoint left out tonight may be back tomorrow.
    let waiting =
        removals::withhold(reader, item.is_live, item.pair.after.is_whole, &mut compared.events, &compared.drifts)?;
    for event in &mut compared.events {
        slugs::settle(reader, event)?;
    }
    let alert = raise::worst(&compared.events, item.pair.popularity);
    let (pair, at, events) = (item.pair.clone(), context.as_of, compared.events);
    let new = context.store.write(move |writer: &Writer<'_>| {
        let mut new = 0;
        for event in &events {
            new += u64::from(writer.record_drift(event)?);
        }
        if let Some(alert) = &alert {
            writer.raise(alert, at)?;
        }
        for (capability, tool) in &waiting {
            // Only a whole observation starts the clock of a removal.
            let seen = pair.after.is_whole.then_some(at);
            writer.note_removal(capability, tool, pair.before.id, seen)?;
        }
        // In the same transaction as the events, so that a kill cannot record a pair twice or never.
        writer.compared_snapshots(&pair, at)?;
        Ok(new)
    })?;
    Ok(new)
}

/// True for the kind of event that counts only when it is seen twice.
const fn is_gone(event: &DriftEvent) -> bool {
    matches!(event.kind, DriftKind::Gone)
}
