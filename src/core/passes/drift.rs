//! Drift: what changed between two revisions of one capability.
//!
//! Must not fetch, scan or score: it compares pins.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::capability::Capability;
use crate::digest::Digest;
use crate::evidence::tools::Tool;
use crate::ids::CapabilityId;

/// What is pinned of a capability at one snapshot: every file, and every tool part by part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pins {
    /// The digest of each file.
    pub files: BTreeMap<String, Digest>,
    /// The parts of each tool, by name.
    pub tools: BTreeMap<String, ToolPin>,
}

/// A tool, part by part, each hashed apart over its canonical JSON so that the kind of a change is known.
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
    /// Pins a capability: its files by digest and its tools part by part.
    pub fn of<'a>(
        capability: &Capability,
        digest_of: impl Fn(&str) -> Option<Digest>,
        tools: impl Iterator<Item = &'a Tool>,
    ) -> Self {
        Self {
            files: capability
                .files
                .iter()
                .filter_map(|path| digest_of(path).map(|digest| (path.clone(), digest)))
                .collect(),
            tools: tools.map(|tool| (tool.name.clone(), ToolPin::of(tool))).collect(),
        }
    }
}

impl ToolPin {
    /// Pins one tool. A part that is absent is hashed as `null`.
    pub fn of(tool: &Tool) -> Self {
        Self {
            title: Digest::of_json(&tool.title),
            description: Digest::of_json(&tool.description),
            input_schema: Digest::of_json(&tool.input_schema),
            output_schema: Digest::of_json(&tool.output_schema),
            annotations: Digest::of_json(&tool.annotations),
        }
    }
}

/// A capability at one snapshot, as the store keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// Which capability.
    pub capability: CapabilityId,
    /// The version that the listing named, if any.
    pub version: Option<String>,
    /// The digest over its files.
    pub content: Digest,
    /// Its pins.
    pub pins: Pins,
}

/// What happened to a capability between two nights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DriftKind {
    /// It was not there before, in a package that was.
    New,
    /// Its bytes differ.
    Changed,
    /// Its bytes differ under the same version.
    ChangedSameVersion,
    /// It is no longer there.
    Gone,
}

impl DriftKind {
    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::ChangedSameVersion => "changed_same_version",
            Self::Gone => "gone",
        }
    }
}

/// One change of one path or tool.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Change {
    /// `added`, `removed` or `changed`.
    pub what: String,
    /// `file` or `tool`, and for a tool the part: `tool.description`.
    pub part: String,
    /// The path or the tool's name. Untrusted text.
    pub subject: String,
}

/// What changed from one set of pins to the next, sorted; empty when they are equal.
pub fn changes(before: &Pins, after: &Pins) -> Vec<Change> {
    let mut changes = Vec::new();
    compare(
        &before.files,
        &after.files,
        &mut changes,
        |path, old, new, changes| {
            if old != new {
                changes.push(Change::new("changed", "file", path));
            }
        },
        "file",
    );
    compare(&before.tools, &after.tools, &mut changes, tool_changes, "tool");
    changes.sort();
    changes
}

impl Change {
    fn new(what: &str, part: &str, subject: &str) -> Self {
        Self { what: what.to_owned(), part: part.to_owned(), subject: subject.to_owned() }
    }
}

fn compare<T>(
    before: &BTreeMap<String, T>,
    after: &BTreeMap<String, T>,
    changes: &mut Vec<Change>,
    both: impl Fn(&str, &T, &T, &mut Vec<Change>),
    part: &str,
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

/// What happened between two revisions of one capability; `None` when the bytes are the same.
pub fn kind_of_change(before: &Revision, after: &Revision) -> Option<DriftKind> {
    if before.content == after.content {
        None
    } else if before.version.is_some() && before.version == after.version {
        Some(DriftKind::ChangedSameVersion)
    } else {
        Some(DriftKind::Changed)
    }
}
