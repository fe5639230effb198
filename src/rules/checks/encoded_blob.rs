//! `encoded-blob`: a long run of base64 or hex in a text that people or agents are meant to read.

use std::collections::BTreeSet;

use capdex_evidence::decode::{EncodedRun, Encoding};
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_model::fact::{Confidence, Severity};

use crate::FactSink;
use capdex_evidence::subject::Subject;

/// Shorter runs are keys, digests and signatures.
const BASE64_LEAST: usize = 128;
const HEX_LEAST: usize = 256;
/// A run in base64 uses at least this many different letters; rulers and paths use fewer.
const LETTERS_LEAST: usize = 24;
/// The most finds in one file.
const MOST: usize = 2;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for document in subject.documents().filter(|document| is_read(document.role)) {
        for run in document.runs().iter().filter(|run| is_blob(document, run)).take(MOST) {
            let evidence = format!("{} characters of {}", run.span.len(), run.encoding.as_str());
            let place = document.place(run.span.start);
            // Documentation shows pictures and sample tokens; nothing there is loaded by an agent. Rulers and paths are no
            // payload either, and the published pattern counts them all the same.
            if document.role == FileRole::Docs || !is_varied(document, run) {
                facts.found_as(Severity::Info, Confidence::Low, place, &evidence);
            } else {
                facts.found(place, &evidence);
            }
        }
    }
}

const fn is_read(role: FileRole) -> bool {
    matches!(role, FileRole::Instruction | FileRole::Script | FileRole::Manifest | FileRole::Docs)
}

fn written<'a>(document: &'a Document, run: &EncodedRun) -> &'a [u8] {
    document.text.as_bytes().get(run.span.clone()).unwrap_or(&[])
}

/// The number of different letters.
fn letters(written: &[u8]) -> usize {
    written.iter().collect::<BTreeSet<_>>().len()
}

/// True where a run uses as many letters as encoded content does.
fn is_varied(document: &Document, run: &EncodedRun) -> bool {
    run.encoding != Encoding::Base64 || letters(written(document, run)) >= LETTERS_LEAST
}

/// True where a run is long and no data address (`data:image/png;base64,`), whose content is declared.
fn is_blob(document: &Document, run: &EncodedRun) -> bool {
    // A data address (`;base64,` just before the run) names the type of its content: nothing is hidden there.
    let written = written(document, run);
    let before = document.text.as_bytes().get(run.span.start.saturating_sub(8)..run.span.start).unwrap_or(&[]);
    match run.encoding {
        // A ruler of dashes is of the alphabet for addresses alone, which the published pattern does not know.
        Encoding::Base64 => {
            let is_plain = || !written.iter().any(|byte| matches!(byte, b'-' | b'_'));
            written.len() >= BASE64_LEAST && !before.ends_with(b"base64,") && (is_varied(document, run) || is_plain())
        }
        // Hex has sixteen letters: fewer different ones are rulers and empty blocks of memory.
        Encoding::Hex => written.len() >= HEX_LEAST && letters(written) >= 8,
        _ => false,
    }
}
