//! Copies: requests to a new host that carry what a request beside them carries that was there before.
//!
//! Must not parse a language: brackets, quotation marks and names tell. Bounded around each address.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::effect::{Effect, EffectKind};
use super::hosts;
use super::recipients::call_around;
use super::side::{Seen, Side, is_live};
use crate::evidence::document::{Document, FileRole, floor_char_boundary};
use crate::fact::Severity;

static ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?i)["'`](?:https?|wss?)://([a-z0-9][a-z0-9.-]{0,252})"#).expect("the pattern is fixed and valid")
});
static NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[A-Za-z_$][\w$]*").expect("the pattern is fixed and valid"));

/// How far apart the two calls stand, in bytes.
const NEAR: usize = 1500;
/// The longest arguments that are read.
const ARGUMENTS: usize = 1200;

/// Requests to a new host that carry what a request beside them carries that was there before: whoever adds a feature
/// sends something else, whoever mirrors sends the same.
pub(super) fn copies(before: &Side<'_>, seen: &Seen<'_>, after: &Side<'_>) -> Vec<Effect> {
    let mut effects = Vec::new();
    let documents = seen.capability.files.iter().filter_map(|path| after.evidence.documents.get(path));
    for document in documents.filter(|document| document.role == FileRole::Source && is_live(Some(document))) {
        let Some(old) = before.evidence.documents.get(&document.path) else { continue };
        if old.text == document.text {
            continue;
        }
        let sent = requests(document);
        let is_new = |request: &&Request| {
            !hosts::is_harmless(&request.host) && !before.ground.sites.contains_key(&hosts::site_of(&request.host))
        };
        for request in sent.iter().filter(is_new) {
            let twin = calls_near(document, request.offset).into_iter().find(|near| {
                near.text != request.text && old.text.contains(near.text) && shares(near.text, request.text)
            });
            if let Some(twin) = twin {
                let subject = format!("{}:{}", document.path, document.place(request.offset).line);
                let detail = format!("{} gets what {} gets", request.host, twin.name);
                effects.push(Effect::new(EffectKind::CopiedSend, Severity::High, &subject, &detail));
            }
        }
    }
    effects
}

/// A request to a constant address.
struct Request<'a> {
    host: String,
    offset: usize,
    /// Its arguments.
    text: &'a str,
}

/// Another call that sends.
struct Near<'a> {
    name: &'a str,
    text: &'a str,
}

fn requests(document: &Document) -> Vec<Request<'_>> {
    let text = document.text.as_str();
    let found = ADDRESS.captures_iter(text).filter_map(|found| {
        let (whole, host) = (found.get(0)?, found.get(1)?);
        let before = text.get(floor_char_boundary(text, whole.start().saturating_sub(40))..whole.start())?;
        let opens = before.trim_end().strip_suffix('(')?;
        let name = opens.rsplit(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next()?;
        let is_request = ["fetch", "post", "put", "patch", "request", "send", "urlopen", "sendBeacon"].contains(&name);
        let arguments = arguments_from(text, whole.start());
        is_request.then(|| Request { host: host.as_str().to_ascii_lowercase(), offset: whole.start(), text: arguments })
    });
    found.collect()
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
    text.get(offset..floor_char_boundary(text, end)).unwrap_or_default()
}

/// The calls that send and stand near an offset.
fn calls_near(document: &Document, offset: usize) -> Vec<Near<'_>> {
    static CALL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(\w*(?:send|mail|post|fetch|request|publish|submit|deliver|upload|put)\w*)\s*\(")
            .expect("the pattern is fixed and valid")
    });
    let text = document.text.as_str();
    let from = floor_char_boundary(text, offset.saturating_sub(NEAR));
    let to = floor_char_boundary(text, (offset + NEAR).min(text.len()));
    let stretch = text.get(from..to).unwrap_or_default();
    let own = call_around(text, offset);
    let found = CALL.captures_iter(stretch).filter_map(|found| {
        let (whole, name) = (found.get(0)?, found.get(1)?);
        let start = from + whole.end();
        let is_itself = start <= offset && offset <= start + 4 && own.as_deref() == Some(name.as_str());
        let arguments = arguments_from(text, start);
        (!is_itself && !arguments.trim().is_empty()).then(|| Near { name: name.as_str(), text: arguments })
    });
    found.collect()
}

/// Whether two calls are given a name in common that is no word of the library: `message` in `send(message)` and in
/// `fetch(url, {body: JSON.stringify(message)})`.
fn shares(one: &str, other: &str) -> bool {
    const WORDS: [&str; 42] = [
        "body",
        "method",
        "headers",
        "JSON",
        "stringify",
        "POST",
        "GET",
        "PUT",
        "Content",
        "Type",
        "application",
        "json",
        "await",
        "async",
        "const",
        "let",
        "return",
        "new",
        "this",
        "self",
        "true",
        "false",
        "null",
        "None",
        "True",
        "False",
        "data",
        "timeout",
        "signal",
        "url",
        "process",
        "env",
        "Authorization",
        "Bearer",
        "token",
        "apiKey",
        "config",
        "options",
        "undefined",
        "function",
        "client",
        "https",
    ];
    let names = |text: &str| -> BTreeSet<String> {
        let plain = without_literals(text);
        let found = NAME.find_iter(&plain).map(|name| name.as_str().to_owned());
        found.filter(|name| name.len() > 2 && !WORDS.contains(&name.as_str())).collect()
    };
    let (one, other) = (names(one), names(other));
    one.intersection(&other).next().is_some()
}

/// A text without what stands between quotation marks.
fn without_literals(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut open = None;
    for letter in text.chars() {
        match open {
            Some(mark) if mark == letter => open = None,
            Some(_) => {}
            None if matches!(letter, '"' | '\'') => open = Some(letter),
            None => plain.push(letter),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_calls_share_what_is_no_word_of_the_library() {
        assert!(shares("{ body: JSON.stringify(message) }", "message"));
        assert!(!shares("{ method: 'POST', body: JSON.stringify(report) }", "{ body: JSON.stringify(message) }"));
        assert!(!shares("'message'", "message"));
    }
}
