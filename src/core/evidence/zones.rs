//! Zones: which part of a text is prose, code, comment, frontmatter, quotation or table.
//!
//! Must not know any rule; limits and word lists of rules live with the rules.

use crate::snapshot::Gap;

use super::document::{FileRole, Language};

/// What kind of text a stretch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ZoneKind {
    /// Running text that a reader or an agent reads as such.
    Prose,
    /// A fenced or indented block in Markdown.
    CodeBlock,
    /// A code span in Markdown.
    InlineCode,
    /// A comment in source, or an HTML comment in Markdown.
    Comment,
    /// The YAML front matter of a Markdown file.
    Frontmatter,
    /// A block quotation.
    Quotation,
    /// A Markdown table.
    Table,
    /// Program text outside comments and string literals.
    Code,
    /// A string literal in source, or a string value in JSON, YAML or TOML.
    Literal,
}

/// A stretch of one kind: byte offsets `start..end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Zone {
    /// What it is.
    pub kind: ZoneKind,
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
}

/// Decodes bytes as text: UTF-8 with or without a mark, UTF-16 by its mark. `None` for binary bytes.
pub fn decode_text(_path: &str, bytes: &[u8], _gaps: &mut Vec<Gap>) -> Option<String> {
    String::from_utf8(bytes.to_vec()).ok()
}

/// The role and language of a file, by its path and its first line.
pub fn classify(_path: &str, text: Option<&str>) -> (FileRole, Language) {
    if text.is_some() { (FileRole::Data, Language::Plain) } else { (FileRole::Binary, Language::None) }
}

/// The zones of a text, sorted, without overlap, covering all of it.
pub fn zones_of(_language: Language, _role: FileRole, text: &str) -> Vec<Zone> {
    vec![Zone { kind: ZoneKind::Prose, start: 0, end: text.len() }]
}
