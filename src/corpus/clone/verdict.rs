//! Whether a copy is an attack on those who know the original: it belongs to another publisher and does what that does not.
//!
//! Two signals, never one: being a copy is common and honest, and so is each finding alone. Must not know how facts were
//! found.

use super::difference::Difference;
use super::order::Basis;
use capdex_model::fact::{Confidence, Fact, Severity};
use capdex_model::facts::SparseFacts;

/// Users from which an original is known.
const KNOWN: u64 = 100;

/// A copy beside its original.
#[derive(Clone, Debug)]
pub struct Copy<'a> {
    /// Whether one publisher answers for both.
    pub same_publisher: bool,
    /// How it is known which was first.
    pub basis: Basis,
    /// How many use the original, where somebody counts.
    pub original_popularity: Option<u64>,
    /// What the copy has that the original has not.
    pub difference: &'a Difference,
    /// What the rules said of the original.
    pub original_facts: &'a SparseFacts,
    /// What they said of the copy.
    pub facts: &'a SparseFacts,
    /// The folder of the copy inside its package; its facts' files lie below it.
    pub folder: &'a str,
}

/// What was made of a copy.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// How bad; below medium it is no alert.
    pub severity: Severity,
    /// The findings in what was added: rule, severity, file below the folder and what was quoted.
    pub findings: Vec<(String, Severity, String, String)>,
}

/// Judges a copy; none where there is nothing to hold against it.
pub fn judge(copy: &Copy<'_>) -> Option<Judged> {
    if copy.same_publisher || copy.difference.adds_nothing() {
        return None;
    }
    let added: Vec<(&Fact, &str)> =
        copy.facts.findings_of_its_own().filter_map(|fact| Some((fact, is_added(copy, fact)?))).collect();
    let worst = added.iter().map(|(fact, _)| fact.severity).max().unwrap_or(Severity::Info);
    let is_known = copy.basis != Basis::Unknown || copy.original_popularity.unwrap_or(0) >= KNOWN;
    let severity = match (worst, is_known) {
        (Severity::High | Severity::Critical, true) => Severity::High,
        (Severity::High | Severity::Critical, false) => Severity::Medium,
        (Severity::Medium, true) if reaches_out(copy.difference) => Severity::Medium,
        (Severity::Medium, _) => Severity::Low,
        _ if reaches_out(copy.difference) => Severity::Low,
        _ => return None,
    };
    let findings = added
        .into_iter()
        .map(|(fact, file)| (fact.rule.as_str().to_owned(), fact.severity, file.to_owned(), fact.evidence.clone()))
        .collect();
    Some(Judged { severity, findings })
}

/// The file of a finding that stands in what was added and that the original does not have, likely enough to count.
fn is_added<'a>(copy: &Copy<'a>, fact: &'a Fact) -> Option<&'a str> {
    let file = fact.place.file.as_str();
    let below = match copy.folder {
        "" => file,
        folder => file.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')).unwrap_or(file),
    };
    // A document inside an archive or behind an ending (`x.zip!/a`) belongs to the file that holds it.
    let held = below.split("!/").next().unwrap_or(below);
    if fact.severity < Severity::Medium || fact.confidence < Confidence::Medium || !copy.difference.is_new(held) {
        return None;
    }
    let mut known = copy
        .original_facts
        .findings_of_its_own()
        .filter(|known| known.rule == fact.rule && known.severity >= fact.severity);
    let is_known = known.any(|known| known.evidence == fact.evidence || !names(&fact.evidence, &copy.difference.hosts));
    (!is_known).then_some(below)
}

fn names(text: &str, hosts: &[String]) -> bool {
    hosts.iter().any(|host| text.contains(host.as_str()))
}

/// Whether what was added reaches out from a program: a new host there, or bytes that nobody can read.
fn reaches_out(difference: &Difference) -> bool {
    !difference.binaries.is_empty() || !difference.program_hosts.is_empty()
}
