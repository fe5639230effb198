//! `obfuscated-payload`: encoded text that decodes to commands, network calls or code that runs code.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

use capdex_evidence::code::sinks::{evaluates, starts_program};
use capdex_evidence::code::{Call, TaintSources};
use capdex_evidence::context::Context;
use capdex_evidence::decode::{Encoding, Payload, payloads};
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_model::fact::{Confidence, Severity};

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;

static DANGER: LazyLock<Regex> = LazyLock::new(|| {
    RegexBuilder::new(
        r"(?:\b(?:curl|wget)\b[^\n]{0,80}\b(?:https?:|\w+\.\w{2,})|/bin/(?:ba|z)?sh\b|\b(?:ba|z)?sh[ \t]+-[ci]\b|\bpowershell\b|\biex\b|\binvoke-(?:expression|webrequest)\b|downloadstring|/dev/tcp/|\bos\.system\(|\bsubprocess\.|child_process|\bexecsync\(|\beval\(|\bexec\(|\bnc[ \t]+-|\bsocket\.socket|\brm[ \t]+-rf\b|\bchmod[ \t]+\+x|\bbase64[ \t]+-(?:d|-decode)|\.ssh/|\.aws/credentials|(?:ignore|disregard)\s+(?:all\s+)?(?:previous|prior)\s+instructions|\brequests\.post\(|\burlopen\()",
    )
    .unicode(false)
    .case_insensitive(true)
    .build()
    .expect("the pattern is valid")
});

/// The most finds in one file.
const MOST: usize = 3;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for document in subject.documents().filter(|document| document.role != FileRole::Lock) {
        // Percent signs, split and spaced words and entities are ordinary writing too often to be told as hiding.
        let found = payloads(&document.text, document.runs()).into_iter().filter(|payload| {
            !matches!(payload.encoding, Encoding::Percent | Encoding::Split | Encoding::Spaced | Encoding::Entities)
                && DANGER.is_match(payload.text.as_bytes())
        });
        for payload in found.take(MOST) {
            let severity = severity(subject, document, &payload);
            let evidence = format!("{} of: {}", payload.encoding.as_str(), payload.text);
            facts.found_as(severity, Confidence::High, document.place(payload.offset), &evidence);
        }
    }
}

/// Bundles carry whole programs for their workers as text; what runs a decoded one is found where it does so.
fn is_embedded(document: &Document, payload: &Payload) -> bool {
    const PROGRAM_BYTES: usize = 4096;
    // A payload that fetches the next stage is short; a worker's whole program is not.
    document.role == FileRole::Source && payload.text.len() > PROGRAM_BYTES
}

/// True for a literal of a program that neither runs anything nor decodes it.
fn is_inert(subject: &Subject<'_>, document: &Document) -> bool {
    let runs =
        |call: &Call| starts_program(call) || evaluates(call) || call.taint.arguments().any(TaintSources::DECODED);
    let view = subject.evidence.sources.get(&document.path).filter(|view| view.is_parsed);
    view.is_some_and(|view| !view.calls.iter().any(runs))
}

/// Data addresses hold pictures, fonts and source maps; talk about payloads is not the payload.
fn severity(subject: &Subject<'_>, document: &Document, payload: &Payload) -> Severity {
    // The type of a data address may have parameters: 60 bytes take in the longest that is usual.
    let before = document.text.as_bytes().get(payload.offset.saturating_sub(60)..payload.offset).unwrap_or(&[]);
    let is_data_address = before.windows(8).any(|window| window == b";base64,");
    let context = Context::at(document, payload.offset..payload.offset);
    if is_data_address || context.negated || (document.voice == Voice::Data && document.role != FileRole::Data) {
        Severity::Low
    } else if is_embedded(document, payload)
        || is_inert(subject, document)
        || context.documentation
        || context.security_topic
        || context.defensive
    {
        Severity::Medium
    } else {
        Severity::High
    }
}
