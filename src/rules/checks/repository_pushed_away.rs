//! repository-pushed-away: a command pushes the user's repository to a stranger's host.

use std::cell::LazyCell;

use crate::FactSink;
use capdex_evidence::shell::ShellAction;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::destinations::{Destination, Destinations, is_published};
use super::shell_events::{events, weighed, written};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let destinations = LazyCell::new(|| Destinations::of(subject));
    for (document, event) in events(subject).filter(|(_, event)| event.action == ShellAction::PushesRepository) {
        let Some(address) = event.addresses.first().map(|address| as_address(address)) else { continue };
        // An account at a forge is the user's as often as a stranger's.
        if is_published(&address) || is_filled_in(&address) {
            continue;
        }
        let severity = match destinations.judge(&address) {
            Some(Destination::Stranger | Destination::Throwaway) => Severity::High,
            _ => continue,
        };
        let severity = weighed(document, event, severity);
        facts.found_as(severity, Confidence::Medium, document.place(event.start), written(document, event));
    }
}

/// `git@host:path` as an address.
fn as_address(written: &str) -> String {
    match written.strip_prefix("git@").and_then(|rest| rest.split_once(':')) {
        Some((host, path)) => format!("https://{host}/{path}"),
        None => written.replacen("ssh://", "https://", 1),
    }
}

/// True for a name that documents use for any host, and for one that comes from outside the text.
fn is_filled_in(address: &str) -> bool {
    let host = address.split_once("://").map_or(address, |(_, rest)| rest);
    let host = host.split('/').next().unwrap_or_default();
    host.contains(['$', '<', '{']) || ["example.", "your", "heroku."].iter().any(|word| host.contains(word))
}
