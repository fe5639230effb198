//! foreign-prerequisite: an instruction makes a program from an unrelated host a condition of its work.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::document::Document;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::super::destinations::{Destination, Destinations, folded, is_at, is_known_service, is_published, sites};
use super::{PLACES, Passage, instructions, passages, touched};
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
    for document in instructions(subject) {
        let places = questions::PASSAGES_REQUIRED.all_in(document, PLACES);
        // Asked first: hardly any text that demands a program names an address beside it.
        if !places.iter().any(|place| names_address(&document.text, place)) {
            continue;
        }
        let passages = passages(document);
        let near: BTreeSet<usize> =
            touched(&passages, &places).into_iter().flat_map(|at| at.saturating_sub(2)..at + 3).collect();
        let uses = LazyCell::new(|| Uses::of(subject, document));
        let mut asked = 0;
        for at in near {
            let Some(passage) = passages.get(at) else { break };
            let said = document.text.get(passage.bytes.clone()).unwrap_or_default();
            let Some(address) = ADDRESS.find(said).map(|found| found.as_str()).filter(|_| GETS.is_match(said)) else {
                continue;
            };
            let mut is_unused = || {
                asked += 1;
                asked <= MOST && is_strange(&own, address) && !uses.has(&passages, at, address)
            };
            let is_meant = is_unrelated(&own, address) || is_unused();
            if is_meant && !passage.is_mention() {
                facts.found_as(Severity::High, Confidence::Medium, document.place(passage.bytes.start), said);
                break;
            }
        }
    }
}

/// True where an address stands within some sentences of a place.
fn names_address(text: &str, place: &Range<usize>) -> bool {
    const REACH: usize = 2_000;
    let low = text.floor_char_boundary(place.start.saturating_sub(REACH));
    let high = text.floor_char_boundary(place.end + REACH);
    text.get(low..high).is_some_and(|near| near.contains("://"))
}

/// True for a host that anybody may publish at, and that nothing of the capability accounts for.
fn is_unrelated(own: &Destinations, address: &str) -> bool {
    match own.judge(address) {
        Some(Destination::Throwaway) => true,
        Some(Destination::Stranger) => is_at(address, &FREE),
        _ => false,
    }
}

/// True for a host of somebody's of whom nobody knows that he publishes programs.
fn is_strange(own: &Destinations, address: &str) -> bool {
    own.judge(address) == Some(Destination::Stranger)
        && !is_published(address)
        && !is_at(address, &INSTALLERS)
        && !is_known_service(address)
}

/// The most addresses of one text of which it is asked whether their program is used.
const MOST: usize = 200;

/// The texts of a skill in small letters and figures alone, in which its programs are looked for.
struct Uses<'d> {
    document: &'d Document,
    /// Those of the document at hand without its addresses, then those of all others.
    folded: String,
}

impl<'d> Uses<'d> {
    fn of(subject: &Subject<'_>, document: &'d Document) -> Self {
        let others = subject.documents().filter(|other| other.path != document.path).map(|other| folded(&other.text));
        let mut all = vec![without_addresses(&document.text)];
        all.extend(others);
        Self { document, folded: all.join("\n") }
    }

    /// False where a program that is called like its host is named where it is demanded, and nowhere else in the skill: what a skill
    /// needs, it uses.
    fn has(&self, passages: &[Passage<'_>], at: usize, address: &str) -> bool {
        /// Shorter names stand in other words by chance.
        const ENOUGH: usize = 5;
        let Some(site) = sites(address).next() else { return true };
        let label = folded(site.split('.').next().unwrap_or_default());
        let near = passages.get(at.saturating_sub(2)..(at + 3).min(passages.len())).unwrap_or_default();
        let (Some(first), Some(last)) = (near.first(), near.last()) else { return true };
        let near = self.document.text.get(first.bytes.start..last.bytes.end).map(without_addresses).unwrap_or_default();
        let times = |text: &str| text.matches(&label).count();
        label.len() < ENOUGH || times(&near) == 0 || times(&self.folded) > times(&near)
    }
}

fn without_addresses(text: &str) -> String {
    folded(&ADDRESS.replace_all(text, " "))
}
