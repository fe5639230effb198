//! Places inside manifests: the line and column at which a JSON Pointer's key or element stands.
//!
//! Must not know any manifest format beyond telling JSON text from line-wise text (front matter, TOML, headers).

use std::collections::{BTreeMap, BTreeSet};

use crate::evidence::bytes::count;
use crate::evidence::document::Document;
use crate::fact::Place;

use super::json;

/// Where a JSON Pointer leads in a manifest: line and column of its key, or of its value for elements of arrays.
///
/// A pointer into nothing (a schema that was put together from another form, say) gives the place of its nearest
/// ancestor; `pointer` is always the one asked for. Line 1 where nothing of it is in the text. One call reads the
/// text once: ask for many pointers with [`places_of`].
pub fn place_of(document: &Document, pointer: &str) -> Place {
    places_of(document, [pointer]).remove(pointer).unwrap_or_else(|| place_at(document, pointer, (1, 1)))
}

/// [`place_of`] for any number of pointers in one walk over the text; every pointer asked for is a key.
pub fn places_of<'a>(document: &Document, pointers: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, Place> {
    let asked: BTreeSet<&str> = pointers.into_iter().collect();
    if asked.is_empty() {
        return BTreeMap::new();
    }
    let known = if is_json(&document.text) { json_places(document, &asked) } else { line_places(document, &asked) };
    let place = |pointer: &str| {
        let near = lineage(pointer).find_map(|ancestor| known.get(ancestor));
        place_at(document, pointer, near.copied().unwrap_or((1, 1)))
    };
    asked.iter().map(|pointer| ((*pointer).to_owned(), place(pointer))).collect()
}

fn place_at(document: &Document, pointer: &str, (line, column): Spot) -> Place {
    Place { file: document.path.clone(), line, column, pointer: pointer.to_owned() }
}

/// A line and a column in it.
type Spot = (u32, u32);

/// A pointer and its ancestors, nearest first.
fn lineage(pointer: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(pointer), |pointer| pointer.rfind('/').and_then(|at| pointer.get(..at)))
}

fn is_json(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[', '/'])
}

fn json_places(document: &Document, asked: &BTreeSet<&str>) -> BTreeMap<String, Spot> {
    let mut wanted = BTreeSet::new();
    for pointer in asked {
        // What an ancestor's ancestors are is known with it.
        lineage(pointer).take_while(|ancestor| wanted.insert(*ancestor)).for_each(drop);
    }
    let mut cursor = Cursor { text: &document.text, offset: 0, line: 1, column: 1 };
    let offsets = json::offsets_of(&document.text, &wanted);
    offsets.into_iter().map(|(offset, pointer)| (pointer, cursor.at(offset))).collect()
}

/// Counts lines and columns while it moves on, so that many places on one long line cost one walk over it.
struct Cursor<'a> {
    text: &'a str,
    offset: usize,
    line: u32,
    column: u32,
}

impl Cursor<'_> {
    /// The line and column of an offset that is not before the last one asked for.
    fn at(&mut self, offset: usize) -> Spot {
        let between = self.text.as_bytes().get(self.offset..offset).unwrap_or_default();
        let short = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let newlines = count(between, |byte| byte == b'\n');
        let on_line = if newlines == 0 {
            between
        } else {
            self.line = self.line.saturating_add(short(newlines));
            self.column = 1;
            between.rsplit(|byte| *byte == b'\n').next().unwrap_or_default()
        };
        // Each letter has one byte that does not go on with another.
        let letters = count(on_line, |byte| byte & 0xC0 != 0x80);
        self.column = self.column.saturating_add(short(letters));
        self.offset = offset;
        (self.line, self.column)
    }
}

/// Places in YAML, TOML and header lines: the first line that begins with the pointer's last name.
fn line_places(document: &Document, asked: &BTreeSet<&str>) -> BTreeMap<String, Spot> {
    let mut wanted: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for pointer in asked {
        let name = pointer.rsplit('/').find(|part| !part.is_empty() && part.parse::<u64>().is_err());
        wanted.entry(name.unwrap_or_default().to_ascii_lowercase()).or_default().push(pointer);
    }
    let mut places = BTreeMap::new();
    for (number, line) in document.text.lines().enumerate() {
        let indent = line.chars().take_while(|letter| letter.is_whitespace()).count();
        if wanted.is_empty() {
            break;
        }
        let Some((key, _)) = line.split_once([':', '=']) else { continue };
        let key = key.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
        for pointer in wanted.remove(&key).unwrap_or_default() {
            let line = u32::try_from(number + 1).unwrap_or(u32::MAX);
            let column = u32::try_from(indent + 1).unwrap_or(u32::MAX);
            places.insert(pointer.to_owned(), (line, column));
        }
    }
    places
}
