//! shell-history-wipe: the record of what was done is deleted or switched off.

use crate::FactSink;
use capdex_evidence::shell::ShellAction;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::shell_events::{events, weighed, written};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for (document, event) in events(subject) {
        let severity = match event.action {
            // Scripts that handle passwords switch a shell's history off for honest reasons.
            ShellAction::WipesHistory => Severity::Medium,
            // The machine's own record is kept against those who would rather it was not there.
            ShellAction::WipesRecord => Severity::High,
            _ => continue,
        };
        let severity = weighed(document, event, severity);
        facts.found_as(severity, Confidence::Medium, document.place(event.start), written(document, event));
    }
}
