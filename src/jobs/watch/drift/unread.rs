//! Releases of which nothing could be read, after one that could be: whoever wants nobody to look publishes bytes that no reader takes
//! and the installer does.
//!
//! What a server or a network did not answer says nothing of the package, and is a gap alone. A file of a release that was read
//! otherwise is told by the comparison.

use capdex_corpus::drift::{DriftKind, Release, ReleaseContext, judge, unread};
use capdex_db::{DriftEvent, UnreadRelease, Writer};
use capdex_model::time::AsOf;

use super::{of_package, raise};
use crate::jobs::{JobContext, StageReport, slugs};

/// Tells each such release once.
pub(super) fn run(context: &JobContext, report: &mut StageReport) -> anyhow::Result<()> {
    let reader = context.store.reader()?;
    for release in reader.unread_releases()? {
        let Some(mut event) = event(&release, context.as_of) else { continue };
        slugs::settle(&reader, &mut event)?;
        let (pair, at) = (release.pair, context.as_of);
        let alert = raise::worst(std::slice::from_ref(&event), pair.popularity);
        report.items += 1;
        report.done += context.store.write(move |writer: &Writer<'_>| {
            let is_new = writer.record_drift(&event)?;
            if let Some(alert) = &alert {
                writer.raise(alert, at)?;
            }
            // In the same transaction, so that a kill cannot tell a release twice or never.
            writer.compared_snapshots(&pair, at)?;
            Ok(u64::from(is_new))
        })?;
    }
    Ok(())
}

/// The event of a release that cannot be read; none where the reason is not in its bytes.
fn event(release: &UnreadRelease, at: AsOf) -> Option<DriftEvent> {
    let gap = release.gaps.iter().find(|gap| unread::hides_a_release(gap))?;
    let (before, after) = (&release.pair.before.locator, &release.pair.after.locator);
    let (old, new) = (Release::of(before), Release::of(after));
    let mut effects = vec![unread::effect_of(gap)];
    let moved = old.version_change(&new);
    let around = ReleaseContext {
        version_change: moved,
        is_same_release: old.is_same(&new),
        is_tag: new.is_tag,
        ..ReleaseContext::default()
    };
    let judged = judge(&mut effects, around);
    // Nothing of it was read, so that it is about the package as a whole.
    let event = of_package(&release.pair.identity, effects, judged, moved, at);
    Some(DriftEvent {
        key: format!("drift:{}:{}:unread", event.capability, after.artifact()),
        kind: if around.is_same_release { DriftKind::ChangedSameVersion } else { DriftKind::Changed },
        from_version: before.version().map(str::to_owned),
        to_version: after.version().map(str::to_owned),
        ..event
    })
}
