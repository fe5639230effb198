//! Places inside manifests: the line and column at which a JSON Pointer's key or element stands.
//!
//! JSON text is told from line-wise text (front matter, TOML, headers), and nothing else of the formats matters here.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::bytes::count;
use crate::document::Document;
use crate::recorded::messages::plain;
use capdex_model::fact::Place;

use super::{Manifest, json};

/// The place that a JSON Pointer leads to in a manifest: line and column of its key, or of its value for elements of
/// arrays.
///
/// A pointer into nothing (a schema that was put together from another form, say) gives the place of its nearest
/// ancestor. `pointer` is always the one asked for. Line 1 where nothing of it is in the text. One call reads the text
/// once: look for many pointers with [`locate`].
pub fn place_of(document: &Document, pointer: &str) -> Place {
    let (line, column) = spots_of(document, &[pointer], false, &[]).first().copied().unwrap_or(BEGINNING);
    Place { file: document.path.clone(), line, column, pointer: pointer.to_owned() }
}

/// Makes each of some places the [`place_of`] its pointer, in one walk over the manifest's text.
pub fn locate<'a>(manifest: &Manifest, document: &Document, places: impl Iterator<Item = &'a mut Place>) {
    let mut places: Vec<&mut Place> = places.collect();
    let pointers: Vec<&str> = places.iter().map(|place| place.pointer.as_str()).collect();
    let spots = spots_of(document, &pointers, manifest.keys_are_unique, &manifest.recorded.messages);
    for (place, (line, column)) in places.iter_mut().zip(spots) {
        document.path.clone_into(&mut place.file);
        (place.line, place.column) = (line, column);
    }
}

/// The spot that each of some pointers leads to, in their order. Where the text has several `messages`, the first step
/// is the number of one.
fn spots_of(document: &Document, pointers: &[&str], keys_are_unique: bool, messages: &[Range<usize>]) -> Vec<Spot> {
    if pointers.is_empty() {
        return Vec::new();
    }
    // The text decides and not the name, since front matter stands in Markdown.
    let known = if !messages.is_empty() || is_json(&document.text) {
        json_places(document, pointers, keys_are_unique, messages)
    } else {
        line_places(document, pointers)
    };
    let spot = |pointer: &str| {
        let at = known.binary_search_by(|(known, _)| (*known).cmp(pointer)).ok()?;
        known.get(at).map(|(_, spot)| *spot)
    };
    // The nearest ancestor that is in the text: a place a little above beats none.
    pointers.iter().map(|pointer| lineage(pointer).find_map(spot).unwrap_or(BEGINNING)).collect()
}

/// A line and a column in it.
type Spot = (u32, u32);

/// The beginning of a text.
const BEGINNING: Spot = (1, 1);

/// A pointer and its ancestors, nearest first.
fn lineage(pointer: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(pointer), |pointer| pointer.rfind('/').and_then(|at| pointer.get(..at)))
}

fn is_json(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[', '/'])
}

/// The places of some pointers and their ancestors in a JSON text, sorted by pointer.
fn json_places<'a>(
    document: &Document,
    asked: &[&'a str],
    keys_are_unique: bool,
    messages: &[Range<usize>],
) -> Vec<(&'a str, Spot)> {
    let mut wanted: Vec<&str> = asked.iter().flat_map(|pointer| lineage(pointer)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let offsets = match messages {
        [] => json::offsets_of(&document.text, &wanted, keys_are_unique),
        messages => offsets_in(&document.text, messages, &wanted, keys_are_unique),
    };
    let mut found: Vec<(usize, &str)> =
        offsets.into_iter().zip(wanted).filter_map(|(offset, pointer)| Some((offset?, pointer))).collect();
    // By offset, because the cursor only moves on.
    found.sort_unstable();
    let mut cursor = Cursor { text: &document.text, offset: 0, line: 1, column: 1 };
    let mut places: Vec<(&str, Spot)> =
        found.into_iter().map(|(offset, pointer)| (pointer, cursor.at(offset))).collect();
    places.sort_unstable();
    places
}

/// The offsets of sorted pointers into the messages of a text, each message looked through once.
fn offsets_in(text: &str, messages: &[Range<usize>], wanted: &[&str], keys_are_unique: bool) -> Vec<Option<usize>> {
    let text = plain(text);
    let message_of = |pointer: &str| pointer.get(1..)?.split('/').next()?.parse::<usize>().ok();
    let mut offsets = Vec::with_capacity(wanted.len());
    // Sorted pointers into one message stand together.
    for group in wanted.chunk_by(|one, next| message_of(one) == message_of(next)) {
        let range = group.first().and_then(|first| messages.get(message_of(first)?)).cloned();
        let message = range.clone().and_then(|range| text.get(range)).unwrap_or_default();
        let inner = |pointer: &&'_ str| -> String {
            pointer
                .get(1..)
                .and_then(|rest| rest.find('/').and_then(|at| rest.get(at..)))
                .unwrap_or_default()
                .to_owned()
        };
        let below: Vec<String> = group.iter().map(inner).collect();
        let below: Vec<&str> = below.iter().map(String::as_str).collect();
        let start = range.map_or(0, |range| range.start);
        let found = json::offsets_of(message, &below, keys_are_unique);
        offsets.extend(found.into_iter().map(|offset| offset.map(|offset| start + offset)));
    }
    offsets
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

/// Places in YAML, TOML and header lines, sorted by pointer: the first line that begins with the pointer's last name.
fn line_places<'a>(document: &Document, asked: &[&'a str]) -> Vec<(&'a str, Spot)> {
    let mut wanted: BTreeMap<String, Vec<&'a str>> = BTreeMap::new();
    for pointer in asked {
        // An index has no line of its own in YAML; its key has.
        let name = pointer.rsplit('/').find(|part| !part.is_empty() && part.parse::<u64>().is_err());
        wanted.entry(name.unwrap_or_default().to_ascii_lowercase()).or_default().push(pointer);
    }
    let mut places = Vec::new();
    for (number, line) in document.text.lines().enumerate() {
        let indent = line.chars().take_while(|letter| letter.is_whitespace()).count();
        if wanted.is_empty() {
            break;
        }
        let Some((key, _)) = line.split_once([':', '=']) else { continue };
        let key = key.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
        // The first line with the key counts, so the key is looked for once.
        for pointer in wanted.remove(&key).unwrap_or_default() {
            let line = u32::try_from(number + 1).unwrap_or(u32::MAX);
            let column = u32::try_from(indent + 1).unwrap_or(u32::MAX);
            places.push((pointer, (line, column)));
        }
    }
    places.sort_unstable();
    places
}
