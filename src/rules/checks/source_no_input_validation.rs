//! source-no-input-validation: a tool hands its input on without asking anything about it.

use std::sync::LazyLock;

use super::source_calls::report_calls;
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::sinks::{runs_shell, sends};
use capdex_evidence::code::{Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourceNoInputValidation;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-no-input-validation"
version = 1
title = "A tool hands its input on unchecked"
why = "The first line of defence of a tool is to refuse input that it was not made for."
fix = "Bound the arguments in the schema (choices, patterns, numbers) and check what the schema cannot say."
cannot_see = "Checks in other files, and those that the schema of the tool makes."
severity = "low"
confidence = "low"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["CWE-20", "owasp-mcp:MCP05"]
[codes]
spiderrating = ["no_input_validation"]
[[examples.fires]]
note = "A query as it comes."
[examples.fires.files]
"server.py" = '''
@mcp.tool()
def rows(sql: str) -> list:
    """Run a query."""
    return cursor.execute(sql).fetchall()
'''
[[examples.fires]]
note = "A command's argument as it comes."
[examples.fires.files]
"server.js" = '''
import { execFile } from "child_process";
server.tool("log", "Log", { ref: z.string() }, async ({ ref }) => { execFile("git", ["log", ref]); return {}; });'''
[[examples.silent]]
note = "Checked."
[examples.silent.files]
"server.py" = '''
@mcp.tool()
def rows(sql: str) -> list:
    """Run a query."""
    if not sql.startswith("SELECT "):
        raise ValueError("only SELECT")
    return cursor.execute(sql).fetchall()
'''
[[examples.silent]]
note = "A choice."
[examples.silent.files]
"server.js" = '''
import { execFile } from "child_process";
server.tool("log", "Log", { ref: z.enum(["a", "b"]) }, async ({ ref }) => { execFile("git", ["log", ref]); return {}; });'''
"##;

impl Rule for SourceNoInputValidation {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        report_calls(subject, facts, |_, call| judgement(call));
    }
}

fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let method = call.callee.rsplit('.').next().unwrap_or_default();
    let sink = runs_shell(call)
        || sends(call)
        || call.callee.starts_with("child_process.")
        || call.callee.starts_with("subprocess.")
        || call.callee.starts_with("fs.")
        || matches!(method, "open" | "query" | "execute" | "raw");
    let input = call.flows.arguments();
    let unchecked = input.any(TaintSources::TOOL_INPUT) && !input.any(TaintSources::CHECKED);
    (sink && unchecked).then_some((Severity::Low, Confidence::Low))
}
