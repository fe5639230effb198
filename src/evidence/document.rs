//! `Document`: one file as text, with its role, its language, its zones and its lines.
//!
//! Questions that many rules ask of a text (encoded runs, hidden characters, shell text) are answered once and kept.

use std::ops::Range;
use std::sync::OnceLock;

use capdex_model::fact::Place;
use capdex_model::snapshot::Gap;

use super::bytes::line_starts;
use super::code::Fenced;
use super::decode::{self, EncodedRun};
use super::file_role::FileRole;
use super::language::Language;
use super::program::KeptOutline;
use super::sentences::SegmentedText;
use super::shape::{self, Shape};
use super::shell::Shell;
use super::unicode::{self, Hidden};
use super::voice::{Voice, of_role};
use super::zones::{self, Heading, Zone, ZoneKind};

/// Stretches of a text in which a match may lie: where it may begin, and where it ends at the latest.
pub type Noted = Vec<(Range<usize>, usize)>;

/// One file, read as text.
#[derive(Debug)]
pub struct Document {
    /// The path inside the input.
    pub path: String,
    /// Its purpose.
    pub role: FileRole,
    /// Its language.
    pub language: Language,
    /// The whole text, decoded; empty for binary files. Never cut.
    pub text: String,
    /// The zones, sorted, without overlap, covering the whole text.
    pub zones: Vec<Zone>,
    /// The byte offset at which each line begins.
    line_starts: Vec<usize>,
    /// The headings of a Markdown text, in order.
    headings: Vec<Heading>,
    /// The encoded runs, once somebody asked.
    runs: OnceLock<Vec<EncodedRun>>,
    /// The hidden characters, once somebody asked.
    hidden: OnceLock<Vec<Hidden>>,
    /// The actions of its shell text, once somebody [asked](super::shell::of).
    pub(super) shell: OnceLock<Shell>,
    /// The source in its fences.
    pub(super) fenced: OnceLock<Fenced>,
    /// An upper bound of the depth to which a program nests, once a parser is to read it.
    pub(super) nesting: OnceLock<Option<usize>>,
    /// Its outline, where the program of its package has use for one.
    pub(super) outline: KeptOutline,
    /// Its text as sentences, once somebody asked.
    sentences: OnceLock<SegmentedText>,
    /// Its sentences that speak to whoever acts on it, by their number, each with its bytes; once a rule asked.
    pub spoken: OnceLock<Vec<(usize, Range<usize>)>>,
    /// For each question that rules ask of the whole text, where a match may lie; once somebody has looked.
    pub noted: OnceLock<Vec<Noted>>,
    /// The shape of its bytes, whatever the name says.
    pub shape: Shape,
    /// The command elsewhere in the bundle that runs it although its name promises no program; none for most files.
    pub run_by: Option<Place>,
    /// The voice of the file as a whole; see [`Document::voice_at`] for a place in it.
    pub voice: Voice,
    /// The texts of surfaces in a program, sorted.
    pub(super) addressed: Vec<Range<usize>>,
    /// The stretches of a list that hold what a server serves, once somebody asked.
    pub(super) served: OnceLock<Vec<Range<usize>>>,
    /// The scripts of a package's manifest that run for no user, sorted.
    pub(super) unrun: Vec<Range<usize>>,
    /// What is matched against and not meant, once somebody asked.
    pub(super) unmeant: OnceLock<Vec<Range<usize>>>,
}

impl Document {
    /// Reads a file. Bytes that are not text give a document with an empty text and the role `Binary`. Damaged text is
    /// decoded with replacement characters and recorded as a gap.
    pub fn read(path: &str, bytes: &[u8], gaps: &mut Vec<Gap>) -> Self {
        let text = zones::decode_text(path, bytes, gaps);
        let (role, language) = zones::classify(path, text.as_deref());
        let shape = shape::of(bytes, text.is_some());
        // Bytecode has no text of its own, but what it says stands in it.
        let (role, text) = match (text, shape::strings(&shape, bytes)) {
            (None, Some(strings)) => (FileRole::Data, strings),
            (text, _) => (role, text.unwrap_or_default()),
        };
        Self::new(path, role, language, text, shape)
    }

    /// Reads a file as what a command runs it as, whatever its name and bytes say. Bytes that are no text are read with
    /// replacement characters, as an interpreter would.
    pub fn read_as_run(path: &str, bytes: &[u8], language: Language, by: Place) -> Self {
        let text = zones::decode_text(path, bytes, &mut Vec::new());
        let shape = shape::of(bytes, text.is_some());
        // An interpreter does not stop at a stray byte, and neither may the reader.
        let text = text.unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned());
        let role = match language {
            Language::Python | Language::JavaScript | Language::TypeScript => FileRole::Source,
            _ => FileRole::Script,
        };
        Self { run_by: Some(by), ..Self::new(path, role, language, text, shape) }
    }

    fn new(path: &str, role: FileRole, language: Language, text: String, shape: Shape) -> Self {
        let zones = zones::zones_of(language, role, &text);
        let line_starts = line_starts(text.as_bytes());
        // A `#` in other languages is a comment.
        let headings =
            if language == Language::Markdown { zones::headings_of(&text, &zones, &line_starts) } else { Vec::new() };
        Self {
            path: path.to_owned(),
            role,
            language,
            text,
            zones,
            line_starts,
            headings,
            runs: OnceLock::new(),
            hidden: OnceLock::new(),
            shell: OnceLock::new(),
            fenced: OnceLock::new(),
            nesting: OnceLock::new(),
            outline: KeptOutline::default(),
            sentences: OnceLock::new(),
            spoken: OnceLock::new(),
            noted: OnceLock::new(),
            shape,
            run_by: None,
            voice: of_role(role),
            addressed: Vec::new(),
            served: OnceLock::new(),
            unrun: Vec::new(),
            unmeant: OnceLock::new(),
        }
    }

    /// Its text as sentences.
    pub fn sentences(&self) -> &SegmentedText {
        self.sentences.get_or_init(|| SegmentedText::of(&self.text))
    }

    /// The runs of base64, hex, escapes and the like, in order.
    pub fn runs(&self) -> &[EncodedRun] {
        self.runs.get_or_init(|| decode::runs(&self.text))
    }

    /// The hidden characters, in order; what writing needs is left out.
    pub fn hidden(&self) -> &[Hidden] {
        self.hidden.get_or_init(|| unicode::hidden(&self.text))
    }

    /// The titles of the Markdown headings over a byte offset, the nearest first, up to the outermost.
    pub fn headings_at(&self, offset: usize) -> impl Iterator<Item = &str> {
        // Headings are sorted and each knows its parent, so that one search finds the chain.
        let last = self.headings.partition_point(|heading| heading.start <= offset).checked_sub(1);
        let heading = |index: Option<usize>| index.and_then(|index| self.headings.get(index));
        std::iter::successors(heading(last), move |inner| heading(inner.parent)).map(|found| found.title.as_str())
    }

    /// The kind of zone at a byte offset.
    pub fn zone_at(&self, offset: usize) -> ZoneKind {
        let index = self.zones.partition_point(|zone| zone.end <= offset);
        self.zones.get(index).map_or(ZoneKind::Prose, |zone| zone.kind)
    }

    /// The text of the zone at a byte offset, with where it begins; none behind the last.
    pub fn zone_text(&self, offset: usize) -> Option<(usize, &str)> {
        let zone = self.zones.get(self.zones.partition_point(|zone| zone.end <= offset))?;
        Some((zone.start, self.text.get(zone.start..zone.end)?))
    }

    /// The place of a byte offset: line and column from 1, the column in code points. Costs the length of the line
    /// at most up to the offset.
    pub fn place(&self, offset: usize) -> Place {
        // Offsets of a folded or decoded text may fall inside a letter.
        let offset = self.text.floor_char_boundary(offset);
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let column = self.text.get(start..offset).map_or(0, |before| before.chars().count());
        Place {
            file: self.path.clone(),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column + 1).unwrap_or(u32::MAX),
            pointer: String::new(),
        }
    }

    /// The byte offset of a place; the beginning or the end of the text where it has no such line or column.
    pub(super) fn offset_of(&self, place: &Place) -> usize {
        let line = (place.line as usize).saturating_sub(1);
        let Some(start) = self.line_starts.get(line).copied() else { return self.text.len() };
        let letters = self.text.get(start..).unwrap_or_default().char_indices();
        let within = letters.map(|(at, _)| at).nth((place.column as usize).saturating_sub(1));
        within.map_or(self.text.len(), |within| start + within)
    }

    /// The lines of a stretch, each with where it begins and with its newline; the outer ones as far as the stretch
    /// goes.
    pub fn lines_within(&self, start: usize, end: usize) -> impl Iterator<Item = (usize, &str)> {
        let first = self.line_starts.partition_point(|line| *line <= start);
        let behind = self.line_starts.get(first..).unwrap_or(&[]).iter().copied().take_while(move |line| *line < end);
        let ends = behind.clone().chain([end]);
        std::iter::once(start)
            .chain(behind)
            .zip(ends)
            .filter_map(|(start, end)| Some((start, self.text.get(start..end)?)))
    }

    /// The bounds of the line that holds a byte offset, without its newline.
    pub fn line_at(&self, offset: usize) -> (usize, usize) {
        let line = self.line_starts.partition_point(|start| *start <= offset);
        let start = self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        // One less than the next start leaves out the newline.
        let end = self.line_starts.get(line).map_or(self.text.len(), |next| next - 1);
        (start, end.max(start))
    }

    /// The line that holds a byte offset, without its newline.
    pub fn line_of(&self, offset: usize) -> &str {
        let (start, end) = self.line_at(offset);
        self.text.get(start..end).unwrap_or_default()
    }
}

/// True for the path of a test, a fixture or an example: nothing that runs for a user.
pub fn is_test_path(path: &str) -> bool {
    const FOLDERS: [&str; 12] = [
        "test",
        "tests",
        "__tests__",
        "spec",
        "specs",
        "fixtures",
        "examples",
        "example",
        "benchmarks",
        "e2e",
        "testdata",
        "mocks",
    ];
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    // Folders alone: a file called `test` at the root may well be the program.
    parts.any(|part| FOLDERS.contains(&part))
        || name.starts_with("test_")
        || name.contains(".test.")
        || name.contains(".spec.")
        || name.contains("_test.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_within_a_stretch_are_those_of_its_text() {
        let text = "one\ntwo\n\nthree";
        let document = Document::read("a.md", text.as_bytes(), &mut Vec::new());
        for (start, end) in (0..text.len()).flat_map(|start| (start + 1..=text.len()).map(move |end| (start, end))) {
            let lines: Vec<&str> = document.lines_within(start, end).map(|(_, line)| line).collect();
            assert_eq!(lines, text[start..end].split_inclusive('\n').collect::<Vec<_>>());
            assert!(document.lines_within(start, end).all(|(at, line)| text[at..].starts_with(line)));
        }
    }
}
