//! Servers of which no surface could be read: tools in a dependency, in a native program or behind a proxy.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use capdex_model::capability::Kind;
use capdex_model::snapshot::{Gap, GapReason};
use capdex_model::surface::{SurfaceRecord, SurfaceRecordKind};

use super::inventory::records;
use crate::document::Document;
use crate::file_role::FileRole;
use crate::manifest::{ASIDE, Manifest, ManifestKind, folder_of, join};
use crate::recorded::ListKind;
use crate::subject::Subject;

/// The words by which the SDKs make a server or its connection, in any language.
static STARTS: LazyLock<Regex> = LazyLock::new(|| {
    let words = [
        r"\bnew\s+(?:Mcp)?Server\s*\(",
        r"\bnew\s+[A-Za-z]*MCP[A-Za-z]*\s*\(",
        r"\bFastMCP\b",
        r"\bStdioServerTransport\s*\(",
        r"\bstdio_server\s*\(",
        r"\bNewMCPServer\b",
        r"\bmcp\.NewServer\b",
        r"\bAddMcpServer\b",
        r"\bMcpServer\.a?sync\b",
        r"\bServerHandler\b",
    ];
    crate::expression::of(&words.join("|"))
});

/// The gap of a server that is more than a description and of which nothing that it offers was read; its subject is the file in which
/// the server starts, as far as that is known. None for other capabilities, for lists of servers that a client starts,
/// and where a list was read and is empty.
pub fn unread_server(subject: &Subject<'_>) -> Option<Gap> {
    // What a server says of itself is none of what it offers: a proxy has instructions, and its tools are elsewhere.
    let offers = |record: &SurfaceRecord| record.kind != SurfaceRecordKind::Instructions;
    if subject.capability.kind != Kind::McpServer || records(subject).any(|record| offers(&record)) || has_list(subject)
    {
        return None;
    }
    let runs = |document: &&Document| match document.role {
        FileRole::Source | FileRole::Script | FileRole::Binary => true,
        _ => subject.evidence.manifests.get(&document.path).is_some_and(describes_program),
    };
    let first = subject.documents().find(runs)?;
    let (file, line) = start(subject).unwrap_or((first.path.as_str(), None));
    let line = line.map(|line| format!(" (line {line})")).unwrap_or_default();
    let detail = format!("starts an MCP server; none of its tools could be read{line}");
    Some(Gap::new(file, GapReason::Unresolved, detail))
}

fn describes_program(manifest: &Manifest) -> bool {
    matches!(manifest.kind, ManifestKind::PackageJson | ManifestKind::PythonProject | ManifestKind::Mcpb)
}

/// True where a tools list of the server was recorded, whatever it holds.
fn has_list(subject: &Subject<'_>) -> bool {
    let manifests = subject.capability.files.iter().filter_map(|path| subject.evidence.manifests.get(path));
    manifests.flat_map(|manifest| &manifest.recorded.lists).any(|list| list.kind == ListKind::Tools)
}

/// The file in which a server starts, with its line where its own source says so.
fn start<'a>(subject: &Subject<'a>) -> Option<(&'a str, Option<u32>)> {
    let is_aside = |path: &str| folder_of(path).split('/').any(|folder| ASIDE.contains(&folder));
    let own = subject
        .documents()
        .filter(|document| matches!(document.role, FileRole::Source | FileRole::Script) && !is_aside(&document.path));
    let in_source = own.filter_map(|document| {
        let found = STARTS.find(&document.text)?;
        Some((document.path.as_str(), Some(document.place(found.start()).line)))
    });
    in_source.into_iter().next().or_else(|| entry(subject).map(|path| (path, None)))
}

/// The program that the package or bundle runs.
fn entry<'a>(subject: &Subject<'a>) -> Option<&'a str> {
    let own = subject.capability.files.as_slice();
    let named = own.iter().filter_map(|path| subject.evidence.manifests.get(path)).filter_map(|manifest| {
        let value = &manifest.value;
        let program = match manifest.kind {
            ManifestKind::PackageJson => match value.get("bin") {
                Some(Value::Object(programs)) => programs.values().next(),
                Some(program) => Some(program),
                None => value.get("main"),
            },
            ManifestKind::Mcpb => value.pointer("/server/entry_point"),
            _ => None,
        };
        join(folder_of(&manifest.path), program?.as_str()?)
    });
    named.into_iter().find_map(|path| own.iter().find(|own| **own == path)).map(String::as_str)
}
