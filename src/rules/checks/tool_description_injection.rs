//! tool-description-injection: a description gives the model orders over the user's head.

use crate::FactSink;
use capdex_evidence::subject::Subject;

use super::tool_poison::PoisonCues;
use super::tool_texts::{place_of, prose, quoted, surfaces};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for surface in surfaces(subject) {
        for text in prose(surface) {
            // All cues of one text are judged together: two that are clumsy alone are an attack side by side.
            let cues = PoisonCues::of(text, surface);
            if let Some((severity, confidence)) = cues.judgement() {
                facts.found_as(severity, confidence, place_of(surface, text), &quoted(surface, &cues.quote));
            }
        }
    }
}
