//! `Snapshot`, `Completeness` and `Gap`: what was fetched, and what could not be looked at.
//!
//! A refusal is data: whatever was skipped, capped or refused is recorded as a gap and lowers coverage.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::listing::Locator;
use crate::time::Timestamp;

/// One file of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileEntry {
    /// The path inside the tree: relative, `/` between components, `outer!/inner` inside a nested archive.
    pub path: String,
    /// The digest of the bytes, which is also the key of the blob.
    pub digest: Digest,
    /// The number of bytes.
    pub size_bytes: u64,
}

/// The bytes of a locator at one time, by content address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The place the bytes came from.
    pub locator: Locator,
    /// The digest over all files in the order of their paths.
    pub tree: Digest,
    /// The files, sorted by path.
    pub files: Vec<FileEntry>,
    /// The extent to which it could be looked at.
    pub completeness: Completeness,
    /// When the bytes arrived.
    pub fetched: Timestamp,
}

impl Snapshot {
    /// The digest of `files`, which must be sorted by path.
    pub fn tree_of(files: &[FileEntry]) -> Digest {
        Digest::of_tree(files.iter().map(|file| (file.path.as_str(), file.digest)))
    }
}

/// The extent to which it could be looked at. Anything but `Analysed` never has a clean verdict.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Completeness {
    /// Every byte was there and was read.
    Analysed,
    /// Something was skipped, capped or refused; the rest was read.
    Partial(Vec<Gap>),
    /// Nothing could be read, and why: sorted, each once, never empty. One alone is stored as an object, several as a list.
    NotAssessable(#[serde(with = "one_or_many")] Vec<Gap>),
}

impl Completeness {
    /// `Analysed` for no gaps, else `Partial` with the gaps sorted and each once.
    pub fn from_gaps(mut gaps: Vec<Gap>) -> Self {
        // Sorted and each once: the order in which files were refused must not change what is stored.
        gaps.sort();
        gaps.dedup();
        if gaps.is_empty() { Self::Analysed } else { Self::Partial(gaps) }
    }

    /// `NotAssessable` with the gaps sorted and each once; `otherwise` stands for them where there are none.
    pub fn nothing_read(mut gaps: Vec<Gap>, otherwise: impl FnOnce() -> Gap) -> Self {
        gaps.sort();
        gaps.dedup();
        if gaps.is_empty() {
            gaps.push(otherwise());
        }
        Self::NotAssessable(gaps)
    }

    /// The word that `docs/cli.md` prints: `analysed`, `partial` or `not_assessable`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Analysed => "analysed",
            Self::Partial(_) => "partial",
            Self::NotAssessable(_) => "not_assessable",
        }
    }

    /// The things that could not be looked at; empty when analysed.
    pub fn gaps(&self) -> &[Gap] {
        match self {
            Self::Analysed => &[],
            Self::Partial(gaps) | Self::NotAssessable(gaps) => gaps,
        }
    }
}

/// The stored form of the gaps of `NotAssessable`. Stores of before held exactly one, and their text must not change.
mod one_or_many {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Gap;

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Stored {
        One(Gap),
        Many(Vec<Gap>),
    }

    pub(super) fn serialize<S: Serializer>(gaps: &[Gap], serializer: S) -> Result<S::Ok, S::Error> {
        match gaps {
            [one] => one.serialize(serializer),
            many => many.serialize(serializer),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Gap>, D::Error> {
        Ok(match Stored::deserialize(deserializer)? {
            Stored::One(gap) => vec![gap],
            Stored::Many(gaps) => gaps,
        })
    }
}

/// Something that could not be looked at, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Gap {
    /// The subject: a path inside the tree, a listing key or an address. Untrusted text.
    pub subject: String,
    /// Why, as a closed word.
    pub reason: GapReason,
    /// The particulars for a person: a limit and what was met, a status, a parser's message. Untrusted text.
    pub detail: String,
}

impl Gap {
    /// Records a gap.
    pub fn new(subject: impl Into<String>, reason: GapReason, detail: impl Into<String>) -> Self {
        Self { subject: subject.into(), reason, detail: detail.into() }
    }
}

/// The most gaps of one input that are kept one by one. More of them tell nobody more, and cost a stranger a few bytes each.
pub const MAX_GAPS: usize = 200;

/// Sorts gaps, each once, and keeps the first [`MAX_GAPS`]. The others become one gap of the whole input (`.`), so that
/// nothing counts as looked at because of it.
pub fn capped_gaps(mut gaps: Vec<Gap>) -> Vec<Gap> {
    gaps.sort();
    gaps.dedup();
    if gaps.len() > MAX_GAPS {
        let more = gaps.len() - MAX_GAPS;
        gaps.truncate(MAX_GAPS);
        gaps.push(Gap::new(".", GapReason::BudgetExhausted, format!("and {more} more gaps")));
        gaps.sort();
    }
    gaps
}

impl std::fmt::Display for Gap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.subject, self.reason.as_str())?;
        if self.detail.is_empty() { Ok(()) } else { write!(f, " ({})", self.detail) }
    }
}

/// Why something could not be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GapReason {
    /// A published digest does not fit the bytes.
    DigestMismatch,
    /// The archive or stream ends early or is damaged.
    Truncated,
    /// The bytes are not in the format that they claim.
    Malformed,
    /// A format that this version does not read.
    Unsupported,
    /// More compressed bytes than allowed.
    CompressedTooLarge,
    /// More expanded bytes than allowed.
    ExpandedTooLarge,
    /// One file is larger than allowed.
    FileTooLarge,
    /// Too many members.
    TooManyMembers,
    /// Expanded too far for its size.
    RatioTooHigh,
    /// Archives inside archives deeper than allowed.
    TooDeep,
    /// A path that leaves the tree, is absolute, too long, or not a name on some system.
    PathRefused,
    /// Two members with one path, or paths that differ only by case or Unicode form.
    DuplicatePath,
    /// A symbolic or hard link.
    LinkRefused,
    /// A device, FIFO, socket or sparse member.
    SpecialRefused,
    /// Not text in any encoding that is read, though its name says text.
    NotText,
    /// The server says that it does not exist (404, 410).
    NotFound,
    /// The registry took it down: it put a placeholder there, put it in quarantine, or says that it was deleted.
    TakenDown,
    /// The server refuses (401, 403) or the address may not be fetched.
    Denied,
    /// The server asks to come back later (429) for longer than the run may wait.
    RateLimited,
    /// The server failed (5xx) or did not answer in time, after all retries.
    Unreachable,
    /// The answer is not in the shape that the protocol says.
    BadAnswer,
    /// A path on this machine could not be read.
    Unreadable,
    /// A budget of the analysis ran out (schema nodes, decode depth).
    BudgetExhausted,
    /// Something that it registers is put together at run time and could not be told to its end. Of an input as a whole (`.`) it
    /// concerns what registers: a skill beside a server does not.
    Unresolved,
    /// There is nothing in it.
    Empty,
    /// A thing that it hands out was not looked at, or another version of it was.
    NotLookedAt,
}

impl GapReason {
    /// The stable word for it, as JSON and the database spell it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DigestMismatch => "digest_mismatch",
            Self::Truncated => "truncated",
            Self::Malformed => "malformed",
            Self::Unsupported => "unsupported",
            Self::CompressedTooLarge => "compressed_too_large",
            Self::ExpandedTooLarge => "expanded_too_large",
            Self::FileTooLarge => "file_too_large",
            Self::TooManyMembers => "too_many_members",
            Self::RatioTooHigh => "ratio_too_high",
            Self::TooDeep => "too_deep",
            Self::PathRefused => "path_refused",
            Self::DuplicatePath => "duplicate_path",
            Self::LinkRefused => "link_refused",
            Self::SpecialRefused => "special_refused",
            Self::NotText => "not_text",
            Self::NotFound => "not_found",
            Self::TakenDown => "taken_down",
            Self::Denied => "denied",
            Self::RateLimited => "rate_limited",
            Self::Unreachable => "unreachable",
            Self::BadAnswer => "bad_answer",
            Self::Unreadable => "unreadable",
            Self::BudgetExhausted => "budget_exhausted",
            Self::Unresolved => "unresolved",
            Self::Empty => "empty",
            Self::NotLookedAt => "not_looked_at",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_beyond_a_number_become_one() {
        let gaps = |count: usize| (0..count).map(|at| Gap::new(format!("{at:04}"), GapReason::NotText, "")).collect();
        assert_eq!(capped_gaps(gaps(MAX_GAPS)).len(), MAX_GAPS);
        let more = capped_gaps(gaps(MAX_GAPS + 50));
        assert_eq!(more.len(), MAX_GAPS + 1);
        assert_eq!(more.first(), Some(&Gap::new(".", GapReason::BudgetExhausted, "and 50 more gaps")));
    }

    #[test]
    fn one_gap_is_stored_as_before_and_several_as_a_list() {
        let gap = |subject: &str| Gap::new(subject, GapReason::LinkRefused, "");
        let one = Completeness::nothing_read(vec![gap("a")], || gap("none"));
        let text = r#"{"not_assessable":{"subject":"a","reason":"link_refused","detail":""}}"#;
        assert_eq!(serde_json::to_string(&one).expect("JSON"), text);
        assert_eq!(serde_json::from_str::<Completeness>(text).expect("reads"), one);
        let two = Completeness::nothing_read(vec![gap("b"), gap("a"), gap("b")], || gap("none"));
        assert_eq!(two.gaps(), [gap("a"), gap("b")]);
        let text = serde_json::to_string(&two).expect("JSON");
        assert_eq!(serde_json::from_str::<Completeness>(&text).expect("reads"), two);
        assert_eq!(Completeness::nothing_read(Vec::new(), || gap("none")).gaps(), [gap("none")]);
    }
}
