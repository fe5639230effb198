//! Harm: orders that destroy what is the user's, open what protects it, give it away, or plant what serves somebody else.
//!
//! Honest instructions have most of these verbs too. What they lack is that it happens unasked: on every task, or out of
//! sight. A few deeds no task needs that did not ask for them; these are grave by themselves.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::super::destinations::Destinations;
use super::sent::{Receiver, receiver};
use super::{PLACES, Passage, SILENT, STANDING, around, instructions, orders_at, passages, touched};
use crate::pattern::Question;
use crate::questions;

/// What an order does, and to what.
struct Harm {
    /// The deed that counts where it is done unasked, its verb and object in one clause; none where only a grave one does.
    unasked: Option<&'static Question>,
    /// The words without which the deed is an ordinary one all the same, where there are any.
    words: Option<LazyLock<Regex>>,
    /// True where the deed counts with an address of a stranger's alone.
    to_stranger: bool,
    /// Deeds that are grave however often they are done, each beginning with its verb; none where there are none.
    grave: Option<&'static Question>,
}

impl Harm {
    /// Deeds that need no other words and no address.
    const fn of(unasked: Option<&'static Question>, grave: Option<&'static Question>) -> Self {
        Self { unasked, words: None, to_stranger: false, grave }
    }

    fn deeds(&self) -> impl Iterator<Item = &'static Question> {
        self.unasked.into_iter().chain(self.grave)
    }
}

static DESTROYS: Harm = Harm::of(Some(&questions::HARM_DESTROYS_UNASKED), Some(&questions::HARM_DESTROYS_GRAVE));

static OPENS: Harm = Harm::of(Some(&questions::HARM_OPENS_UNASKED), Some(&questions::HARM_OPENS_GRAVE));

static GRANTS: Harm = Harm::of(Some(&questions::HARM_GRANTS_UNASKED), Some(&questions::HARM_GRANTS_GRAVE));

static EXPOSES: Harm = Harm::of(Some(&questions::HARM_EXPOSES_UNASKED), Some(&questions::HARM_EXPOSES_GRAVE));

static PLANTS: Harm = Harm {
    unasked: Some(&questions::HARM_PLANTS_UNASKED),
    words: Some(pattern!(
        r"(?i)\b(?:(?:every|each|all|any)\s+(?:\w+\s+){0,2}(?:documents?|files?|responses?|answers?|messages?|e-?mails?|outputs?|pages?|reports?|slides?|presentations?|commits?|posts?|images?|links?|urls?)|instead\s+of|regardless)\b"
    )),
    to_stranger: true,
    grave: None,
};

/// What an agent says, rates or writes is to be bent for somebody.
static STEERS: Harm = Harm::of(None, Some(&questions::HARM_STEERS_GRAVE));

/// Money is to go elsewhere, or to be spent.
static PAYS: Harm = Harm::of(None, Some(&questions::HARM_PAYS_GRAVE));

/// The text, or an advertisement of it, is to get into what is not its own.
static SPREADS: Harm = Harm::of(None, Some(&questions::HARM_SPREADS_GRAVE));

/// The user is to be watched, or a life's worth of data taken.
static WATCHES: Harm = Harm::of(None, Some(&questions::HARM_WATCHES_GRAVE));

/// Something is to start by itself from now on, or in every later session.
static STARTS: Harm = Harm::of(None, Some(&questions::HARM_STARTS_GRAVE));

/// What a stranger's address serves is to be run or obeyed, whatever it will be then.
static FOLLOWS: Harm =
    Harm { unasked: None, words: None, to_stranger: true, grave: Some(&questions::HARM_FOLLOWS_GRAVE) };

pub(in super::super) fn follows(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &FOLLOWS);
}

pub(in super::super) fn steers(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &STEERS);
}

pub(in super::super) fn pays(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &PAYS);
}

pub(in super::super) fn spreads(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &SPREADS);
}

pub(in super::super) fn watches(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &WATCHES);
}

pub(in super::super) fn starts(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &STARTS);
}

pub(in super::super) fn destroys(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &DESTROYS);
}

pub(in super::super) fn opens(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &OPENS);
}

pub(in super::super) fn grants(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &GRANTS);
}

pub(in super::super) fn exposes(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &EXPOSES);
}

pub(in super::super) fn plants(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    find(subject, facts, &PLANTS);
}

fn find(subject: &Subject<'_>, facts: &mut FactSink<'_>, harm: &'static Harm) {
    let mut own = None;
    for document in instructions(subject) {
        let places: Vec<Range<usize>> = harm.deeds().flat_map(|deed| deed.all_in(document, PLACES)).collect();
        if places.is_empty() {
            continue;
        }
        let passages = passages(document);
        for at in touched(&passages, &places) {
            let Some(passage) = passages.get(at) else { continue };
            let said = document.text.get(passage.bytes.clone()).unwrap_or_default();
            let mut is_foreign = || names_stranger(subject, own.get_or_insert_with(|| Destinations::of(subject)), said);
            let is_grave = harm.grave.is_some_and(|grave| is_ordered(grave, passage, said));
            if is_grave && (!harm.to_stranger || is_foreign()) {
                facts.found_as(Severity::High, Confidence::Medium, document.place(passage.bytes.start), said);
                break;
            }
            let Some(deed) = harm.unasked.and_then(|deed| deed.first_in(said)) else { continue };
            let binds = passage.binds() || orders_at(said, deed.start);
            if is_forbidden(said, deed.start) || !binds || passage.is_aside() || passage.is_mention() {
                continue;
            }
            let unasked = STANDING.is_match(said);
            let silent = SILENT.is_match(around(&passages, at, 1));
            let is_meant = harm.words.as_ref().is_none_or(|words| words.is_match(said));
            if !is_meant || (harm.to_stranger && !is_foreign()) {
                continue;
            }
            let severity = match (unasked, silent) {
                (_, true) => Severity::High,
                (true, false) if harm.to_stranger => Severity::High,
                (true, false) => Severity::Medium,
                (false, false) => continue,
            };
            facts.found_as(severity, Confidence::Medium, document.place(passage.bytes.start), said);
            break;
        }
    }
}

/// True where a sentence orders a deed that is grave by itself: its verb stands where an order begins, and nothing leaves
/// it to a person, to a test or to a case.
fn is_ordered(grave: &Question, passage: &Passage<'_>, said: &str) -> bool {
    static LEFT: LazyLock<Regex> = pattern!(
        r"(?i)\b(?:ask(?:ing)?|unless|optional(?:ly)?|confirm\w*|only\s+(?:if|when)|whether|e\.g\.|for\s+example|such\s+as|not\s+recommended|temporar\w+|tests?|testing|staging|local\s+development|dev(?:elopment)?\s+(?:environment|server)|sandbox|temp(?:orary)?|cache|build|fixture|component|debug\w*|attackers?|malicious|example\.com|user\s+(?:asks|wants|requests|asked|requested)\s+(?:for\s+(?:it|this|them|that)|to\b|you\s+to)|when\s+asked|upon\s+request|with\s+(?:their|the\s+user.s)\s+(?:permission|consent|approval))\b"
    );
    static OPEN: LazyLock<Regex> =
        pattern!(r"(?i)\b(?:may|might|could|would|can|consider|avoid|never|if\s+you\s+(?:want|need|wish))\b");
    let Some(deed) = grave.first_in(said) else { return false };
    let before = said.get(..deed.start).unwrap_or_default();
    // The name of a host says nothing about the deed.
    let plain = super::sent::ADDRESS.replace_all(said, "");
    orders_at(said, deed.start)
        && !OPEN.is_match(before)
        && !LEFT.is_match(&plain)
        && !is_forbidden(said, deed.start)
        && !passage.is_aside()
        && !passage.is_mention()
}

/// True where a word of forbidding stands before a deed in its clause.
fn is_forbidden(said: &str, deed: usize) -> bool {
    static FORBIDS: LazyLock<Regex> = pattern!(
        r"(?i)\b(?:not|never|don.t|avoid|without|cannot|can.t|no|nor|unless|refuse)\b(?:[^,;:]{0,40}|:[\s*_]*)$"
    );
    said.get(..deed).is_some_and(|before| FORBIDS.is_match(before))
}

fn names_stranger(subject: &Subject<'_>, own: &Destinations, said: &str) -> bool {
    super::sent::ADDRESS
        .find(said)
        .is_some_and(|found| receiver(subject, own, found.as_str()) == Some(Receiver::Stranger))
}
