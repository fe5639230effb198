//! argument-in-header: a tool has a secret argument copied into a header of the request.

use crate::FactSink;
use capdex_evidence::schema::SchemaField;
use capdex_evidence::subject::Subject;
use capdex_evidence::surfaces::SurfacePart;

use super::tool_texts::{name_words, place_of, quoted, tool_surfaces};

/// Words in the names of arguments that hold a secret.
const SECRETS: [&str; 9] =
    ["password", "passwd", "secret", "token", "apikey", "credential", "credentials", "passphrase", "authorization"];

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for surface in tool_surfaces(subject) {
        let headers = surface.texts.iter().filter(|text| text.part == SurfacePart::Schema(SchemaField::Header));
        for text in headers {
            let pointer = surface.pointer_to(text);
            let name = pointer.rsplit('/').nth(1).unwrap_or_default();
            let words = name_words(name);
            let is_key = words.windows(2).any(|pair| matches!(pair, [kind, key] if key == "key" && is_kind(kind)));
            if is_key || words.iter().any(|word| SECRETS.contains(&word.as_str())) {
                facts.found(place_of(surface, text), &quoted(surface, &format!("{name} in {}", text.raw())));
            }
        }
    }
}

/// Words before `key` that make it a secret.
fn is_kind(word: &str) -> bool {
    matches!(word, "api" | "access" | "private" | "secret" | "signing" | "encryption")
}
