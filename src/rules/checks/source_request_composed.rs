//! source-request-composed: a caller chooses the address that is asked.

use std::sync::LazyLock;

use super::source_calls::report_calls;
use crate::{FactSink, Rule, RuleMeta};
use capdex_evidence::code::sinks::sends;
use capdex_evidence::code::{Argument, Call, TaintSources};
use capdex_evidence::subject::Subject;
use capdex_model::fact::{Confidence, Severity};

/// See the file's first line.
pub(super) struct SourceRequestComposed;

static META: LazyLock<RuleMeta> = LazyLock::new(|| toml::from_str(CARD).expect("the card is valid"));

const CARD: &str = r##"
id = "source-request-composed"
version = 1
title = "A caller chooses which address is asked"
why = "A server stands where its caller does not: inside a network, beside a cloud's metadata service. Whoever chooses the address borrows that place."
fix = "Ask a fixed host, or allow a list of hosts and refuse private addresses."
cannot_see = "Checks in other files; redirects; whether asking any address is what the tool is for."
severity = "low"
confidence = "medium"
kinds = ["skill", "mcp_server", "hook", "plugin", "package"]
lifecycle = "stable"
cites = ["CWE-918", "owasp-mcp:MCP05"]
[codes]
spiderrating = ["ssrf"]
[[examples.fires]]
note = "A tool asks the address that it is given."
[examples.fires.files]
"server.py" = '''
import httpx
@mcp.tool()
async def get(url: str) -> str:
    """Get a page."""
    return (await httpx.AsyncClient().get(url)).text
'''
[[examples.fires]]
note = "The host is composed."
[examples.fires.files]
"server.js" = '''
server.tool("get", "Gets", { host: z.string() }, async ({ host }) => (await fetch(`https://${host}/status`)).text());'''
[[examples.silent]]
note = "The host is fixed."
[examples.silent.files]
"server.js" = '''
server.tool("get", "Gets", { id: z.string() }, async ({ id }) => (await fetch(`https://api.test/items/${id}`)).text());'''
[[examples.silent]]
note = "An address of the program itself."
[examples.silent.files]
"server.py" = '''
import requests
def load(url):
    return requests.get(url).text
'''
"##;

impl Rule for SourceRequestComposed {
    fn meta(&self) -> &RuleMeta {
        &META
    }

    fn check(&self, subject: &Subject<'_>, facts: &mut FactSink<'_>) {
        report_calls(subject, facts, |_, call| judgement(call));
    }
}

/// The whole address, or the host in it, comes from a tool's caller or from a request.
fn judgement(call: &Call) -> Option<(Severity, Confidence)> {
    let asks = sends(call) || matches!(call.callee.as_str(), "connection.get" | "connection.request");
    let origins = call.flows.first;
    if !asks || !origins.any(TaintSources::TOOL_INPUT | TaintSources::REQUEST) || origins.any(TaintSources::CHECKED) {
        return None;
    }
    match call.arguments.first() {
        Some(Argument::Composed(text)) if !is_open_host(text) => None,
        Some(Argument::Named(_) | Argument::Literal(_)) => None,
        _ => Some((Severity::Low, Confidence::Medium)),
    }
}

/// Whether a hole stands where the host does.
fn is_open_host(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.map_or(text.starts_with("{}"), |rest| rest.split('/').next().is_some_and(|host| host.contains("{}")))
}
