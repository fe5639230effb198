//! Pins: every file, every tool and every declaration of a capability at one snapshot, each hashed apart.
//!
//! Pins only say what is another thing than before; `judge` says how bad that is.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::declaration_pins::{self, ManifestDeclarations};
use super::reach::Reach;
use capdex_evidence::Evidence;
use capdex_evidence::tools::Tool;
use capdex_model::capability::Capability;
use capdex_model::digest::Digest;

/// The pins of a capability at one snapshot: every file, every tool part by part, and what the capability declares of
/// itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pins {
    /// The digest of each file.
    pub files: BTreeMap<String, Digest>,
    /// The parts of each tool, by name.
    pub tools: BTreeMap<String, ToolPin>,
    /// The digest of each declaration that is there, by its name: `server.instructions`, `server.hosts`,
    /// `server.packages`, `server.auth`, `server.repository`, `frontmatter`, `permissions`, `hooks`, `scripts`, `tree`.
    /// Left out of the text where empty, so that pins of before read as they were.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, Digest>,
    /// What it reaches: shown, and never compared, so that pins of before tell no change. None in pins of before, which is not the
    /// same as nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<Reach>,
}

/// A tool, part by part, each hashed apart over its canonical JSON so that the kind of a change is known. Its name is the
/// key under which it is pinned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolPin {
    /// The title.
    pub title: Digest,
    /// The description.
    pub description: Digest,
    /// The schema of the arguments.
    pub input_schema: Digest,
    /// The schema of the result.
    pub output_schema: Digest,
    /// The annotations.
    pub annotations: Digest,
}

impl Pins {
    /// Pins a capability.
    pub fn of<'a>(
        capability: &Capability,
        evidence: &Evidence,
        digest_of: impl Fn(&str) -> Option<Digest>,
        tools: impl Iterator<Item = &'a Tool>,
    ) -> Self {
        let files: BTreeMap<String, Digest> =
            capability.files.iter().filter_map(|path| digest_of(path).map(|digest| (path.clone(), digest))).collect();
        let declarations = ManifestDeclarations::of(capability, evidence);
        let mut parts = declaration_pins::digests(&declarations, capability, evidence, &files);
        parts.insert("tree".to_owned(), capability.content);
        let mut pinned = BTreeMap::new();
        pinned.extend(tools.map(|tool| (tool.name.clone(), ToolPin::of(tool))));
        Self { files, tools: pinned, parts, reach: Some(Reach::of(&declarations, capability, evidence)) }
    }
}

impl ToolPin {
    /// Pins one tool. A part that is absent is hashed as `null`.
    pub fn of(tool: &Tool) -> Self {
        Self {
            title: digest_of(tool.title.as_ref()),
            description: digest_of(tool.description.as_ref()),
            input_schema: digest_of(tool.input_schema.as_ref()),
            output_schema: digest_of(tool.output_schema.as_ref()),
            annotations: digest_of(tool.annotations.as_ref()),
        }
    }
}

/// The digest of a part, which is a text or a JSON value: its keys are in their order. Most tools lack two parts or three.
fn digest_of<T: Serialize>(part: Option<&T>) -> Digest {
    static ABSENT: LazyLock<Digest> = LazyLock::new(|| Digest::of(b"null"));
    part.map_or_else(|| *ABSENT, Digest::of_sorted_json)
}

/// One change of one path, tool or declaration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Change {
    /// `added`, `removed`, `changed` or `renamed`.
    pub what: String,
    /// `file`, `tool` or the name of a declaration; for a tool the part: `tool.description`.
    pub part: String,
    /// The path or the tool's name; for a renamed tool `old -> new`; empty for a declaration. Untrusted text.
    pub subject: String,
}

/// The changes from one set of pins to the next, sorted; empty when they are equal. The digest of the tree is not
/// named: the files are.
pub fn changes(before: &Pins, after: &Pins) -> Vec<Change> {
    let mut changes = Vec::new();
    compare(&before.files, &after.files, &mut changes, "file", |path, old, new, changes| {
        if old != new {
            changes.push(Change::new("changed", "file", path));
        }
    });
    compare(&before.tools, &after.tools, &mut changes, "tool", tool_changes);
    declared(&before.parts, &after.parts, &mut changes);
    changes.sort();
    changes
}

impl Change {
    /// A change in words.
    pub fn new(what: &str, part: &str, subject: &str) -> Self {
        Self { what: what.to_owned(), part: part.to_owned(), subject: subject.to_owned() }
    }
}

fn compare<T>(
    before: &BTreeMap<String, T>,
    after: &BTreeMap<String, T>,
    changes: &mut Vec<Change>,
    part: &str,
    both: impl Fn(&str, &T, &T, &mut Vec<Change>),
) {
    for (subject, old) in before {
        match after.get(subject) {
            Some(new) => both(subject, old, new, changes),
            None => changes.push(Change::new("removed", part, subject)),
        }
    }
    for subject in after.keys().filter(|subject| !before.contains_key(*subject)) {
        changes.push(Change::new("added", part, subject));
    }
}

fn tool_changes(name: &str, old: &ToolPin, new: &ToolPin, changes: &mut Vec<Change>) {
    let parts = [
        ("tool.title", old.title, new.title),
        ("tool.description", old.description, new.description),
        ("tool.input_schema", old.input_schema, new.input_schema),
        ("tool.output_schema", old.output_schema, new.output_schema),
        ("tool.annotations", old.annotations, new.annotations),
    ];
    for (part, before, after) in parts {
        if before != after {
            changes.push(Change::new("changed", part, name));
        }
    }
}

fn declared(before: &BTreeMap<String, Digest>, after: &BTreeMap<String, Digest>, changes: &mut Vec<Change>) {
    for (part, old) in before.iter().filter(|(part, _)| *part != "tree") {
        match after.get(part) {
            Some(new) if new != old => changes.push(Change::new("changed", part, "")),
            Some(_) => {}
            None => changes.push(Change::new("removed", part, "")),
        }
    }
    for part in after.keys().filter(|part| *part != "tree" && !before.contains_key(*part)) {
        changes.push(Change::new("added", part, ""));
    }
}
