//! source-hidden-powershell: PowerShell is started unseen or with an encoded program.

use std::sync::LazyLock;

use regex::Regex;

use super::source_calls::report_actions;
use crate::FactSink;
use capdex_evidence::code::Call;
use capdex_evidence::code::sinks::text_of;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report_actions(subject, facts, |_, call| judgement(call));
}

fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let starts = ["child_process.", "subprocess.", "os.system", "os.popen", "execa", "asyncio.create_subprocess"]
        .iter()
        .any(|start| call.callee.starts_with(start));
    // Program and options may be one argument or many: joined, both look as they are run.
    let mut text = String::new();
    for part in call.arguments.iter().filter_map(text_of) {
        text.push_str(part);
        text.push(' ');
    }
    (starts && HIDDEN.is_match(&text)).then_some((Severity::High, Confidence::High))
}

/// An encoded program as a literal, or a hidden window together with a download.
static HIDDEN: LazyLock<Regex> = LazyLock::new(|| {
    capdex_evidence::expression::of(
        // Options may be cut short as PowerShell allows; forty letters are no option's value.
        r"(?is-u)(?:powershell|pwsh)(?u:.){0,200}?\s-e(?:nc|ncodedcommand|c)?\s+[a-z0-9+/=]{40}|(?:powershell|pwsh)(?u:.){0,200}?\s-w(?:in|indowstyle)?\s+(?:hidden|h\b|1\b)(?u:.){0,300}?(?:\biwr\b|\birm\b|invoke-webrequest|downloadstring|downloadfile|start-bitstransfer|frombase64string)",
    )
});
