//! Harm: orders that destroy what is the user's, open what protects it, give it away, or plant what serves somebody else.
//!
//! Honest instructions have each of these verbs too. What they lack is that it happens unasked: on every task, or out of
//! sight.

use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::super::destinations::Destinations;
use super::sent::{Receiver, receiver};
use super::{SILENT, STANDING, around, documents, passages};

/// What an order does, and to what.
struct Harm {
    /// The deed, its verb and object in one clause.
    deed: LazyLock<Regex>,
    /// Where the deed must name an address of a stranger's: the words without which it is an ordinary one all the same.
    to_stranger: Option<LazyLock<Regex>>,
}

macro_rules! pattern {
    ($($part:expr),+ $(,)?) => {
        LazyLock::new(|| Regex::new(concat!($($part),+)).expect("the pattern is fixed and valid"))
    };
}

static DESTROYS: Harm = Harm {
    deed: pattern!(
        r"(?i)\b(?:delete|remove|erase|wipe|overwrite|drop|truncate|encrypt|corrupt|shred|purge|destroy|rm\s+-rf)\b[^.\n]{0,60}\b(?:backups?|databases?|production|home\s+director(?:y|ies)|user.s?\s+(?:files|documents|data)|all\s+(?:\w+\s+){0,2}(?:files|documents|data|records|emails|branches|tables|photos|commits)|entire\s+\w+|git\s+history|(?:audit|system|access)\s+logs?|original\s+(?:files?|documents?|data))\b",
        r"|\brm\s+-rf\s+(?:~|/|\$HOME)",
    ),
    to_stranger: None,
};

static OPENS: Harm = Harm {
    deed: pattern!(
        r"(?i)\b(?:disable|turn\s+off|skip|bypass|switch\s+off|deactivate|suppress|comment\s+out|exempt|remove)\b[^.\n]{0,40}\b(?:authenticat\w+|authori[sz]ation|two-?factor|2fa|mfa|audit\s+log\w*|access\s+controls?|encryption|tls|ssl|certificate\s+(?:verification|validation|checks?)|signature\s+(?:verification|checks?)|firewalls?|anti-?virus|sandbox\w*|permission\s+checks?|security\s+(?:checks?|scans?|headers?|controls?|polic\w+|warnings?|validations?)|branch\s+protection|approval\s+(?:steps?|gates?|checks?)|csrf|rate\s+limit\w*)\b",
    ),
    to_stranger: None,
};

static GRANTS: Harm = Harm {
    deed: pattern!(
        r"(?i)\b(?:add|create|invite|grant|share|give|assign|register|enroll)\b[^.\n]{0,80}\b(?:admin\w*|owners?|root|sudo\w*|collaborators?|maintainers?|editors?|(?:write|full|read)\s+access|authorized_keys|ssh\s+key|deploy\s+key|service\s+account|super-?user)\b",
        r"|\b(?:make|set)\b[^.\n]{0,60}\b(?:public(?:ly)?|world-(?:readable|writable)|accessible\s+to\s+(?:any|every)one|777)\b",
    ),
    to_stranger: None,
};

static EXPOSES: Harm = Harm {
    deed: pattern!(
        r"(?i)\b(?:include|embed|hard-?code|commit|paste|write|append|print|insert|attach|put|add|save|store|copy|dump|encode|hide)\b[^.\n]{0,60}\b(?:passwords?|secrets?|tokens?|credentials?|api[ _-]?keys?|private\s+keys?|environment\s+variables?|\.env)\b[^.\n]{0,50}\b(?:in(?:to)?|to|as|inside|within)\b[^.\n]{0,40}\b(?:reports?|outputs?|commits?|readme|repositor\w+|comments?|logs?|file\s*names?|documents?|e-?mails?|messages?|responses?|metadata|headers?|footers?|urls?|issues?|pull\s+requests?|images?|spreadsheets?|slides?)\b",
    ),
    to_stranger: None,
};

static PLANTS: Harm = Harm {
    deed: pattern!(
        r"(?i)\b(?:include|insert|append|add|embed|place|put|mention|recommend|promote|link|redirect|replace|use)\b[^\n]{0,120}https?://",
    ),
    to_stranger: Some(pattern!(
        r"(?i)\b(?:(?:every|each|all|any)\s+(?:\w+\s+){0,2}(?:documents?|files?|responses?|answers?|messages?|e-?mails?|outputs?|pages?|reports?|slides?|presentations?|commits?|posts?|images?|links?|urls?)|instead\s+of|regardless)\b"
    )),
};

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
    for document in documents(subject, &harm.deed) {
        let passages = passages(document);
        for (at, passage) in passages.iter().enumerate() {
            let said = document.text.get(passage.bytes.clone()).unwrap_or_default();
            let Some(deed) = harm.deed.find(said) else { continue };
            if is_forbidden(said, deed.start()) || !passage.binds() || passage.is_aside() || passage.is_mention() {
                continue;
            }
            let unasked = STANDING.is_match(said);
            let silent = SILENT.is_match(around(&passages, at, 1));
            if let Some(words) = &harm.to_stranger {
                let own = own.get_or_insert_with(|| Destinations::of(subject));
                if !words.is_match(said) || !names_stranger(subject, own, said) {
                    continue;
                }
            }
            let severity = match (unasked, silent) {
                (_, true) => Severity::High,
                (true, false) if harm.to_stranger.is_some() => Severity::High,
                (true, false) => Severity::Medium,
                (false, false) => continue,
            };
            facts.found_as(severity, Confidence::Medium, document.place(passage.bytes.start), said);
            break;
        }
    }
}

/// True where a word of forbidding stands before a deed in its clause.
fn is_forbidden(said: &str, deed: usize) -> bool {
    static FORBIDS: LazyLock<Regex> =
        pattern!(r"(?i)\b(?:not|never|don.t|avoid|without|cannot|can.t|no|nor|unless|refuse)\b[^,;:]{0,40}$");
    said.get(..deed).is_some_and(|before| FORBIDS.is_match(before))
}

fn names_stranger(subject: &Subject<'_>, own: &Destinations, said: &str) -> bool {
    super::sent::ADDRESS
        .find(said)
        .is_some_and(|found| receiver(subject, own, found.as_str()) == Some(Receiver::Stranger))
}
