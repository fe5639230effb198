//! ui-device-permission: a server's user interface asks for a device, the place or the clipboard of the user.

use crate::FactSink;
use capdex_evidence::subject::Subject;

use super::kept_texts::kept_texts;
use super::tool_texts::{place_of, quoted};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for (surface, text, pointer) in kept_texts(subject) {
        if pointer.starts_with("/_meta/ui/permissions/") || pointer.starts_with("/_meta/ui~1permissions/") {
            facts.found(place_of(surface, text), &quoted(surface, text.raw()));
        }
    }
}
