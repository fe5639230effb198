//! The surfaces of a card: what an agent or a host says of itself and of its skills to other agents.

use serde_json::Value;

use capdex_model::fact::Place;

use super::{Surface, SurfaceKind, SurfacePart};
use crate::Evidence;
use crate::manifest::{MAX_ENTRIES, Manifest, ManifestKind, locate};

/// The most examples and tags of one skill that are read.
const MAX_WORDS: usize = 64;

/// Adds the surfaces of a card: the words of whoever speaks, then its skills or entries. None for other manifests.
pub(super) fn of_card(evidence: &Evidence, manifest: &Manifest, surfaces: &mut Vec<Surface>) {
    if manifest.kind != ManifestKind::Card {
        return;
    }
    let place = |pointer: String| Place { file: manifest.path.clone(), pointer, ..Place::default() };
    let mut found = Vec::new();
    let mut speaker = Surface::new(SurfaceKind::Server, "server", place(String::new()));
    speaker.prose("/name", manifest.text("name"));
    speaker.prose("/title", manifest.text("title"));
    speaker.prose("/description", manifest.text("description"));
    if !speaker.texts.is_empty() {
        found.push(speaker);
    }
    for list in ["skills", "entries"] {
        let entries = manifest.value.get(list).and_then(Value::as_array).into_iter().flatten().enumerate();
        found.extend(
            entries.take(MAX_ENTRIES).filter_map(|(at, entry)| of_entry(entry, place(format!("/{list}/{at}")))),
        );
    }
    let Some(document) = evidence.documents.get(&manifest.path) else { return };
    locate(manifest, document, found.iter_mut().map(|surface| &mut surface.place));
    surfaces.append(&mut found);
}

/// One skill of an agent, or one entry of a catalogue.
fn of_entry(entry: &Value, place: Place) -> Option<Surface> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    let name = ["name", "displayName", "id", "identifier"].into_iter().find_map(text)?;
    let mut surface = Surface::new(SurfaceKind::Skill, name, place);
    surface.prose("/name", text("name"));
    surface.prose("/displayName", text("displayName"));
    surface.prose("/description", text("description"));
    for (field, key) in [("/examples", "examples"), ("/tags", "tags")] {
        let words = entry.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        surface.exhausted |= words.len() > MAX_WORDS;
        for (at, word) in words.iter().take(MAX_WORDS).enumerate() {
            surface.push(field, &format!("/{at}"), SurfacePart::Prose, word.as_str().unwrap_or_default());
        }
    }
    Some(surface)
}
