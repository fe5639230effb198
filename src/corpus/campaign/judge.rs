//! Judges which marks are suspicious, and how bad the items that bear them are together.
//!
//! A mark says nothing where the site is the publisher's own or what the text is about. Neither does one whose site is
//! used by many who have nothing else in common. Two signals make an alert, never one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::features::{Feature, FeatureMark};
use super::traits::labels;
use super::{Campaign, CampaignCapability, LEAST, Shared, UNPROVEN};
use crate::union::Union;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::ids::CapabilityId;
use capdex_model::time::{AsOf, Timestamp};

/// Publishers that name a site without bearing the mark, from which the site is everybody's.
const WIDE: usize = 8;
/// Users from which an item vouches for what it asks for.
const ESTABLISHED_USERS: u64 = 1_000;
/// Days from which it does.
const ESTABLISHED_DAYS: i64 = 365;
/// Days up to which a publisher is fresh.
const FRESH_DAYS: i64 = 120;
/// Publishers beyond which a quoted passage is what many quote.
const MANY_QUOTE: usize = 100;

static WELL_KNOWN: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let lines = include_str!("well_known.txt").lines();
    lines.map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
});

/// The knowledge of all items that is needed to judge some.
pub(super) struct CampaignContext {
    /// The publisher of each item: items whose publishers meet have one.
    publisher: Vec<usize>,
    /// For each site the publishers whose items name it, of those who prove who they are.
    named: BTreeMap<String, BTreeSet<usize>>,
    /// The sites whose own publisher is among those that name them.
    owned: BTreeSet<String>,
    /// The first of our nights.
    since: Option<Timestamp>,
    at: AsOf,
}

impl CampaignContext {
    pub(super) fn of(items: &[&CampaignCapability<'_>], at: AsOf) -> Self {
        let publisher = publishers(items);
        let mut named: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        let mut owned = BTreeSet::new();
        for (item, publisher) in items.iter().zip(&publisher) {
            // Listings that nobody answers for can be had in any number, and would make any site look widely used.
            let is_proven = item.publishers.iter().any(|publisher| !publisher.starts_with(UNPROVEN));
            for site in &item.traits.sites {
                let named = named.entry(site.clone()).or_default();
                if is_proven {
                    named.insert(*publisher);
                }
                // `owns` builds texts for each pair of publisher and site, and one owner of a site is enough.
                if !owned.contains(site) && item.publishers.iter().any(|publisher| owns(publisher, site)) {
                    owned.insert(site.clone());
                }
            }
        }
        Self { publisher, named, owned, since: items.iter().map(|item| item.first_seen).min(), at }
    }

    fn publishers(&self, items: &[usize]) -> BTreeSet<usize> {
        items.iter().filter_map(|at| self.publisher.get(*at)).copied().collect()
    }

    /// True where items that bear a mark have no honest reason to.
    pub(super) fn is_suspicious(&self, items: &[&CampaignCapability<'_>], feature: &Feature) -> bool {
        let texts: BTreeSet<CapabilityId> =
            // Clones of one text count once: copying a document ten times makes no campaign of it.
            feature.items.iter().filter_map(|at| items.get(*at)).map(|item| item.family.unwrap_or(item.id)).collect();
        let is_strong = is_strong(feature);
        if texts.len() < LEAST {
            return false;
        }
        let publishers = self.publishers(&feature.items);
        match &feature.mark {
            // One publisher may repeat himself; a passage that a hundred quote is a known example, such as a warning.
            FeatureMark::Order(..) => publishers.len() > 1 && publishers.len() <= MANY_QUOTE,
            FeatureMark::Wallet(_) => publishers.len() > 1 && publishers.len() <= MANY_QUOTE,
            FeatureMark::Passphrase(site, _)
            | FeatureMark::Passage(_, site)
            | FeatureMark::Download(site, _)
            | FeatureMark::Site(site) => {
                is_strong
                    // A passphrase or a drop outweighs every excuse: well-known hosts carry malware too.
                    || !(WELL_KNOWN.contains(site.as_str())
                        || self.owned.contains(site)
                        // Most must be about the site: an attacker can name it in a few descriptions.
                        || feature.subject * 2 > feature.items.len()
                        || self.is_wide(site, &publishers)
                        || self.is_vouched_for(items, feature))
            }
        }
    }

    /// True where a site is named by many who do not bear the mark.
    fn is_wide(&self, site: &str, bearers: &BTreeSet<usize>) -> bool {
        let others = self.named.get(site).map_or(0, |named| named.difference(bearers).count());
        // More others than bearers: a campaign cannot grow until its own items make its site everybody's.
        others >= WIDE.max(bearers.len())
    }

    /// True where a third of the bearers have been known for long or are used by many.
    fn is_vouched_for(&self, items: &[&CampaignCapability<'_>], feature: &Feature) -> bool {
        let is_established = |item: &CampaignCapability<'_>| {
            let age = |since: Timestamp| since.days_until(self.at.0);
            let is_old = |since: Timestamp| age(since) >= ESTABLISHED_DAYS;
            // An old name says nothing of the text that it was given lately.
            let is_new_text = item.published.is_some_and(|since| age(since) <= FRESH_DAYS);
            let has_stood = is_old(item.first_seen) || item.created.is_some_and(is_old);
            item.popularity.unwrap_or(0) >= ESTABLISHED_USERS || has_stood && !is_new_text
        };
        let of_items = feature.items.iter().filter_map(|at| items.get(*at));
        // A third, not one: a campaign may hijack or copy one item that has users.
        of_items.filter(|item| is_established(item)).count() * 3 >= feature.items.len()
    }

    /// Judges items that are joined by features.
    pub(super) fn judge(&self, items: &[&CampaignCapability<'_>], features: &[Feature]) -> Campaign {
        let places: BTreeSet<usize> = features.iter().flat_map(|feature| feature.items.iter().copied()).collect();
        let places: Vec<usize> = places.into_iter().collect();
        let members: Vec<&CampaignCapability<'_>> = places.iter().filter_map(|at| items.get(*at).copied()).collect();
        let publishers = self.publishers(&places);
        let signals = CampaignSignals::of(features, &members, publishers.len(), self.fresh(&members, &places));
        let mut order: Vec<&Feature> = features.iter().collect();
        // What most share is shown first; the mark breaks ties, so that every night prints the same.
        order.sort_by(|a, b| b.items.len().cmp(&a.items.len()).then_with(|| a.mark.cmp(&b.mark)));
        // A campaign of thousands of items can have as many marks; twenty explain it.
        let shared = order.iter().take(20).map(|feature| {
            let (what, value) = feature.mark.shown();
            Shared { what: what.to_owned(), value, quote: feature.quote.clone(), items: feature.items.len() as u64 }
        });
        Campaign {
            key: key_of(features),
            severity: signals.severity(),
            members: members.iter().map(|item| item.id).collect(),
            publishers: publishers.len() as u64,
            shared: shared.collect(),
            reasons: signals.reasons(),
        }
    }

    /// Publishers that are known to be new: their packages are, or they came after our first night.
    fn fresh(&self, members: &[&CampaignCapability<'_>], places: &[usize]) -> usize {
        let young = |since: Timestamp| since.days_until(self.at.0) <= FRESH_DAYS;
        let is_fresh = |item: &CampaignCapability<'_>| {
            // On our first night everything is new to us; only items that came later are known to be fresh.
            let came = item.created.map_or_else(|| Some(item.first_seen) > self.since, young);
            came && young(item.first_seen) && item.popularity.unwrap_or(0) < ESTABLISHED_USERS
        };
        let publisher = |at: &usize| self.publisher.get(*at).copied();
        let known = members.iter().zip(places).filter(|(item, _)| !is_fresh(item)).filter_map(|(_, at)| publisher(at));
        let known: BTreeSet<usize> = known.collect();
        // One item that is not fresh makes its publisher known.
        places.iter().filter_map(publisher).collect::<BTreeSet<_>>().difference(&known).count()
    }
}

/// A passphrase beside a download, or a place that belongs to nobody: no honest reason is looked for.
fn is_strong(feature: &Feature) -> bool {
    matches!(feature.mark, FeatureMark::Passphrase(..)) || feature.drops >= LEAST
}

/// The signals that speak against items together.
struct CampaignSignals {
    items: usize,
    publishers: usize,
    fresh: usize,
    passphrase: bool,
    drop: bool,
    program: bool,
    required: bool,
    download: bool,
    passage: bool,
    order: bool,
    wallet: bool,
    grave: usize,
}

impl CampaignSignals {
    fn of(features: &[Feature], members: &[&CampaignCapability<'_>], publishers: usize, fresh: usize) -> Self {
        let any = |is: fn(&Feature) -> bool| features.iter().any(is);
        Self {
            items: members.len(),
            publishers,
            fresh,
            passphrase: any(|feature| matches!(feature.mark, FeatureMark::Passphrase(..))),
            drop: any(|feature| feature.drops >= LEAST),
            program: any(|feature| feature.programs >= LEAST),
            required: any(|feature| feature.required >= LEAST),
            download: any(|feature| feature.mark.site().is_some()),
            passage: any(|feature| matches!(feature.mark, FeatureMark::Passage(..))),
            order: any(|feature| matches!(feature.mark, FeatureMark::Order(..))),
            wallet: any(|feature| matches!(feature.mark, FeatureMark::Wallet(..))),
            grave: members.iter().filter(|item| item.words.worst >= Severity::High).count(),
        }
    }

    fn severity(&self) -> Severity {
        // Each of the two means that somebody hides what is fetched; no honest publisher needs it.
        let strong = self.passphrase || (self.drop && self.required);
        let mostly_grave = self.grave * 2 >= self.items;
        let several = self.publishers > 1;
        let runs = self.program || strong;
        // One publisher's own repetition needs more than an address nobody knows: documents repeat their own installer.
        let is_lure = self.download && (strong || (several && (runs || self.passage)));
        // A lone publisher is reported only where the rules, too, found most of the items grave.
        let is_lure = is_lure || (self.download && self.program && self.required && mostly_grave);
        // Orders and payments have no site to judge by; several publishers and the rules must agree.
        let is_lure =
            is_lure || (self.order && several && mostly_grave) || (self.wallet && several && self.grave >= LEAST);
        if !is_lure {
            return Severity::Low;
        }
        // One sign more than what made it a lure raises it to `high`.
        let more = [self.passphrase, self.drop, mostly_grave && self.download, self.fresh > 1 && self.required];
        if more.into_iter().filter(|signal| *signal).count() > 0 && self.download {
            Severity::High
        } else {
            Severity::Medium
        }
    }

    fn reasons(&self) -> Vec<String> {
        let said = [
            (self.passage, "the same passage stands in texts that are otherwise different".to_owned()),
            (
                self.download,
                "it has something fetched from a site that is neither the publishers' nor what the texts are about"
                    .to_owned(),
            ),
            (self.passphrase, "what is fetched is locked with a passphrase, which keeps scanners out".to_owned()),
            (self.drop, "it lies where nobody answers for anything".to_owned()),
            (self.required, "it is said to be needed before anything works".to_owned()),
            (self.order, "rules found the same attack in the same words".to_owned()),
            (self.wallet, "money is to be sent to the same address".to_owned()),
            (self.publishers > 1, format!("{} publishers who prove nothing in common say the same", self.publishers)),
            (self.fresh > 1, format!("{} of the publishers are new", self.fresh)),
            (self.grave > 0, format!("{} of {} items have a finding at high or worse", self.grave, self.items)),
        ];
        said.into_iter().filter(|(holds, _)| *holds).map(|(_, reason)| reason).collect()
    }
}

/// The key: the clearest mark, which stays while items come and go.
fn key_of(features: &[Feature]) -> String {
    // The least mark is the clearest by the order of `FeatureMark`'s variants.
    let clearest = features.iter().map(|feature| &feature.mark).min();
    let text = clearest.map(|mark| match mark {
        // The words shown for passages and orders leave out the hash, without which two campaigns would share a key.
        FeatureMark::Passage(hash, site) => format!("passage {hash:016x} {site}"),
        FeatureMark::Order(rule, hash) => format!("order {hash:016x} {rule}"),
        other => {
            let (what, value) = other.shown();
            format!("{what} {value}")
        }
    });
    Digest::of(text.unwrap_or_default().as_bytes()).hex().chars().take(16).collect()
}

/// For each item its publisher: items of which a publisher is the same have one.
fn publishers(items: &[&CampaignCapability<'_>]) -> Vec<usize> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    let mut union = Union::of(items.len());
    for (at, item) in items.iter().enumerate() {
        for publisher in item.publishers {
            union.join(at, *first.entry(publisher).or_insert(at));
        }
    }
    (0..items.len()).map(|at| union.root(at)).collect()
}

/// True where a site goes by the name of a publisher.
fn owns(publisher: &str, site: &str) -> bool {
    let Some((kind, name)) = publisher.split_once(':') else { return false };
    let plain = |text: &str| text.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>();
    let name = name.rsplit('/').next().unwrap_or(name);
    if kind == "namespace" {
        // `com.acme.tools` is proven by the domain read backwards, and stands for the domains above it as well.
        let domain = name.split('.').rev().collect::<Vec<_>>().join(".");
        if domain == site || domain.ends_with(&format!(".{site}")) {
            return true;
        }
    }
    // Short names and labels match by accident.
    let names = name.split('.').map(plain).filter(|name| name.len() > 3);
    let labels: Vec<String> = labels(site).map(plain).filter(|label| label.len() > 3).collect();
    // `io.github.ann` would otherwise own github.com.
    let mut own = names.filter(|name| !matches!(name.as_str(), "github" | "gitlab"));
    own.any(|name| {
        labels.iter().any(|label| *label == name || label.starts_with(&name) || name.starts_with(label.as_str()))
    })
}
