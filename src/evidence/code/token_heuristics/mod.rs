//! Token heuristics: MCP tools and shell commands in Go, Rust, Java, Kotlin, PHP, Ruby and C#, from words and literals
//! alone.
//!
//! No grammar is read. Tools are told by the names that the SDKs give to a registration, and by the literals that
//! follow within a bounded number of tokens. Sources: the registration idioms that SpiderRating's extraction lists for
//! these languages.

use super::{Findings, MAX_BYTES, SourceView};
use crate::document::Document;

mod commands;
mod constants;
mod texts;
mod tokens;
mod tools;

pub(crate) use constants::Constants;

/// A language that is read by words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UnparsedLanguage {
    Go,
    Rust,
    Java,
    Kotlin,
    Php,
    Ruby,
    CSharp,
}

/// The language of a path; `None` for those that are not read here.
pub(super) fn language(path: &str) -> Option<UnparsedLanguage> {
    match path.rsplit_once('.').map(|(_, extension)| extension)? {
        // Go compiles no `_test.go` file into the program, so that no server serves its tools.
        "go" if !path.ends_with("_test.go") => Some(UnparsedLanguage::Go),
        "rs" => Some(UnparsedLanguage::Rust),
        "java" => Some(UnparsedLanguage::Java),
        "kt" | "kts" => Some(UnparsedLanguage::Kotlin),
        "php" => Some(UnparsedLanguage::Php),
        "rb" => Some(UnparsedLanguage::Ruby),
        "cs" => Some(UnparsedLanguage::CSharp),
        _ => None,
    }
}

/// Reads a document; `None` where it names neither a tool nor a command, or is too large.
pub(super) fn read(document: &Document, language: UnparsedLanguage, constants: &Constants) -> Option<SourceView> {
    let text = document.text.as_str();
    // Plain words first: most files of these languages name neither a tool nor a command.
    let worth = ["Tool", "tool", "exec", "Command"].iter().any(|word| text.contains(word));
    if !worth || text.len() > MAX_BYTES {
        return None;
    }
    let tokens = tokens::tokens(text, language);
    let known = |name: &str| constants.get(&document.path, language, name).map(str::to_owned);
    let reader = tools::ToolReader { tokens: &tokens, language, text, path: &document.path, known: &known };
    let mut findings = Findings::default();
    for index in 0..tokens.len() {
        findings.tools.extend(reader.tool_at(index));
        if let Some((offset, call)) = commands::command_at(&tokens, index, language, text) {
            findings.keep_call(offset, call);
        }
    }
    Some(super::view(document, findings, &mut Vec::new()))
}
