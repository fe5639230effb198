//! Questions that rules about packages share: whether a capability is one, and where its manifest stands.
//!
//! The rules that ask judge the answers.

use crate::FactSink;
use capdex_evidence::signals::{self, CapabilitySignals};
use capdex_evidence::subject::Subject;
use capdex_model::capability::Kind;
use capdex_model::fact::Place;

/// True where a row of kind `package` is only what is left of an input whose files all belong to capabilities: those
/// describe the package then. An input without any bytes is described by its listing.
pub(super) fn describes_no_package(subject: &Subject<'_>) -> bool {
    // Files that all belong to capabilities are judged there: telling them again would count one thing twice.
    let empty = subject.capability.files.is_empty() && !subject.evidence.documents.is_empty();
    subject.capability.kind == Kind::Package && empty
}

/// The head of the manifest that spoke first; nowhere in particular where only the listing spoke.
pub(super) fn manifest_place(signals: &CapabilitySignals) -> Place {
    let line = signals.manifest.as_ref().map_or(0, |_| 1);
    let file = signals.manifest.clone().unwrap_or_default();
    Place { file, line, column: line, pointer: String::new() }
}

/// Reports a document that is not there. Says nothing of a row that describes no package, and lacks the data where there
/// are no files.
pub(super) fn report_missing(
    subject: &Subject<'_>,
    facts: &mut FactSink<'_>,
    words: &'static str,
    is_there: impl Fn(&CapabilitySignals) -> bool,
) {
    if describes_no_package(subject) {
        facts.not_applicable();
    } else if subject.evidence.documents.is_empty() {
        // Without files nothing can be missing among them.
        facts.unavailable("the files");
    } else if !is_there(&signals::of(subject)) {
        facts.found_in_whole(words);
    }
}
