//! Source calls: the calls in a capability's files, for the rules about source.
//!
//! The rules judge the calls. Files of tests are marked, because a finding there is worth less.

use super::shell_events::weighed_at;
use crate::FactSink;
use capdex_evidence::code::{Call, Fenced, SourceView, fenced};
use capdex_evidence::document::Document;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;
use capdex_model::capability::Kind;
use capdex_model::fact::{Confidence, Severity};

/// One source file of a capability.
pub(super) struct SourceFile<'a> {
    /// Its path.
    pub(super) path: &'a str,
    /// The view that was read from it.
    pub(super) view: &'a SourceView,
    /// True where it is a test, a fixture or an example that nothing live loads: nothing that runs for a user.
    pub(super) test: bool,
    /// The fences of a Markdown text in which it stands; none for a file of its own.
    fences: Option<(&'a Document, &'a Fenced)>,
}

impl SourceFile<'_> {
    /// True for source in the fences of a text.
    pub(super) fn is_fenced(&self) -> bool {
        self.fences.is_some()
    }

    /// Severity and confidence of a call, lowered in a test, and where the text around a fence forbids or explains it.
    pub(super) fn weigh(&self, call: &Call, severity: Severity, confidence: Confidence) -> (Severity, Confidence) {
        let Some((document, fenced)) = self.fences else { return weighed(self, severity, confidence) };
        let start = fenced.calls().find(|(_, fenced)| std::ptr::eq(*fenced, call)).map_or(0, |(start, _)| start);
        let end = start + call.text.len();
        (weighed_at(document, start..end.min(document.text.len()), severity), confidence)
    }
}

/// The source files of a capability in the order of their paths.
pub(super) fn source_files<'a>(subject: &Subject<'a>) -> impl Iterator<Item = SourceFile<'a>> + use<'a> {
    let evidence = subject.evidence;
    subject.capability.files.iter().filter_map(move |path| {
        let view = evidence.sources.get(path)?;
        let is_dormant = |document: &Document| document.voice == Voice::Data;
        let test = evidence.documents.get(path).is_some_and(is_dormant);
        Some(SourceFile { path, view, test, fences: None })
    })
}

/// The source files of a capability, then the source in the fences of its Markdown texts, which an agent runs.
pub(super) fn programs<'a>(subject: &Subject<'a>) -> impl Iterator<Item = SourceFile<'a>> + use<'a> {
    // Elsewhere fences are for people to read.
    let runs = matches!(subject.capability.kind, Kind::Skill | Kind::Rules | Kind::Hook);
    let fenced = subject.documents().filter(move |_| runs).filter_map(|document| {
        let fenced = fenced(document);
        let file = SourceFile {
            path: &document.path,
            view: &fenced.view,
            test: document.voice == Voice::Data,
            fences: Some((document, fenced)),
        };
        (!fenced.view.calls.is_empty()).then_some(file)
    });
    source_files(subject).chain(fenced)
}

/// Reports every call of the programs that a rule's judgement finds, milder in a test.
pub(super) fn report_actions(
    subject: &Subject<'_>,
    facts: &mut FactSink<'_>,
    judgement: impl Fn(&SourceFile<'_>, &Call) -> Option<(Severity, Confidence)>,
) {
    report_each(programs(subject), facts, judgement);
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

fn report_each<'a>(
    files: impl Iterator<Item = SourceFile<'a>>,
    facts: &mut FactSink<'_>,
    judgement: impl Fn(&SourceFile<'_>, &Call) -> Option<(Severity, Confidence)>,
) {
    for file in files {
        report_within(&file, facts, |call| judgement(&file, call));
    }
}

/// Reports every call of one file that a judgement finds, milder in a test.
pub(super) fn report_within(
    file: &SourceFile<'_>,
    facts: &mut FactSink<'_>,
    judgement: impl Fn(&Call) -> Option<(Severity, Confidence)>,
) {
    for call in &file.view.calls {
        if let Some((severity, confidence)) = judgement(call) {
            let (severity, confidence) = file.weigh(call, severity, confidence);
            facts.found_as(severity, confidence, call.place.clone(), &call.text);
        }
    }
}
