//! source-host-fingerprint-sent: what identifies the machine and its user is sent away.

use super::source_calls::report_actions;
use crate::FactSink;
use capdex_evidence::code::sinks::{carried_out, text_of};
use capdex_evidence::code::{Argument, Call, TaintSources};
use capdex_evidence::signals::install_scripts;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let scripts: Vec<String> = install_scripts(subject).into_iter().flat_map(|script| script.files).collect();
    let installs = |path: &str| path.ends_with("setup.py") || scripts.iter().any(|script| script == path);
    report_actions(subject, facts, |file, call| judgement(call, installs(file.path)));
}

/// One name alone is what telemetry sends; two tell who it is, as does one that is sent by being installed. A name that is looked up tells it to whoever owns the zone.
fn judgement(call: &Call, installs: bool) -> Option<(Severity, Confidence)> {
    let carried = carried_out(call)?;
    let names = carried.count(TaintSources::HOST_NAME | TaintSources::USER_NAME | TaintSources::HOST_NETWORK);
    // Whoever answers for the zone reads the name, and no firewall stops the question.
    let asks_zone = call.callee.starts_with("dns.") && carried.any(TaintSources::COMPOSED);
    match names {
        0 => None,
        1 if !asks_zone && !installs => None,
        // Whoever runs the program chooses the host, as where a device is signed in.
        _ if !installs && has_chosen_host(call) => Some((Severity::Medium, Confidence::Medium)),
        _ => Some((Severity::High, Confidence::High)),
    }
}

/// True where an address is put together and begins with what is not told here.
fn has_chosen_host(call: &Call) -> bool {
    call.arguments.iter().take(2).any(|argument| {
        matches!(argument, Argument::Composed(_)) && text_of(argument).is_some_and(|text| text.starts_with("{}/"))
    })
}
