//! Unread: things of a package that cannot be read in a release, in one that could be read whole before.
//!
//! Whoever wants nobody to look makes a file too large, breaks it or gives it a path that is refused. What a server or a
//! disk did not answer says nothing of the package.

use super::effect::{Effect, EffectKind};
use super::judge::{ReleaseContext, judge};
use super::package_version::{PackageVersion, is_live};
use super::{Drift, DriftClass};
use capdex_evidence::file_role::FileRole;
use capdex_model::fact::Severity;
use capdex_model::snapshot::{Gap, GapReason};

/// True for a gap that lies in the bytes and not on the way to them.
const fn lies_in_bytes(gap: &Gap) -> bool {
    matches!(
        gap.reason,
        GapReason::Malformed
            | GapReason::CompressedTooLarge
            | GapReason::ExpandedTooLarge
            | GapReason::FileTooLarge
            | GapReason::TooManyMembers
            | GapReason::RatioTooHigh
            | GapReason::TooDeep
            | GapReason::PathRefused
            | GapReason::DuplicatePath
            | GapReason::LinkRefused
            | GapReason::SpecialRefused
            | GapReason::NotText
    )
}

/// True where a gap is about a program that runs for users, or about what was one. Samples may hold any bytes.
fn is_program(before: &PackageVersion<'_>, after: &PackageVersion<'_>, gap: &Gap) -> bool {
    let is_live_source = |version: &PackageVersion<'_>| {
        let document = version.evidence.documents.get(&gap.subject);
        document.is_some_and(|document| {
            matches!(document.role, FileRole::Source | FileRole::Script | FileRole::Instruction)
                && is_live(Some(document))
        })
    };
    is_live_source(before) || is_live_source(after)
}

/// Adds to the gravest change what cannot be read any more, where everything could be before.
pub(super) fn add(
    drifts: &mut [Drift],
    before: &PackageVersion<'_>,
    after: &PackageVersion<'_>,
    context: ReleaseContext,
) {
    // Bytes that claim to be the same are judged by what differs.
    if !before.is_whole || !before.gaps.is_empty() || context.is_same_release {
        return;
    }
    let refused = after.gaps.iter().find(|gap| lies_in_bytes(gap));
    let damaged = || after.evidence.gaps.iter().find(|gap| lies_in_bytes(gap) && is_program(before, after, gap));
    let Some(gap) = refused.or_else(damaged) else { return };
    let Some(worst) = drifts.iter_mut().max_by_key(|drift| (drift.severity, drift.class, drift.effects.len())) else {
        return;
    };
    let detail = format!("{}: {}", gap.reason.as_str(), gap.detail);
    worst.effects.push(Effect::new(EffectKind::Unread, Severity::Medium, &gap.subject, &detail));
    let (class, severity) = judge(&mut worst.effects, context);
    (worst.class, worst.severity) = (worst.class.max(class), worst.severity.max(severity));
    worst.class = worst.class.max(DriftClass::Privilege);
}
