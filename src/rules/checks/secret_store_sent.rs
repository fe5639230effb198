//! secret-store-sent: a skill's program reads where secrets are kept and sends to a host that no text of the skill names.
//!
//! Where a parser follows data, other rules tell what is sent. This one reads any language, so it asks for less than a flow:
//! a store of secrets, a call that sends, and a receiver whom nothing accounts for, in one program. A skill that needs a
//! store names its service, whatever else it says of networks.

use super::destinations::Destinations;
use super::sending_untold::{is_program, is_unnamed, receivers, sending};
use super::shell_events::weighed_at;
use crate::FactSink;
use crate::questions;
use capdex_evidence::code::is_issuer;
use capdex_evidence::document::Document;
use capdex_evidence::subject::Subject;
use capdex_evidence::voice::Voice;
use capdex_evidence::zones::ZoneKind;
use capdex_model::capability::Kind;
use capdex_model::fact::{Confidence, Severity};

/// The most places of one program that are weighed.
const MOST: usize = 40;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if subject.capability.kind != Kind::Skill {
        return;
    }
    let mut own = None;
    for document in subject.documents().filter(|document| is_program(document)) {
        let Some(store) = read_store(document) else { continue };
        if sending(document).is_none() {
            continue;
        }
        let own = own.get_or_insert_with(|| Destinations::of(subject));
        let foreign = receivers(document).find(|to| !gave(to) && is_unnamed(subject, own, to));
        let Some(foreign) = foreign else { continue };
        let severity = weighed_at(document, store..store + 1, Severity::High);
        let line = document.line_of(store).trim();
        facts.found_as(severity, Confidence::Medium, document.place(store), &format!("to {foreign}: {line}"));
    }
}

/// The place in a program that names a store of secrets.
fn read_store(document: &Document) -> Option<usize> {
    let meant = |at: usize| document.zone_at(at) != ZoneKind::Comment && document.voice_at(at) == Voice::Program;
    let mut found = questions::STORES_SECRETS.all_in(document, MOST).into_iter();
    found
        .find(|found| {
            let written = document.text.get((*found).clone()).unwrap_or_default();
            !is_public(written) && !is_searched(document.line_of(found.start)) && meant(found.start)
        })
        .map(|found| found.start)
}

/// True for the files in such a folder that hold no secret.
fn is_public(store: &str) -> bool {
    const PUBLIC: [&str; 5] = ["authorized_keys", "known_hosts", ".ssh/config", ".pub", ".aws/cli"];
    PUBLIC.iter().any(|name| store.contains(name))
}

/// True for a line of a program that looks for such names, or keeps away from them.
fn is_searched(line: &str) -> bool {
    const SIGNS: [&str; 11] =
        ["re.compile", "RegExp", "\\b", "(?:", ".test(", "grep", "exclude", "ignore", "SKIP", "deny", "Deny"];
    SIGNS.iter().any(|sign| line.contains(sign))
}

/// True for the interface of a service that hands out what such a store holds.
fn gave(address: &str) -> bool {
    let is_rented = ["s3", "storage", "blob", "bucket", "execute-api"].iter().any(|part| address.contains(part));
    is_issuer(address) && !is_rented
}
