//! `TyposquatCandidate`: a name that is almost the name of something established, with everything that is known of the two.
//!
//! Lists and nights make candidates in the same form; `judge` gives them severity and rank.

use serde::{Deserialize, Serialize};

use super::judge::{TyposquatCase, TyposquatSignal};
use super::kinds::TyposquatKind;
use capdex_model::fact::Severity;
use capdex_model::ids::CapabilityId;

/// The kind of thing that a name is the name of. Names are compared with others of their space only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Space {
    /// A package, server or other listing.
    Name,
    /// A skill: one inside a package, or a row of a directory of skills.
    Skill,
    /// The publishers: a scope, an account, a namespace.
    Publisher,
    /// A tool of a server.
    Tool,
    /// A host.
    Host,
}

impl Space {
    /// Every space, in order.
    pub const ALL: [Self; 5] = [Self::Name, Self::Skill, Self::Publisher, Self::Tool, Self::Host];

    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Skill => "skill",
            Self::Publisher => "publisher",
            Self::Tool => "tool",
            Self::Host => "host",
        }
    }
}

/// A typosquat candidate, which is no verdict: see `severity` and `reasons`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TyposquatCandidate {
    /// The space that both are names of.
    pub space: Space,
    /// The newcomer's name, as written; untrusted.
    pub name: String,
    /// The name that it may be taken for.
    pub target: String,
    /// In what way.
    pub kind: TyposquatKind,
    /// The edits between the two as written, in small letters; swaps of neighbours count one.
    pub distance: u64,
    /// The severity.
    pub severity: Severity,
    /// The order within one severity, 0 to 1000, highest first.
    pub rank: u32,
    /// The known facts, one a line: first the likeness, then what speaks for it, then what tells it apart.
    pub reasons: Vec<String>,
    /// The signs that speak for it, as words.
    pub signals: Vec<TyposquatSignal>,
    /// The newcomer's listing, where it comes from a directory.
    pub listing: Option<String>,
    /// The capability that bears the name, where that is one of several in the listing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<CapabilityId>,
    /// The target's listing, where it comes from a directory.
    pub target_listing: Option<String>,
    /// The newcomer's users, as its source counts them.
    pub popularity: Option<u64>,
    /// The target's users.
    pub target_popularity: Option<u64>,
    /// The publishers that prove to answer for the newcomer.
    pub owners: Vec<String>,
    /// The publishers that prove to answer for the target.
    pub target_owners: Vec<String>,
}

impl TyposquatCandidate {
    /// Takes over what a case comes to: severity, rank, signals and the reasons that marks are.
    #[must_use]
    pub fn judged(mut self, case: &TyposquatCase) -> Self {
        (self.severity, self.rank) = (case.severity(), case.rank());
        self.signals.clone_from(&case.signals);
        self.reasons.extend(case.holding().map(|mark| mark.sentence().to_owned()));
        self
    }

    /// The order in which candidates are shown: worst first, then by rank, then by name.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        let key = |candidate: &Self| {
            (std::cmp::Reverse(candidate.severity), std::cmp::Reverse(candidate.rank), candidate.space)
        };
        key(self).cmp(&key(other)).then_with(|| {
            let names =
                |candidate: &'_ Self| (candidate.name.clone(), candidate.target.clone(), candidate.listing.clone());
            names(self).cmp(&names(other))
        })
    }
}
