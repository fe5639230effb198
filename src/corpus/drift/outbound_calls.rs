//! `OutboundCalls`: the arguments of the calls that send, over a whole package: a call that moves to another file is not
//! new.
//!
//! `code` compares them. Linear in the text: each call is read once, to a bounded length.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;

/// The longest arguments that are read, in bytes.
const ARGUMENTS: usize = 1200;
/// Calls that are read in one file.
pub(super) const MAX_CALLS: usize = 50_000;
/// Lines that are shorter stand in any file.
const SHORT_LINE: usize = 12;

/// A call that sends.
pub(super) struct OutboundCall<'a> {
    /// Its last name.
    pub name: &'a str,
    /// The byte at which its arguments begin.
    pub offset: usize,
    /// Its arguments.
    pub text: &'a str,
}

/// The things that a package sends somewhere.
#[derive(Debug, Default)]
pub(super) struct OutboundCalls<'a> {
    /// The last names of its calls that send.
    names: BTreeSet<&'a str>,
    /// The arguments that they are given.
    arguments: BTreeSet<&'a str>,
    /// The lines of its programs that are long enough to tell a file by.
    lines: BTreeSet<&'a str>,
}

impl<'a> OutboundCalls<'a> {
    pub(super) fn add(&mut self, document: &'a Document) {
        if !matches!(document.role, FileRole::Source | FileRole::Script) {
            return;
        }
        for call in calls(document) {
            self.names.insert(call.name);
            self.arguments.insert(call.text);
        }
        self.lines.extend(lines(document));
    }

    /// True where a call that sends was given exactly this.
    pub(super) fn is_given(&self, arguments: &str) -> bool {
        self.arguments.contains(arguments)
    }

    /// True where a call that sends has this name.
    pub(super) fn has_call(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// True where most of a file was there, in whatever files.
    pub(super) fn has_most_of(&self, document: &Document) -> bool {
        let (mut known, mut all) = (0_usize, 0_usize);
        for line in lines(document) {
            all += 1;
            known += usize::from(self.lines.contains(line));
        }
        // More than half: a file of no long lines counts as new.
        known * 2 > all
    }
}

fn lines(document: &Document) -> impl Iterator<Item = &str> {
    document.text.lines().map(str::trim).filter(|line| line.len() >= SHORT_LINE)
}

/// The calls of a file that send, in their order.
pub(super) fn calls(document: &Document) -> Vec<OutboundCall<'_>> {
    static CALL: LazyLock<Regex> = LazyLock::new(|| {
        capdex_evidence::expression::of(
            r"(?i)\b(\w*(?:send|mail|post|fetch|request|publish|submit|deliver|upload|put)\w*)\s*\(",
        )
    });
    let text = document.text.as_str();
    let found = CALL.captures_iter(text).take(MAX_CALLS).filter_map(|found| {
        let (whole, name) = (found.get(0)?, found.get(1)?);
        let arguments = arguments_from(text, whole.end());
        let call = OutboundCall { name: name.as_str(), offset: whole.end(), text: arguments };
        (!arguments.trim().is_empty()).then_some(call)
    });
    found.collect()
}

pub(super) static GIVES: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r#"\b(?:POST|PUT|PATCH)\b|\bmethod["']?\s*[:=]\s*["'`](?i:post|put|patch)\b|\b(?:body|data|json|files)["']?\s*[:=]"#,
    )
});

/// Everything from an offset to the bracket that closes the call around it.
pub(super) fn arguments_from(text: &str, offset: usize) -> &str {
    let end = (offset + ARGUMENTS).min(text.len());
    let mut depth = 0_usize;
    for (at, byte) in text.as_bytes().get(offset..end).unwrap_or_default().iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => return text.get(offset..offset + at).unwrap_or_default(),
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    text.get(offset..text.floor_char_boundary(end)).unwrap_or_default()
}
