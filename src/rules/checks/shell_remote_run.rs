//! shell-remote-run: a command runs or installs what an address names, at the host of a stranger.

use std::cell::LazyCell;

use crate::FactSink;
use capdex_evidence::shell::ShellAction;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::destinations::{Destination, Destinations, is_published};
use super::shell_events::{events, note_cut, weighed, written};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let destinations = LazyCell::new(|| Destinations::of(subject));
    for (document, event) in events(subject).filter(|(_, event)| event.action == ShellAction::RunsRemote) {
        let worst = event.addresses.iter().filter_map(|address| judged(address, &destinations)).max();
        if let Some(severity) = worst {
            let severity = weighed(document, event, severity);
            facts.found_as(severity, Confidence::Medium, document.place(event.start), written(document, event));
        }
    }
    note_cut(subject, facts);
}

fn judged(address: &str, destinations: &Destinations) -> Option<Severity> {
    match destinations.judge(address)? {
        Destination::Throwaway => Some(Severity::High),
        // An account at a forge is a stranger too, but one that others can look at.
        Destination::Stranger if is_published(address) => Some(Severity::Low),
        Destination::Stranger => Some(Severity::High),
        Destination::Own | Destination::Local | Destination::Measuring => None,
    }
}
