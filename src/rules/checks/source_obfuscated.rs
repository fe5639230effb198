//! source-obfuscated: source is written so that nobody can read it.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::source_calls::{source_files, weighed};
use crate::FactSink;
use capdex_evidence::code::{Argument, Call};
use capdex_evidence::language::Language;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for file in source_files(subject) {
        for call in file.view.calls.iter().filter(|call| hides_name(call)) {
            let (severity, confidence) = weighed(&file, Severity::High, Confidence::High);
            facts.found_as(severity, confidence, call.place.clone(), &call.text);
        }
    }
    for document in subject.documents() {
        // By the ending as well: a file that was read as plain text may still be loaded as a script.
        let script =
            matches!(document.language, Language::JavaScript | Language::TypeScript) || is_script(&document.path);
        if !script {
            continue;
        }
        let mut found = NUMBERED.find_iter(document.text.as_bytes());
        let Some(first) = found.next() else { continue };
        // Counted no further than it can matter: such files are megabytes of these names.
        let count = 1 + found.take(MANY).count();
        // A few hexadecimal names stand in honest code that was minified or disassembled.
        if count < FEW {
            continue;
        }
        let (severity, confidence) =
            if count >= MANY { (Severity::High, Confidence::High) } else { (Severity::High, Confidence::Medium) };
        let text = document.text.get(first.start()..).unwrap_or_default();
        facts.found_as(severity, confidence, document.place(first.start()), text);
    }
}

/// True where the name of a function that starts programs or runs text is written in pieces.
fn hides_name(call: &Call) -> bool {
    let [Argument::Literal(name)] = call.arguments.as_slice() else { return false };
    // The view of the source names a call so where a name was put together from literals.
    call.callee == "hidden-name"
        && matches!(
            name.trim_start_matches("node:"),
            "child_process"
                | "eval"
                | "exec"
                | "execSync"
                | "spawn"
                | "Function"
                | "subprocess"
                | "system"
                | "popen"
                | "Popen"
                | "marshal"
                | "os"
                | "builtins"
                | "__import__"
                | "socket"
                | "ctypes"
        )
}

/// The least numbered names that make a file obfuscated, and the least plain names that make it plain.
const FEW: usize = 12;
const MANY: usize = 200;

static NUMBERED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?-u)\b_0x[0-9a-f]{4,6}\b").expect("the pattern is fixed and valid"));

fn is_script(path: &str) -> bool {
    [".js", ".mjs", ".cjs", ".ts", ".jsx", ".tsx"].iter().any(|end| path.ends_with(end))
}
