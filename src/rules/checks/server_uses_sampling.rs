//! Servers that ask the client's model to write for them.

use crate::FactSink;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::subject::Subject;
use capdex_evidence::zones::ZoneKind;

/// The calls by which the SDKs ask, and the name of the request itself.
const REQUESTS: [&str; 5] =
    [".createMessage(", ".create_message(", "ctx.sample(", "context.sample(", "sampling/createMessage"];

/// Imports of a file that speaks the protocol.
const SDKS: [&str; 4] = ["modelcontextprotocol", "fastmcp", "from mcp", "import mcp"];

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for document in subject.documents().filter(|document| document.role == FileRole::Source) {
        let text = &document.text;
        let first = REQUESTS.into_iter().filter_map(|request| Some((text.find(request)?, request))).min();
        if let Some((offset, request)) = first
            // Other libraries have a `createMessage` too: only a file that speaks the protocol is meant.
            && SDKS.iter().any(|sdk| text.contains(sdk))
            && document.zone_at(offset) != ZoneKind::Comment
        {
            facts.found(document.place(offset), request);
        }
    }
}
