//! Voices: who is spoken to at each place of a document.
//!
//! A file's voice follows from its role and path, from what loads it, and from what the texts for an agent order to read.
//! Places inside a file differ from it: a comment in a program orders nothing, and a deny list runs nothing. What a voice is
//! worth is the rules' to say.

use std::ops::Range;

use capdex_model::fact::Place;

use super::Evidence;
use super::document::Document;
use super::file_role::FileRole;
use super::zones::ZoneKind;

mod files;
mod loaded;
mod ordered;
mod scripts;
mod surfaces;
#[cfg(test)]
mod tests;
mod unmeant;

pub use capdex_model::voice::Voice;

/// The voice of a file that nothing else is known of.
pub(super) const fn of_role(role: FileRole) -> Voice {
    match role {
        FileRole::Instruction | FileRole::Manifest => Voice::Agent,
        FileRole::Source | FileRole::Script => Voice::Program,
        FileRole::Docs => Voice::Human,
        FileRole::Test | FileRole::Lock | FileRole::Data | FileRole::Binary => Voice::Data,
    }
}

/// Gives every document its voice. Manifests, sources and tools must be read already.
pub(super) fn assign(evidence: &mut Evidence) {
    files::assign(evidence);
    ordered::assign(evidence);
    // Before what is loaded: a test that a build script runs may be loaded by the program as well.
    scripts::assign(evidence);
    loaded::assign(evidence);
    surfaces::assign(evidence);
}

impl Evidence {
    /// The voice at a place; none where it is in no document. A place that names no line means the file.
    pub fn voice_at(&self, place: &Place) -> Option<Voice> {
        let document = self.documents.get(&place.file)?;
        Some(if place.line == 0 { document.voice } else { document.voice_at(document.offset_of(place)) })
    }
}

impl Document {
    /// The voice at a byte offset.
    pub fn voice_at(&self, offset: usize) -> Voice {
        if holds(&self.addressed, offset) {
            return Voice::Agent;
        }
        if holds(&self.unrun, offset) || self.is_unmeant(offset) {
            return Voice::Data;
        }
        match self.voice {
            Voice::Program if self.is_remark(offset) => Voice::Data,
            voice => voice,
        }
    }

    /// True where the text at an offset is matched against and not meant: a regular expression, an entry of a deny list.
    pub fn is_unmeant(&self, offset: usize) -> bool {
        holds(self.unmeant.get_or_init(|| unmeant::of(self)), offset)
    }

    /// True where a program's text is a comment, or a literal that stands for itself as Python's documentation does.
    fn is_remark(&self, offset: usize) -> bool {
        match self.zone_at(offset) {
            ZoneKind::Comment => true,
            ZoneKind::Literal => self.is_docstring(offset),
            _ => false,
        }
    }

    fn is_docstring(&self, offset: usize) -> bool {
        let index = self.zones.partition_point(|zone| zone.end <= offset);
        let Some(zone) = self.zones.get(index) else { return false };
        let opens = |mark: &str| self.text.get(zone.start..).is_some_and(|text| text.starts_with(mark));
        let (line, _) = self.line_at(zone.start);
        let before = self.text.get(line..zone.start).unwrap_or_default();
        // A value follows a sign on its line, and an argument an open bracket on the line before.
        let above = self.text.get(..line).unwrap_or_default().trim_end();
        (opens("\"\"\"") || opens("'''"))
            && before.trim().is_empty()
            && (above.is_empty() || !above.ends_with(['(', ',', '=', '[', '{', '\\', '+']))
    }
}

/// True where one of some sorted ranges holds an offset.
fn holds(ranges: &[Range<usize>], offset: usize) -> bool {
    let index = ranges.partition_point(|range| range.end <= offset);
    ranges.get(index).is_some_and(|range| range.start <= offset)
}
