//! Source: what the parsers of JavaScript, TypeScript and Python see: imports, calls with the shape of their
//! arguments, tool registrations.
//!
//! Must not judge a call; must not run anything.

use crate::fact::Place;
use crate::snapshot::Gap;

use super::document::Document;
use super::tools::Tool;

/// What one source file does, as far as a parser can tell.
#[derive(Clone, Debug, Default)]
pub struct SourceView {
    /// The modules that it imports, as written: `@modelcontextprotocol/sdk/server/mcp.js`, `mcp.server.fastmcp`.
    pub imports: Vec<String>,
    /// Calls and constructions worth knowing, in the order of the text.
    pub calls: Vec<Call>,
    /// The MCP tools that it registers.
    pub tools: Vec<Tool>,
}

/// A call or construction.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The callee as dotted names, import aliases resolved: `child_process.exec`, `eval`, `os.system`, `fetch`.
    pub callee: String,
    /// The shape of each argument.
    pub arguments: Vec<Argument>,
    /// Where the call begins.
    pub place: Place,
    /// The first 120 code points of the call's text.
    pub text: String,
}

/// The shape of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// A string that is wholly literal, with its value.
    Literal(String),
    /// Text put together at run time: a template with expressions, a concatenation, an f-string. Holds the literal
    /// pieces joined by `{}`.
    Composed(String),
    /// Keyword arguments or object properties whose values are literals: `shell=True`, `{shell: true}`.
    Named(Vec<(String, String)>),
    /// A bare name or member access.
    Name(String),
    /// Anything else.
    Other,
}

/// Reads a document of a language that a parser is there for; `None` for other documents and for source that cannot
/// matter. Source that no parser takes becomes a gap.
pub fn read(_document: &Document, _gaps: &mut Vec<Gap>) -> Option<SourceView> {
    None
}
