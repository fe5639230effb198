//! Campaigns: the same thing asked of people by many items that have no reason to say the same.
//!
//! Each item alone looks harmless: a clean text, and one paragraph that has a companion program installed first. A
//! campaign shows itself where the same thing comes again in items that are otherwise different texts. That is the
//! paragraph, the download, its passphrase, the order or the payment address. The site tells apart what honest
//! publishers repeat: the publisher's own, what the text is about, or one that everybody uses.

mod features;
mod judge;
#[cfg(test)]
mod tests;
mod traits;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::union::Union;
use crate::wording::{hash_of, words};
use capdex_model::fact::{Confidence, Severity};
use capdex_model::facts::SparseFacts;
use capdex_model::ids::CapabilityId;
use capdex_model::time::{AsOf, Timestamp};

pub use traits::{TRAITS_VERSION, Traits};

/// Items that a campaign has at least.
pub(super) const LEAST: usize = 3;

/// The beginning of the name of a publisher that an item is given where nobody proves to answer for it.
pub const UNPROVEN: &str = "listing:";

/// One capability, as campaigns see it.
#[derive(Clone, Debug)]
pub struct CampaignCapability<'a> {
    /// The capability's id.
    pub id: CapabilityId,
    /// Its readable name. Untrusted text.
    pub slug: &'a str,
    /// The clone family that it belongs to, by the family's first member: a text told twice is told once.
    pub family: Option<CapabilityId>,
    /// The publishers that answer for it; a name of its own where nobody proves to, after [`UNPROVEN`].
    pub publishers: &'a BTreeSet<String>,
    /// When a night of ours first saw it.
    pub first_seen: Timestamp,
    /// When its package first appeared, where the source says so.
    pub created: Option<Timestamp>,
    /// When the version that it has was published, where the source says so.
    pub published: Option<Timestamp>,
    /// The number of users, where somebody counts.
    pub popularity: Option<u64>,
    /// The things that its documents ask for.
    pub traits: &'a Traits,
    /// What its facts say.
    pub words: &'a CampaignWords,
}

/// The version of [`CampaignWords`]: raised where other words are picked, or told apart otherwise.
pub const WORDS_VERSION: u32 = 1;

/// What the facts of a capability say that a campaign may share. They depend on the facts alone, so that a store keeps them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CampaignWords {
    /// The passages that the rules quoted, at most 32.
    pub quotes: Vec<Quote>,
    /// The worst finding.
    pub worst: Severity,
}

impl CampaignWords {
    /// Those of facts. Only what the text itself shows: corpus signals come from passes, and would feed the campaign that they
    /// came from.
    pub fn of(facts: &SparseFacts) -> Self {
        let worst = facts.findings_of_its_own().map(|fact| fact.severity).max();
        Self { quotes: Quote::all_of(facts), worst: worst.unwrap_or(Severity::Info) }
    }
}

/// A passage that a rule found to be an attack or dangerous.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quote {
    /// The rule.
    pub rule: String,
    /// The words of the passage.
    hash: u64,
    /// The severity that the rule gave it.
    pub severity: Severity,
    /// The passage. Untrusted text.
    pub text: String,
}

impl Quote {
    /// Words that a passage must have to be told from another by itself.
    const WORDS: usize = 6;

    /// The passages that rules quote from a capability at high or worse.
    pub fn all_of(facts: &SparseFacts) -> Vec<Self> {
        // Passages that rules are unsure of, or that are mild, stand in honest items by the hundred.
        let grave = facts
            .findings_of_its_own()
            .filter(|fact| fact.severity >= Severity::High && fact.confidence >= Confidence::Medium);
        let quotes = grave.filter_map(|fact| {
            let said = words(&fact.evidence);
            // A short quotation (`curl x | sh`) is the same in texts that have nothing to do with each other.
            (said.len() >= Self::WORDS).then(|| Self {
                rule: fact.rule.as_str().to_owned(),
                hash: hash_of(&said),
                severity: fact.severity,
                text: fact.evidence.clone(),
            })
        });
        // One document can hold thousands of matches, and an item needs few marks to be joined.
        quotes.take(32).collect()
    }
}

/// A mark that many items have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shared {
    /// `passage`, `download`, `site`, `passphrase`, `order` or `wallet`.
    pub what: String,
    /// The particulars: an address, a site, a passphrase, a rule. Untrusted text.
    pub value: String,
    /// The passage where one of them says it. Untrusted text.
    pub quote: String,
    /// The number of items that have it.
    pub items: u64,
}

/// Items that say the same and have no reason to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Campaign {
    /// Stays while its strongest mark does, however many items join.
    pub key: String,
    /// The severity; below medium it is no alert.
    pub severity: Severity,
    /// Its items, sorted.
    pub members: Vec<CapabilityId>,
    /// The number of publishers that they have.
    pub publishers: u64,
    /// The marks that they have in common, what most have first.
    pub shared: Vec<Shared>,
    /// Why the severity is what it is, one sentence each.
    pub reasons: Vec<String>,
}

/// The campaigns among items, by key. The order of the items makes no difference.
pub fn campaigns(items: &[CampaignCapability<'_>], at: AsOf) -> Vec<Campaign> {
    let mut items: Vec<&CampaignCapability<'_>> = items.iter().collect();
    // Places in this order name items from here on, and the caller's order must not show in the result.
    items.sort_by_key(|item| item.id);
    items.dedup_by_key(|item| item.id);
    let context = judge::CampaignContext::of(&items, at);
    let kept: Vec<features::Feature> =
        // Innocent marks are dropped before joining: one popular site would join unlike campaigns into one.
        features::of(&items).into_iter().filter(|feature| context.is_suspicious(&items, feature)).collect();
    let mut campaigns: Vec<Campaign> =
        joined(items.len(), kept).into_iter().map(|features| context.judge(&items, &features)).collect();
    campaigns.sort_by(|a, b| a.key.cmp(&b.key));
    campaigns
}

/// Features that share items, together.
fn joined(items: usize, features: Vec<features::Feature>) -> Vec<Vec<features::Feature>> {
    let mut union = Union::of(items);
    for feature in &features {
        for pair in feature.items.windows(2) {
            // Neighbours are enough: joining is transitive.
            let [one, other] = pair else { continue };
            union.join(*one, *other);
        }
    }
    let mut together: BTreeMap<usize, Vec<features::Feature>> = BTreeMap::new();
    for feature in features {
        // All items of a feature are in one set by now, so that any of them finds it.
        let Some(first) = feature.items.first() else { continue };
        together.entry(union.root(*first)).or_default().push(feature);
    }
    together.into_values().collect()
}
