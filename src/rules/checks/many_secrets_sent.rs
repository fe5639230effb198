//! many-secrets-sent: one request carries the secrets of several services.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::document::Document;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::language::Language;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;
use capdex_evidence::zones::ZoneKind;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    // Documentation lists every variable that a program may read; nothing there sends them.
    let read = |document: &&Document| {
        !matches!(document.role, FileRole::Docs | FileRole::Lock | FileRole::Binary | FileRole::Instruction)
            && document.language != Language::Markdown
            && (document.voice != Voice::Data || document.role == FileRole::Data)
    };
    for document in subject.documents().filter(read) {
        if let Some((at, names)) = gathered(document) {
            facts.found_as(Severity::High, Confidence::Medium, document.place(at), &names);
        }
    }
}

static REQUESTS: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?-u)\bcurl\s|\bmcp-remote\b|\b(?:requests|httpx|axios)\.(?:get|post|put|request)\(|\bfetch\(|\burlopen\(|\bInvoke-(?:RestMethod|WebRequest)\b",
    )
});

static NAMES: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?-u)\b(AWS|GITHUB|GH|NPM|OPENAI|ANTHROPIC|SLACK|STRIPE|GEMINI|AZURE|HF|PYPI|DOCKER|JIRA|GITLAB|CLOUDFLARE|VERCEL|SENDGRID|TWILIO|LINEAR|NOTION)_(?:\w{0,30}_)?(?:TOKEN|KEY|SECRET|PASSWORD|PAT)\b",
    )
});

/// The longest reach of a request.
const REACH: usize = 600;

/// The place of a request that names the secrets of two services or more, with their names.
fn gathered(document: &Document) -> Option<(usize, String)> {
    let text = document.text.as_str();
    // Bounded, because each request is read to its end again.
    REQUESTS.find_iter(text).take(200).find_map(|request| {
        if document.zone_at(request.start()) == ZoneKind::Comment {
            return None;
        }
        let within = text.get(request.start()..text.floor_char_boundary(request.end() + REACH))?;
        let within = within.get(..end_of(within))?;
        // Only a request whose address is written out shows where the secrets go.
        let away = within.contains("://") && !within.contains("://localhost") && !within.contains("://127.");
        let services: BTreeSet<&str> = NAMES
            .captures_iter(within)
            .filter_map(|found| found.get(1))
            // `GH_TOKEN` and `GITHUB_TOKEN` are one service: two names of it are no collection.
            .map(|service| if service.as_str() == "GH" { "GITHUB" } else { service.as_str() })
            .collect();
        let names = || services.iter().copied().collect::<Vec<_>>().join(", ");
        (away && services.len() > 1).then(|| (request.start(), format!("secrets of {}", names())))
    })
}

/// The end of a request: at its closing bracket, else at the end of a line that goes on no further.
fn end_of(text: &str) -> usize {
    // A call ends at its own bracket, a command line at its line; reading on would add the next statement's names.
    let called = text.split(['\n', ' ']).next().is_some_and(|first| first.contains('('));
    let mut depth = 0_i32;
    let mut before = b' ';
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth -= 1;
                if depth < 0 || (called && depth == 0) {
                    return at;
                }
            }
            b'\n' if !called && depth == 0 && before != b'\\' => return at,
            _ => {}
        }
        before = byte;
    }
    text.len()
}
