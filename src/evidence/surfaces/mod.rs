//! Surfaces: everything in a server's metadata that a model reads, taken apart once. They are tools, prompts,
//! resources, and the server's words about itself.
//!
//! Built at first use, shared by every rule and every capability of the bundle.

use std::ops::Range;
use std::sync::OnceLock;

use serde_json::Value;

use capdex_model::fact::Place;

use super::Evidence;
use super::manifest::{Manifest, escape, locate, value_at};
use super::recorded::{ListKind, RecordedEntry};
use super::schema::{self, SchemaField, SchemaWalk};
use super::sentences::{Marks, SegmentedText};
use super::tools::{Tool, server_text};

mod card;
mod inventory;
mod source;
#[cfg(test)]
mod tests;
mod unread;

pub use inventory::inventory;
pub use source::SourceSurface;
pub use unread::unread_server;

/// The kind of speaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SurfaceKind {
    /// A tool.
    Tool,
    /// A prompt that the server offers.
    Prompt,
    /// A resource, or a template of resources.
    Resource,
    /// The server: its name, description and instructions.
    Server,
    /// A skill that an agent's card, a catalogue or an index offers to other agents.
    Skill,
}

/// Which part of a surface a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SurfacePart {
    /// A name or an address.
    Name,
    /// Prose for the model or the user.
    Prose,
    /// A string of a schema.
    Schema(SchemaField),
    /// A string that clients keep without showing it: `_meta`, the address of an icon.
    Meta,
}

/// One text of a surface.
#[derive(Clone, Debug)]
pub struct SurfaceText {
    /// The field of the surface in which it stands, such as `/description`.
    field: &'static str,
    /// The range of the JSON Pointer from there among the surface's pointers.
    below: Range<usize>,
    /// Which part it is.
    pub part: SurfacePart,
    /// Its original spelling, where its text is not the same.
    written: String,
    /// Taken apart; empty where nobody reads it as prose.
    pub text: SegmentedText,
}

impl SurfaceText {
    /// Its original spelling.
    pub fn raw(&self) -> &str {
        if self.written.is_empty() { self.text.as_str() } else { &self.written }
    }

    /// True where it is a field of the surface itself.
    pub fn is(&self, field: &str) -> bool {
        self.field == field && self.below.is_empty()
    }

    /// The marks that may stand in it, and whether it may be written with anything but plain ASCII.
    pub fn marks(&self) -> Marks {
        if self.text.as_str().is_empty() { Marks::ANY } else { self.text.marks() }
    }
}

/// One thing that a model reads about.
#[derive(Clone, Debug)]
pub struct Surface {
    /// The kind of speaker.
    pub kind: SurfaceKind,
    /// Its name.
    pub name: String,
    /// Its name without case and separators, so that variants of one name are one.
    pub folded: String,
    /// The offset in that at which each word of its name ends.
    word_ends: Vec<usize>,
    /// Its place.
    pub place: Place,
    /// Which of the evidence's tools it is, for tools.
    pub tool: Option<usize>,
    /// Its texts: prose, then the strings of its schemas, then the rest.
    pub texts: Vec<SurfaceText>,
    /// JSON Pointers to its texts, one behind the other.
    pointers: String,
    /// References of its schemas that leave the document or lead nowhere.
    pub unresolved: Vec<String>,
    /// True where a schema was not walked to its end.
    pub exhausted: bool,
    /// Notes of rules about it, one bit each: several ask the same.
    pub noted: OnceLock<u16>,
}

/// The most strings of `_meta` and icons that are kept for a surface, and their most bytes together. The first is also that
/// of arguments and of messages of a prompt.
const MAX_META: usize = 64;
const MAX_META_BYTES: usize = 64 * 1024;
/// The most prompts and resources of one list that are read.
const MAX_ENTRIES: usize = 10_000;

/// The surfaces of a bundle: its tools in their order, then those of its recorded lists and of its source, by file.
pub fn collect(evidence: &Evidence) -> Vec<Surface> {
    let mut surfaces: Vec<Surface> =
        evidence.tools.iter().enumerate().map(|(at, tool)| of_tool(evidence, at, tool)).collect();
    for manifest in evidence.manifests.values() {
        if !manifest.recorded.is_empty() {
            of_list(evidence, manifest, &mut surfaces);
        }
        card::of_card(evidence, manifest, &mut surfaces);
    }
    let listed = surfaces.len();
    let in_source = evidence.sources.values().flat_map(|view| &view.surfaces);
    surfaces.extend(in_source.filter_map(SourceSurface::surface));
    if surfaces.len() > listed
        && let Some(others) = surfaces.get_mut(evidence.tools.len()..)
    {
        // The search for a capability's own relies on it.
        others.sort_by(|one, next| one.place.file.cmp(&next.place.file));
    }
    surfaces
}

fn of_tool(evidence: &Evidence, at: usize, tool: &Tool) -> Surface {
    let mut surface = Surface::new(SurfaceKind::Tool, &tool.name, tool.place.clone());
    surface.tool = Some(at);
    let schemas = [("/inputSchema", &tool.input_schema), ("/outputSchema", &tool.output_schema)];
    let walks = schemas.map(|(field, schema)| schema.as_ref().map(|schema| (field, schema::walk(schema))));
    let strings = walks.iter().flatten().map(|(_, walk)| walk.texts.len()).sum::<usize>();
    // Exactly: a bundle may have thousands of tools, and half-full lists add up.
    surface.texts.reserve_exact(strings + 3);
    let annotated = tool.annotations.as_ref().and_then(|hints| hints.get("title")).and_then(Value::as_str);
    surface.prose("/description", tool.description.as_deref());
    surface.prose("/title", tool.title.as_deref());
    surface.prose("/annotations/title", annotated);
    for (field, walk) in walks.into_iter().flatten() {
        surface.schema(field, walk);
    }
    if let Some(extra) = &tool.extra {
        surface.meta(extra);
    }
    let manifest = evidence.manifests.get(&tool.place.file);
    if let Some(entry) = manifest.and_then(|manifest| value_at(&manifest.value, &tool.place.pointer)) {
        surface.meta(entry);
    }
    surface
}

/// Prompts, resources and the servers' own words in recorded lists.
fn of_list(evidence: &Evidence, manifest: &Manifest, surfaces: &mut Vec<Surface>) {
    const KINDS: [(ListKind, SurfaceKind); 3] = [
        (ListKind::Prompts, SurfaceKind::Prompt),
        (ListKind::Resources, SurfaceKind::Resource),
        (ListKind::Templates, SurfaceKind::Resource),
    ];
    let mut found = Vec::new();
    for (list_kind, kind) in KINDS {
        for list in manifest.recorded.lists.iter().filter(|list| list.kind == list_kind) {
            let entries = list.entries(&manifest.value).into_iter().take(MAX_ENTRIES);
            found.extend(entries.filter_map(|entry| of_entry(kind, &manifest.path, entry)));
        }
    }
    // A list that says nothing of its server has no surface for it.
    let said = server_text(manifest);
    for texts in said.chunk_by(|one, next| one.speaker == next.speaker) {
        let pointer = texts.first().map(|text| text.speaker.clone()).unwrap_or_default();
        let place = Place { file: manifest.path.clone(), pointer, ..Place::default() };
        let mut server = Surface::new(SurfaceKind::Server, "server", place);
        texts.iter().for_each(|text| server.prose(text.pointer, Some(&text.text)));
        found.push(server);
    }
    let Some(document) = evidence.documents.get(&manifest.path) else { return };
    locate(manifest, document, found.iter_mut().map(|surface| &mut surface.place));
    surfaces.append(&mut found);
}

fn of_entry(kind: SurfaceKind, file: &str, entry: RecordedEntry<'_>) -> Option<Surface> {
    let RecordedEntry { pointer, value: entry, key } = entry;
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    // The messages of one prompt come without its name.
    let unnamed = || entry.get("messages").is_some().then_some("prompt");
    let name = text("name").or_else(|| text("uri")).or_else(|| text("uriTemplate")).or_else(|| text("uri_template"));
    let name = name.or(key).or_else(unnamed)?;
    let place = Place { file: file.to_owned(), pointer, ..Place::default() };
    let mut surface = Surface::new(kind, name, place);
    surface.prose("/description", text("description"));
    surface.prose("/title", text("title"));
    for (field, key) in [("/uri", "uri"), ("/uriTemplate", "uriTemplate"), ("/uri_template", "uri_template")] {
        surface.push(field, "", SurfacePart::Name, text(key).unwrap_or_default());
    }
    for (at, argument) in list(entry, "arguments").enumerate() {
        for key in ["name", "title", "description"] {
            let part = if key == "name" {
                SurfacePart::Schema(SchemaField::Name)
            } else {
                SurfacePart::Schema(SchemaField::Description)
            };
            let text = argument.get(key).and_then(Value::as_str).unwrap_or_default();
            surface.push("/arguments", &format!("/{at}/{key}"), part, text);
        }
    }
    for (at, message) in list(entry, "messages").enumerate() {
        // A message is a text, or an object with one.
        for pointer in ["/content", "/content/text", "/content/resource/text"] {
            let text = message.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            surface.push("/messages", &format!("/{at}{pointer}"), SurfacePart::Prose, text);
        }
    }
    for (field, key) in [("/template", "template"), ("/text", "text"), ("/content", "content")] {
        surface.prose(field, text(key));
    }
    // More of them are told as not read: an order may stand behind the last one that was.
    let is_long = |key: &str| entry.get(key).and_then(Value::as_array).is_some_and(|list| list.len() > MAX_META);
    surface.exhausted |= is_long("arguments") || is_long("messages");
    surface.meta(entry);
    Some(surface)
}

fn list<'a>(entry: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    entry.get(key).and_then(Value::as_array).into_iter().flatten().take(MAX_META)
}

impl Surface {
    fn new(kind: SurfaceKind, name: &str, place: Place) -> Self {
        let (mut folded, mut word_ends) = (String::with_capacity(name.len()), Vec::new());
        each_part(name, |part| {
            push_folded(&mut folded, part);
            word_ends.push(folded.len());
        });
        let (name, texts, unresolved) = (name.to_owned(), Vec::new(), Vec::new());
        Self {
            kind,
            name,
            folded,
            word_ends,
            place,
            tool: None,
            texts,
            pointers: String::new(),
            unresolved,
            exhausted: false,
            noted: OnceLock::new(),
        }
    }

    /// Its name as lower-case words.
    pub fn name_words(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(&0).chain(&self.word_ends);
        starts.zip(&self.word_ends).filter_map(|(start, end)| self.folded.get(*start..*end))
    }

    /// The JSON Pointer of one of its texts from its own, such as `/description`.
    pub fn pointer_to(&self, text: &SurfaceText) -> String {
        [text.field, self.pointers.get(text.below.clone()).unwrap_or_default()].concat()
    }

    fn prose(&mut self, field: &'static str, text: Option<&str>) {
        self.push(field, "", SurfacePart::Prose, text.unwrap_or_default());
    }

    fn push(&mut self, field: &'static str, below: &str, part: SurfacePart, raw: &str) {
        let start = self.pointers.len();
        self.pointers.push_str(below);
        self.push_at(field, start..self.pointers.len(), part, raw);
    }

    fn push_at(&mut self, field: &'static str, below: Range<usize>, part: SurfacePart, raw: &str) {
        // A blank text says nothing and would be counted.
        if raw.chars().all(char::is_whitespace) {
            return;
        }
        // Names and patterns are no prose: to take them apart costs as much and tells nothing.
        let is_code = matches!(
            part,
            SurfacePart::Schema(SchemaField::Pattern | SchemaField::Name) | SurfacePart::Meta | SurfacePart::Name
        );
        let text = if is_code && !raw.contains(' ') { SegmentedText::default() } else { SegmentedText::of(raw) };
        // Most texts read as they are written, and are kept once.
        let written = if text.as_str() == raw { String::new() } else { raw.to_owned() };
        self.texts.push(SurfaceText { field, below, part, written, text });
    }

    fn schema(&mut self, field: &'static str, walk: SchemaWalk<'_>) {
        let first = self.pointers.len();
        // The first schema's pointers are taken over without a copy.
        if self.pointers.is_empty() {
            self.pointers = walk.pointers;
        } else {
            self.pointers.push_str(&walk.pointers);
        }
        for text in walk.texts {
            let below = first + text.pointer.start..first + text.pointer.end;
            self.push_at(field, below, SurfacePart::Schema(text.field), text.text);
        }
        self.unresolved.extend(walk.external.iter().map(|&reference| reference.to_owned()));
        self.exhausted |= walk.exhausted;
    }

    /// The strings of `_meta` and the addresses of icons.
    fn meta(&mut self, entry: &Value) {
        let icons = entry.get("icons").and_then(Value::as_array).into_iter().flatten().enumerate();
        let mut work: Vec<(String, &Value)> =
            icons.filter_map(|(at, icon)| icon.get("src").map(|source| (format!("/icons/{at}/src"), source))).collect();
        work.extend(entry.get("_meta").map(|meta| ("/_meta".to_owned(), meta)));
        let mut bytes = 0;
        let mut next = 0;
        while let Some((pointer, value)) = work.get(next).cloned() {
            next += 1;
            match value {
                Value::String(text) => {
                    bytes += text.len();
                    self.push("", &pointer, SurfacePart::Meta, text);
                }
                Value::Array(items) => {
                    work.extend(items.iter().enumerate().map(|(at, item)| (format!("{pointer}/{at}"), item)));
                }
                // A right without further words is an empty object, and its name is all that it says.
                Value::Object(items) if items.is_empty() => {
                    let name = pointer.rsplit('/').next().unwrap_or_default().to_owned();
                    bytes += name.len();
                    self.push("", &pointer, SurfacePart::Meta, &name);
                }
                Value::Object(items) => {
                    let below = |key: &str| format!("{pointer}/{}", escape(key));
                    work.extend(items.iter().map(|(key, item)| (below(key), item)));
                }
                _ => {}
            }
            // Told as not walked to its end, since clients keep `_meta` without showing it.
            if bytes > MAX_META_BYTES || work.len() > MAX_META {
                self.exhausted = true;
                return;
            }
        }
    }
}

/// A name without case and separators, so that variants of one name are one.
pub fn folded_name(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    push_folded(&mut folded, name);
    folded
}

fn push_folded(folded: &mut String, name: &str) {
    name.chars().filter(|letter| letter.is_alphanumeric()).for_each(|letter| push_lower(folded, letter));
}

/// Adds a letter in lower case.
pub fn push_lower(lower: &mut String, letter: char) {
    if letter.is_ascii() {
        lower.push(letter.to_ascii_lowercase());
    } else {
        lower.extend(letter.to_lowercase());
    }
}

/// A name as lower-case words, split at separators and humps.
pub fn name_words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_part(name, |part| words.push(folded_name(part)));
    words
}

/// Tells the parts of a name between separators and humps.
fn each_part<'a>(name: &'a str, mut tell: impl FnMut(&'a str)) {
    let mut start = 0;
    let mut lower = false;
    let mut part = |start: usize, end: usize| {
        let written = name.get(start..end).unwrap_or_default();
        if !written.is_empty() {
            tell(written);
        }
    };
    for (at, letter) in name.char_indices() {
        let belongs = letter.is_alphanumeric();
        // `readFile` has a hump, `HTTP` none.
        let hump = letter.is_uppercase() && lower;
        if !belongs || hump {
            part(start, at);
            start = if belongs { at } else { at + letter.len_utf8() };
        }
        lower = letter.is_lowercase() || letter.is_ascii_digit();
    }
    part(start, name.len());
}
