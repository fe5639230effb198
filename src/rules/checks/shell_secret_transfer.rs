//! shell-secret-transfer: a command line sends files with keys or tokens to another machine.

use crate::FactSink;
use capdex_evidence::shell::ShellAction;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::shell_events::{events, note_cut, weighed, written};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for (document, event) in events(subject).filter(|(_, event)| event.action == ShellAction::SendsSecret) {
        let severity = weighed(document, event, Severity::Critical);
        // The receiver is what a reader must judge, and may stand far from the secret on a long line.
        let to = event.addresses.first().map_or("", String::as_str);
        let evidence = format!("{} to {to}: {}", event.secret, written(document, event));
        facts.found_as(severity, Confidence::High, document.place(event.start), &evidence);
    }
    note_cut(subject, facts);
}
