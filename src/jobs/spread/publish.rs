//! Making a plan: the packs that are not there yet, the jobs, and at last the head by which workers find them.

use capdex_db::{Reader, SnapshotId, SnapshotOutline};
use capdex_model::snapshot::Snapshot;
use capdex_spread::input::InputPacker;
use capdex_spread::job::SCAN;
use capdex_spread::{BlobStore, Cutter, Job, Key, PlanHead, names};
use tracing::debug;

use super::plan::{Plan, PlannedJob};
use super::settings::SpreadSettings;
use crate::jobs::{JobContext, scan};
use crate::work;

/// Puts everything that workers need, the head last. None where somebody asked to stop.
///
/// # Errors
/// Errors of both stores.
pub(super) fn publish(
    context: &JobContext,
    settings: &SpreadSettings,
    store: &dyn BlobStore,
    epoch: u64,
    snapshots: &[SnapshotId],
) -> anyhow::Result<Option<Plan>> {
    let mut cutter = Cutter::new(settings.size);
    let mut jobs = Vec::new();
    let mut reader = context.store.reader()?;
    for snapshot in snapshots {
        if context.stop.is_asked() {
            return Ok(None);
        }
        // Without a byte of the files: most packs may be there already.
        let outline = scan::outline(&reader, *snapshot)?;
        let bytes = outline.files.iter().map(|file| file.size_bytes).sum();
        if let Some(items) = cutter.push(Item { snapshot: *snapshot, key: key_of(&outline), bytes }, bytes) {
            jobs.push(put(&reader, settings, store, items)?);
            reader = context.store.reader()?;
        }
    }
    if let Some(items) = cutter.finish() {
        jobs.push(put(&reader, settings, store, items)?);
    }
    let head = PlanHead::new(SCAN, epoch, settings.audited, jobs.iter().map(|job| job.digest).collect());
    drop_others(store, &head)?;
    // The head of a coordinator that was killed lists the same jobs under the same name.
    store.delete(&names::head(&head.id()))?;
    store.create(&names::head(&head.id()), &head.to_bytes())?;
    Ok(Some(Plan::new(head, jobs)))
}

/// One snapshot of a job that is being made.
struct Item {
    snapshot: SnapshotId,
    key: Key,
    bytes: u64,
}

fn key_of(outline: &SnapshotOutline) -> Key {
    Key::new(&outline.identity, Snapshot::tree_of(&outline.files), &outline.claims, &outline.gaps)
}

/// Puts a job, and its pack where that is missing.
fn put(
    reader: &Reader,
    settings: &SpreadSettings,
    store: &dyn BlobStore,
    items: Vec<Item>,
) -> anyhow::Result<PlannedJob> {
    let bytes = items.iter().map(|item| item.bytes).sum();
    let (snapshots, keys): (Vec<SnapshotId>, Vec<Key>) =
        items.into_iter().map(|item| (item.snapshot, item.key)).unzip();
    let job = Job::new(SCAN, work::versions(), settings.limits, keys);
    let digest = job.digest();
    let is_done = store.has(&names::out(SCAN, &digest))?;
    let pack = names::pack(&job.pack);
    if !is_done && !store.has(&pack)? {
        let mut packer = InputPacker::new(snapshots.len())?;
        for snapshot in &snapshots {
            packer.add(&scan::bundle(reader, *snapshot)?)?;
        }
        store.create(&pack, &packer.finish()?)?;
    }
    let (name, text) = (names::job(SCAN, &digest), job.to_bytes());
    // Limits are no part of the digest: those of this night count.
    if store.get(&name)?.is_some_and(|there| there != text) {
        store.delete(&name)?;
    }
    store.create(&name, &text)?;
    debug!(job = digest.hex(), keys = job.keys.len(), is_done, "planned");
    Ok(PlannedJob { digest, pack: job.pack, bytes, snapshots })
}

/// Removes the plans that an earlier coordinator did not end: what was done for them stays, and is found by its jobs.
fn drop_others(store: &dyn BlobStore, head: &PlanHead) -> anyhow::Result<()> {
    let own = names::plan(&head.id());
    for name in store.list(names::PLANS)? {
        if !name.starts_with(&own) {
            store.delete(&name)?;
        }
    }
    Ok(())
}
