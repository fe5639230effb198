//! fenced-secret-sent: the commands of a text read secrets into a variable and send it, in whichever of its fences.
//!
//! A text breaks its commands into steps, and an agent runs them in one shell. So all fences are read as one program, line by
//! line: a loop over stores of secrets, an assignment of what is read there, and whatever is put together from it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::destinations::{Destination, Destinations};
use super::shell_events::weighed_at;
use crate::FactSink;
use crate::questions;
use capdex_evidence::document::Document;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;
use capdex_evidence::zones::ZoneKind;
use capdex_model::fact::{Confidence, Severity};

/// Paths at which secrets of the user lie.
static STORES: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i-u)(?:~|HOME\}?)/\.(?:ssh/(?:id_|\*|\s|$)|ssh\b/?[\x22'\s]|aws\b|netrc|npmrc|pypirc|kube\b|docker/config|gnupg|git-credentials|config/(?:gh|gcloud))|/etc/shadow|(?:^|[\s/\x22'])\.env\b",
    )
});

/// A line that takes the contents of files.
static TAKES: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(r"(?i-u)\b(?:cat|base64|head|tail|xxd|openssl|gzip|tar|jq|sed|awk)\s|\$\(<")
});

static LOOP: LazyLock<Regex> = LazyLock::new(|| capdex_evidence::expression::of(r"^\s*for\s+(\w+)\s+in\s+[^;\n]+"));

static ASSIGNMENT: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(r"^\s*(?:(?:export|local|readonly|declare)\s+)?([A-Za-z_]\w*)\+?=")
});

static SENDER: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i)\bcurl\b.*\s(?:-d|--data(?:-\w+)?|-F|--form|-T|--upload-file)[\s=]|\bwget\b.*--post-(?:data|file)|\b(?:nc|ncat|netcat)\s|\bsend_?e?mail\b",
    )
});

static RECEIVER: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i)https?://[^\s\x22'`]+|\b(?:nc|ncat|netcat)\s+(?:-\w+\s+(?:\d+\s+)?)*([a-z0-9-]+(?:\.[a-z0-9-]+)+)\s+\d|\b[\w.-]+@([a-z0-9-]+(?:\.[a-z0-9-]+)+)",
    )
});

/// The most lines of fences that are followed.
const MOST: usize = 2_000;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let mut own = None;
    for document in subject.documents().filter(|document| document.voice == Voice::Agent) {
        if questions::FLOWS_CARRIED.all_in(document, 1).is_empty() || !STORES.is_match(&document.text) {
            continue;
        }
        let own = own.get_or_insert_with(|| Destinations::of(subject));
        let Some((at, line)) = sent(document, own) else { continue };
        let severity = weighed_at(document, at..at + 1, Severity::High);
        facts.found_as(severity, Confidence::Medium, document.place(at), line.trim());
    }
}

/// The command that sends a secret to somebody whom nothing accounts for, with its place.
fn sent(document: &Document, own: &Destinations) -> Option<(usize, String)> {
    let mut secret = BTreeSet::new();
    for (at, line) in commands(document).into_iter().take(MOST) {
        let carries = mentions(&line, &secret);
        if let Some(name) = LOOP.captures(&line).and_then(|found| found.get(1)) {
            if STORES.is_match(&line) || carries {
                secret.insert(name.as_str().to_owned());
            }
            continue;
        }
        if carries && SENDER.is_match(&line) && is_foreign(&line, own) {
            return Some((at, line));
        }
        if let Some(name) = ASSIGNMENT.captures(&line).and_then(|found| found.get(1))
            && (carries || (STORES.is_match(&line) && TAKES.is_match(&line)))
        {
            secret.insert(name.as_str().to_owned());
        }
    }
    None
}

/// The commands in a document's fences, continued lines as one.
fn commands(document: &Document) -> Vec<(usize, String)> {
    let mut commands: Vec<(usize, String)> = Vec::new();
    let mut at = 0;
    let mut is_continued = false;
    for line in document.text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if document.zone_at(start) != ZoneKind::CodeBlock {
            is_continued = false;
            continue;
        }
        let text = line.trim_end();
        let said = text.strip_suffix('\\').unwrap_or(text);
        match commands.last_mut().filter(|_| is_continued) {
            Some((_, command)) => {
                command.push(' ');
                command.push_str(said.trim_start());
            }
            None => commands.push((start + line.len() - line.trim_start().len(), said.to_owned())),
        }
        is_continued = text.ends_with('\\');
    }
    commands
}

/// True where a line uses one of some variables.
fn mentions(line: &str, names: &BTreeSet<String>) -> bool {
    line.split('$').skip(1).any(|rest| {
        let rest = rest.trim_start_matches('{');
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        rest.get(..end).is_some_and(|name| names.contains(name))
    })
}

/// True where a command names a host of somebody's whom nothing accounts for.
fn is_foreign(line: &str, own: &Destinations) -> bool {
    RECEIVER.captures_iter(line).any(|found| {
        let host = found.get(1).or_else(|| found.get(2)).map(|host| format!("https://{}", host.as_str()));
        let address = host.unwrap_or_else(|| found.get(0).map_or(String::new(), |whole| whole.as_str().to_owned()));
        own.judge(&address).is_some_and(Destination::is_foreign)
    })
}
