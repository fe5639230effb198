//! source-path-composed: a file is opened at a path that a caller chooses.

use super::source_calls::report_calls;
use crate::FactSink;
use capdex_evidence::code::{Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report_calls(subject, facts, |_, call| judgement(call));
}

/// A path that a tool's caller or a request gives, and about which nothing was asked on the way.
fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let method = call.callee.rsplit('.').next().unwrap_or_default();
    // To ask whether a file is there opens none.
    if ["existsSync", "exists", "accessSync", "access", "statSync", "stat", "lstatSync", "lstat"].contains(&method) {
        return None;
    }
    let origins = match call.callee.as_str() {
        callee if callee.starts_with("fs.") || callee.starts_with("fs-extra.") => call.taint.first,
        "open" | "io.open" | "os.remove" | "os.unlink" | "os.rmdir" | "shutil.rmtree" | "shutil.copy"
        | "shutil.move" | "Bun.write" | "Deno.readTextFile" | "Deno.writeTextFile" => call.taint.first,
        // The path is what the method is called on, and no argument.
        callee if callee.ends_with(".read_text") || callee.ends_with(".read_bytes") => call.taint.receiver,
        callee if callee.ends_with(".write_text") || callee.ends_with(".write_bytes") => call.taint.receiver,
        _ => return None,
    };
    if !origins.any(TaintSources::TOOL_INPUT | TaintSources::REQUEST) {
        return None;
    }
    // Asking for a prefix, a pattern or membership on the way counts as a check, whether it is a good one or not.
    let checked = origins.any(TaintSources::CHECKED);
    if checked { None } else { Some((Severity::Medium, Confidence::Medium)) }
}
