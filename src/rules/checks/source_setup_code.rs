//! source-setup-code: what a Python package does while it is being installed reaches outside.

use super::source_calls::source_files;
use crate::FactSink;
use capdex_evidence::code::sinks::{evaluates, runs_shell, sends, text_of};
use capdex_evidence::code::{Argument, Call, SourceView, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::capability::Kind;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    // A skill is copied and never built: a file of that name there sets something up, where it builds nothing.
    let builds = |view: &SourceView| {
        let tools = ["setuptools", "distutils", "skbuild", "Cython"];
        view.imports.iter().any(|module| tools.iter().any(|tool| module.starts_with(tool)))
    };
    let is_skill = subject.capability.kind == Kind::Skill;
    let setups = source_files(subject).filter(|file| is_setup(file.path) && (!is_skill || builds(file.view)));
    for file in setups {
        for call in &file.view.calls {
            if let Some((severity, confidence)) = judgement(call) {
                facts.found_as(severity, confidence, call.place.clone(), &call.text);
            }
        }
    }
}

/// `setup.py` at the root, or one folder down as in an archive of the source.
fn is_setup(path: &str) -> bool {
    path == "setup.py" || (path.ends_with("/setup.py") && path.matches('/').count() == 1)
}

/// Fetching prebuilt parts is a habit of honest packages too; telling somebody who installed it is not.
fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let told = TaintSources::HOST_NAME
        | TaintSources::USER_NAME
        | TaintSources::HOST_NETWORK
        | TaintSources::ENVIRONMENT
        | TaintSources::SECRET;
    // A request comes first: it is worse than a command, which may only compile.
    let asks = sends(call) || call.callee.starts_with("connection.");
    if asks {
        let tells = call.taint.arguments().any(told);
        return Some(if tells { (Severity::High, Confidence::High) } else { (Severity::Medium, Confidence::Medium) });
    }
    if runs_shell(call) || call.callee.starts_with("subprocess.") {
        let text = call.arguments.first().and_then(text_of).unwrap_or_default();
        let fetches = ["curl ", "wget ", "powershell", "Invoke-WebRequest", "bitsadmin", "certutil", "mshta"]
            .iter()
            .any(|program| text.contains(program));
        return fetches.then_some((Severity::High, Confidence::High));
    }
    // Many read their version by running a file of their own: only text that is put together counts.
    let opaque = evaluates(call) && matches!(call.arguments.first(), Some(Argument::Composed(_)));
    opaque.then_some((Severity::Medium, Confidence::Low))
}
