//! Removals count when they were seen twice. An endpoint may answer with a part of its tools one night, and a snapshot that
//! could not be read whole proves no absence.
//!
//! Why something was not seen plays no part.

use std::collections::BTreeSet;

use capdex_corpus::drift::{
    Change, Drift, DriftClass, DriftKind, Effect, EffectKind, Pins, ReleaseContext, VersionChange, judge,
};
use capdex_db::{DriftEvent, Reader, Removal, Writer};
use capdex_model::fact::Severity;
use capdex_model::ids::CapabilityId;
use capdex_model::time::AsOf;

use crate::jobs::{JobContext, StageReport};

/// The least distance between two observations, in seconds: nights are not begun to the minute.
const APART_S: i64 = 20 * 3_600;

/// Takes out of events what must be seen twice. That is a tool that an endpoint does not offer any more, or a capability
/// missing from a snapshot without all of its files. A return after having been missed once is no news either. Gives what
/// waits.
pub(super) fn withhold(
    reader: &Reader,
    is_live: bool,
    is_whole: bool,
    events: &mut Vec<DriftEvent>,
    drifts: &[Drift],
) -> anyhow::Result<Vec<(CapabilityId, String)>> {
    let mut waiting: BTreeSet<(CapabilityId, String)> = BTreeSet::new();
    let changed: BTreeSet<CapabilityId> = events.iter().map(|event| event.capability).collect();
    for capability in changed {
        waiting.extend(reader.removals_of(&capability)?.into_iter().map(|tool| (capability, tool)));
    }
    // Files of a package that were read whole prove that something is gone; answers of a live endpoint do not.
    let is_certain = !is_live && is_whole;
    let mut found = Vec::new();
    if !is_certain {
        for drift in drifts {
            // An empty tool name stands for the capability as a whole.
            let whole = (drift.kind == DriftKind::Gone).then(String::new);
            let names = drift.removed_tools.iter().cloned().chain(whole);
            found.extend(names.map(|tool| (drift.capability, tool)));
        }
    }
    for event in events.iter_mut() {
        let is_back = |tool: &str| waiting.contains(&(event.capability, tool.to_owned()));
        let is_news = |effect: &Effect| match effect.kind {
            EffectKind::ToolRemoved => is_certain,
            // It was never reported as gone, so its return is none either.
            EffectKind::ToolAdded => !is_back(&effect.subject),
            _ => true,
        };
        event.effects.retain(is_news);
        // Changes are shown beside effects, and must not tell what the effects keep back.
        event.changes.retain(|change| match (change.what.as_str(), change.part.as_str()) {
            ("removed", "tool") => is_certain,
            ("added", "tool") => !is_back(&change.subject),
            _ => true,
        });
    }
    events.retain(|event| {
        let is_back = event.kind == DriftKind::New && waiting.contains(&(event.capability, String::new()));
        // A return that brings something grave is told all the same.
        (is_certain || !super::is_gone(event)) && !(is_back && event.severity < Severity::Medium)
    });
    Ok(found)
}

/// Looks at everything that waits: it is there again, or it was missed a second time and counts, or it waits on. The pins of
/// a capability are read once and all that waits of it is settled in one transaction.
pub(super) fn run(context: &JobContext, report: &mut StageReport) -> anyhow::Result<()> {
    let reader = context.store.reader()?;
    let removals = reader.removals()?;
    // Sorted by capability in the store, so that neighbours belong together.
    for of_one in removals.chunk_by(|a, b| a.capability == b.capability) {
        let Some(first) = of_one.first() else { continue };
        let pins = reader.current_pins(&first.capability)?;
        // A capability that left every table has no slug; its id still names it.
        let slug = reader.slug(&first.capability)?.unwrap_or_else(|| first.capability.to_string());
        report.done += settle(context, of_one, pins.as_ref(), &slug)?;
    }
    Ok(())
}

/// Settles what waits of one capability; how many events were new.
fn settle(context: &JobContext, removals: &[Removal], pins: Option<&Pins>, slug: &str) -> anyhow::Result<u64> {
    let at = context.as_of;
    // The content at which the removal is told, for acknowledgements.
    let to = pins.and_then(|pins| pins.parts.get("tree").copied());
    let is_there = |tool: &str| pins.is_some_and(|pins| tool.is_empty() || pins.tools.contains_key(tool));
    let waiting: Vec<(Removal, bool)> =
        removals.iter().map(|removal| (removal.clone(), is_there(&removal.tool))).collect();
    let slug = slug.to_owned();
    let new = context.store.write(move |writer: &Writer<'_>| {
        let mut new = 0;
        for (removal, is_there) in &waiting {
            if *is_there {
                writer.settle_removal(removal)?;
            // The first whole observation that missed it; the second one must lie a night apart.
            } else if let (true, None) = (removal.is_whole, removal.seen) {
                writer.removal_seen(removal, at)?;
            } else if is_seen_twice(removal, at) {
                new += u64::from(writer.record_drift(&event(removal, slug.clone(), to, at))?);
                writer.settle_removal(removal)?;
            }
        }
        Ok(new)
    })?;
    Ok(new)
}

/// Returns true where a second whole observation, long enough after the first, did not see it either.
fn is_seen_twice(removal: &Removal, at: AsOf) -> bool {
    let Some(first) = removal.seen.filter(|_| removal.is_whole) else { return false };
    let is_later = |instant: AsOf| instant.0.unix_seconds() - first.0.unix_seconds() >= APART_S;
    // What is never asked by itself was listed again tonight.
    is_later(at) && removal.visited.is_none_or(is_later)
}

fn event(removal: &Removal, slug: String, to: Option<capdex_model::digest::Digest>, at: AsOf) -> DriftEvent {
    let is_tool = !removal.tool.is_empty();
    let mut effects =
        if is_tool { vec![Effect::info(EffectKind::ToolRemoved, &removal.tool, "missed twice")] } else { Vec::new() };
    let (class, severity) = judge(&mut effects, ReleaseContext::default());
    DriftEvent {
        // The night is part of the key: a tool that comes back and goes again is another event.
        key: format!("drift:{}:{}:removed:{}", removal.capability, at, removal.tool),
        capability: removal.capability,
        slug,
        kind: if is_tool { DriftKind::Changed } else { DriftKind::Gone },
        from: None,
        to,
        from_version: None,
        to_version: None,
        changes: if is_tool { vec![Change::new("removed", "tool", &removal.tool)] } else { Vec::new() },
        // A tool or capability that goes changes the surface at least, whatever its effects say.
        class: class.max(DriftClass::Surface),
        severity,
        effects,
        moved: VersionChange::No,
        scores: Vec::new(),
        diff: Vec::new(),
        at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_db::SnapshotId;
    use capdex_model::capability::Kind;
    use capdex_model::time::Timestamp;

    const HOUR: i64 = 3_600;

    fn at(hours: i64) -> AsOf {
        AsOf(Timestamp::from_unix_seconds(hours * HOUR))
    }

    fn removal(seen: Option<i64>, visited: Option<i64>, is_whole: bool) -> Removal {
        Removal {
            capability: CapabilityId::of("mcp:a", Kind::McpServer, ""),
            tool: "go".into(),
            before: SnapshotId(1),
            seen: seen.map(at),
            current: Some(SnapshotId(2)),
            is_whole,
            visited: visited.map(at),
        }
    }

    #[test]
    fn two_whole_observations_a_night_apart_count() {
        assert!(is_seen_twice(&removal(Some(0), Some(24), true), at(24)));
        assert!(is_seen_twice(&removal(Some(0), None, true), at(24)));
        for (waits, now) in [
            (removal(Some(0), Some(24), true), 3),
            (removal(Some(0), Some(0), true), 24),
            (removal(Some(0), Some(24), false), 24),
            (removal(None, Some(24), true), 24),
        ] {
            assert!(!is_seen_twice(&waits, at(now)), "{waits:?} at {now}");
        }
    }
}
