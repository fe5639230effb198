//! shell-login-key: a key of somebody else's is added to those that may log in.

use crate::FactSink;
use capdex_evidence::shell::ShellAction;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::shell_events::{events, weighed, written};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for (document, event) in events(subject).filter(|(_, event)| event.action == ShellAction::InstallsKey) {
        // Forges publish the keys of their users, which is how people install their own.
        let is_forge = event.addresses.iter().any(|address| {
            ["https://github.com/", "https://gitlab.com/", "https://launchpad.net/"]
                .iter()
                .any(|forge| address.starts_with(forge))
        });
        let plain = if is_forge { Severity::Medium } else { Severity::High };
        let severity = weighed(document, event, plain);
        facts.found_as(severity, Confidence::High, document.place(event.start), written(document, event));
    }
}
