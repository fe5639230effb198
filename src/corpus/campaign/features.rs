//! Features: the marks that at least three items have in common, with the items that have them.
//!
//! Suspicion is `judge`'s: honest items have features too.

use std::collections::BTreeMap;

use super::traits::Lure;
use super::{CampaignCapability, LEAST};

/// The kind of thing that is shared; the clearest mark first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FeatureMark {
    /// A download with a passphrase, by site and passphrase.
    Passphrase(String, String),
    /// A passage that has something fetched and run, by its words and the site.
    Passage(u64, String),
    /// The download itself, by site and place.
    Download(String, String),
    /// A site from which something is said to be needed.
    Site(String),
    /// A passage that a rule found to be an attack, by rule and words.
    Order(String, u64),
    /// An address that money is to be sent to.
    Wallet(String),
}

impl FeatureMark {
    /// The site of what is fetched, where something is.
    pub(super) fn site(&self) -> Option<&str> {
        match self {
            Self::Passphrase(site, _) | Self::Passage(_, site) | Self::Download(site, _) | Self::Site(site) => {
                Some(site)
            }
            Self::Order(..) | Self::Wallet(_) => None,
        }
    }

    /// The word that is stored, and the particulars.
    pub(super) fn shown(&self) -> (&'static str, String) {
        match self {
            Self::Passphrase(site, passphrase) => ("passphrase", format!("{passphrase} for {site}")),
            Self::Passage(_, site) => ("passage", site.clone()),
            Self::Download(_, place) => ("download", place.clone()),
            Self::Site(site) => ("site", site.clone()),
            Self::Order(rule, _) => ("order", rule.clone()),
            Self::Wallet(wallet) => ("wallet", wallet.clone()),
        }
    }
}

/// A mark and who bears it.
#[derive(Clone, Debug)]
pub(super) struct Feature {
    pub(super) mark: FeatureMark,
    /// The places of the items, sorted, each once.
    pub(super) items: Vec<usize>,
    /// The number of them that lead to where nobody answers for anything.
    pub(super) drops: usize,
    /// The number that have a program, a script or an archive fetched, or pipe what they fetch into a shell.
    pub(super) programs: usize,
    /// The number that say that it is needed.
    pub(super) required: usize,
    /// The number in which the site is what the text is about.
    pub(super) subject: usize,
    /// The passage where the first of them says it.
    pub(super) quote: String,
}

/// Every mark that at least three items bear, in the order of the marks.
pub(super) fn of(items: &[&CampaignCapability<'_>]) -> Vec<Feature> {
    let mut features: BTreeMap<FeatureMark, Feature> = BTreeMap::new();
    for (at, item) in items.iter().enumerate() {
        // One item may hold several lures, and each lure several marks: a campaign changes one and keeps the others.
        for lure in &item.traits.lures {
            for mark in marks(lure) {
                note(&mut features, mark, at, &lure.quote, Some(lure));
            }
        }
        for quote in &item.words.quotes {
            note(&mut features, FeatureMark::Order(quote.rule.clone(), quote.hash), at, &quote.text, None);
        }
        for wallet in &item.traits.wallets {
            note(&mut features, FeatureMark::Wallet(wallet.clone()), at, "", None);
        }
    }
    // Two items that say the same are a pair and not yet a pattern.
    features.into_values().filter(|feature| feature.items.len() >= LEAST).collect()
}

fn marks(lure: &Lure) -> Vec<FeatureMark> {
    // A link to a page is in every document; without a sign that something runs it would join everything.
    let runs = lure.is_file || lure.is_piped || lure.is_drop || lure.passphrase.is_some();
    let passphrase = lure.passphrase.clone().map(|passphrase| FeatureMark::Passphrase(lure.site.clone(), passphrase));
    let passage = lure.passage.map(|passage| FeatureMark::Passage(passage, lure.site.clone()));
    let download = runs.then(|| FeatureMark::Download(lure.site.clone(), lure.place.clone()));
    // A site alone is the weakest mark: it counts only where the text insists on it.
    let site = (runs && lure.is_required).then(|| FeatureMark::Site(lure.site.clone()));
    [passphrase, passage, download, site].into_iter().flatten().collect()
}

fn note(features: &mut BTreeMap<FeatureMark, Feature>, mark: FeatureMark, at: usize, quote: &str, lure: Option<&Lure>) {
    let feature = features.entry(mark.clone()).or_insert_with(|| Feature {
        mark,
        items: Vec::new(),
        drops: 0,
        programs: 0,
        required: 0,
        subject: 0,
        quote: quote.to_owned(),
    });
    // Items come in order, so that the last place tells whether an item bears the mark more than once.
    if feature.items.last() == Some(&at) {
        return;
    }
    feature.items.push(at);
    if let Some(lure) = lure {
        feature.drops += usize::from(lure.is_drop);
        feature.programs += usize::from(lure.is_file || lure.is_piped);
        feature.required += usize::from(lure.is_required);
        feature.subject += usize::from(lure.is_subject);
    }
}
