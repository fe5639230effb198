//! source-browser-store-read: the stores of browsers and wallets are read, and something is sent.

use std::sync::LazyLock;

use regex::Regex;

use super::source_calls::{programs, weighed};
use crate::FactSink;
use crate::questions;
use capdex_evidence::code::sinks::carried_out;
use capdex_evidence::document::Document;
use capdex_evidence::expression;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for file in programs(subject) {
        let Some(document) = subject.evidence.documents.get(file.path) else { continue };
        let Some(at) = goes_through_stores(document) else { continue };
        let sends = file.view.calls.iter().any(|call| carried_out(call).is_some());
        // Backup tools and forensics read the stores too, but hand nothing on.
        let plain = if sends { Severity::High } else { Severity::Medium };
        let (severity, confidence) = weighed(&file, plain, Confidence::High);
        let (start, end) = document.line_at(at);
        // Eighty bytes before the place may fall within a letter: the line from the place on is quoted then.
        let evidence = document.text.get(start.max(at.saturating_sub(80))..end).or(document.text.get(at..end));
        facts.found_as(severity, confidence, document.place(at), evidence.unwrap_or_default());
    }
}

/// Folders with profiles of browsers and chat clients.
static PROFILES: LazyLock<Regex> = LazyLock::new(|| {
    expression::of(
        r"(?i-u)google[/\\]+chrome|bravesoftware|microsoft[/\\]+edge|opera software|yandexbrowser|mozilla[/\\]+firefox|vivaldi[/\\]+user|discord(?:canary|ptb)|user data[/\\]+default",
    )
});

/// Words for opening them, and for other data that such programs take along.
static SPOILS: LazyLock<Regex> = LazyLock::new(|| {
    expression::of(
        r"(?i-u)cryptunprotectdata|os_crypt|encrypted_key|nkbihfbeogaeaoehlefnkodbefgpgknn|bfnaelmomeimhlpmgjnjophhpkkoljpa|exodus\.wallet|\bexodus\b|\belectrum\b|discord(?:canary|ptb)|roblosecurity|\\?\[\\w-\]\{24",
    )
});

/// The place where a file goes through stores: all three kinds of words stand in it.
fn goes_through_stores(document: &Document) -> Option<usize> {
    let text = document.text.as_str();
    // Asked first: nearly all programs name none.
    let store = questions::STORES_BROWSERS.all_in(document, 1).pop()?;
    // One kind of word alone stands in browser automation and in password managers.
    (PROFILES.is_match(text) && SPOILS.is_match(text)).then_some(store.start)
}
