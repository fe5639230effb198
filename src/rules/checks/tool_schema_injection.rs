//! tool-schema-injection: strings of a tool's schema give the model orders.

use crate::FactSink;
use capdex_evidence::schema::SchemaField;
use capdex_evidence::subject::Subject;
use capdex_evidence::surfaces::{Surface, SurfacePart, SurfaceText};
use capdex_model::fact::{Confidence, Severity};

use super::tool_poison::PoisonCues;
use super::tool_texts::{place_of, quoted, surfaces};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for surface in surfaces(subject) {
        for text in &surface.texts {
            if let Some((severity, confidence, quote)) = judgement(text, surface) {
                facts.found_as(severity, confidence, place_of(surface, text), &quoted(surface, &quote));
            }
        }
    }
}

fn judgement(text: &SurfaceText, surface: &Surface) -> Option<(Severity, Confidence, String)> {
    match text.part {
        SurfacePart::Prose => return None,
        SurfacePart::Schema(SchemaField::Header) => {
            let split = text.raw().contains(['\r', '\n']);
            return split.then(|| (Severity::High, Confidence::High, "a header's name with a line break".to_owned()));
        }
        SurfacePart::Schema(SchemaField::Name) if text.raw().len() < 160 && !text.raw().contains(' ') => {
            return name_judgement(text.raw());
        }
        _ => {}
    }
    let cues = PoisonCues::of(text, surface);
    if cues.only_unguards() {
        return Some((Severity::Low, Confidence::Low, cues.quote));
    }
    cues.judgement().map(|(severity, confidence)| (severity, confidence, cues.quote))
}

/// A name that says which secret its value should be: both a verb of reading or content, and a secret's file.
fn name_judgement(name: &str) -> Option<(Severity, Confidence, String)> {
    if !name.contains('_') {
        return None;
    }
    let name_folded = name.to_ascii_lowercase();
    let secret = [
        "id_rsa",
        "ssh_key",
        "aws_credentials",
        "mcp_json",
        "etc_passwd",
        "system_prompt",
        "chat_history",
        "conversation_history",
    ];
    let taking = ["content", "reading", "contents", "dump", "verbatim", "full_"];
    let fires =
        secret.iter().any(|part| name_folded.contains(part)) && taking.iter().any(|part| name_folded.contains(part));
    fires.then(|| (Severity::High, Confidence::Medium, name.to_owned()))
}
