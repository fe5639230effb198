//! Drift: the changes between two snapshots of one package, and what they do.
//!
//! Everything is pinned (`pins`), and every change is an event with its effects (`effect`). The effects decide its
//! class and severity (`judge`), not the amount of text. Both sides are read and judged by the same rules under the
//! same claims, so that a new rule is never taken for a change. The caller fetches and scans both sides before.

mod bases;
mod build_steps;
mod code;
mod declaration_pins;
mod dependencies;
mod diff;
mod effect;
mod files;
mod hosts;
mod judge;
mod manifest_declarations;
mod named_recipients;
mod newly;
mod other_files;
mod outbound_calls;
pub mod owners;
mod package_version;
mod pins;
mod programs;
mod reach;
mod recipients;
mod release;
mod rename;
mod requests;
mod rule_delta;
mod surface;
pub mod takedowns;
mod tool_arguments;
pub mod unread;
mod volatile;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::MaskSecrets;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::CapabilityId;

pub use effect::{DriftClass, Effect, EffectKind};
pub use judge::{ReleaseContext, judge};
pub use newly::{Newly, newly};
pub use other_files::effects as file_effects;
pub use package_version::{CapabilityVersion, PackageVersion};
pub use pins::{Change, Pins, ToolPin, changes};
pub use reach::{HostDeed, HostUse, PermissionKind, PermissionUse, Reach};
pub use release::{Release, VersionChange};

/// The thing that happened to a capability between two nights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriftKind {
    /// It was not there before, in a package that was.
    New,
    /// Its bytes differ.
    Changed,
    /// Its bytes differ under the same version.
    ChangedSameVersion,
    /// It is no longer there.
    Gone,
    /// Its source's claims of who answers for it differ.
    Listing,
}

impl DriftKind {
    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::ChangedSameVersion => "changed_same_version",
            Self::Gone => "gone",
            Self::Listing => "listing",
        }
    }
}

/// The changes of one capability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// The capability's id.
    pub capability: CapabilityId,
    /// The kind of the event.
    pub kind: DriftKind,
    /// The digest over its files before; none where it is new.
    pub from: Option<Digest>,
    /// The digest over its files after; none where it is gone.
    pub to: Option<Digest>,
    /// The pinned things that changed, sorted.
    pub changes: Vec<Change>,
    /// The effects of the changes, the gravest first.
    pub effects: Vec<Effect>,
    /// The class.
    pub class: DriftClass,
    /// The severity.
    pub severity: Severity,
    /// Changed lines, masked, not escaped.
    pub diff: Vec<String>,
    /// Tools that are not there any more: what one observation says.
    pub removed_tools: Vec<String>,
}

/// Compares two snapshots of one package, with the secrets of quoted lines hidden by `mask`. A capability whose bytes
/// are the same is not among the result. A snapshot that could not be read whole may lack files: where both claim to be
/// the same bytes, this is no difference. Files that only such a snapshot has are one.
pub fn compare(
    before: &PackageVersion<'_>,
    after: &PackageVersion<'_>,
    context: ReleaseContext,
    mask: MaskSecrets,
) -> Vec<Drift> {
    let ids: BTreeSet<CapabilityId> = before.seen.keys().chain(after.seen.keys()).copied().collect();
    let is_partial = !(before.is_whole && after.is_whole);
    let drifts = ids.into_iter().filter_map(|id| {
        let (old, new) = (before.seen.get(&id), after.seen.get(&id));
        let content = |version: Option<&CapabilityVersion<'_>>| version.map(|version| version.capability.content);
        let is_excused = || context.is_same_release && is_partial && !differ((before, old), (after, new));
        // A download that broke off would otherwise be reported as other bytes under the same version.
        if content(old) == content(new) || is_excused() {
            return None;
        }
        Some(of_capability(id, (before, old), (after, new), context, mask))
    });
    let mut drifts: Vec<Drift> = drifts.collect();
    unread::add(&mut drifts, before, after, context);
    // One release is one deed, however its parts are spread over the capabilities of a package.
    if is_theft(&drifts, context) {
        let parts = drifts.iter_mut().filter(|drift| drift.class == DriftClass::Privilege);
        if let Some(worst) = parts.max_by_key(|drift| (drift.severity, drift.effects.len())) {
            worst.severity = worst.severity.max(Severity::Medium);
        }
    }
    drifts
}

/// True where the parts of a theft came together in a release, however they are spread over its capabilities.
pub fn is_theft(drifts: &[Drift], context: ReleaseContext) -> bool {
    judge::is_theft(drifts.iter().flat_map(|drift| &drift.effects), context)
}

/// True where two sides of which one is not whole differ for certain. They do in a file that both have, or in one that
/// a whole side lacks.
fn differ(before: PackageWithCapability<'_, '_>, after: PackageWithCapability<'_, '_>) -> bool {
    if let (Some(old), Some(new)) = (before.1, after.1)
        && old.pins.files.iter().any(|(path, digest)| new.pins.files.get(path).is_some_and(|other| other != digest))
    {
        return true;
    }
    has_more(after.1, before.0) || has_more(before.1, after.0)
}

/// True where a capability has a file that is nowhere in a whole side.
fn has_more(version: Option<&CapabilityVersion<'_>>, other: &PackageVersion<'_>) -> bool {
    let lacks = |path: &String| !other.inventory.paths.contains(path) && !other.evidence.documents.contains_key(path);
    other.is_whole && version.is_some_and(|version| version.pins.files.keys().any(lacks))
}

/// True where something of a new capability's kind left the package as it came. A folder that was moved or renamed
/// stands where something trusted stood.
fn replaces(before: &PackageVersion<'_>, after: &PackageVersion<'_>, new: &CapabilityVersion<'_>) -> bool {
    let kind = new.capability.kind;
    before.seen.iter().any(|(id, old)| old.capability.kind == kind && !after.seen.contains_key(id))
}

type PackageWithCapability<'s, 'e> = (&'s PackageVersion<'e>, Option<&'s CapabilityVersion<'e>>);

fn of_capability(
    id: CapabilityId,
    before: PackageWithCapability<'_, '_>,
    after: PackageWithCapability<'_, '_>,
    context: ReleaseContext,
    mask: MaskSecrets,
) -> Drift {
    let (old, new) = (before.1.map(|version| (before.0, version)), after.1.map(|version| (after.0, version)));
    let nothing = Pins::default();
    let pins = |side: Option<&CapabilityVersion<'_>>| side.map_or(nothing.clone(), |version| version.pins.clone());
    let mut changes = changes(&pins(before.1), &pins(after.1));
    let mut effects = Vec::new();
    let mut removed_tools = Vec::new();
    if let Some(new) = new {
        effects.extend(files::effects(old, new));
        let compared = surface::compare(old, new);
        surface::name_renamed(&mut changes, &compared.renamed);
        effects.extend(compared.effects);
        removed_tools = compared.removed;
        effects.extend(rule_delta::new_attack_findings(before.0, new));
        effects.extend(code::effects(before.0, new.0, new.1));
        if context.has_other_files {
            effects.extend(other_files::new_code(before.0, new));
        }
        let declarations = declaration_pins::ManifestDeclarations::of(new.1.capability, new.0.evidence);
        effects.extend(manifest_declarations::effects(before.0, &declarations, context.version_change));
        effects.extend(build_steps::effects(before.0, &build_steps::of(new.1.capability, new.0.evidence)));
        let depends = dependencies::Dependencies::of(new.1.capability, new.0.evidence);
        effects.extend(dependencies::effects(before.0, &depends, new.0.registry.as_deref()));
        // A wheel for one more platform brings machine code of its own.
        if !context.has_other_files {
            effects.extend(programs::effects(before.0, new));
        }
    }
    let kind = match (old.is_some(), new.is_some()) {
        (false, _) => DriftKind::New,
        (_, false) => DriftKind::Gone,
        _ if context.is_same_release || context.has_other_files => DriftKind::ChangedSameVersion,
        _ => DriftKind::Changed,
    };
    // A renamed folder must not earn the mildness that a new capability has.
    let is_new = kind == DriftKind::New && !after.1.is_some_and(|new| replaces(before.0, after.0, new));
    let (class, severity) = judge(&mut effects, ReleaseContext { is_new, ..context });
    // Of what is gone everything is gone.
    let class = if kind == DriftKind::Gone { class.max(DriftClass::Surface) } else { class };
    // Files with effects are shown first, since the diff is cut after some lines.
    let first: Vec<String> = effects.iter().map(|effect| file_of(&effect.subject)).collect();
    let content = |side: Option<&CapabilityVersion<'_>>| side.map(|version| version.capability.content);
    Drift {
        capability: id,
        kind,
        from: content(before.1),
        to: content(after.1),
        changes,
        effects,
        class,
        severity,
        diff: if kind == DriftKind::Gone { Vec::new() } else { diff::diff(old, new, &first, mask) },
        removed_tools,
    }
}

/// The path of `path:line`.
fn file_of(subject: &str) -> String {
    let (path, line) = subject.rsplit_once(':').unwrap_or((subject, ""));
    let is_line = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    if is_line { path.to_owned() } else { subject.to_owned() }
}

#[cfg(test)]
mod tests;
