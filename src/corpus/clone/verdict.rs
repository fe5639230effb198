//! Judges whether a copy attacks those who know the original: it is another publisher's and does what that does not.
//!
//! Two signals, never one: being a copy is common and honest, and so is each finding alone.

use super::difference::Difference;
use super::order::OrderBasis;
use capdex_model::fact::{Confidence, Fact, Severity};
use capdex_model::facts::SparseFacts;

/// Users from which an original is known.
const KNOWN: u64 = 100;

/// A copy beside its original.
#[derive(Clone, Debug)]
pub struct Copy<'a> {
    /// True where one publisher answers for both.
    pub same_publisher: bool,
    /// The way in which it is known which was first.
    pub basis: OrderBasis,
    /// The number of users of the original, where somebody counts.
    pub original_popularity: Option<u64>,
    /// The files, lines and hosts that the copy has and the original has not.
    pub difference: &'a Difference,
    /// The facts that the rules found in the original.
    pub original_facts: &'a SparseFacts,
    /// The facts that they found in the copy.
    pub facts: &'a SparseFacts,
    /// The folder of the copy inside its package; its facts' files lie below it.
    pub folder: &'a str,
}

/// The verdict on a copy.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The severity; below medium it is no alert.
    pub severity: Severity,
    /// The findings in what was added: rule, severity, file below the folder and what was quoted.
    pub findings: Vec<(String, Severity, String, String)>,
    /// The line of each of them in its file, 0 where it has none.
    pub lines: Vec<u32>,
}

/// Judges a copy; none where there is nothing to hold against it.
pub fn judge(copy: &Copy<'_>) -> Option<Judged> {
    // A publisher may change his own text, and an unchanged copy does only what the original does.
    if copy.same_publisher || copy.difference.adds_nothing() {
        return None;
    }
    let added: Vec<(&Fact, &str)> =
        copy.facts.findings_of_its_own().filter_map(|fact| Some((fact, is_added(copy, fact)?))).collect();
    let worst = added.iter().map(|(fact, _)| fact.severity).max().unwrap_or(Severity::Info);
    // An original that nobody knows gives an attacker no users to take; the order must be known, or somebody count.
    let is_known = copy.basis != OrderBasis::Unknown || copy.original_popularity.unwrap_or(0) >= KNOWN;
    let severity = match (worst, is_known) {
        (Severity::High | Severity::Critical, true) => Severity::High,
        (Severity::High | Severity::Critical, false) => Severity::Medium,
        // A finding of medium weight stands in many honest copies; a new host or binary is the second signal.
        (Severity::Medium, true) if reaches_out(copy.difference) => Severity::Medium,
        (Severity::Medium, _) => Severity::Low,
        _ if reaches_out(copy.difference) => Severity::Low,
        _ => return None,
    };
    let lines = added.iter().map(|(fact, _)| fact.place.line).collect();
    let findings = added
        .into_iter()
        .map(|(fact, file)| (fact.rule.as_str().to_owned(), fact.severity, file.to_owned(), fact.evidence.clone()))
        .collect();
    Some(Judged { severity, findings, lines })
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
    // A finding in a file that the original has as well is the original's.
    if fact.severity < Severity::Medium || fact.confidence < Confidence::Medium || !copy.difference.is_new(held) {
        return None;
    }
    let mut known = copy
        .original_facts
        .findings_of_its_own()
        .filter(|known| known.rule == fact.rule && known.severity >= fact.severity);
    // The original may say the same with another host: then the host is what was added.
    let is_known = known.any(|known| known.evidence == fact.evidence || !names(&fact.evidence, &copy.difference.hosts));
    (!is_known).then_some(below)
}

fn names(text: &str, hosts: &[String]) -> bool {
    hosts.iter().any(|host| text.contains(host.as_str()))
}

/// True where what was added reaches out from a program: a new host there, or bytes that nobody can read.
fn reaches_out(difference: &Difference) -> bool {
    !difference.binaries.is_empty() || !difference.program_hosts.is_empty()
}
