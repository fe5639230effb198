//! Constants: the texts that the files of a bundle give a name.

use std::collections::BTreeMap;

use super::tokens::{HeuristicToken, Placed, literal, mark, tokens, word};
use super::{UnparsedLanguage, language};
use crate::code::MAX_BYTES;
use crate::document::Document;
use crate::manifest::folder_of;

/// The texts with a name, by where they are known and their name; none where a name stands for several.
#[derive(Default)]
pub(crate) struct Constants {
    near: BTreeMap<(String, String), Option<String>>,
    far: BTreeMap<(UnparsedLanguage, String), Option<String>>,
}

impl Constants {
    /// The constants of all documents whose language has a file that speaks of MCP.
    pub(crate) fn of<'d>(documents: impl Iterator<Item = &'d Document> + Clone) -> Self {
        let read = documents.filter_map(|document| Some((document, language(&document.path)?)));
        let serving: Vec<UnparsedLanguage> = read
            .clone()
            .filter(|(document, _)| ["mcp", "Mcp", "MCP"].iter().any(|word| document.text.contains(word)))
            .map(|(_, language)| language)
            .collect();
        let mut constants = Self::default();
        for (document, language) in read.filter(|(_, language)| serving.contains(language)) {
            if document.text.len() <= MAX_BYTES && document.text.contains('=') {
                constants.add(&document.path, language, &tokens(&document.text, language));
            }
        }
        constants
    }

    fn add(&mut self, path: &str, language: UnparsedLanguage, tokens: &[Placed<'_>]) {
        for at in 1..tokens.len() {
            if !mark(tokens, at, b'=') || literal(tokens, at + 1).is_none() {
                continue;
            }
            let Some(name) = bound(tokens, at, language) else { continue };
            let Some(text) = super::texts::value(tokens, at + 1, language, &|_| None).filter(|told| told.whole) else {
                continue;
            };
            keep(&mut self.near, (scope(path, language), name.to_owned()), &text.text);
            keep(&mut self.far, (language, name.to_owned()), &text.text);
        }
    }

    /// The text that a name stands for in a file.
    pub(super) fn get(&self, path: &str, language: UnparsedLanguage, name: &str) -> Option<&str> {
        let near = self.near.get(&(scope(path, language), name.to_owned()));
        near.or_else(|| self.far.get(&(language, name.to_owned())))?.as_deref()
    }
}

fn keep<K: Ord>(into: &mut BTreeMap<K, Option<String>>, key: K, text: &str) {
    let known = into.entry(key).or_insert_with(|| Some(text.to_owned()));
    if known.as_deref() != Some(text) {
        *known = None;
    }
}

/// The files that see each other's constants by their bare names: in Go those of a folder.
fn scope(path: &str, language: UnparsedLanguage) -> String {
    if language == UnparsedLanguage::Go { folder_of(path).to_owned() } else { path.to_owned() }
}

/// The name that a text is bound to at a `=`: `const A = "…"`, `A string = "…"`, `A: &str = "…"`, `String A = "…"`.
fn bound<'a>(tokens: &[Placed<'a>], at: usize, language: UnparsedLanguage) -> Option<&'a str> {
    let mut name = at - 1;
    // Go's `a := "…"`.
    if mark(tokens, name, b':') {
        name = name.checked_sub(1)?;
    }
    // The type behind the name.
    let typed = matches!(language, UnparsedLanguage::Rust | UnparsedLanguage::Kotlin);
    if typed && let Some(colon) = (name.saturating_sub(4)..name).rev().find(|at| mark(tokens, *at, b':')) {
        name = colon.checked_sub(1)?;
    } else if language == UnparsedLanguage::Go && word(tokens, name) == Some("string") {
        name = name.checked_sub(1)?;
    }
    let found = word(tokens, name)?;
    // `@Tool(name = "…")` and `tool.name = "…"` bind nothing that could be used by its bare name.
    let free = match name.checked_sub(1).and_then(|before| tokens.get(before)) {
        Some((_, HeuristicToken::Mark(before))) => !matches!(before, b'.' | b',' | b'['),
        _ => true,
    };
    // Go opens a group of constants with a parenthesis, as others open arguments.
    let opens = name.checked_sub(1).is_some_and(|before| mark(tokens, before, b'('));
    let grouped = opens && language == UnparsedLanguage::Go;
    (free && (!opens || grouped)).then_some(found)
}
