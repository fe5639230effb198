//! deed-untold: a skill's program does to the user's machine, repository or agent what no text of the skill tells.
//!
//! Whoever changes one script of a skill leaves its instructions as they were. So each kind of deed comes with the words by
//! which an honest skill speaks of it; where none of its texts has one, the deed is hidden. Honest installers, hooks and
//! schedules are silent, since they are what their skill is for.

use std::cell::LazyCell;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::sending_untold::is_meant;
use super::shell_events::weighed_at;
use crate::FactSink;
use crate::vocab;
use capdex_evidence::document::Document;
use capdex_evidence::language::Language;
use capdex_evidence::site::site_of;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;
use capdex_model::capability::Kind;
use capdex_model::fact::{Confidence, Severity};
use deeds::{Deed, hinted};

pub(super) use fences::{is_program as in_program_fence, may_run};

mod deeds;
mod fences;

/// Calls that write something at all.
static WRITES: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r#"(?i)write_?text|write_?bytes|write_?file|append_?file|\.write(?:lines|Sync)?\(|json\.dump\(|plistlib\.dump|SetValueEx|\bcopy(?:2|file|FileSync|File)?\(|Set-Content|Add-Content|Out-File|\breg\s+add\b|New-ItemProperty|Set-ItemProperty|file_put_contents|File\.(?:write|open)|os\.(?:WriteFile|OpenFile|Create)|ioutil\.WriteFile|git["',\s]{1,4}config|open\([^)\n]{0,120},\s{0,4}(?:mode\s?=\s?)?["'][wax]|>>?\s{0,2}["']?[~$/.]|\btee\b|\bcp\s|\bmv\s|\bln\s|\bsed\s+-i|\binstall\s+-|fs::write|\bwith\s+open\("#,
    )
});

/// Lines by which every installer makes its program known to a shell.
static ORDINARY: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r#"(?i)\bexport\s+(?:PATH|[A-Z_]+_(?:HOME|DIR|ROOT|KEY|TOKEN|PATH))\b|\bcompletions?\b|\bnvm\b|\bpyenv\b|\bdirenv\b"#,
    )
});

/// The distance of a place and what is written to it, and the largest program that people write.
const REACH: usize = 500;
const LARGEST: usize = 256 << 10;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    // A package's texts are written for people who read more of them than these.
    if subject.capability.kind != Kind::Skill {
        return;
    }
    for document in subject.documents().filter(|document| is_program(document)) {
        for deed in hinted(document) {
            let Some(found) = done(document, deed).filter(|found| !is_told(subject, document, found, deed)) else {
                continue;
            };
            report(document, deed, found.start, facts);
        }
    }
    let spoken = LazyCell::new(|| fences::spoken(subject));
    for document in subject.documents().filter(|document| fences::may_run(document)) {
        for deed in hinted(document).filter(|deed| fences::counts(deed)) {
            let Some(found) = fences::done(document, deed) else { continue };
            let above = fences::remark_above(document, found.start);
            if !spoken.iter().any(|text| deed.is_told_in(text)) && !deed.is_told_in(&above) {
                report(document, deed, found.start, facts);
            }
        }
    }
}

fn report(document: &Document, deed: &Deed, at: usize, facts: &mut FactSink<'_>) {
    let severity = weighed_at(document, at..at + 1, Severity::High);
    let line = document.line_of(at).trim();
    facts.found_as(severity, Confidence::Medium, document.place(at), &format!("{}: {line}", deed.name));
}

fn is_program(document: &Document) -> bool {
    document.voice == Voice::Program
        && document.language != Language::Markdown
        && !matches!(document.language, Language::Json | Language::Yaml | Language::Toml)
        && document.text.len() <= LARGEST
}

/// The place in a program where it does a deed.
fn done(document: &Document, deed: &Deed) -> Option<Range<usize>> {
    done_where(document, deed, |at| is_meant(document, at))
}

/// The place of a document where a deed is done, among those that are meant.
fn done_where(document: &Document, deed: &Deed, is_meant: impl Fn(usize) -> bool) -> Option<Range<usize>> {
    let text = document.text.as_str();
    deed.places(document).into_iter().find(|found| {
        let at = found.start;
        if !is_meant(at) {
            return false;
        }
        let low = text.floor_char_boundary(at.saturating_sub(REACH));
        let high = text.floor_char_boundary(found.end + REACH);
        let around = text.get(low..high).unwrap_or_default();
        let line = document.line_of(at);
        let is_written = !deed.is_written || WRITES.is_match(around);
        let is_near = deed.beside.as_ref().is_none_or(|near| near.is_match(around));
        // What a block prints into a file is written on the line that closes it.
        let after = text.get(found.end..text.floor_char_boundary(found.end + 160)).unwrap_or_default();
        let is_shown = is_shown(line) && !after.contains("} >>");
        is_written && is_near && !ORDINARY.is_match(line) && !is_shown
    })
}

/// True for a line that prints a command, or searches for one.
fn is_shown(line: &str) -> bool {
    let line = line.trim_start();
    let prints =
        ["echo ", "print(", "console.log(", "printf ", "Write-Host", "Write-Output", "puts ", "fmt.Print", "log"];
    let goes_on =
        line.contains(">>") || line.contains("| sudo tee") || line.contains("| tee") || line.contains("| crontab");
    let searches = ["re.compile", "\\b", "(?:", ".test(", "grep ", "RegExp", "SKIP", "EXCLUDE", "PROTECTED"];
    (prints.iter().any(|call| line.starts_with(call)) && !goes_on) || searches.iter().any(|sign| line.contains(sign))
}

/// True where a text of the skill tells of a deed that is done at a place of a document.
fn is_told(subject: &Subject<'_>, document: &Document, found: &Range<usize>, deed: &Deed) -> bool {
    let mut texts = subject.documents().filter(|document| document.language == Language::Markdown);
    if !deed.is_addressed {
        return deed.told.as_ref().is_some_and(|told| texts.any(|text| told.is_match(&text.text)));
    }
    let found = document.text.get(found.clone()).unwrap_or_default();
    // The host ends what stands behind the scheme, or is the last word of a command that needs none.
    let host = match found.split_once("://") {
        Some((_, rest)) => rest.split('/').next().and_then(|host| host.rsplit('@').next()).unwrap_or_default(),
        None => found.rsplit(['/', '@']).next().unwrap_or_default(),
    };
    // Where the host is the user's to choose, and at the forges and indexes that everybody uses, it says nothing.
    let is_open = !host.contains('.') || vocab::entries(vocab::PUBLISHING).contains(&site_of(host).as_str());
    is_open || texts.any(|text| text.text.contains(&site_of(host)))
}
