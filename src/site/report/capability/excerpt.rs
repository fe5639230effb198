//! The lines of source around a finding, read from the stored bytes, secrets masked.
//!
//! Secrets that rules know are masked line by line. Any other long run of letters without a blank, such as a line of a key,
//! is cut as well. It may be a part of one. The choice of findings is not made here.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use capdex_db::{CurrentCapability, Reader};
use capdex_model::facts::SparseFacts;
use capdex_model::rule::RuleIndex;
use capdex_model::snapshot::FileEntry;

use capdex_dataset::escape::shorten;

/// Lines before and after the one that is meant.
const AROUND: u32 = 2;
/// Code points of one line.
const WIDTH: usize = 180;
/// Excerpts of one page.
const MOST: usize = 60;
/// Files of one page from which they are taken.
const FILES: usize = 24;
/// Bytes of a file from which they are taken.
const FILE_BYTES: u64 = 1 << 20;

/// Lines with their numbers.
pub(crate) type Excerpt = Vec<(u32, String)>;

/// The lines around every place at which something was found, by file and line.
pub(super) fn read(
    reader: &Reader,
    current: &CurrentCapability,
    facts: &SparseFacts,
) -> anyhow::Result<BTreeMap<(String, u32), Excerpt>> {
    let mut wanted: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    let mut placed: Vec<_> =
        facts.findings().filter(|fact| fact.place.line > 0 && !fact.place.file.is_empty()).collect();
    // The gravest first: nobody pushes them off the page with mild ones.
    placed.sort_by_key(|fact| Reverse(fact.severity));
    for fact in placed.into_iter().take(MOST) {
        // Bounded by files too, since each is a read of its own.
        if wanted.len() < FILES || wanted.contains_key(fact.place.file.as_str()) {
            wanted.entry(&fact.place.file).or_default().insert(fact.place.line);
        }
    }
    let mut excerpts = BTreeMap::new();
    // A page without findings reads no blob.
    if wanted.is_empty() {
        return Ok(excerpts);
    }
    let files = reader.files_of(current.snapshot)?;
    for (path, lines) in wanted {
        let Some(text) = text_of(reader, &files, path)? else { continue };
        for line in lines {
            excerpts.insert((path.to_owned(), line), around(&text, line, reader.rules()));
        }
    }
    Ok(excerpts)
}

/// The text of a file; none where it is large, not text, or inside another file.
fn text_of(reader: &Reader, files: &[FileEntry], path: &str) -> anyhow::Result<Option<String>> {
    let Some(file) = files.iter().find(|file| file.path == path) else { return Ok(None) };
    // A large file is most often generated, and its lines help nobody.
    let bytes = reader.small_blob(&file.digest, FILE_BYTES)?;
    Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
}

fn around(text: &str, line: u32, rules: &RuleIndex) -> Excerpt {
    // Lines are numbered from 1, so the first lines have less before them.
    let from = line.saturating_sub(AROUND).max(1);
    let wanted = (1_u32..).zip(text.lines()).skip_while(|(number, _)| *number < from);
    wanted
        .take_while(|(number, _)| *number <= line + AROUND)
        .map(|(number, text)| (number, shown(text, rules)))
        .collect()
}

/// A line without what may be a secret.
fn shown(line: &str, rules: &RuleIndex) -> String {
    // Masked before it is shortened: a secret that was cut in half would not be recognised.
    shorten(&rules.mask_line(line.trim_end()), WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_model::rule::testing::NO_RULES;

    #[test]
    fn the_lines_around_are_numbered_and_end_with_the_file() {
        let text = "a\nb\r\nc\nd\ne\nf";
        let numbers = |line| {
            around(text, line, &NO_RULES)
                .into_iter()
                .map(|(number, text)| format!("{number}{text}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(numbers(1), ["1a", "2b", "3c"]);
        assert_eq!(numbers(4), ["2b", "3c", "4d", "5e", "6f"]);
        assert_eq!(numbers(6), ["4d", "5e", "6f"]);
        assert_eq!(numbers(u32::MAX - 2), Vec::<String>::new());
    }

    #[test]
    fn a_long_line_is_cut() {
        assert_eq!(shown(&"x ".repeat(500), &NO_RULES).chars().count(), WIDTH);
    }
}
