//! binary-program: a compiled program is shipped where text and scripts are expected.

use crate::FactSink;
use capdex_evidence::shape::Shape;
use capdex_evidence::subject::Subject;
use capdex_model::capability::Kind;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    // Servers and packages ship native parts of their libraries; the others are text and scripts.
    let is_text_kind = matches!(subject.capability.kind, Kind::Skill | Kind::Hook | Kind::Rules | Kind::Plugin);
    for document in subject.documents() {
        let Shape::Program(format) = document.shape else { continue };
        let (severity, told) = match &document.run_by {
            Some(by) => (Severity::Medium, format!(", run by {}", by.file)),
            None if is_text_kind => (Severity::Medium, String::new()),
            None => (Severity::Info, String::new()),
        };
        facts.found_as(severity, Confidence::High, document.place(0), &format!("a program ({format}){told}"));
    }
}
