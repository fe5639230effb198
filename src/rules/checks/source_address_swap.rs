//! source-address-swap: payment addresses are looked for and replaced, in the clipboard or in what a page sends.

use std::sync::LazyLock;

use regex::Regex;

use super::source_calls::{programs, weighed};
use crate::FactSink;
use capdex_evidence::expression;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for file in programs(subject) {
        let Some(document) = subject.evidence.documents.get(file.path) else { continue };
        let text = document.text.as_str();
        let Some(first) = COINS.find(text) else { continue };
        // A library for one currency validates its own addresses; three at once are looked for to be replaced.
        let kinds = COINS.find_iter(text).take(50).map(|coin| coin.as_str()).collect::<std::collections::BTreeSet<_>>();
        // Reading or writing alone is what copy buttons do.
        let clipboard =
            READS_CLIPBOARD.is_match(text) && WRITES_CLIPBOARD.is_match(text) && OTHER_ADDRESS.is_match(text);
        let wallet = kinds.len() >= 3 && STANDS_BETWEEN.is_match(text);
        if clipboard || wallet {
            let (severity, confidence) = weighed(&file, Severity::High, Confidence::Medium);
            // Quoted from the first pattern on, which shows whose addresses are looked for.
            let evidence = text.get(first.start()..).unwrap_or_default();
            facts.found_as(severity, confidence, document.place(first.start()), evidence);
        }
    }
}

/// Patterns by which the addresses of currencies are recognised.
static COINS: LazyLock<Regex> = LazyLock::new(|| {
    expression::of(
        r"0x\[[a-fA-F0-9-]{6,12}\]\{40\}|bc1\[|\(bc1\||\[13\]\[|T\[1-9A-HJ|T\[A-Za-z1-9|\[LM3\]\[|bitcoincash:\[|4\[0-9AB\]\[|r\[0-9a-zA-Z\]\{24|ltc1\[",
    )
});

static READS_CLIPBOARD: LazyLock<Regex> = LazyLock::new(|| {
    expression::of(
        r"pyperclip\.paste|clipboard\.paste|\bclip(?:board)?\w*\.(?:read|paste)|readText\(|GetClipboardData|Get-Clipboard|pbpaste|clipboard_get",
    )
});

static WRITES_CLIPBOARD: LazyLock<Regex> = LazyLock::new(|| {
    expression::of(
        r"pyperclip\.copy|clipboard\.copy|\bclip(?:board)?\w*\.(?:write|copy)|writeText\(|SetClipboard|Set-Clipboard|pbcopy|clipboard_append",
    )
});

/// Where the address comes from that takes the place of another: it stands there, is put together, or is fetched.
static OTHER_ADDRESS: LazyLock<Regex> = LazyLock::new(|| {
    expression::of(
        r"(?i)\b0x[0-9a-f]{40}\b|\bbc1[a-z0-9]{25,60}\b|[\x22'`][13LMTDXr4][1-9A-HJ-NP-Za-km-z]{25,95}[\x22'`]|\b(?:copy|write|writeText|SetClipboard\w*)\(\s*[\x22'`][^\x22'`\n]{6,}|https?://|b64decode|\batob\(|base64|fromhex|from_hex|environ|getenv|process\.env|\b(?:my|attacker|own|wallet|replacement|swap|target)\w*(?:address|wallet|addr)?\w*\s*=\s*[\x22'\[{]",
    )
});

/// Interfaces between a page and its wallet or its server.
static STANDS_BETWEEN: LazyLock<Regex> = LazyLock::new(|| {
    expression::of(
        r"ethereum(?:\.|\[.)(?:request|send)\S{0,3}\s*=[^=]|XMLHttpRequest\.prototype\.(?:open|send)\s*=[^=]|(?:window|globalThis)\.fetch\s*=[^=]",
    )
});
