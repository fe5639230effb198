//! `SurfaceInventory`: the list of what a model reads of a capability's servers, as people and programs are shown it.
//!
//! It tells which surfaces there are and how much of each was read, never their texts. The texts are evidence.

use serde::{Deserialize, Serialize};

/// The most surfaces of one capability that are listed. More of them tell nobody more, and cost a stranger a few bytes each.
pub const MAX_SURFACES: usize = 5_000;

/// The kind of a listed surface, in the order in which lists show them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SurfaceRecordKind {
    /// A tool.
    Tool,
    /// A prompt that the server offers.
    Prompt,
    /// A resource, or a template of resources.
    Resource,
    /// The instructions that a server gives for itself.
    Instructions,
    /// A resource that a client shows as a user interface: its address begins with `ui://`.
    Ui,
    /// A skill that an agent's card, a catalogue or an index of a host offers to other agents.
    Skill,
}

impl SurfaceRecordKind {
    /// Every kind, in their order.
    pub const ALL: [Self; 6] = [Self::Tool, Self::Prompt, Self::Resource, Self::Instructions, Self::Ui, Self::Skill];

    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
            Self::Instructions => "instructions",
            Self::Ui => "ui",
            Self::Skill => "skill",
        }
    }
}

/// One surface: what it is, where it stands, and how much of it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SurfaceRecord {
    /// Its kind.
    pub kind: SurfaceRecordKind,
    /// Its name, else its address; `server` for instructions. Untrusted text.
    pub name: String,
    /// The path of the file that it was read in. Untrusted text.
    pub file: String,
    /// The line there, from 1; 0 where no line is known.
    pub line: u32,
    /// True where it has a description, also one of which nothing could be read.
    pub description: bool,
    /// True where it says which arguments it takes or what it returns, also where nothing of that could be read.
    pub schema: bool,
    /// True where all that it says was read. False where a part is put together at run time or lies elsewhere.
    pub complete: bool,
}

impl SurfaceRecord {
    /// What makes two records one, in the order in which they are listed.
    fn key(&self) -> (SurfaceRecordKind, &str, u32, &str) {
        (self.kind, &self.file, self.line, &self.name)
    }
}

/// The surfaces of one capability, sorted by (kind, file, line, name), each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SurfaceInventory {
    /// The surfaces, at most [`MAX_SURFACES`].
    pub records: Vec<SurfaceRecord>,
    /// The number of those beyond that.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub beyond: u64,
}

// Serde hands a field over by reference.
#[expect(clippy::trivially_copy_pass_by_ref)]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl SurfaceInventory {
    /// Sorts records, joins those of one kind, name and place, and keeps the first [`MAX_SURFACES`].
    pub fn of(mut records: Vec<SurfaceRecord>) -> Self {
        records.sort_by(|one, other| one.key().cmp(&other.key()));
        // Two definitions under one name on one line, as in a list without line ends: neither may hide the other.
        records.dedup_by(|later, kept| {
            let is_same = later.key() == kept.key();
            if is_same {
                kept.description |= later.description;
                kept.schema |= later.schema;
                kept.complete &= later.complete;
            }
            is_same
        });
        let beyond = records.len().saturating_sub(MAX_SURFACES) as u64;
        records.truncate(MAX_SURFACES);
        records.shrink_to_fit();
        Self { records, beyond }
    }

    /// The number of listed surfaces of a kind.
    pub fn count(&self, kind: SurfaceRecordKind) -> u64 {
        self.records.iter().filter(|record| record.kind == kind).count() as u64
    }

    /// The number of listed surfaces that were not read to their end.
    pub fn incomplete(&self) -> u64 {
        self.records.iter().filter(|record| !record.complete).count() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: SurfaceRecordKind, file: &str, line: u32, name: &str) -> SurfaceRecord {
        let (name, file) = (name.to_owned(), file.to_owned());
        SurfaceRecord { kind, name, file, line, description: true, schema: false, complete: true }
    }

    #[test]
    fn records_stand_by_kind_file_line_and_name() {
        let expected = [
            record(SurfaceRecordKind::Tool, "a", 2, "z"),
            record(SurfaceRecordKind::Tool, "a", 10, "b"),
            record(SurfaceRecordKind::Tool, "a", 10, "c"),
            record(SurfaceRecordKind::Tool, "b", 1, "a"),
            record(SurfaceRecordKind::Prompt, "a", 1, "a"),
            record(SurfaceRecordKind::Resource, "a", 1, "a"),
            record(SurfaceRecordKind::Instructions, "a", 1, "server"),
            record(SurfaceRecordKind::Ui, "a", 1, "a"),
        ];
        let reversed = expected.iter().rev().cloned().collect();
        assert_eq!(SurfaceInventory::of(reversed).records, expected);
    }

    #[test]
    fn a_copy_hides_nothing_of_the_other() {
        let one = record(SurfaceRecordKind::Tool, "a", 1, "a");
        let other = SurfaceRecord { description: false, schema: true, complete: false, ..one.clone() };
        let joined = SurfaceRecord { description: true, schema: true, complete: false, ..one.clone() };
        for records in [vec![one.clone(), other.clone()], vec![other, one]] {
            let inventory = SurfaceInventory::of(records);
            assert_eq!(inventory.records, std::slice::from_ref(&joined));
            assert_eq!(inventory.incomplete(), 1);
        }
    }

    #[test]
    fn what_is_beyond_the_cap_is_counted() {
        let records = |count: usize| {
            let names = (0..count).map(|number| format!("t{number}"));
            names.map(|name| record(SurfaceRecordKind::Tool, "a", 1, &name)).collect::<Vec<_>>()
        };
        let whole = SurfaceInventory::of(records(MAX_SURFACES));
        assert_eq!(whole.beyond, 0);
        assert!(!serde_json::to_string(&whole).expect("JSON").contains("beyond"));
        let cut = SurfaceInventory::of(records(MAX_SURFACES + 3));
        assert_eq!(cut.records.len(), MAX_SURFACES);
        assert_eq!(cut.count(SurfaceRecordKind::Tool), MAX_SURFACES as u64);
        assert_eq!(cut.beyond, 3);
        let read: SurfaceInventory = serde_json::from_value(serde_json::to_value(&cut).expect("JSON")).expect("reads");
        assert_eq!(read, cut);
    }

    #[test]
    fn a_kind_is_written_as_its_word() {
        for kind in SurfaceRecordKind::ALL {
            assert_eq!(serde_json::to_value(kind).expect("JSON"), kind.as_str());
        }
    }
}
