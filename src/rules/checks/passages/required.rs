//! foreign-prerequisite: an instruction makes a program from an unrelated host a condition of its work.

use std::cell::LazyCell;
use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::super::destinations::{Destination, Destinations, is_at};
use super::{around, instructions, passages};
use crate::questions;
use crate::vocab;

static FREE: LazyLock<Vec<&str>> = LazyLock::new(|| vocab::entries(vocab::FREE_HOSTING));

static ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| capdex_evidence::expression::of(r#"(?i)\bhttps?://[^\s)"'<>`\]|]+"#));

static GETS: LazyLock<Regex> =
    LazyLock::new(|| capdex_evidence::expression::of(r"(?i)\b(?:download|install|get|obtain|grab|setup|set\s+up)\b"));

pub(in super::super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let own = LazyCell::new(|| Destinations::of(subject));
    for document in instructions(subject).filter(|document| questions::PASSAGES_REQUIRED.may_occur(document)) {
        // Asked first: hardly any text names such a host.
        let mut named = ADDRESS.find_iter(&document.text);
        if !named.any(|address| is_unrelated(&own, address.as_str())) {
            continue;
        }
        let passages = passages(document);
        for (at, passage) in passages.iter().enumerate() {
            let said = document.text.get(passage.bytes.clone()).unwrap_or_default();
            let Some(address) = ADDRESS.find(said) else { continue };
            if !GETS.is_match(said) || questions::PASSAGES_REQUIRED.first_in(around(&passages, at, 2)).is_none() {
                continue;
            }
            if is_unrelated(&own, address.as_str()) && !passage.is_mention() {
                facts.found_as(Severity::High, Confidence::Medium, document.place(passage.bytes.start), said);
                break;
            }
        }
    }
}

/// True for a host that anybody may publish at, and that nothing of the capability accounts for.
fn is_unrelated(own: &Destinations, address: &str) -> bool {
    match own.judge(address) {
        Some(Destination::Throwaway) => true,
        Some(Destination::Stranger) => is_at(address, &FREE),
        _ => false,
    }
}
