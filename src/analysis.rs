//! From one bundle to judged capabilities: gather, decompose, evaluate, score. The same for files and for the store.
//!
//! Must not know where a bundle came from or where the results go.

use std::collections::BTreeMap;

use capdex_core::bundle::Bundle;
use capdex_core::capability::{Capability, Kind};
use capdex_core::decompose::decompose;
use capdex_core::evidence::Evidence;
use capdex_core::fact::Facts;
use capdex_core::passes::drift::Pins;
use capdex_core::rubrics::{RUBRICS, verdict};
use capdex_core::rules::{self, Subject};
use capdex_core::score::{Score, Verdict};
use capdex_core::snapshot::{Completeness, Gap, GapReason};
use capdex_core::time::AsOf;
use capdex_db::Scanned;
use rayon::prelude::*;

/// Finds the capabilities of a bundle and runs every rule over each, in the order of [`decompose`]. Uses the thread
/// pool that it is called in; the result does not depend on it.
pub fn scan(bundle: &Bundle) -> Vec<Scanned> {
    read(bundle).1
}

/// The same with the evidence, for those who look at it again.
pub fn read(bundle: &Bundle) -> (Evidence, Vec<Scanned>) {
    let evidence = Evidence::gather(bundle);
    let gaps: Vec<Gap> = bundle.gaps.iter().chain(&evidence.gaps).cloned().collect();
    let capabilities = decompose(bundle, &evidence);
    let gaps = gaps_by_capability(&capabilities, &gaps);
    let of_one = |(capability, gaps)| scan_one(bundle, &evidence, capability, gaps);
    let scanned = capabilities.par_iter().zip(gaps).map(of_one).collect();
    (evidence, scanned)
}

fn scan_one(bundle: &Bundle, evidence: &Evidence, capability: &Capability, gaps: Vec<Gap>) -> Scanned {
    let subject = Subject { capability, evidence, claims: &bundle.claims, gaps: &gaps };
    let pins = Pins::of(capability, evidence, |path| bundle.files.get(path).map(|file| file.digest), subject.tools());
    let completeness = completeness(bundle, &gaps);
    let facts = match completeness {
        Completeness::Analysed => rules::evaluate(&subject),
        Completeness::Partial(_) => rules::evaluate(&subject).with_absence_unproven(),
        Completeness::NotAssessable(_) => rules::unavailable(capability.kind),
    };
    Scanned { capability: capability.clone(), pins, facts, completeness }
}

/// Nothing at all to read is not assessable; a gap in what belongs to the capability makes it partial.
fn completeness(bundle: &Bundle, gaps: &[Gap]) -> Completeness {
    if bundle.files.is_empty() {
        let gap = gaps.first().cloned();
        return Completeness::NotAssessable(
            gap.unwrap_or_else(|| Gap::new(bundle.identity.clone(), GapReason::Empty, "there are no files")),
        );
    }
    Completeness::from_gaps(gaps.to_vec())
}

/// For each capability the gaps that concern it: those in files it owns or in the folder that it anchors more closely
/// than any other, and those that concern the input as a whole. The package's rest answers for the whole input.
fn gaps_by_capability(capabilities: &[Capability], gaps: &[Gap]) -> Vec<Vec<Gap>> {
    let mut by_capability: Vec<Vec<Gap>> = vec![Vec::new(); capabilities.len()];
    let owners = if gaps.is_empty() { Owners::default() } else { Owners::of(capabilities) };
    for gap in gaps {
        let concerned =
            if gap.subject == WHOLE { (0..capabilities.len()).collect() } else { owners.concerned(&gap.subject) };
        for at in concerned {
            if let Some(own) = by_capability.get_mut(at) {
                own.push(gap.clone());
            }
        }
    }
    by_capability
}

/// Who owns which file and anchors which folder, by the index of the capability.
#[derive(Default)]
struct Owners<'a> {
    files: BTreeMap<&'a str, Vec<usize>>,
    anchors: BTreeMap<&'a str, Vec<usize>>,
    /// The package's rest, which answers for everything.
    rest: Vec<usize>,
}

impl<'a> Owners<'a> {
    fn of(capabilities: &'a [Capability]) -> Self {
        let mut owners = Self::default();
        for (at, capability) in capabilities.iter().enumerate() {
            if capability.kind == Kind::Package {
                owners.rest.push(at);
                continue;
            }
            for path in &capability.files {
                owners.files.entry(path).or_default().push(at);
            }
            owners.anchors.entry(&capability.path).or_default().push(at);
        }
        owners
    }

    /// The capabilities that a gap in a file or folder concerns: its owners, else those anchored most closely around it;
    /// and the package's rest.
    fn concerned(&self, subject: &str) -> Vec<usize> {
        let folders = subject.rmatch_indices('/').filter_map(|(at, _)| subject.get(..at));
        let mut around = std::iter::once(subject).chain(folders).chain([""]);
        let owners = self.files.get(subject).or_else(|| around.find_map(|folder| self.anchors.get(folder)));
        let mut concerned = owners.cloned().unwrap_or_default();
        concerned.extend(&self.rest);
        concerned
    }
}

/// The subject of a gap that concerns an archive as a whole.
const WHOLE: &str = ".";

/// Scores facts with every rubric, or with the one that `only` names.
pub fn score(facts: &Facts, only: Option<&str>, at: AsOf) -> Vec<Score> {
    RUBRICS
        .iter()
        .filter(|rubric| only.is_none_or(|id| rubric.meta().rubric.id == id))
        .map(|rubric| rubric.score(facts, at))
        .collect()
}

/// The verdict over scores.
pub fn judge(scores: &[Score], completeness: &Completeness) -> Verdict {
    verdict(scores, completeness)
}
