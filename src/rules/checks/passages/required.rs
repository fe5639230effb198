//! foreign-prerequisite: an instruction makes a program from an unrelated host a condition of its work.

use std::cell::LazyCell;
use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::document::Document;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::super::destinations::{Destination, Destinations, folded, is_at, is_known_service, is_published, sites};
use super::{Passage, around, instructions, passages};
use crate::questions;
use crate::vocab;

static FREE: LazyLock<Vec<&str>> = LazyLock::new(|| vocab::entries(vocab::FREE_HOSTING));

static INSTALLERS: LazyLock<Vec<&str>> = LazyLock::new(|| vocab::entries(vocab::INSTALLERS));

static ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| capdex_evidence::expression::of(r#"(?i)\bhttps?://[^\s)"'<>`\]|]+"#));

static GETS: LazyLock<Regex> =
    LazyLock::new(|| capdex_evidence::expression::of(r"(?i)\b(?:download|install|get|obtain|grab|setup|set\s+up)\b"));

pub(in super::super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let own = LazyCell::new(|| Destinations::of(subject));
    for document in instructions(subject).filter(|document| questions::PASSAGES_REQUIRED.may_occur(document)) {
        // Asked first: hardly any text names such a host.
        let mut named = ADDRESS.find_iter(&document.text).take(MOST);
        if !named.any(|address| is_unrelated(&own, address.as_str()) || is_strange(&own, address.as_str())) {
            continue;
        }
        let passages = passages(document);
        for (at, passage) in passages.iter().enumerate() {
            let said = document.text.get(passage.bytes.clone()).unwrap_or_default();
            let Some(address) = ADDRESS.find(said) else { continue };
            if !GETS.is_match(said) || questions::PASSAGES_REQUIRED.first_in(around(&passages, at, 2)).is_none() {
                continue;
            }
            let is_meant = is_unrelated(&own, address.as_str())
                || (is_strange(&own, address.as_str())
                    && is_unused(subject, document, &passages, at, address.as_str()));
            if is_meant && !passage.is_mention() {
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

/// The most addresses of one text that are asked about.
const MOST: usize = 200;

/// True for a host of somebody's of whom nobody knows that he publishes programs.
fn is_strange(own: &Destinations, address: &str) -> bool {
    own.judge(address) == Some(Destination::Stranger)
        && !is_published(address)
        && !is_at(address, &INSTALLERS)
        && !is_known_service(address)
}

/// True where a program that is called like its host is named where it is demanded, and nowhere else in the skill: what a
/// skill needs, it uses.
fn is_unused(subject: &Subject<'_>, document: &Document, passages: &[Passage<'_>], at: usize, address: &str) -> bool {
    /// Shorter names stand in other words by chance.
    const ENOUGH: usize = 5;
    let Some(site) = sites(address).next() else { return false };
    let label = folded(site.split('.').next().unwrap_or_default());
    let near = passages.get(at.saturating_sub(2)..(at + 3).min(passages.len())).unwrap_or_default();
    let (Some(first), Some(last)) = (near.first(), near.last()) else { return false };
    let text =
        |from: usize, to: usize| folded(&ADDRESS.replace_all(document.text.get(from..to).unwrap_or_default(), " "));
    let (start, end) = (first.bytes.start, last.bytes.end);
    let names = |text: &str| text.contains(&label);
    label.len() >= ENOUGH
        && names(&text(start, end))
        && !names(&text(0, start))
        && !names(&text(end, document.text.len()))
        && !subject.documents().filter(|other| other.path != document.path).any(|other| names(&folded(&other.text)))
}
