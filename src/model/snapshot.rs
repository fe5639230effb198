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
    /// Nothing could be read.
    NotAssessable(Gap),
}

impl Completeness {
    /// `Analysed` for no gaps, else `Partial` with the gaps sorted and each once.
    pub fn from_gaps(mut gaps: Vec<Gap>) -> Self {
        // Sorted and each once: the order in which files were refused must not change what is stored.
        gaps.sort();
        gaps.dedup();
        if gaps.is_empty() { Self::Analysed } else { Self::Partial(gaps) }
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
            Self::Partial(gaps) => gaps,
            Self::NotAssessable(gap) => std::slice::from_ref(gap),
        }
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
            Self::Empty => "empty",
            Self::NotLookedAt => "not_looked_at",
        }
    }
}
