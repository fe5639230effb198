//! The fences of a skill's texts: programs that an agent runs, held against the words around them.

use std::ops::Range;

use super::super::sending_untold::speaks_of;
use super::deeds::Deed;
use super::{LARGEST, done_where};
use capdex_evidence::document::Document;
use capdex_evidence::language::Language;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;
use capdex_evidence::zones::{ZoneKind, fence_language};

impl Deed {
    /// True where the words around a fence tell of the deed. To say that it is never done is not to tell of it.
    pub(super) fn is_told_in(&self, text: &str) -> bool {
        self.told.as_ref().is_some_and(|told| speaks_of(told, text))
    }
}

/// True for a text whose fences an agent runs.
pub(in super::super) fn may_run(document: &Document) -> bool {
    document.language == Language::Markdown && document.voice == Voice::Agent && document.text.len() <= LARGEST
}

/// The deeds that no task needs of which nothing tells. What a fence installs, starts or reads is what the fence is for.
const COUNTED: [&str; 11] = [
    "acts on a forge in the user's name",
    "deletes all through the user's home",
    "deletes the record of what was done",
    "locks the files of the user away",
    "lowers a protection of the machine",
    "makes secrets that can be guessed",
    "mines coins",
    "opens logging in to the machine",
    "switches the checking of certificates off",
    "switches the checks of an agent off",
    "takes rules away that an agent is bound by",
];

/// True for a deed that a fence may hide.
pub(super) fn counts(deed: &Deed) -> bool {
    COUNTED.contains(&deed.name.as_str())
}

/// What the Markdown texts of a skill say outside of their fences.
pub(super) fn spoken(subject: &Subject<'_>) -> Vec<String> {
    let texts = subject.documents().filter(|document| document.language == Language::Markdown);
    texts.map(outside).collect()
}

fn outside(document: &Document) -> String {
    let zones = document.zones.iter().filter(|zone| zone.kind != ZoneKind::CodeBlock);
    zones.filter_map(|zone| document.text.get(zone.start..zone.end)).collect()
}

/// The place in a fence of a program where a deed is done.
pub(super) fn done(document: &Document, deed: &Deed) -> Option<Range<usize>> {
    done_where(document, deed, |at| document.zone_at(at) == ZoneKind::CodeBlock && is_program(document, at))
}

/// True in a fence whose language is that of a program, outside of its remarks.
pub(in super::super) fn is_program(document: &Document, at: usize) -> bool {
    const LANGUAGES: [&str; 24] = [
        "bash",
        "sh",
        "shell",
        "zsh",
        "console",
        "fish",
        "powershell",
        "ps1",
        "pwsh",
        "bat",
        "cmd",
        "python",
        "py",
        "python3",
        "javascript",
        "js",
        "mjs",
        "typescript",
        "ts",
        "ruby",
        "rb",
        "go",
        "php",
        "node",
    ];
    let language = document.zone_text(at).and_then(|(_, block)| fence_language(block)).unwrap_or_default();
    LANGUAGES.contains(&language.trim_end().to_ascii_lowercase().as_str()) && !is_remark(document.line_of(at))
}

fn is_remark(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(['#', ';']) || line.starts_with("//")
}

/// The remark that stands directly above a place: an author who explains his line there hides nothing.
pub(super) fn remark_above(document: &Document, at: usize) -> String {
    let before = document.text.get(..at).unwrap_or_default();
    let above = before.rfind('\n').and_then(|end| before.get(..end)).unwrap_or_default();
    let lines: Vec<&str> = above.rsplit('\n').take_while(|line| is_remark(line)).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::deeds::DEEDS;
    use super::*;

    #[test]
    fn what_counts_in_a_fence_is_a_deed() {
        for name in COUNTED {
            assert!(DEEDS.iter().any(|deed| deed.name == name), "{name}");
        }
    }
}
