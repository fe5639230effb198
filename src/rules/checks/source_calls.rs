//! Source calls: the calls in a capability's files, for the rules about source.
//!
//! The rules judge the calls. Files of tests are marked, because a finding there is worth less.

use crate::FactSink;
use capdex_evidence::code::{Call, SourceView};
use capdex_evidence::document::is_test_path;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// One source file of a capability.
pub(super) struct SourceFile<'a> {
    /// Its path.
    pub(super) path: &'a str,
    /// The view that was read from it.
    pub(super) view: &'a SourceView,
    /// True where it is a test, a fixture or an example: nothing that runs for a user.
    pub(super) test: bool,
}

/// The source files of a capability in the order of their paths.
pub(super) fn source_files<'a>(subject: &Subject<'a>) -> impl Iterator<Item = SourceFile<'a>> + use<'a> {
    let evidence = subject.evidence;
    subject.capability.files.iter().filter_map(move |path| {
        let view = evidence.sources.get(path)?;
        let role = evidence.documents.get(path).map(|document| document.role);
        // What the test runner loads by itself runs as soon as anybody tests.
        let loaded = path.rsplit('/').next() == Some("conftest.py");
        let test = !loaded && (role == Some(FileRole::Test) || is_test_path(path));
        Some(SourceFile { path, view, test })
    })
}

/// The same, and the programs in the fenced blocks of instruction files.
pub(super) fn programs<'a>(subject: &Subject<'a>) -> impl Iterator<Item = SourceFile<'a>> + use<'a> {
    let evidence = subject.evidence;
    let fenced = subject.capability.files.iter().filter_map(move |path| {
        let view = evidence.fences.get(path)?;
        Some(SourceFile { path, view, test: false })
    });
    source_files(subject).chain(fenced)
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
    report_each(source_files(subject), facts, judgement);
}

/// The same over the programs in fenced blocks as well.
pub(super) fn report_program_calls(
    subject: &Subject<'_>,
    facts: &mut FactSink<'_>,
    judgement: impl Fn(&SourceFile<'_>, &Call) -> Option<(Severity, Confidence)>,
) {
    report_each(programs(subject), facts, judgement);
}

fn report_each<'a>(
    files: impl Iterator<Item = SourceFile<'a>>,
    facts: &mut FactSink<'_>,
    judgement: impl Fn(&SourceFile<'_>, &Call) -> Option<(Severity, Confidence)>,
) {
    for file in files {
        for call in &file.view.calls {
            if let Some((severity, confidence)) = judgement(&file, call) {
                let (severity, confidence) = weighed(&file, severity, confidence);
                facts.found_as(severity, confidence, call.place.clone(), &call.text);
            }
        }
    }
}
