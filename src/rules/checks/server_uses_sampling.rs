//! Servers that ask the client's model to write for them.

use crate::FactSink;
use capdex_evidence::document::FileRole;
use capdex_evidence::subject::Subject;
use capdex_evidence::zones::ZoneKind;

use super::card_rule::card_rule;

card_rule!(
    /// Servers that ask the client's model to write for them.
    ServerUsesSampling,
    TEXT,
    check
);

/// How the SDKs ask, and the name of the request itself.
const REQUESTS: [&str; 5] =
    [".createMessage(", ".create_message(", "ctx.sample(", "context.sample(", "sampling/createMessage"];

/// What a file that speaks the protocol imports.
const SDKS: [&str; 4] = ["modelcontextprotocol", "fastmcp", "from mcp", "import mcp"];

fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for document in subject.documents().filter(|document| document.role == FileRole::Source) {
        let text = &document.text;
        let first = REQUESTS.into_iter().filter_map(|request| Some((text.find(request)?, request))).min();
        if let Some((offset, request)) = first
            && SDKS.iter().any(|sdk| text.contains(sdk))
            && document.zone_at(offset) != ZoneKind::Comment
        {
            facts.found(document.place(offset), request);
        }
    }
}

const TEXT: &str = r#"
id = "server-uses-sampling"
version = 1
title = "Asks the client's model to write for it"
why = "A server that may ask the model can put words into it, spend its user's quota, and read what comes back."
fix = "Say in the description what is asked, and ask for nothing that the user does not see."
cannot_see = "What is asked; requests that are put together without an SDK."
severity = "info"
confidence = "medium"
kinds = ["mcp_server", "plugin", "package"]
lifecycle = "stable"
cites = ["SAFE-T1112", "mcp-spec:sampling"]

[[examples.fires]]
note = "the TypeScript SDK"
files = { "src/index.ts" = "import { Server } from '@modelcontextprotocol/sdk/server/index.js';\nexport async function f(server: Server) {\n  return server.createMessage({ messages: [], maxTokens: 10 });\n}\n" }

[[examples.fires]]
note = "the Python SDK"
files = { "server.py" = "from mcp.server.fastmcp import FastMCP, Context\n\nasync def f(ctx):\n    return await ctx.session.create_message(messages=[], max_tokens=10)\n" }

[[examples.silent]]
note = "a messaging service of the same word"
files = { "src/index.ts" = "import twilio from 'twilio';\nexport async function f(client: any) {\n  return client.createMessage({ body: 'hi' });\n}\n" }

[[examples.silent]]
note = "a server that does not"
files = { "server.py" = "from mcp.server.fastmcp import FastMCP\n\nmcp = FastMCP('a')\n" }
"#;
