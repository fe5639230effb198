//! Unread: things of a package that cannot be read in a release, in one that could be read whole before.
//!
//! Whoever wants nobody to look makes a file too large, breaks it or gives it a path that is refused. What a server or a
//! disk did not answer says nothing of the package.

use serde_json::Value;

use super::effect::{Effect, EffectKind};
use super::judge::{ReleaseContext, judge};
use super::package_version::{PackageVersion, is_live};
use super::{Drift, DriftClass};
use capdex_evidence::file_role::FileRole;
use capdex_evidence::manifest::ManifestKind;
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

/// True for a gap for which a whole release cannot be read: one that lies in its bytes, an archive that holds nothing or is in no
/// format, one that ends early although its digest is right.
pub const fn hides_a_release(gap: &Gap) -> bool {
    lies_in_bytes(gap) || matches!(gap.reason, GapReason::Empty | GapReason::Truncated | GapReason::Unsupported)
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
    is_live_source(before) || is_live_source(after) || is_started(after, gap)
}

/// The parts of `package.json` that say what is loaded or run.
const STARTS: [&str; 6] = ["main", "module", "browser", "bin", "exports", "scripts"];

/// True where a manifest names the file as what is loaded or run, or a live source loads it. The file itself could not be read, so that
/// nothing but its name is known.
fn is_started(after: &PackageVersion<'_>, gap: &Gap) -> bool {
    // As installers write it: `package//lib/./aux.js` is `lib/aux.js`.
    let parts: Vec<&str> = gap.subject.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let Some(name) = parts.last() else { return false };
    let is_it = |named: &str| {
        let named: Vec<&str> = named.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        !named.is_empty() && parts.ends_with(&named)
    };
    let evidence = after.evidence;
    let is_named =
        evidence.manifests.values().filter(|manifest| manifest.kind == ManifestKind::PackageJson).any(|manifest| {
            let words = STARTS.iter().filter_map(|key| manifest.value.get(key)).flat_map(texts);
            // A script is a command, of which each word may be the file.
            words.flat_map(str::split_whitespace).any(is_it)
        });
    let stem = name.split_once('.').map_or(*name, |(stem, _)| stem);
    let loads = |text: &str| {
        text.match_indices(stem).any(|(at, _)| {
            let (head, tail) = (text.get(..at).unwrap_or_default(), text.get(at + stem.len()..).unwrap_or_default());
            head.ends_with('/') && tail.starts_with(['"', '\'', '`', '.'])
        })
    };
    let live =
        || evidence.documents.values().filter(|document| document.role == FileRole::Source && is_live(Some(document)));
    is_named || (!stem.is_empty() && live().any(|document| loads(&document.text)))
}

/// All texts of a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        Value::Object(entries) => entries.values().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// Adds to the gravest change what cannot be read any more, where everything could be before. Where something could not be read before
/// either, only what runs counts: else one harmless file that nobody can read would excuse whatever is hidden later.
pub(super) fn add(
    drifts: &mut [Drift],
    before: &PackageVersion<'_>,
    after: &PackageVersion<'_>,
    context: ReleaseContext,
) {
    // Bytes that claim to be the same are judged by what differs.
    if context.is_same_release {
        return;
    }
    let was_whole = before.is_whole && before.gaps.is_empty();
    let is_new = |gap: &Gap| {
        let mut known = before.gaps.iter().chain(&before.evidence.gaps);
        !known.any(|known| known.subject == gap.subject && known.reason == gap.reason)
    };
    let hidden = |gap: &&Gap| lies_in_bytes(gap) && is_new(gap);
    let refused = after.gaps.iter().filter(hidden).find(|gap| was_whole || is_program(before, after, gap));
    let damaged = || after.evidence.gaps.iter().filter(hidden).find(|gap| is_program(before, after, gap));
    let Some(gap) = refused.or_else(damaged) else { return };
    let Some(worst) = drifts.iter_mut().max_by_key(|drift| (drift.severity, drift.class, drift.effects.len())) else {
        return;
    };
    worst.effects.push(effect_of(gap));
    let (class, severity) = judge(&mut worst.effects, context);
    (worst.class, worst.severity) = (worst.class.max(class), worst.severity.max(severity));
    worst.class = worst.class.max(DriftClass::Privilege);
}

/// The effect of something that cannot be read.
pub fn effect_of(gap: &Gap) -> Effect {
    let detail = format!("{}: {}", gap.reason.as_str(), gap.detail);
    Effect::new(EffectKind::Unread, Severity::Medium, &gap.subject, &detail)
}
