//! icon-active: an icon that a client would run as a program, or fetch without encryption.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};

use crate::FactSink;
use capdex_evidence::subject::Subject;

use super::kept_texts::kept_texts;
use super::tool_texts::{place_of, quoted};
use super::unprotected::is_unprotected;

/// What makes a picture in SVG a program: scripts, handlers of events, and foreign documents.
const ACTIVE: [&str; 6] = ["<script", "javascript:", "<foreignobject", " onload=", " onerror=", " onbegin="];

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for (surface, text, pointer) in kept_texts(subject) {
        if pointer.starts_with("/icons/") && (is_active(text.raw()) || is_unprotected(text.raw(), &["http"])) {
            let shown: String = text.raw().chars().take(120).collect();
            facts.found(place_of(surface, text), &quoted(surface, &shown));
        }
    }
}

fn is_active(address: &str) -> bool {
    let lower = address.trim_start().to_ascii_lowercase();
    if lower.starts_with("javascript:") || lower.starts_with("data:text/html") {
        return true;
    }
    if !lower.starts_with("data:image/svg") {
        return false;
    }
    let Some((kind, data)) = address.split_once(',') else { return false };
    let picture = if kind.to_ascii_lowercase().ends_with(";base64") {
        let decoded = STANDARD.decode(data.trim()).or_else(|_| URL_SAFE.decode(data.trim()));
        String::from_utf8_lossy(&decoded.unwrap_or_default()).to_ascii_lowercase()
    } else {
        // What stands for a bracket in an address is as good as one.
        data.to_ascii_lowercase().replace("%3c", "<").replace("%20", " ").replace("%3d", "=").replace("%3a", ":")
    };
    ACTIVE.iter().any(|mark| picture.contains(mark))
}
