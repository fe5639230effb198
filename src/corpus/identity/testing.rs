//! What the tests of this pass share: small listings, read.

use std::collections::BTreeMap;

use super::Statement;
use crate::testing::roles;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims, Listing, Locator};
use capdex_model::repository_signals::RepositorySignals;
use capdex_model::time::Timestamp;
fn key(text: &str) -> ListingKey {
    text.parse().expect("a key")
}

/// A listing that names others by their keys, as a directory's row does.
pub(crate) fn listing(name: &str, references: &[&str]) -> Listing {
    let references = references.iter().map(|text| key(text)).collect();
    Listing { key: key(name), locators: Vec::new(), claims: Claims::default(), references }
}

/// A package of npm.
pub(crate) fn npm(name: &str, references: &[&str]) -> Listing {
    let locator = Locator::NpmPackage {
        registry: None,
        name: name.into(),
        version: "1.0.0".into(),
        url: String::new(),
        integrity: vec![],
    };
    Listing { locators: vec![locator], ..listing(&format!("npm:{name}"), references) }
}

/// The same, which this account may publish.
pub(crate) fn by(account: &str, listing: Listing) -> Listing {
    let claims = Claims { maintainers: Claim::Known(vec![account.to_owned()]), ..listing.claims };
    Listing { claims, ..listing }
}

/// A repository of GitHub with its number.
pub(crate) fn repository(name: &str, number: u64) -> Listing {
    let signals = RepositorySignals { repository_id: Claim::Known(number), ..RepositorySignals::default() };
    let owner = name.split('/').next().unwrap_or_default().to_owned();
    let claims = Claims { repository_signals: signals, maintainers: Claim::Known(vec![owner]), ..Claims::default() };
    Listing { claims, ..listing(&format!("github:{name}"), &[]) }
}

/// A row of the official registry with the text of its server.json.
pub(crate) fn registry_row(name: &str, server: &str, references: &[&str]) -> Listing {
    let files = BTreeMap::from([("server.json".to_owned(), server.to_owned())]);
    let identity = format!("official-registry:{}", name.rsplit_once('@').map_or(name, |(name, _)| name));
    let signals = RepositorySignals { official: Claim::Known(true), ..RepositorySignals::default() };
    Listing {
        locators: vec![Locator::Inline { identity, version: None, files }],
        claims: Claims { repository_signals: signals, ..Claims::default() },
        ..listing(&format!("official-registry:{name}"), references)
    }
}

/// What a listing says, first seen on day 0 and there.
pub(crate) fn read(listing: &Listing) -> Statement {
    Statement::of(listing, &roles(), None, Timestamp::from_unix_seconds(0), true)
}
