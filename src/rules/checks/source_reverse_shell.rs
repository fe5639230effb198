//! source-reverse-shell: a connection is joined to a shell.

use super::source_calls::report_actions;
use crate::FactSink;
use capdex_evidence::code::sinks::{runs_shell, text_of};
use capdex_evidence::code::{Argument, Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report_actions(subject, facts, |_, call| judgement(call));
}

fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let joined = TaintSources::CONNECTION;
    let found = match call.callee.as_str() {
        // A program that is started afterwards reads and writes the connection instead of a terminal.
        "os.dup2" => call.taint.first.any(joined),
        "connection.pipe" => call.taint.all().any(TaintSources::PROCESS),
        callee if callee.starts_with("subprocess.") || callee.starts_with("child_process.spawn") => {
            let shell = call.arguments.first().and_then(text_of).is_some_and(is_shell);
            // A server that hands a connection to a program of its own is ordinary; handing it to a shell is not.
            (shell && call.taint.rest.any(joined)) || (runs_shell(call) && is_remote_command(call))
        }
        "os.system" | "os.popen" | "child_process.exec" | "child_process.execSync" => is_remote_command(call),
        _ => false,
    };
    found.then_some((Severity::Critical, Confidence::High))
}

/// True where the whole command came out of a bare connection. Answers of a web client are
/// `source-download-and-execute`.
fn is_remote_command(call: &Call) -> bool {
    let whole = matches!(call.arguments.first(), Some(Argument::Name(_) | Argument::Result(_) | Argument::Other));
    whole && call.taint.first.any(TaintSources::ANSWER) && call.taint.first.any(TaintSources::CONNECTION)
}

fn is_shell(text: &str) -> bool {
    let program = text.split_whitespace().next().unwrap_or_default();
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default().trim_end_matches(".exe");
    matches!(name, "sh" | "bash" | "zsh" | "dash" | "cmd" | "powershell" | "pwsh")
}
