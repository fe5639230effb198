//! `CorpusSignal`: one pass's view of a package when nights or directories were compared, as its rules read it.
//!
//! The way from the passes back to the rubrics. No source says it: the store adds it to what a listing claims, for as
//! long as it holds. Each pass has its own closed words.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::fact::Severity;
use crate::ids::CapabilityId;
use crate::snapshot::{Gap, GapReason};

/// The beginning of the ids of the rules that read corpus signals. Passes ignore findings of these rules: what a pass saw
/// is no second signal for another.
pub const RULE_PREFIX: &str = "sighted-";

/// The pass that says of items that they ask for the same thing as others and have no reason to.
pub const CAMPAIGNS: &str = "campaigns";
/// The pass that says of rows of directories what they hand out.
pub const HANDED_OUT: &str = "handed_out";
/// The class of [`HANDED_OUT`] for an artifact that was not looked at, or at another version, or not in full.
pub const NOT_LOOKED_AT: &str = "not_looked_at";

/// One thing that a pass saw of a package or of one capability in it. Ordered, so that a list of them has one text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorpusSignal {
    /// The pass, such as `drift`.
    pub pass: String,
    /// The event that it saw, a closed word of that pass.
    pub class: String,
    /// The severity that the pass gives it.
    pub severity: Severity,
    /// The capability that it is about; none where it is about the package.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<CapabilityId>,
    /// The content that it is about: it says nothing of other bytes. None where it holds whatever the bytes are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Digest>,
    /// One sentence. Untrusted text.
    pub detail: String,
}

impl CorpusSignal {
    /// The gap of a row whose artifact was not looked at; none for any other signal. It concerns the row as a whole.
    pub fn not_looked_at(&self) -> Option<Gap> {
        let is_meant = self.pass == HANDED_OUT && self.class == NOT_LOOKED_AT;
        is_meant.then(|| Gap::new(".", GapReason::NotLookedAt, &*self.detail))
    }
}
