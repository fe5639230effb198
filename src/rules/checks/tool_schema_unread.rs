//! tool-schema-unread: a part of a tool's schema was not read.

use crate::FactSink;
use capdex_evidence::subject::Subject;

use super::tool_texts::{below, surfaces};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for surface in surfaces(subject) {
        // Told, because an order may stand where nobody looked.
        if surface.exhausted {
            let text = format!("{}: larger than is read", surface.name);
            facts.found(below(surface, "/inputSchema"), &text);
        }
        // What a reference leads to may reach the model, and was not read here.
        for reference in surface.unresolved.iter().take(MAX_NAMED) {
            let text = format!("{}: refers to {reference}", surface.name);
            facts.found(below(surface, "/inputSchema"), &text);
        }
    }
}

/// The most references of one surface that are named.
const MAX_NAMED: usize = 5;
