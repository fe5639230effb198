//! Drift: compares each capability's latest revision with the one before.
//!
//! Must not fetch, scan or score.

use capdex_core::alert::Alert;
use capdex_core::fact::Severity;
use capdex_core::ids::CapabilityId;
use capdex_core::passes::drift::{self, DriftKind, Pins, Revision};
use capdex_db::DriftEvent;

use super::super::{Context, StageReport};
use crate::progress::Progress;

/// Files and tools named in an alert; the event itself names them all.
const DETAILS: usize = 20;

/// Records what changed since the snapshot before.
///
/// # Errors
/// What the store says.
pub(super) fn run(context: &Context) -> anyhow::Result<StageReport> {
    let mut report = StageReport::default();
    let reader = context.store.reader()?;
    let pairs = reader.revision_pairs()?;
    let progress = Progress::stage("watch", u64::try_from(pairs.len()).ok(), context.quiet);
    for (before, after) in &pairs {
        report.items += 1;
        progress.advance(1);
        let Some(id) = before.as_ref().or(after.as_ref()).map(|revision| revision.capability) else { continue };
        let slug = reader.slug(&id)?.unwrap_or_else(|| id.to_string());
        let Some(event) = event(id, slug, before.as_ref(), after.as_ref(), context) else { continue };
        let (alert, at) = (alert(&event), context.as_of);
        let is_new = context.store.write(move |writer| {
            let is_new = writer.record_drift(&event)?;
            if is_new && let Some(alert) = &alert {
                writer.raise(alert, at)?;
            }
            Ok(is_new)
        })?;
        report.done += u64::from(is_new);
    }
    progress.finish();
    Ok(report)
}

/// The event between two revisions; none when the bytes are the same. Its key holds both contents, so that the same
/// change is one event however often the nights are compared.
fn event(
    id: CapabilityId,
    slug: String,
    before: Option<&Revision>,
    after: Option<&Revision>,
    context: &Context,
) -> Option<DriftEvent> {
    let nothing = Pins { files: std::collections::BTreeMap::new(), tools: std::collections::BTreeMap::new() };
    let kind = match (before, after) {
        (None, None) => return None,
        (None, Some(_)) => DriftKind::New,
        (Some(_), None) => DriftKind::Gone,
        (Some(before), Some(after)) => drift::kind_of_change(before, after)?,
    };
    let changes = drift::changes(
        before.map_or(&nothing, |revision| &revision.pins),
        after.map_or(&nothing, |revision| &revision.pins),
    );
    let (from, to) = (before.map(|revision| revision.content), after.map(|revision| revision.content));
    let text = |digest: Option<capdex_core::digest::Digest>| digest.map_or_else(|| "none".into(), |it| it.to_string());
    Some(DriftEvent {
        key: format!("drift:{id}:{}:{}", text(from), text(to)),
        capability: id,
        slug,
        kind,
        from,
        to,
        from_version: before.and_then(|revision| revision.version.clone()),
        to_version: after.and_then(|revision| revision.version.clone()),
        changes,
        at: context.as_of,
    })
}

/// Other bytes under the same version are an alert by themselves; ordinary releases are events, not alerts.
fn alert(event: &DriftEvent) -> Option<Alert> {
    if event.kind != DriftKind::ChangedSameVersion {
        return None;
    }
    let version = event.to_version.as_deref().unwrap_or("the same version");
    Some(Alert {
        key: event.key.clone(),
        pass: "drift".into(),
        class: event.kind.as_str().into(),
        capability: Some(event.capability),
        subject: event.slug.clone(),
        severity: Severity::High,
        why: "Who pinned the version gets other bytes than those that were looked at.".into(),
        fix: "Compare the bytes with those of before, and ask the publisher; pin a digest, not a version.".into(),
        content: event.to,
        reproduce: format!("capdex drift --since {}", event.at),
        title: format!("{} has other bytes under {version}", event.slug),
        details: event
            .changes
            .iter()
            .take(DETAILS)
            .map(|change| format!("{} {} {}", change.what, change.part, change.subject))
            .collect(),
        diff: Vec::new(),
        scores: Vec::new(),
        members: Vec::new(),
        reach: 0,
    })
}
