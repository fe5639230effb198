//! Reading documents as outlines, where a package registers anything.

use std::sync::LazyLock;

use regex::bytes::Regex;

use rustpython_ruff_python_ast::Mod;
use rustpython_ruff_python_parser::{Mode, ParseOptions, parse_unchecked};

use super::outline::Outline;
use super::{javascript, python};
use crate::Evidence;
use crate::code::{SourceDialect, dialect, nesting_of, on_stack, with_program};
use crate::document::Document;
use crate::manifest::is_foreign;

/// The words of the kits by which something is registered. A package without any of them registers nothing, and most
/// bundles are such.
static REGISTERS: LazyLock<Regex> = LazyLock::new(|| {
    let words = "(?-u)[tT]ools?\\b|TOOL|input_?[sS]chema|ListTools|ListPrompts|ListResources|[mM][cC][pP]";
    Regex::new(words).expect("the pattern is fixed and valid")
});

/// The words of a module that serves: at least one module of a package has to hold one.
static SERVES: LazyLock<Regex> = LazyLock::new(|| {
    let words = "(?-u)modelcontextprotocol|fastmcp|FastMCP|[mM]cpServer|MCPServer|mcp\\.server|mcp\\.types|registerTool|addTool|add_tool\
                 |\\.tool\\(|ListTools|list_tools|inputSchema|input_schema|tools/list|MCPTool|mcp_tool|@tool|from mcp|@mcp|-mcp|mcp-|xmcp|@[a-z_.]+\\.tool\\b|@Tool\\(";
    Regex::new(words).expect("the pattern is fixed and valid")
});

/// The most bytes of one module that are outlined: bundles that carry a compiler or a documentation are larger than what
/// is looked at for what it does ([`crate::code::MAX_BYTES`]).
const MAX_MODULE: usize = 16 * 1024 * 1024;

/// The most bytes of source that are outlined of one package.
const MAX_SOURCE: usize = 48 * 1024 * 1024;

/// True where a module of a bundle's own serves.
fn serves(evidence: &Evidence) -> bool {
    own(evidence).any(|document| dialect(document).is_some() && SERVES.is_match(document.text.as_bytes()))
}

fn own(evidence: &Evidence) -> impl Iterator<Item = &Document> {
    evidence.documents.values().filter(|document| !is_foreign(&document.path))
}

/// Tells whether a bundle serves, and asks for the outlines of a bundle's own modules, where it does, before anything is parsed.
pub(crate) fn want_outlines(evidence: &mut Evidence) {
    evidence.serves = serves(evidence);
    if !evidence.serves {
        return;
    }
    let wanted: Vec<String> = outlined(evidence).map(|(document, _)| document.path.clone()).collect();
    for path in wanted {
        if let Some(document) = evidence.documents.get_mut(&path) {
            document.outline.want();
        }
    }
}

/// The outlines of a bundle's own modules: those that were made while the modules were read for what they do, and of the
/// others, which nobody has parsed.
pub(super) fn outlines(evidence: &Evidence) -> Vec<Outline> {
    outlined(evidence)
        .filter_map(|(document, dialect)| document.outline.take().or_else(|| outline(document, dialect)))
        .collect()
}

/// The modules that are outlined. Texts and schemas stand in modules that mention no tool, so every module of a server is.
fn outlined(evidence: &Evidence) -> impl Iterator<Item = (&Document, SourceDialect)> {
    let mut left = MAX_SOURCE;
    own(evidence).filter_map(move |document| {
        let dialect = dialect(document)?;
        let fits = document.text.len() <= MAX_MODULE.min(left) && is_worth(document);
        left -= if fits { document.text.len() } else { 0 };
        fits.then_some((document, dialect))
    })
}

/// True for a module that is small, as texts and constants are, or mentions something that is registered.
fn is_worth(document: &Document) -> bool {
    document.text.len() <= 256 * 1024 || REGISTERS.is_match(document.text.as_bytes())
}

fn outline(document: &Document, dialect: SourceDialect) -> Option<Outline> {
    let bound = nesting_of(document, dialect)?;
    let work = || match dialect {
        SourceDialect::Python => of_python(document),
        _ => with_program(&document.text, dialect, |program| javascript::outline(program, &document.path)).ok(),
    };
    on_stack(bound, work)?
}

fn of_python(document: &Document) -> Option<Outline> {
    let parsed = parse_unchecked(&document.text, ParseOptions::from(Mode::Module));
    let Mod::Module(module) = parsed.syntax() else { return None };
    Some(python::outline(module, &document.path))
}
