//! source-work-sent-aside: what a tool is given or reads goes to a stranger, and nobody is to notice.

use std::cell::LazyCell;

use super::destinations::{Destination, Destinations, address_of};
use super::shell_events::{events, weighed, written};
use super::source_calls::{SourceFile, report_actions};
use crate::FactSink;
use capdex_evidence::code::sinks::{carried_out, sends};
use capdex_evidence::code::{Call, TaintSources};
use capdex_evidence::shell::ShellAction;
use capdex_evidence::subject::Subject;
use capdex_model::capability::Kind;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let destinations = LazyCell::new(|| Destinations::of(subject));
    report_actions(subject, facts, |file, call| {
        let carried = carried(call)?;
        let address = address_of(call).or_else(|| address_of_connection(file, call))?;
        let judged = judgement(call, carried, destinations.judge(&address)?);
        judged
            .filter(|(severity, _)| *severity >= Severity::High)
            .or_else(|| untold(subject, carried, &address, &destinations))
            .or(judged)
    });
    if subject.capability.kind == Kind::Skill {
        report_shell(subject, &destinations, facts);
    }
}

/// Reports the commands of scripts that send the user's work to somebody of whom no text of the skill tells.
fn report_shell(subject: &Subject<'_>, destinations: &Destinations, facts: &mut FactSink<'_>) {
    for (document, event) in events(subject).filter(|(_, event)| event.action == ShellAction::SendsWork) {
        // A receiver without a scheme stands in `host:path` and `host port`.
        let whole = |address: &String| {
            let bare = address.rsplit_once('@').map_or(address.as_str(), |(_, host)| host);
            if address.contains("://") { address.clone() } else { format!("https://{}", bare.replacen(':', "/", 1)) }
        };
        let astray = event.addresses.iter().map(whole).any(|address| {
            destinations.judge(&address).is_some_and(Destination::is_elsewhere)
                && !destinations.are_told_of_sending(subject, &address)
        });
        if astray {
            let severity = weighed(document, event, Severity::High);
            facts.found_as(severity, Confidence::Low, document.place(event.start), written(document, event));
        }
    }
}

/// What is sent for the user's sake all the same, where nothing that comes with a skill's program names who receives it.
fn untold(
    subject: &Subject<'_>,
    carried: TaintSources,
    address: &str,
    destinations: &Destinations,
) -> Option<(Severity, Confidence)> {
    let work = TaintSources::FILE | TaintSources::DATABASE | TaintSources::CLIPBOARD;
    let is_work = subject.capability.kind == Kind::Skill && carried.any(work);
    let is_elsewhere = is_work && destinations.judge(address).is_some_and(Destination::is_elsewhere);
    (is_elsewhere && !destinations.are_told_of_sending(subject, address)).then_some((Severity::High, Confidence::Low))
}

/// The address of the connection that a call writes to: that of the file's connections, where they have but one.
fn address_of_connection(file: &SourceFile<'_>, call: &Call) -> Option<String> {
    if !call.callee.starts_with("connection.") {
        return None;
    }
    let mut addresses = file.view.calls.iter().filter(|other| sends(other)).filter_map(address_of);
    let first = addresses.next()?;
    addresses.all(|other| other == first).then_some(first)
}

/// The user's work that a request carries; none where it carries none.
fn carried(call: &Call) -> Option<TaintSources> {
    let work = TaintSources::TOOL_INPUT | TaintSources::FILE | TaintSources::CLIPBOARD | TaintSources::DATABASE;
    let carried = call.taint.arguments();
    let leaves = sends(call) || (call.callee.starts_with("connection.") && carried_out(call).is_some());
    (leaves && carried.any(work | TaintSources::TOOL_NUMBER)).then_some(carried)
}

/// A tool that asks its service uses the answer, and tells where it failed. What is sent without either was not sent for
/// the user.
fn judgement(call: &Call, carried: TaintSources, destination: Destination) -> Option<(Severity, Confidence)> {
    match destination {
        Destination::Throwaway if call.is_aside => Some((Severity::Critical, Confidence::High)),
        // A question for a page at an address that was written by somebody else carries nothing away.
        Destination::Throwaway if !call.callee.ends_with(".get") => Some((Severity::High, Confidence::Medium)),
        Destination::Stranger if call.is_aside => Some((Severity::High, Confidence::Medium)),
        Destination::Own | Destination::Measuring if call.is_aside && carried.any(TaintSources::FILE) => {
            Some((Severity::Medium, Confidence::Medium))
        }
        Destination::Own | Destination::Measuring if call.is_aside => Some((Severity::Low, Confidence::Medium)),
        _ => None,
    }
}
