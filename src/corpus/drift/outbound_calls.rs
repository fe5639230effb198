//! `OutboundCalls`: the arguments of the calls that send, over a whole package: a call that moves to another file is not
//! new.
//!
//! `code` compares them. Linear in the text: each call is read once, to a bounded length.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::Regex;

use super::hosts;
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;

/// The longest arguments that are read, in bytes.
const ARGUMENTS: usize = 1200;
/// Calls that are read in one file.
const MAX_CALLS: usize = 50_000;
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

/// A request to a constant address.
pub(super) struct Request<'a> {
    /// The host, lower-case.
    pub host: String,
    /// The byte at which the address stands.
    pub offset: usize,
    /// Its arguments from the address on.
    pub text: &'a str,
    /// True where it gives the host something beyond the address.
    pub gives: bool,
}

static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(r#"(?i)["'`](?:https?|wss?)://([a-z0-9][a-z0-9.-]{0,252}|\[[0-9a-f:.]{2,45}\])"#)
});
static GIVES: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(r#"\b(?:POST|PUT|PATCH)\b|\b(?:body|data|json|files)["']?\s*[:=]"#)
});

/// A name that is given the base of addresses: `const BASE = "https://host"`.
static BASE: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r#"(?i)\b([a-z_$][\w$]*)\s*=\s*["'`](?:https?|wss?)://([a-z0-9][a-z0-9.-]{0,252}|\[[0-9a-f:.]{2,45}\])"#,
    )
});
/// An address that begins with a name: `` `${BASE}/in` ``, `BASE + "/in"`, `new URL("/in", BASE)`, `f"{BASE}/in"`.
static BASED: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r#"(?i)\(\s*(?:f?["'`]\$?\{\s*([a-z_$][\w$]*)\s*\}|([a-z_$][\w$]*)\s*[+,)]|new URL\([^,()]{1,80},\s*([a-z_$][\w$]*)\s*\))"#,
    )
});

/// The requests of a file to hosts that are somebody's, also by the name of a base address.
pub(super) fn requests(document: &Document) -> Vec<Request<'_>> {
    let text = document.text.as_str();
    let found = ADDRESS.captures_iter(text).take(MAX_CALLS).filter_map(|found| {
        let (whole, host) = (found.get(0)?, found.get(1)?);
        request(text, host.as_str(), whole.start())
    });
    let mut found: Vec<Request<'_>> = found.collect();
    let bases: BTreeMap<&str, &str> = BASE
        .captures_iter(text)
        .take(MAX_CALLS)
        .filter_map(|base| Some((base.get(1)?.as_str(), base.get(2)?.as_str())))
        .collect();
    if !bases.is_empty() {
        let based = BASED.captures_iter(text).take(MAX_CALLS).filter_map(|based| {
            let name = based.get(1).or(based.get(2)).or(based.get(3))?;
            request(text, bases.get(name.as_str())?, based.get(0)?.start() + 1)
        });
        found.extend(based);
        found.sort_by_key(|request| request.offset);
    }
    found
}

/// The request whose arguments begin at an offset; none where no call that asks a server stands before it.
fn request<'a>(text: &'a str, host: &str, start: usize) -> Option<Request<'a>> {
    // A few letters back are enough for a name and its bracket, and keep the reading linear.
    let before = text.get(text.floor_char_boundary(start.saturating_sub(40))..start)?;
    let opens = before.trim_end().strip_suffix('(')?;
    let name = opens.rsplit(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next()?;
    let is_request = ["fetch", "post", "put", "patch", "request", "send", "urlopen", "sendBeacon"].contains(&name);
    let host = host.trim_end_matches(['.', '-']).to_ascii_lowercase();
    if !is_request || hosts::is_nobodys(&host) {
        return None;
    }
    let arguments = arguments_from(text, start);
    // Many libraries name the method or the body in an options object.
    let gives = ["post", "put", "patch", "sendBeacon"].contains(&name) || GIVES.is_match(arguments);
    Some(Request { host, offset: start, text: arguments, gives })
}

/// Everything from an offset to the bracket that closes the call around it.
fn arguments_from(text: &str, offset: usize) -> &str {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_gives_is_told_from_one_that_asks() {
        let text = "fetch('https://a.test/x');\nfetch('https://b.test/x', {method: 'POST', body: x});\nfetch('https://a.example.com/');\n";
        let document = Document::read("a.js", text.as_bytes(), &mut Vec::new());
        let found: Vec<(String, bool)> =
            requests(&document).into_iter().map(|request| (request.host, request.gives)).collect();
        assert_eq!(found, [("a.test".to_owned(), false), ("b.test".to_owned(), true)]);
    }

    #[test]
    fn a_base_address_in_a_name_is_read() {
        let text = "const BASE = 'https://b.test';\nfetch(`${BASE}/in`, {method: 'POST', body: x});\nfetch(BASE + '/x');\nfetch(new URL('/y', BASE));\nlog(`${BASE}`);\n";
        let document = Document::read("a.js", text.as_bytes(), &mut Vec::new());
        let gives: Vec<bool> = requests(&document).into_iter().map(|request| request.gives).collect();
        assert_eq!(gives, [true, false, false]);
    }
}
