//! source-obfuscated: source is written so that nobody can read it.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::source_calls::{source_files, weighed};
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::{Argument, Call};
use capdex_evidence::document::Language;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourceObfuscated;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-obfuscated"
version = 2
title = "The source is obfuscated"
why = "Minified code is short; obfuscated code hides its strings behind numbered look-ups. Nothing that an agent loads needs that."
fix = "Publish readable source."
cannot_see = "Obfuscators with other habits; code that is only minified."
severity = "high"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["CWE-506", "owasp-mcp:MCP04"]
[[examples.fires]]
note = "Numbered names."
[examples.fires.files]
"index.js" = 'var _0x1a2b=["log","hello"];function _0x3c4d(_0x5e6f){return _0x1a2b[_0x5e6f-0x1];}(function(_0x7a8b,_0x9c0d){console[_0x3c4d(0x1)](_0x3c4d(0x2));_0x7a8b(_0x9c0d);})(eval,_0x3c4d(0x2));var _0xaa11=_0x3c4d,_0xbb22=_0xaa11(0x1),_0xcc33=_0xaa11(0x2),_0xdd44=_0xbb22+_0xcc33,_0xee55=_0xdd44;'
[[examples.fires]]
note = "A module named in pieces."
[examples.fires.files]
"a.js" = 'const c = require("child_" + "process"); c.exec("ls");'
[[examples.fires]]
note = "A function named backwards."
[examples.fires.files]
"a.py" = "import os\ngetattr(__import__('o' + 's'), 'metsys'[::-1])('ls')\n"
[[examples.silent]]
note = "A file of the package whose name is composed."
[examples.silent.files]
"a.js" = 'const a = require("./lang/" + "en"); require("child_process").exec("ls");'
[[examples.silent]]
note = "Minified."
[examples.silent.files]
"index.min.js" = 'var a=["log"];function b(c){return a[c]}(function(d){console[b(0)](d)})("fetch");'
"##;

impl Rule for SourceObfuscated {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        for file in source_files(subject) {
            for call in file.view.calls.iter().filter(|call| hides_name(call)) {
                let (severity, confidence) = weighed(&file, Severity::High, Confidence::High);
                facts.found_as(severity, confidence, call.place.clone(), &call.text);
            }
        }
        for document in subject.documents() {
            let script =
                matches!(document.language, Language::JavaScript | Language::TypeScript) || is_script(&document.path);
            if !script {
                continue;
            }
            let mut found = NUMBERED.find_iter(document.text.as_bytes());
            let Some(first) = found.next() else { continue };
            let count = 1 + found.take(MANY).count();
            if count < FEW {
                continue;
            }
            let (severity, confidence) =
                if count >= MANY { (Severity::High, Confidence::High) } else { (Severity::High, Confidence::Medium) };
            let text = document.text.get(first.start()..).unwrap_or_default();
            facts.found_as(severity, confidence, document.place(first.start()), text);
        }
    }
}

/// Whether the name of what can start programs or run text is written in pieces.
fn hides_name(call: &Call) -> bool {
    let [Argument::Literal(name)] = call.arguments.as_slice() else { return false };
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

/// How many numbered names make a file obfuscated, and how many make it plain.
const FEW: usize = 12;
const MANY: usize = 200;

static NUMBERED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?-u)\b_0x[0-9a-f]{4,6}\b").expect("the pattern is fixed and valid"));

fn is_script(path: &str) -> bool {
    [".js", ".mjs", ".cjs", ".ts", ".jsx", ".tsx"].iter().any(|end| path.ends_with(end))
}
