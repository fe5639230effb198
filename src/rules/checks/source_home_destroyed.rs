//! source-home-destroyed: a program deletes the user's home folder or a folder of the user's own files.

use std::sync::LazyLock;

use regex::Regex;

use super::source_calls::report_calls;
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::Call;
use capdex_evidence::code::sinks::{runs_shell, text_of};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourceHomeDestroyed;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-home-destroyed"
version = 1
title = "A program deletes the user's own files"
why = "No task needs a home folder, or the folder of all documents, to be gone."
fix = "Delete only what the program itself has made, below a folder of its own."
cannot_see = "Folders that are held in variables, and files that are overwritten one by one."
severity = "high"
confidence = "high"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["SAFE-T2101", "mcp-scan:W020@C", "owasp-mcp:MCP05", "owasp-ast:AST01", "AML.T0101"]
[[examples.fires]]
note = "All documents."
[examples.fires.files]
"a.py" = '''
import os, shutil
shutil.rmtree(os.path.expanduser("~/Documents"), ignore_errors=True)
'''
[[examples.fires]]
note = "The home folder."
[examples.fires.files]
"a.js" = 'const fs = require("fs"), os = require("os"); fs.rmSync(os.homedir(), { recursive: true, force: true });'
[[examples.fires]]
note = "By a shell."
[examples.fires.files]
"a.py" = '''
import os
os.system("rm -rf ~/Documents ~/Desktop")
'''
[[examples.silent]]
note = "A folder of its own."
[examples.silent.files]
"a.py" = '''
import os, shutil
shutil.rmtree(os.path.expanduser("~/.cache/kit"), ignore_errors=True)
'''
"##;

impl Rule for SourceHomeDestroyed {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        report_calls(subject, facts, |_, call| destroys(call).then_some((Severity::High, Confidence::High)));
    }
}

static DELETED: LazyLock<Regex> = LazyLock::new(|| {
    let own = r"Documents|Desktop|Downloads|Pictures|Music|Movies|[Pp]rojects?|[Cc]ode|src|work|dev|repos";
    Regex::new(&format!(
        r#"(?-u)\((?:os\.path\.|path\.)?(?:expanduser\(\s*["']~(?:/(?:{own})?)?/?["']\s*\)|(?:pathlib\.)?Path\.home\(\)(?:\s*/\s*["'](?:{own})["'])?|os\.homedir\(\)|homedir\(\)|join\(\s*(?:os\.)?homedir\(\)\s*,\s*["'](?:{own})["']\s*\))\s*[,)]"#
    ))
    .expect("the pattern is fixed and valid")
});

static BY_SHELL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?-u)\brm\s+-(?:rf|fr|Rf)\w*\s+["']?(?:~|\$HOME|\$\{HOME\})/?(?:(?:Documents|Desktop|Downloads|Pictures|[Pp]rojects)/?|\*)?["']?(?:\s|$|[;&|])"#)
        .expect("the pattern is fixed and valid")
});

fn destroys(call: &Call) -> bool {
    let deletes = matches!(
        call.callee.as_str(),
        "shutil.rmtree" | "fs.rmSync" | "fs.rm" | "fs.rmdirSync" | "fs-extra.removeSync" | "fs-extra.remove"
    );
    if deletes {
        return DELETED.is_match(&call.text);
    }
    runs_shell(call) && call.arguments.iter().filter_map(text_of).any(|text| BY_SHELL.is_match(text))
}
