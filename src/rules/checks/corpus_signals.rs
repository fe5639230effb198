//! Corpus signals as findings: the layer of the published methods that compares listings and nights.
//!
//! They look at nothing themselves: they read the signals that a pass stored (`CorpusSignal`), and report them under the
//! methods' codes. Nothing is said of things that nobody compared (a local input, a first night): such a question makes
//! no sense of one thing alone.

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::corpus_signal::{CAMPAIGNS, CorpusSignal, HANDED_OUT, NOT_LOOKED_AT};
use capdex_model::fact::{Confidence, Place};

use super::package_subject::describes_no_package;

/// Names that look like established ones of the whole corpus.
pub(super) fn look_alike(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report(subject, facts, |signal| signal.pass == "lookalikes" && !is_of_host(signal));
}

/// Hosts that look like established ones.
pub(super) fn look_alike_host(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report(subject, facts, |signal| signal.pass == "lookalikes" && is_of_host(signal));
}

/// Tools that wear the name of another server's.
pub(super) fn tool_collision(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report(subject, facts, |signal| signal.pass == "collisions");
}

/// Definitions that changed to something dangerous.
pub(super) fn drift(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report(subject, facts, |signal| signal.pass == "drift" && signal.class != "same_version");
}

/// Other bytes under one version, seen by comparing bytes.
pub(super) fn other_bytes(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report(subject, facts, |signal| signal.pass == "drift" && signal.class == "same_version");
}

/// Packages and repositories that changed hands.
pub(super) fn owner_change(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report(subject, facts, |signal| signal.pass == "identity");
}

/// Items that ask for the same thing as others of a campaign.
pub(super) fn campaign(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report(subject, facts, |signal| signal.pass == CAMPAIGNS);
}

/// Artifacts that a row hands out and that are judged to be dangerous by themselves.
pub(super) fn artifact(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report(subject, facts, |signal| signal.pass == HANDED_OUT && signal.class != NOT_LOOKED_AT);
}

/// True where a typosquat candidate is a host: the classes of that pass name it.
fn is_of_host(signal: &CorpusSignal) -> bool {
    signal.class.starts_with("host")
}

/// Says what was seen of this capability, or of its package, at these bytes.
fn report(subject: &Subject<'_>, facts: &mut FactSink<'_>, is_meant: impl Fn(&CorpusSignal) -> bool) {
    // Not "unavailable": of an input that no pass ever compares no data is missing.
    let Some(signals) = subject.claims.repository_signals.corpus_signals.known() else {
        return facts.not_applicable();
    };
    let is_here = |signal: &&CorpusSignal| {
        // A signal about a package is reported once, at the row that stands for the package.
        let is_of_it = match signal.capability {
            Some(capability) => capability == subject.capability.id,
            None => !describes_no_package(subject),
        };
        // A signal about other bytes is about another version: it must not be held against this one.
        is_of_it && signal.content.is_none_or(|content| content == subject.capability.content)
    };
    for signal in signals.iter().filter(|signal| is_meant(signal)).filter(is_here) {
        facts.found_as(signal.severity, Confidence::Medium, Place::default(), &signal.detail);
    }
}
