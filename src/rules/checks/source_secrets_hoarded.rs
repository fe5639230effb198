//! source-secrets-hoarded: secrets, or what a tool is given, are kept in a file among the temporary ones.

use super::source_calls::report_calls;
use crate::FactSink;
use capdex_evidence::code::sinks::text_of;
use capdex_evidence::code::{Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report_calls(subject, facts, |_, call| judgement(call));
}

/// True where everybody on the machine may read, and nothing is anybody's to clear up.
fn is_shared(path: &str) -> bool {
    ["/tmp/", "/var/tmp/", "/dev/shm/"].iter().any(|folder| path.starts_with(folder))
}

fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let copies = matches!(call.callee.as_str(), "shutil.copy" | "shutil.copy2" | "shutil.copyfile" | "shutil.copytree");
    if copies && call.taint.first.any(TaintSources::SECRET_PATH) {
        let to = call.arguments.get(1).and_then(text_of)?;
        return is_shared(to).then_some((Severity::High, Confidence::Medium));
    }
    let path = call.arguments.first().filter(|_| call.callee == "stored").and_then(text_of)?;
    let shared = is_shared(path);
    let hidden = path.rsplit('/').next().is_some_and(|name| name.starts_with('.'));
    if !shared {
        return None;
    }
    let kept = call.taint.rest;
    if kept.any(TaintSources::SECRET | TaintSources::ENVIRONMENT) {
        return Some((Severity::High, Confidence::Medium));
    }
    (hidden && kept.any(TaintSources::TOOL_INPUT)).then_some((Severity::High, Confidence::Medium))
}
