//! shell-history-wipe: the record of what was run is deleted or switched off.

use crate::FactSink;
use capdex_evidence::shell::ShellAction;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::shell_events::{events, weighed, written};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for (document, event) in events(subject).filter(|(_, event)| event.action == ShellAction::WipesHistory) {
        // Medium at most: scripts that handle passwords switch the history off for honest reasons.
        let severity = weighed(document, event, Severity::Medium);
        facts.found_as(severity, Confidence::Medium, document.place(event.start), written(document, event));
    }
}
