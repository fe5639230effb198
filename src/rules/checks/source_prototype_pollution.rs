//! source-prototype-pollution: a caller chooses the key that is set on an object.

use std::sync::LazyLock;

use super::source_calls::report_calls;
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::{Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourcePrototypePollution;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-prototype-pollution"
version = 1
title = "A caller chooses which property is set"
why = "The key `__proto__` changes every object of the program at once."
fix = "Use a Map, or refuse `__proto__`, `constructor` and `prototype`."
cannot_see = "Merges that it does not know; objects without a prototype."
severity = "low"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["CWE-1321", "owasp-mcp:MCP05"]
[codes]
spiderrating = ["prototype_pollution"]
[[examples.fires]]
note = "A body is the key."
[examples.fires.files]
"server.js" = '''
app.post("/s", (req, res) => { settings[req.body.key] = req.body.value; res.end(); });'''
[[examples.fires]]
note = "A tool's arguments are merged."
[examples.fires.files]
"server.js" = '''
server.tool("set", "Sets", { patch: z.any() }, async ({ patch }) => { _.merge(settings, patch); return {}; });'''
[[examples.silent]]
note = "A key that is checked."
[examples.silent.files]
"server.js" = '''
app.post("/s", (req, res) => { const key = req.body.key; if (allowed.has(key)) settings[key] = 1; res.end(); });'''
[[examples.silent]]
note = "The program's own keys."
[examples.silent.files]
"server.js" = '''
for (const key of Object.keys(defaults)) settings[key] = defaults[key];'''
"##;

impl Rule for SourcePrototypePollution {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        report_calls(subject, facts, |_, call| judgement(call));
    }
}

fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let chosen = call.flows.arguments().any(TaintSources::TOOL_INPUT | TaintSources::REQUEST);
    (call.callee == "merge" && chosen).then_some((Severity::Low, Confidence::Medium))
}
