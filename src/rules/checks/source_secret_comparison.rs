//! source-secret-comparison: a secret is compared by an operator.

use std::sync::LazyLock;

use super::source_calls::report_calls;
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::Call;
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourceSecretComparison;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-secret-comparison"
version = 1
title = "A secret is compared in a time that tells about it"
why = "An ordinary comparison ends at the first difference; who can measure that can guess a secret piece by piece."
fix = "Use crypto.timingSafeEqual or hmac.compare_digest."
cannot_see = "Whether anybody far away can ask often enough; secrets under other names."
severity = "low"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["CWE-208", "owasp-mcp:MCP07"]
[codes]
spiderrating = ["timing_attack_comparison"]
[[examples.fires]]
note = "A header against a variable of the environment."
[examples.fires.files]
"server.js" = '''
app.use((req, res, next) => req.query.token === process.env.SERVICE_TOKEN ? next() : res.end());'''
[[examples.fires]]
note = "The same in Python."
[examples.fires.files]
"server.py" = '''
import os
def allowed(given):
    return given == os.environ["SERVICE_TOKEN"]
'''
[[examples.silent]]
note = "The safe way."
[examples.silent.files]
"server.py" = '''
import hmac, os
def allowed(given):
    return hmac.compare_digest(given, os.environ["SERVICE_TOKEN"])
'''
[[examples.silent]]
note = "A parser's token."
[examples.silent.files]
"parse.js" = '''
export const f = (token, next) => token === next || token.type === ts.EOF;'''
[[examples.silent]]
note = "Whether it is set."
[examples.silent.files]
"server.js" = '''
if (process.env.SERVICE_TOKEN === undefined || process.env.SERVICE_TOKEN === "") throw new Error("set it");'''
"##;

impl Rule for SourceSecretComparison {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        report_calls(subject, facts, |_, call| judgement(call));
    }
}

fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    (call.callee == "compare").then_some((Severity::Low, Confidence::Medium))
}
