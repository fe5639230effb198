//! `diff`: two versions of one thing side by side, and what an agent could newly do with the second.
//!
//! The comparison is that of the nights (`capdex_corpus::drift`). Where the bytes come from, and how it is printed, is the
//! business of others.

pub mod record;
pub mod words;

use capdex_corpus::drift::{self, CapabilityVersion, Drift, PackageVersion, ReleaseContext, VersionChange};
use capdex_db::Scanned;
use capdex_evidence::Evidence;
use capdex_model::bundle::Bundle;
use capdex_model::score::Verdict;
use capdex_model::snapshot::Completeness;
use capdex_model::time::AsOf;

use crate::analysis;
use crate::judging;

/// One of the two sides.
pub struct DiffSide {
    /// The side as its user named it.
    pub name: String,
    /// The version, or the commit; none for a folder.
    pub version: Option<String>,
    /// The files.
    pub bundle: Bundle,
}

/// The result of a comparison.
pub struct Difference {
    /// The changes of each capability, sorted by its id.
    pub drifts: Vec<(String, Drift)>,
    /// The verdict over each side.
    pub verdicts: [Verdict; 2],
    /// True where both sides could be looked at in whole.
    pub is_whole: bool,
}

/// Compares two sides as versions of one thing, whatever their names are.
pub fn compare(before: &DiffSide, after: &DiffSide, at: AsOf) -> Difference {
    // Capabilities are known by the identity of their package, and a version is a part of some.
    let same = Bundle { identity: before.bundle.identity.clone(), ..after.bundle.clone() };
    let (old, new) = rayon::join(|| analysis::read(&before.bundle), || analysis::read(&same));
    let version_change = match (&before.version, &after.version) {
        (Some(old), Some(new)) if old != new => VersionChange::Yes,
        (Some(_), Some(_)) => VersionChange::No,
        _ => VersionChange::Unversioned,
    };
    let context = ReleaseContext { version_change, ..ReleaseContext::default() };
    let (one, other) = (side(&old.0, &old.1), side(&new.0, &new.1));
    let drifts = drift::compare(&one, &other, context, capdex_rules::mask_line);
    let slug = |drift: &Drift| {
        let seen = other.seen.get(&drift.capability).or_else(|| one.seen.get(&drift.capability));
        seen.map(|seen| seen.capability.slug.clone()).unwrap_or_default()
    };
    let drifts = drifts.into_iter().map(|drift| (slug(&drift), drift)).collect();
    let is_whole = one.is_whole && other.is_whole;
    let verdicts = [old.1, new.1].map(|scanned| judging::verdict(&scanned, at));
    Difference { drifts, verdicts, is_whole }
}

fn side<'a>(evidence: &'a Evidence, scanned: &'a [Scanned]) -> PackageVersion<'a> {
    let seen = scanned.iter().map(|one| CapabilityVersion {
        capability: &one.capability,
        pins: &one.pins,
        facts: &one.facts,
        completeness: &one.completeness,
    });
    let is_whole = scanned.iter().all(|one| matches!(one.completeness, Completeness::Analysed));
    PackageVersion::new(evidence, seen, is_whole)
}
