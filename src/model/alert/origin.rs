//! `Origin`: whose doing an alert is about, told apart as registries tell things apart.
//!
//! Readable names (slugs) fold unlike names to one text, so that neither a suppression nor a share of a budget is bound to
//! them.

use std::collections::{BTreeMap, BTreeSet};

use super::Alert;

/// The artifact and the publishers behind an alert.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The artifact as its registry names it, such as `npm:@scope/name`; none where nobody knows.
    pub artifact: Option<String>,
    /// The publishers that prove to answer for it, such as `npm-user:ann`; none where nobody does.
    pub publishers: BTreeSet<String>,
}

/// The origins of alerts, by the alert's key. An alert that is not among them has none.
pub type Origins = BTreeMap<String, Origin>;

impl Origin {
    /// Those to whose account an alert goes: its publishers, or else the one thing that it is about.
    pub(super) fn accounts(origin: Option<&Self>, alert: &Alert) -> BTreeSet<String> {
        match origin {
            Some(origin) if !origin.publishers.is_empty() => origin.publishers.clone(),
            Some(Self { artifact: Some(artifact), .. }) => BTreeSet::from([artifact.clone()]),
            _ => BTreeSet::from([alert.about()]),
        }
    }
}
