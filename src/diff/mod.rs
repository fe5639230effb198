//! `diff`: two versions of one thing side by side, and what an agent could newly do with the second; or two nights of a store.
//!
//! The comparison is that of the nights (`capdex_corpus::drift`). Where the bytes come from, and how it is printed, is the
//! business of others.

pub mod nights;
pub mod record;
pub mod side;
pub mod together;

use std::collections::BTreeMap;

use capdex_corpus::drift::{
    self, CapabilityVersion, Drift, Effect, Newly, PackageVersion, ReleaseContext, VersionChange,
};
use capdex_dataset::finding::{Finding, findings};
use capdex_db::Scanned;
use capdex_evidence::Evidence;
use capdex_model::bundle::Bundle;
use capdex_model::fact::Severity;
use capdex_model::ruling::OperatorPolicy;
use capdex_model::score::Verdict;
use capdex_model::snapshot::Completeness;
use capdex_model::time::AsOf;
use capdex_rubrics::operator::OperatorVerdict;

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
    /// The verdict over each side by the operator's word; none where he has none.
    pub operator: [Option<OperatorVerdict>; 2],
    /// True where both sides could be looked at in whole.
    pub is_whole: bool,
    /// The worst that each rule finds before.
    known: BTreeMap<String, Severity>,
    /// The side before, with its facts.
    before: Vec<Scanned>,
    /// The side after, with its facts.
    after: Vec<Scanned>,
}

impl Difference {
    /// What an agent could newly do: by word, then the gravest first.
    pub fn newly(&self) -> Vec<(Newly, &Effect)> {
        drift::newly(self.drifts.iter().flat_map(|(_, drift)| &drift.effects))
    }

    /// What rules find after and did not find before, or not as grave, from medium on; the gravest first.
    pub fn new_findings(&self) -> Vec<Finding<'_>> {
        let all = self.after.iter().flat_map(|one| findings(&one.facts));
        let is_new = |found: &Finding<'_>| {
            found.severity >= Severity::Medium && self.known.get(found.rule).is_none_or(|known| *known < found.severity)
        };
        let mut new: Vec<Finding<'_>> = all.filter(is_new).collect();
        new.sort_by_key(|found| (std::cmp::Reverse(found.severity), found.file, found.line, found.rule));
        new
    }
}

/// Compares two sides as versions of one thing, whatever their names are.
pub fn compare(before: &DiffSide, after: &DiffSide, policy: &OperatorPolicy, at: AsOf) -> Difference {
    // Capabilities are known by the identity of their package, and a version is a part of some.
    let same = Bundle { identity: before.bundle.identity.clone(), ..after.bundle.clone() };
    let (old, new) = rayon::join(|| analysis::read(&before.bundle), || analysis::read(&same));
    let version_change = match (&before.version, &after.version) {
        (Some(old), Some(new)) if old != new => VersionChange::Yes,
        (Some(_), Some(_)) => VersionChange::No,
        _ => VersionChange::Unversioned,
    };
    let (drifts, is_whole) = drifts(&old, &new, version_change);
    let [(was, word_before), (is, word_after)] = [&old.1, &new.1].map(|scanned| judging::verdict(scanned, policy, at));
    let (verdicts, operator) = ([was, is], [word_before, word_after]);
    let mut known = BTreeMap::new();
    for fact in old.1.iter().flat_map(|one| one.facts.findings()) {
        let worst = known.entry(fact.rule.as_str().to_owned()).or_insert(fact.severity);
        *worst = fact.severity.max(*worst);
    }
    Difference { drifts, verdicts, operator, is_whole, known, before: old.1, after: new.1 }
}

/// The changes of each capability by its slug, and whether both sides could be looked at in whole.
fn drifts(
    old: &(Evidence, Vec<Scanned>),
    new: &(Evidence, Vec<Scanned>),
    version_change: VersionChange,
) -> (Vec<(String, Drift)>, bool) {
    let context = ReleaseContext { version_change, ..ReleaseContext::default() };
    let (before, after) = (side(&old.0, &old.1), side(&new.0, &new.1));
    let slug = |drift: &Drift| {
        let seen = after.seen.get(&drift.capability).or_else(|| before.seen.get(&drift.capability));
        seen.map(|seen| seen.capability.slug.clone()).unwrap_or_default()
    };
    let drifts = drift::compare(&before, &after, context, capdex_rules::mask_line);
    (drifts.into_iter().map(|drift| (slug(&drift), drift)).collect(), before.is_whole && after.is_whole)
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
