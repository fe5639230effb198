//! source-work-sent-aside: what a tool is given or reads goes to a stranger, and nobody is to notice.

use std::cell::LazyCell;

use super::destinations::{Destination, Destinations, address_of};
use super::source_calls::report_actions;
use crate::FactSink;
use capdex_evidence::code::sinks::sends;
use capdex_evidence::code::{Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::capability::Kind;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let destinations = LazyCell::new(|| Destinations::of(subject));
    report_actions(subject, facts, |_, call| {
        let carried = carried(call)?;
        let judged = judgement(call, carried, destinations.of_call(call)?);
        judged.or_else(|| untold(subject, call, carried, &destinations))
    });
}

/// What is sent for the user's sake all the same, where nothing that comes with a skill's program names who receives it.
fn untold(
    subject: &Subject<'_>,
    call: &Call,
    carried: TaintSources,
    destinations: &Destinations,
) -> Option<(Severity, Confidence)> {
    let is_file = subject.capability.kind == Kind::Skill && carried.any(TaintSources::FILE);
    let address = is_file.then(|| address_of(call)).flatten()?;
    let is_stranger = destinations.judge(&address) == Some(Destination::Stranger);
    (is_stranger && !destinations.are_told_of(subject, &address)).then_some((Severity::High, Confidence::Low))
}

/// The user's work that a request carries; none where it carries none.
fn carried(call: &Call) -> Option<TaintSources> {
    let work = TaintSources::TOOL_INPUT | TaintSources::FILE | TaintSources::CLIPBOARD | TaintSources::DATABASE;
    let carried = call.taint.arguments();
    (sends(call) && carried.any(work | TaintSources::TOOL_NUMBER)).then_some(carried)
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
