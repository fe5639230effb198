//! shell-token-sent: a command sends a variable with a token to a host that did not issue it.

use std::borrow::Cow;
use std::cell::LazyCell;

use crate::FactSink;
use capdex_evidence::shell::ShellAction;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

use super::destinations::{Destination, Destinations, is_at, issuers};
use super::shell_events::{events, weighed, written};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let destinations = LazyCell::new(|| Destinations::of(subject));
    for (document, event) in events(subject) {
        let domains = match event.action {
            // Of a service that is not known it cannot be told which host is its own.
            ShellAction::SendsToken => issuers(&event.secret),
            // No service asks for an encoded variable: whoever encodes it hides what leaves.
            ShellAction::SendsEncoded => Some(issuers(&event.secret).unwrap_or_default()),
            _ => None,
        };
        let Some(domains) = domains else { continue };
        let astray = event.addresses.iter().any(|address| {
            // A name that is looked up has no scheme, and tells whoever answers for it.
            let looked_up = address == "a name server";
            let address = &written_out(address);
            looked_up || (!is_at(address, domains) && destinations.judge(address).is_some_and(Destination::is_foreign))
        });
        if astray {
            let severity = weighed(document, event, Severity::High);
            facts.found_as(severity, Confidence::Medium, document.place(event.start), written(document, event));
        }
    }
}

/// An address as one of the web: a connection is opened to a host, and a file is copied to somebody at one, without a scheme.
fn written_out(address: &str) -> Cow<'_, str> {
    if address.contains("://") {
        return Cow::Borrowed(address);
    }
    let host = address.rsplit('@').next().unwrap_or_default();
    let host = host.trim_start_matches("/dev/tcp/").split([':', '/']).next().unwrap_or_default();
    Cow::Owned(format!("https://{host}"))
}
