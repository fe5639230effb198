//! `hidden-unicode-tags`, `hidden-unicode-bidi`, `hidden-unicode-zero-width`: characters that a reader does not see.
//!
//! Characters that emoji, joining scripts and right-to-left text need are no find (`evidence::unicode` tells it apart).

use serde_json::Value;

use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::manifest::{ManifestKind, place_of};
use capdex_evidence::unicode::{Hidden, HiddenKind, hidden};
use capdex_model::fact::{Confidence, Place, Severity};

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;

/// The most finds in one file.
const MOST: usize = 3;
/// From this many stray characters in one file on, chance is ruled out.
const MANY: usize = 10;

fn documents<'a>(subject: &Subject<'a>) -> impl Iterator<Item = (&'a Document, &'a [Hidden])> {
    // Lock files hold hashes and addresses that nobody reads, and are the longest files of a package.
    let read = subject.documents().filter(|document| document.role != FileRole::Lock);
    read.map(|document| (document, document.hidden()))
}

/// The hidden characters of what packages say of themselves that the text of the file holds as escapes (`\u202e`): a
/// registry shows, and a model reads, the value.
fn escaped<'a>(subject: &Subject<'a>) -> impl Iterator<Item = (Place, Hidden)> {
    let packages = subject.evidence.manifests.values().filter(|manifest| manifest.kind == ManifestKind::PackageJson);
    let own = packages.filter(|manifest| subject.capability.files.contains(&manifest.path));
    own.flat_map(|manifest| {
        let document = subject.evidence.documents.get(&manifest.path).filter(|document| document.hidden().is_empty());
        let words = manifest.value.get("keywords").and_then(Value::as_array).into_iter().flatten().enumerate();
        let words = words.map(|(index, word)| (format!("/keywords/{index}"), word));
        let described = manifest.value.get("description").map(|words| ("/description".to_owned(), words));
        let texts = described.into_iter().chain(words).filter_map(|(pointer, value)| Some((pointer, value.as_str()?)));
        let at = document.into_iter().flat_map(move |document| {
            texts.clone().flat_map(move |(pointer, text)| {
                hidden(text).into_iter().map(move |run| (place_of(document, &pointer), run))
            })
        });
        at.take(MOST).collect::<Vec<_>>()
    })
}

/// Text spelt in tags, variation selectors or zero-width bits.
pub(super) fn tags(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for (document, found) in documents(subject) {
        let spelt = |run: &&Hidden| {
            run.kind == HiddenKind::Tag
                // Shorter than four characters anything spells something by chance.
                || (matches!(run.kind, HiddenKind::Selector | HiddenKind::ZeroWidth) && run.payload.len() >= 4)
        };
        for run in found.iter().filter(spelt).take(MOST) {
            let place = document.place(run.offset);
            if run.payload.len() >= 4 {
                facts.found(place, &format!("invisible characters spell: {}", run.payload));
            } else {
                let evidence = format!("{} invisible tag characters", run.count);
                facts.found_as(Severity::High, Confidence::Medium, place, &evidence);
            }
        }
    }
    for (place, run) in escaped(subject).filter(|(_, run)| run.kind == HiddenKind::Tag) {
        let evidence = format!("{} invisible tag characters: {}", run.count, run.payload);
        facts.found_as(Severity::High, Confidence::Medium, place, &evidence);
    }
}

/// Controls that change the order in which text is shown.
pub(super) fn bidi(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for (document, found) in documents(subject) {
        let severity = |run: &Hidden| match document.voice {
            // What looks for such controls names them.
            _ if document.is_unmeant(run.offset) => Severity::Info,
            // Libraries for text ship samples with such controls.
            Voice::Data => Severity::Low,
            Voice::Human => Severity::Medium,
            Voice::Agent | Voice::Program => Severity::High,
        };
        for run in found.iter().filter(|run| run.kind == HiddenKind::Bidi).take(MOST) {
            let evidence = format!("{} in: {}", names(document, run), line(document, run));
            facts.found_as(severity(run), Confidence::High, document.place(run.offset), &evidence);
        }
    }
    for (place, _) in escaped(subject).filter(|(_, run)| run.kind == HiddenKind::Bidi) {
        facts.found_as(Severity::Medium, Confidence::High, place, "controls of direction, written as escapes");
    }
}

/// Zero-width characters, fillers, marks and controls.
pub(super) fn zero_width(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for (document, found) in documents(subject) {
        let stray = |run: &&Hidden| {
            matches!(
                run.kind,
                HiddenKind::ZeroWidth
                    | HiddenKind::Filler
                    | HiddenKind::Mark
                    | HiddenKind::Control
                    | HiddenKind::Selector
            ) && run.payload.len() < 4
        };
        let runs: Vec<&Hidden> = found.iter().filter(stray).collect();
        let total: usize = runs.iter().map(|run| run.count).sum();
        // A character that cuts a word is told before others: that is how filters by words are evaded.
        let splits = runs.iter().find(|run| splits_a_word(document, run));
        let Some(first) = splits.or(runs.first()) else { continue };
        // String tables and editors' leftovers in source are common and do nothing.
        let is_program = matches!(document.role, FileRole::Source | FileRole::Data | FileRole::Test);
        let mild = is_program || (splits.is_none() && total < MANY);
        let severity = if mild { Severity::Low } else { Severity::Medium };
        let evidence =
            format!("{total} hidden characters, among them {}: {}", names(document, first), line(document, first));
        facts.found_as(severity, Confidence::Medium, document.place(first.offset), &evidence);
    }
    for (place, run) in escaped(subject).filter(|(_, run)| run.kind == HiddenKind::ZeroWidth && run.payload.len() < 4) {
        let evidence = format!("{} characters without width, written as escapes", run.count);
        facts.found_as(Severity::Low, Confidence::Medium, place, &evidence);
    }
}

/// True where the run stands between two ASCII letters, where no script needs it.
fn splits_a_word(document: &Document, run: &Hidden) -> bool {
    let before = document.text.get(..run.offset).and_then(|left| left.chars().next_back());
    let after = document.text.get(run.offset..).and_then(|right| right.chars().nth(run.count));
    run.kind != HiddenKind::Control
        && before.is_some_and(|letter| letter.is_ascii_alphabetic())
        && after.is_some_and(|letter| letter.is_ascii_alphabetic())
}

/// The first character's code point.
fn names(document: &Document, run: &Hidden) -> String {
    let letter = document.text.get(run.offset..).and_then(|right| right.chars().next());
    letter.map_or_else(String::new, |letter| format!("U+{:04X}", u32::from(letter)))
}

/// The visible part of the line around a run.
fn line(document: &Document, run: &Hidden) -> String {
    let (start, end) = document.line_at(run.offset);
    // The place may lie far within a line of megabytes: only what is around it is quoted.
    let start = start.max(document.text.floor_char_boundary(run.offset.saturating_sub(60)));
    let around = document.text.get(start..end).unwrap_or("").chars().take(120);
    around.filter(|letter| hidden(&letter.to_string()).is_empty()).collect()
}
