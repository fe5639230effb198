//! Source calls: the calls in a capability's files, for the rules about source.
//!
//! The rules judge the calls. Files of tests are marked, because a finding there is worth less.

use crate::FactSink;
use capdex_evidence::code::{Call, SourceView};
use capdex_evidence::document::Document;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;
use capdex_model::fact::{Confidence, Severity};

/// One source file of a capability.
pub(super) struct SourceFile<'a> {
    /// Its path.
    pub(super) path: &'a str,
    /// The view that was read from it.
    pub(super) view: &'a SourceView,
    /// True where it is a test, a fixture or an example that nothing live loads: nothing that runs for a user.
    pub(super) test: bool,
}

/// The source files of a capability in the order of their paths.
pub(super) fn source_files<'a>(subject: &Subject<'a>) -> impl Iterator<Item = SourceFile<'a>> + use<'a> {
    let evidence = subject.evidence;
    subject.capability.files.iter().filter_map(move |path| {
        let view = evidence.sources.get(path)?;
        let is_dormant = |document: &Document| document.voice == Voice::Data;
        let test = evidence.documents.get(path).is_some_and(is_dormant);
        Some(SourceFile { path, view, test })
    })
}

/// Severity and confidence, lowered in a test.
pub(super) fn weighed(file: &SourceFile<'_>, severity: Severity, confidence: Confidence) -> (Severity, Confidence) {
    // Lowered and not left out: a payload in a test still runs where somebody runs the tests.
    if file.test { (severity.min(Severity::Low), Confidence::Low) } else { (severity, confidence) }
}

/// Reports every call that a rule's judgement finds, milder in a test.
pub(super) fn report_calls(
    subject: &Subject<'_>,
    facts: &mut FactSink<'_>,
    judgement: impl Fn(&SourceFile<'_>, &Call) -> Option<(Severity, Confidence)>,
) {
    for file in source_files(subject) {
        for call in &file.view.calls {
            if let Some((severity, confidence)) = judgement(&file, call) {
                let (severity, confidence) = weighed(&file, severity, confidence);
                facts.found_as(severity, confidence, call.place.clone(), &call.text);
            }
        }
    }
}
