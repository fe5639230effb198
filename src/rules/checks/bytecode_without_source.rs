//! bytecode-without-source: compiled Python whose source is missing or was another one.

use crate::FactSink;
use capdex_evidence::Evidence;
use capdex_evidence::document::Document;
use capdex_evidence::shape::{Shape, source_of_bytecode};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for document in subject.documents() {
        if let Some((severity, evidence)) = judgement(subject.evidence, document) {
            facts.found_as(severity, Confidence::Medium, document.place(0), evidence);
        }
    }
}

fn judgement(evidence: &Evidence, document: &Document) -> Option<(Severity, &'static str)> {
    let Shape::Bytecode(bytecode) = document.shape else { return None };
    let source = source_of_bytecode(&document.path).and_then(|path| evidence.documents.get(&path));
    let Some(source) = source else {
        // Python loads what lies in a cache folder only beside its source.
        let is_cached = document.path.contains("__pycache__/") && document.run_by.is_none();
        let severity = if is_cached { Severity::Low } else { Severity::Medium };
        return Some((severity, "there is no source beside it"));
    };
    // Bytecode states the length of the source it was made from, modulo 2^32; a swapped source rarely keeps it.
    let length = usize::try_from(bytecode.source_length?).ok()?;
    // A byte-order mark belongs to the file and not to the text.
    let differs = length != source.text.len() && length != source.text.len() + 3;
    differs.then_some((Severity::Low, "it was made from a source of another length"))
}
