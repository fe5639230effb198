//! Events in the shell text of a capability, each with the severity that its context allows.
//!
//! The rules about shell text choose among them.

use std::ops::Range;

use crate::FactSink;
use capdex_evidence::context::{self, Context};
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::language::Language;
use capdex_evidence::shell::{self, Event};
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;
use capdex_evidence::zones::ZoneKind;
use capdex_model::fact::Severity;

/// The shell actions in a capability's files, in the order of paths and places.
pub(super) fn events<'a>(subject: &Subject<'a>) -> impl Iterator<Item = (&'a Document, &'a Event)> {
    read(subject).flat_map(|document| shell::of(document).events.iter().map(move |event| (document, event)))
}

fn read<'a>(subject: &Subject<'a>) -> impl Iterator<Item = &'a Document> + use<'a> {
    subject.documents().filter(|document| !matches!(document.role, FileRole::Lock | FileRole::Binary))
}

/// A severity, lowered where the text around an action forbids, quotes or explains it.
pub(super) fn weighed(document: &Document, event: &Event, severity: Severity) -> Severity {
    weighed_at(document, event.start..event.end, severity)
}

/// The same for an action at a place of a document.
pub(super) fn weighed_at(document: &Document, place: Range<usize>, severity: Severity) -> Severity {
    let voice = document.voice_at(place.start);
    let context = Context::at(document, place.clone());
    let shown = matches!(
        context.zone,
        ZoneKind::CodeBlock | ZoneKind::InlineCode | ZoneKind::Table | ZoneKind::Quotation | ZoneKind::Comment
    );
    // Where no parser tells words from names and values, those around a call forbid and explain nothing.
    let is_called = voice == Voice::Program
        && document.role == FileRole::Source
        && !context.security_topic
        && !matches!(
            document.language,
            Language::Shell | Language::PowerShell | Language::Python | Language::JavaScript | Language::TypeScript
        );
    let lowered = if !is_called && (context.negated || context.quoted || context.defensive)
        || context.tabulated
        || matches!(context.zone, ZoneKind::Table | ZoneKind::Comment)
        || voice == Voice::Data
        // A text about attacks shows them as code with hosts of nobody's; the same code elsewhere is meant to be run.
        || (shown && context.security_topic && !context::is_aimed(document, place))
    {
        Severity::Low
    } else if voice == Voice::Human {
        Severity::Medium
    } else {
        severity
    };
    // Context only lowers: a rule of low severity must not be raised to "medium" by its surroundings.
    lowered.min(severity)
}

/// Says that not all shell text was followed, where that is so: nothing found is no answer then.
pub(super) fn note_cut(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if let Some(document) = read(subject).find(|document| shell::of(document).is_cut) {
        facts.unavailable(&format!("the end of the commands in {}", document.path));
    }
}

/// The text of an action as it is written.
pub(super) fn written<'a>(document: &'a Document, event: &Event) -> &'a str {
    document.text.get(event.start..event.end).unwrap_or("")
}
