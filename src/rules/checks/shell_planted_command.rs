//! shell-planted-command: a script writes a command or an order to where it runs or is obeyed later.

use super::shell_events::{events, weighed, written};
use crate::FactSink;
use capdex_evidence::shell::ShellAction;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for (document, event) in events(subject).filter(|(_, event)| event.action == ShellAction::Plants) {
        // Never critical: honest installers add lines to start files as well.
        let severity = weighed(document, event, Severity::High);
        facts.found_as(severity, Confidence::Medium, document.place(event.start), written(document, event));
    }
}
