//! Zones: which part of a text is prose, code, comment, frontmatter, quotation or table.
//!
//! Limits and word lists of rules live with the rules. Every pass here is linear in the text.

use capdex_model::snapshot::{Gap, GapReason};

use super::bytes::first;
use super::file_role::FileRole;
use super::language::Language;

mod classify;
mod markdown;
mod source;
#[cfg(test)]
mod tests;

pub use classify::classify;
pub(super) use classify::is_loaded_by_name;
pub(super) use markdown::{Heading, headings_of};

/// The kind of text in a stretch.
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
    /// Its kind.
    pub kind: ZoneKind,
    /// Its first byte.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
}

/// The language that the fence of a block of code names, as it is written; empty where it names none. None for a block without a fence.
pub fn fence_language(block: &str) -> Option<&str> {
    let first = block.lines().next().unwrap_or_default().trim_start();
    let fence = first.trim_start_matches(['`', '~']);
    (fence.len() < first.len()).then(|| fence.split([' ', '{', ',', ':']).next().unwrap_or_default())
}

/// Collects zones in order of the text, so that they cover it without overlap and equal neighbours are one.
#[derive(Debug, Default)]
struct Cover {
    zones: Vec<Zone>,
    end: usize,
}

impl Cover {
    /// Extends the cover to `end` with a stretch of one kind; nothing where `end` is already covered.
    fn to(&mut self, end: usize, kind: ZoneKind) {
        if end <= self.end {
            return;
        }
        match self.zones.last_mut() {
            Some(last) if last.kind == kind => last.end = end,
            _ => self.zones.push(Zone { kind, start: self.end, end }),
        }
        self.end = end;
    }
}

/// Decodes bytes as text: UTF-8 with or without a mark (the mark is dropped), UTF-16 by its mark. `None` for binary
/// bytes. A file whose name says text and whose bytes are damaged is decoded with replacement characters, and a gap
/// says so. A scanner that gives up on it would call it clean.
pub fn decode_text(path: &str, bytes: &[u8], gaps: &mut Vec<Gap>) -> Option<String> {
    if let Some(rest) = bytes.strip_prefix(&[0xFF, 0xFE]) {
        return decode_utf16(path, rest, u16::from_le_bytes, gaps);
    }
    if let Some(rest) = bytes.strip_prefix(&[0xFE, 0xFF]) {
        return decode_utf16(path, rest, u16::from_be_bytes, gaps);
    }
    // The mark is no part of the text: patterns anchored at the beginning would miss.
    let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    let holds_zero = first(bytes, |byte| byte == 0).is_some();
    match std::str::from_utf8(bytes) {
        Ok(text) if !holds_zero => Some(text.to_owned()),
        // Other files may well be binary; a gap for each picture would bury the real ones.
        _ if !classify::is_named_as_text(path) => None,
        Ok(text) => {
            gaps.push(Gap::new(path, GapReason::NotText, "holds NUL bytes; read with them"));
            Some(text.to_owned())
        }
        Err(error) => {
            let detail = format!("not UTF-8 after byte {}; read with replacement characters", error.valid_up_to());
            gaps.push(Gap::new(path, GapReason::NotText, detail));
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

fn decode_utf16(path: &str, bytes: &[u8], unit: fn([u8; 2]) -> u16, gaps: &mut Vec<Gap>) -> Option<String> {
    let pairs = bytes.chunks_exact(2);
    let mut damaged = !pairs.remainder().is_empty();
    let units = pairs.filter_map(|pair| <[u8; 2]>::try_from(pair).ok()).map(unit);
    let text: String = char::decode_utf16(units)
        .map(|letter| {
            letter.unwrap_or_else(|_| {
                damaged = true;
                char::REPLACEMENT_CHARACTER
            })
        })
        .collect();
    let named = classify::is_named_as_text(path);
    // Two bytes at the beginning are a weak sign, and binary data may share them.
    if damaged && !named {
        return None;
    }
    if damaged {
        gaps.push(Gap::new(path, GapReason::NotText, "damaged UTF-16; read with replacement characters"));
    }
    Some(text)
}

/// The zones of a text, sorted, without overlap, covering all of it.
pub fn zones_of(language: Language, role: FileRole, text: &str) -> Vec<Zone> {
    let mut cover = Cover::default();
    match language {
        Language::Markdown => markdown::zones(text, &mut cover),
        Language::JavaScript | Language::TypeScript | Language::Go => {
            source::zones(text, &source::SLASHES, &mut cover);
        }
        Language::Rust => source::zones(text, &source::RUST, &mut cover),
        Language::Python => source::zones(text, &source::PYTHON, &mut cover),
        Language::Shell => source::zones(text, &source::SHELL, &mut cover),
        Language::PowerShell => source::zones(text, &source::POWERSHELL, &mut cover),
        Language::Toml => source::zones(text, &source::TOML, &mut cover),
        Language::Json => source::json_zones(text, &mut cover),
        Language::Yaml => source::yaml_zones(text, &mut cover),
        Language::Markup => markdown::markup_zones(text, &mut cover),
        Language::Plain if matches!(role, FileRole::Source) => source::zones(text, &source::SLASHES, &mut cover),
        Language::Plain | Language::None => cover.to(text.len(), ZoneKind::Prose),
    }
    // A pass may stop before the end, and every byte needs a zone.
    let rest = cover.zones.last().map_or(ZoneKind::Prose, |zone| zone.kind);
    cover.to(text.len(), rest);
    if cover.zones.is_empty() {
        cover.zones.push(Zone { kind: ZoneKind::Prose, start: 0, end: text.len() });
    }
    cover.zones
}
