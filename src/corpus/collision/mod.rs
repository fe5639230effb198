//! Collisions: names of tools and listings that unlike entities share.
//!
//! A shared name is expected, and by itself a fact of no weight. It becomes a finding where the name is rare, the other
//! entity was there long before, and the two have no publisher in common. A second thing must speak for it. It may be a
//! text that steers the model from one tool to another, or the same description over a wider tool. It may be a borrowed
//! brand, letters that only look alike, or most of a toolset. Pure: callers hand over pins and the texts of the pairs
//! to compare.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::drift::ToolPin;
use crate::established::PopularityByEntity;
use crate::identity::{Identified, Reason};
use capdex_model::fact::{Fact, Severity};
use capdex_model::facts::SparseFacts;
use capdex_model::ids::ListingKey;

mod clone;
mod find;
mod index;
mod names;
#[cfg(test)]
mod tests;
mod widened_tools;

pub use find::{find, pairs_to_compare};
pub use widened_tools::widened;

/// Rules whose findings are directives about other servers' tools.
pub const DIRECTIVES: [&str; 6] = [
    "tool-shadowing",
    "tool-false-prerequisite",
    "tool-argument-hijack",
    "lateral-server-instruction",
    "tool-precedence-directive",
    "argument-hijack",
];

/// The rule whose findings are brands that a text claims and its publisher does not have.
pub const BRAND: &str = "tool-brand-claim";

/// A text in a server that speaks for more than a shared name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollisionCue {
    /// The rule that found it, one of [`DIRECTIVES`] or [`BRAND`].
    pub rule: String,
    /// The severity that the rule gives it.
    pub severity: Severity,
    /// The quoted text. Untrusted.
    pub evidence: String,
}

impl CollisionCue {
    /// The cues among the findings of a capability, sorted.
    pub fn among(facts: &SparseFacts) -> Vec<Self> {
        let is_cue = |fact: &&Fact| fact.rule.as_str() == BRAND || DIRECTIVES.contains(&fact.rule.as_str());
        let cue = |fact: &Fact| Self {
            rule: fact.rule.as_str().to_owned(),
            severity: fact.severity,
            evidence: fact.evidence.clone(),
        };
        // One sentence may stand in several tools: a set keeps it once.
        let cues: BTreeSet<Self> = facts.findings_of_its_own().filter(is_cue).map(cue).collect();
        cues.into_iter().collect()
    }
}

/// A capability that offers tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The capability's readable name.
    pub slug: String,
    /// The listing that speaks for it.
    pub listing: ListingKey,
    /// The entity of that listing.
    pub entity: String,
    /// Its tools, by name.
    pub tools: BTreeMap<String, ToolPin>,
    /// The directives and brand claims in its texts.
    pub cues: Vec<CollisionCue>,
}

/// Everything that is compared.
#[derive(Clone, Debug, Default)]
pub struct CollisionCorpus {
    /// The servers, sorted by slug.
    pub servers: Vec<Server>,
    /// The names of listings that are there, with their entities.
    pub listings: Vec<(ListingKey, String)>,
    /// Pairs of entities of which one says that it has to do with the other, without proof.
    pub claimed: BTreeSet<(String, String)>,
    /// The popularity of the entities.
    pub popularity: PopularityByEntity,
}

/// Pairs of entities of which one says, without proof, that it has to do with the other, or that lie in one repository.
pub fn claimed(identified: &[Identified]) -> BTreeSet<(String, String)> {
    // Of a repository the folder does not matter here: who names the whole means its parts too.
    let whole = |to: &'_ str| to.split('#').next().unwrap_or_default().to_owned();
    let mut named: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    // A common publisher says nothing of two things, and shared targets are everybody's.
    let is_about = |reason: Reason| !matches!(reason, Reason::Publisher | Reason::Shared);
    for one in identified {
        for edge in one.edges.iter().filter(|edge| is_about(edge.reason)) {
            named.entry(whole(&edge.to)).or_default().insert(&one.entity);
        }
    }
    let mut pairs = BTreeSet::new();
    // What crowds name relates nobody to anybody.
    for entities in named.into_values().filter(|entities| entities.len() <= MAX_RELATED) {
        for one in &entities {
            let others = entities.iter().filter(|other| *other != one);
            pairs.extend(others.map(|other| ((*one).to_owned(), (*other).to_owned())));
        }
    }
    pairs
}

/// Entities that one name may relate to each other.
const MAX_RELATED: usize = 16;

/// Two tools of one name whose texts are to be compared: the one that came later, and the earlier one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The later server's slug.
    pub slug: String,
    /// Its tool.
    pub tool: String,
    /// The earlier server's slug.
    pub target_slug: String,
    /// Its tool.
    pub target_tool: String,
}

/// The things that wider tools can do more, by pair, where anything.
pub type Widened = BTreeMap<Pair, Vec<String>>;

/// The kind of a collision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CollisionClass {
    /// A directive steers the model from the other entity's tool to this one's, or changes how it is used.
    Shadow,
    /// Names that are written with other letters and look the same.
    LookAlike,
    /// The same name and description over a tool that can do more.
    Widening,
    /// The name together with a brand that the publisher does not have.
    Brand,
    /// Most of the other's rare names in a package of another publisher in the same registry.
    Clone,
    /// Most of the other's rare names; a fork, a port or a copy. No weight.
    Derived,
    /// A rare name that few share. No weight.
    Shared,
    /// A name that many have or that says nothing. No weight.
    Generic,
}

impl CollisionClass {
    /// Every class, what weighs most first.
    pub const ALL: [Self; 8] = [
        Self::Shadow,
        Self::LookAlike,
        Self::Widening,
        Self::Brand,
        Self::Clone,
        Self::Derived,
        Self::Shared,
        Self::Generic,
    ];

    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shadow => "shadow",
            Self::LookAlike => "look_alike",
            Self::Widening => "widening",
            Self::Brand => "brand",
            Self::Clone => "clone",
            Self::Derived => "derived",
            Self::Shared => "shared",
            Self::Generic => "generic",
        }
    }

    /// The severity that it has at least; `info` weighs nothing.
    pub const fn severity(self) -> Severity {
        match self {
            Self::Shadow | Self::LookAlike => Severity::High,
            Self::Widening | Self::Brand => Severity::Medium,
            // Honest people publish copies too; with a second sign it is `medium`.
            Self::Clone => Severity::Low,
            Self::Derived | Self::Shared | Self::Generic => Severity::Info,
        }
    }
}

/// One collision.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collision {
    /// Stable over nights.
    pub key: String,
    /// `tool` or `listing`: what has the name.
    pub of: String,
    /// The kind of the collision.
    pub class: CollisionClass,
    /// The severity; `info` weighs nothing.
    pub severity: Severity,
    /// The name, folded. Untrusted text.
    pub name: String,
    /// The entity that came later, or that shares the name; none for a name of many.
    pub entity: Option<String>,
    /// The capability or listing of it that has the name.
    pub holder: Option<String>,
    /// The earlier entity.
    pub target: Option<String>,
    /// The number of parties without a publisher in common that have the name.
    pub parties: u64,
    /// Why, one a line.
    pub reasons: Vec<String>,
}
