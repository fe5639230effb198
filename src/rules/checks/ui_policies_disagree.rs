//! ui-policies-disagree: two spellings of one policy for a user interface say different things.

use std::collections::{BTreeMap, BTreeSet};

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_evidence::surfaces::{Surface, SurfaceText};

use super::kept_texts::{OLDER, directive, kept_texts};
use super::tool_texts::{place_of, quoted};

/// The hosts of one directive: in the spelling of MCP Apps, and in the older one, with the first text of that.
#[derive(Default)]
struct Spelled<'a> {
    newer: BTreeSet<&'a str>,
    older: BTreeSet<&'a str>,
    first: Option<(&'a Surface, &'a SurfaceText)>,
}

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let mut spelled: BTreeMap<(&str, &str, String), Spelled<'_>> = BTreeMap::new();
    for (surface, text, pointer) in kept_texts(subject) {
        let Some(directive) = directive(&pointer) else { continue };
        let key = (surface.place.file.as_str(), surface.name.as_str(), directive);
        let spelled = spelled.entry(key).or_default();
        if pointer.starts_with(OLDER) {
            spelled.older.insert(text.raw());
            spelled.first = spelled.first.or(Some((surface, text)));
        } else {
            spelled.newer.insert(text.raw());
        }
    }
    for ((_, _, directive), Spelled { newer, older, first }) in spelled {
        // A kit that knows one spelling alone is told nothing in the other.
        if newer.is_empty() || newer == older {
            continue;
        }
        if let Some((surface, text)) = first {
            let other = older.symmetric_difference(&newer).next().copied().unwrap_or_default();
            facts.found(place_of(surface, text), &quoted(surface, &format!("{directive} {other}")));
        }
    }
}
