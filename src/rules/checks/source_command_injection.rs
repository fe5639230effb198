//! source-command-injection: a shell runs text that was put together at run time.

use super::source_calls::report_calls;
use crate::FactSink;
use capdex_evidence::code::sinks::runs_shell;
use capdex_evidence::code::{Argument, Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report_calls(subject, facts, |_, call| if runs_shell(call) { judgement(call) } else { None });
}

/// Text with holes is plain, and plainer where a tool's caller fills them; a bare name may hold anything, a fixed
/// command included. A tool that is there to run commands hands one on whole.
fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let first = call.arguments.first()?;
    let input = call.taint.first;
    // A check on the way is believed: whether it is a good one cannot be told from here.
    let chosen = input.any(TaintSources::TOOL_INPUT) && !input.any(TaintSources::CHECKED);
    match first {
        // Before the others: such text has holes too, but only for a program's name.
        Argument::Composed(text) if is_fixed_look_up(text) => Some((Severity::Low, Confidence::Low)),
        Argument::Composed(_) if chosen => Some((Severity::High, Confidence::High)),
        // Put together a few lines earlier: the same injection with a variable in between.
        Argument::Name(_) | Argument::Other if chosen && input.any(TaintSources::COMPOSED) => {
            Some((Severity::High, Confidence::Medium))
        }
        Argument::Composed(_) if input.any(foreign()) => Some((Severity::Medium, Confidence::Medium)),
        // Of constants, numbers of processes and names of programs: nobody outside chooses them.
        Argument::Composed(_) => Some((Severity::Low, Confidence::Medium)),
        Argument::Name(_) | Argument::Result(_) if chosen => Some((Severity::Medium, Confidence::Medium)),
        Argument::Name(_) | Argument::Result(_) => Some((Severity::Low, Confidence::Low)),
        _ => None,
    }
}

/// What somebody else chose, checked or not.
fn foreign() -> TaintSources {
    TaintSources::TOOL_INPUT | TaintSources::REQUEST | TaintSources::ANSWER
}

/// Looking a program up by its name, as installers do.
fn is_fixed_look_up(text: &str) -> bool {
    ["which ", "where ", "command -v ", "reg query ", "osascript -e "].iter().any(|start| text.starts_with(start))
}
