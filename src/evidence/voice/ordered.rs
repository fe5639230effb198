//! Files that a text for an agent orders to read: they speak to the agent as that text does, wherever they lie. What it has
//! copied into a project runs there.

use std::sync::LazyLock;

use regex::Regex;

use super::Voice;
use crate::Evidence;
use crate::document::Document;
use crate::file_role::FileRole;
use crate::language::Language;
use crate::manifest::{around, folder_of, join};

/// The most names of files that are looked up for one bundle.
const MOST: usize = 20_000;

/// The most folders around a text at which a name is looked up.
const FOLDERS: usize = 12;

/// The words before a path by which it is to be read, in its sentence.
static ORDER: LazyLock<Regex> = LazyLock::new(|| {
    crate::expression::of(
        r"(?i)(?:\b(?:read(?:ing)?|follow|load|obey|open|consult|apply|execute|carry out|adhere to|include|use|cat|see|instructions? in|steps? in|rules? in|as (?:described|written|told) in)\b[^.\n]{0,60}|@)$",
    )
});

/// The words by which a document for people is ordered to be followed.
static STRICT_ORDER: LazyLock<Regex> = LazyLock::new(|| {
    crate::expression::of(
        r"(?i)(?:\b(?:read|follow|load|obey|execute|carry out|adhere to|instructions? in|steps? in|rules? in)\b[^.\n]{0,60}|(?:^|[\s(])@)$",
    )
});

/// The words before a file or a folder by which it is put into the user's project.
static COPIED: LazyLock<Regex> = LazyLock::new(|| {
    crate::expression::of(
        r"(?i)\b(?:cop(?:y|ies|ying)|put|place|install|drop|merge|move|link|cp|unpack|scaffold|start\s+(?:with|from))\b[^.\n]{0,60}$",
    )
});

/// A folder in a code span or a command.
static FOLDER: LazyLock<Regex> = LazyLock::new(|| {
    crate::expression::of(r"(?:^|[\s`(])((?:\./)?[A-Za-z0-9_@-][A-Za-z0-9_@./-]{0,200}/)(?:\*|[`\s),]|$)")
});

/// Gives what texts for an agent order to read their voice, and what those order in turn.
pub(super) fn assign(evidence: &mut Evidence) {
    let may_change = |document: &Document| matches!(document.voice, Voice::Human | Voice::Data) && is_text(document);
    // Most bundles hold nothing that could be ordered.
    if !evidence.documents.values().any(may_change) {
        return;
    }
    let speaks = |document: &&Document| document.voice == Voice::Agent && document.role == FileRole::Instruction;
    let mut open: Vec<String> =
        evidence.documents.values().filter(speaks).map(|document| document.path.clone()).collect();
    let mut looked_up = 0;
    // Most skills bring no settings along, and their texts are read once.
    let brings_settings = evidence.documents.values().any(is_settings);
    while let Some(path) = open.pop() {
        for target in named_by(evidence, &path, &mut looked_up) {
            if let Some(document) = evidence.documents.get_mut(&target)
                && document.voice != Voice::Agent
            {
                document.voice = Voice::Agent;
                open.push(target);
            }
        }
        let copied = if brings_settings { copied_by(evidence, &path) } else { Vec::new() };
        for target in copied {
            if let Some(document) = evidence.documents.get_mut(&target) {
                document.voice = Voice::Program;
            }
        }
    }
}

/// True for settings that nothing else gave a voice.
fn is_settings(document: &Document) -> bool {
    document.voice == Voice::Data
        && document.role != FileRole::Test
        && matches!(document.language, Language::Json | Language::Yaml | Language::Toml)
}

/// The words right before a place on its line, which may be a whole file.
fn words_before(document: &Document, at: usize) -> &str {
    let (line, _) = document.line_at(at);
    let before = document.text.get(line..at).unwrap_or_default();
    before.get(before.ceil_char_boundary(before.len().saturating_sub(120))..).unwrap_or_default()
}

/// The settings in files and folders that one text has copied into the user's project.
fn copied_by(evidence: &Evidence, path: &str) -> Vec<String> {
    /// The most files and folders that one text has copied.
    const MOST_COPIED: usize = 200;
    let Some(document) = evidence.documents.get(path) else { return Vec::new() };
    let files = names(&document.text).map(|(at, name)| (at, name.to_owned(), false));
    let folders = FOLDER.captures_iter(&document.text).filter_map(|found| found.get(1));
    let folders = folders.map(|folder| (folder.start(), folder.as_str().to_owned(), true));
    let is_copied = |at: usize| COPIED.is_match(words_before(document, at));
    let named = files.take(MOST).chain(folders.take(MOST)).filter(|(at, ..)| is_copied(*at)).take(MOST_COPIED);
    let mut found = Vec::new();
    for (_, name, is_folder) in named {
        let written = name.trim_start_matches("./").trim_end_matches('/');
        let mut places = around(folder_of(path)).take(FOLDERS).filter_map(|folder| join(folder, written));
        let below = |place: &str| {
            let folder = format!("{place}/");
            evidence.documents.range(folder.clone()..).take_while(move |(at, _)| at.starts_with(&folder))
        };
        if is_folder {
            let place = places.find(|place| below(place).next().is_some());
            let reached = place.iter().flat_map(|place| below(place));
            found.extend(reached.filter(|(_, document)| is_settings(document)).map(|(at, _)| at.clone()));
        } else {
            let place = places.find(|place| evidence.documents.contains_key(place));
            found.extend(place.filter(|place| evidence.documents.get(place).is_some_and(is_settings)));
        }
    }
    found
}

/// The files that one text orders to read and that speak to nobody else yet.
fn named_by(evidence: &Evidence, path: &str, looked_up: &mut usize) -> Vec<String> {
    let Some(document) = evidence.documents.get(path) else { return Vec::new() };
    let mut found = Vec::new();
    for (at, name) in names(&document.text) {
        *looked_up += 1;
        if *looked_up > MOST {
            break;
        }
        let written = name.trim_start_matches('@').trim_start_matches("./").trim_start_matches("../");
        let folders = around(folder_of(path)).take(FOLDERS).filter_map(|folder| join(folder, written));
        let Some(target) = folders.filter_map(|path| evidence.documents.get(&path)).next() else { continue };
        if !matches!(target.voice, Voice::Human | Voice::Data) || !is_text(target) || target.path == path {
            continue;
        }
        let before = words_before(document, at + usize::from(name.starts_with('@')));
        let is_ordered = match target.role {
            FileRole::Instruction => true,
            FileRole::Docs => STRICT_ORDER.is_match(before),
            _ if is_table(target) => STRICT_ORDER.is_match(before),
            _ => ORDER.is_match(before),
        };
        if is_ordered {
            found.push(target.path.clone());
        }
    }
    found
}

/// The longest path that is looked up, in bytes.
const LONGEST: usize = 300;

/// The words of a text that may be paths of files with an ending, each with its offset.
fn names(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            // Every such word has a point in it: what lies between two points is not looked at letter by letter.
            let point = at + text.get(at..)?.find('.')?;
            let (before, behind) = text.split_at(point);
            let start = point - before.get(at..)?.bytes().rev().take_while(is_part).count();
            let end = point + behind.bytes().take_while(is_part).count();
            at = end;
            let name = text.get(start..end)?.trim_end_matches(['.', '/', '-']);
            let has_ending = name.rsplit_once('.').is_some_and(|(stem, ending)| {
                !stem.is_empty() && (1..=8).contains(&ending.len()) && !ending.contains('/')
            });
            if has_ending && name.len() <= LONGEST {
                return Some((start, name));
            }
        }
    })
}

fn is_part(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'@' | b'.' | b'/' | b'-')
}

fn is_text(document: &Document) -> bool {
    !matches!(document.role, FileRole::Binary | FileRole::Lock | FileRole::Source | FileRole::Script)
        && !document.text.is_empty()
}

/// True for a file of rows, which is looked up and not read.
fn is_table(document: &Document) -> bool {
    let ending = document.path.rsplit_once('.').map_or("", |(_, ending)| ending);
    matches!(ending, "csv" | "tsv" | "jsonl" | "ndjson" | "svg" | "css" | "map" | "xml")
        || (document.language == Language::Json && document.role == FileRole::Data)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn names_are_the_words_with_an_ending(text in "[ab./@ \u{e9}\n-]{0,60}") {
            let expected: Vec<&str> = text
                .split(|letter: char| !u8::try_from(letter).is_ok_and(|byte| is_part(&byte)))
                .map(|word| word.trim_end_matches(['.', '/', '-']))
                .filter(|word| word.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && !ending.is_empty() && ending.len() <= 8 && !ending.contains('/')))
                .collect();
            let found: Vec<(usize, &str)> = names(&text).collect();
            proptest::prop_assert_eq!(found.iter().map(|(_, name)| *name).collect::<Vec<_>>(), expected);
            proptest::prop_assert!(found.iter().all(|(at, name)| text[*at..].starts_with(name)));
        }
    }
}
