//! Signals of the passes, as findings: the layer of the published methods that compares listings and nights.
//!
//! They look at nothing themselves: they read the signals that a pass stored (`sighting`), and report them under the
//! methods' codes. Nothing is said of things that nobody compared (a local input, a first night): such a question makes
//! no sense of one thing alone.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::corpus_signal::CorpusSignal;
use capdex_model::fact::{Confidence, Place};

use super::package_subject::describes_no_package;

/// Names that look like established ones of the whole corpus.
pub(super) fn look_alike(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report(subject, facts, |sighting| sighting.pass == "lookalikes" && !is_of_host(sighting));
}

/// Hosts that look like established ones.
pub(super) fn look_alike_host(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report(subject, facts, |sighting| sighting.pass == "lookalikes" && is_of_host(sighting));
}

/// Tools that wear the name of another server's.
pub(super) fn tool_collision(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report(subject, facts, |sighting| sighting.pass == "collisions");
}

/// Definitions that changed to something dangerous.
pub(super) fn drift(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report(subject, facts, |sighting| sighting.pass == "drift" && sighting.class != "same_version");
}

/// Other bytes under one version, seen by comparing bytes.
pub(super) fn other_bytes(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report(subject, facts, |sighting| sighting.pass == "drift" && sighting.class == "same_version");
}

/// Packages and repositories that changed hands.
pub(super) fn owner_change(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report(subject, facts, |sighting| sighting.pass == "identity");
}

/// True where a look-alike is one of hosts: the classes of that pass name it.
fn is_of_host(sighting: &CorpusSignal) -> bool {
    sighting.class.starts_with("host")
}

/// Says what was seen of this capability, or of its package, at these bytes.
fn report(subject: &Subject<'_>, facts: &mut FactSink<'_>, is_meant: impl Fn(&CorpusSignal) -> bool) {
    // Not "unavailable": of an input that no pass ever compares no data is missing.
    let Some(sightings) = subject.claims.repository_signals.corpus_signals.known() else {
        return facts.not_applicable();
    };
    let is_here = |sighting: &&CorpusSignal| {
        // A sighting of a package is told once, at the row that stands for the package.
        let is_of_it = match sighting.capability {
            Some(capability) => capability == subject.capability.id,
            None => !describes_no_package(subject),
        };
        // A sighting of other bytes is of another version: it must not be held against this one.
        is_of_it && sighting.content.is_none_or(|content| content == subject.capability.content)
    };
    for sighting in sightings.iter().filter(|sighting| is_meant(sighting)).filter(is_here) {
        facts.found_as(sighting.severity, Confidence::Medium, Place::default(), &sighting.detail);
    }
}
