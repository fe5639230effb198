//! From one bundle to judged capabilities: gather, decompose, evaluate, score. The same for files and for the store.
//!
//! Must not know where a bundle came from or where the results go.

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
    let evidence = Evidence::gather(bundle);
    let gaps: Vec<Gap> = bundle.gaps.iter().chain(&evidence.gaps).cloned().collect();
    let capabilities = decompose(bundle, &evidence);
    let owners: Vec<&Capability> = capabilities.iter().collect();
    capabilities
        .par_iter()
        .map(|capability| scan_one(bundle, &evidence, capability, gaps_of(capability, &owners, &gaps)))
        .collect()
}

fn scan_one(bundle: &Bundle, evidence: &Evidence, capability: &Capability, gaps: Vec<Gap>) -> Scanned {
    let subject = Subject { capability, evidence, claims: &bundle.claims, gaps: &gaps };
    let pins = Pins::of(capability, |path| bundle.files.get(path).map(|file| file.digest), subject.tools());
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

/// The gaps that concern a capability: those in files it owns or in the folder that it anchors more closely than any
/// other, and those that concern the input as a whole. The package's rest answers for the whole input.
fn gaps_of(capability: &Capability, all: &[&Capability], gaps: &[Gap]) -> Vec<Gap> {
    gaps.iter()
        .filter(|gap| capability.kind == Kind::Package || concerns(capability, all, &gap.subject))
        .cloned()
        .collect()
}

fn concerns(capability: &Capability, all: &[&Capability], subject: &str) -> bool {
    let owns = |other: &Capability| other.files.binary_search_by(|path| path.as_str().cmp(subject)).is_ok();
    if subject == WHOLE || owns(capability) {
        return true;
    }
    let depth = |other: &Capability| is_below(subject, &other.path).then_some(other.path.len());
    let Some(own_depth) = depth(capability) else { return false };
    let is_closer = |other: &&Capability| {
        other.kind != Kind::Package && (owns(other) || depth(other).is_some_and(|depth| depth > own_depth))
    };
    !all.iter().any(is_closer)
}

/// The subject of a gap that concerns an archive as a whole.
const WHOLE: &str = ".";

fn is_below(subject: &str, anchor: &str) -> bool {
    anchor.is_empty() || subject == anchor || subject.strip_prefix(anchor).is_some_and(|rest| rest.starts_with('/'))
}

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
