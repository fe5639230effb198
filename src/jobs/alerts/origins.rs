//! Whose doing each alert is about, by what the registries prove.

use std::collections::{BTreeMap, BTreeSet};

use capdex_corpus::corpus::CorpusMember;
use capdex_db::{Reader, StoreError};
use capdex_model::alert::Raised;
use capdex_model::alert::origin::{Origin, Origins};
use capdex_model::capability::Kind;
use capdex_model::ids::{CapabilityId, ListingKey};
use capdex_model::source_role::SourceRoles;
use capdex_model::time::Timestamp;

/// The origin of each alert of which something is known.
///
/// # Errors
/// Errors of the store.
pub fn origins(reader: &Reader, alerts: &[Raised]) -> anyhow::Result<Origins> {
    let roles = capdex_crawlers::roles();
    let packages = packages(reader, alerts)?;
    let mut origins = Origins::new();
    for Raised { alert, .. } in alerts {
        let (artifact, listing) = match &alert.capability {
            Some(capability) => match packages.get(capability) {
                Some((artifact, listing)) => (Some(artifact.clone()), listing.clone()),
                None => continue,
            },
            // Without a capability the subject is a listing, an entity or a name.
            None => (None, alert.subject.parse::<ListingKey>().ok()),
        };
        let publishers = listing.map(|listing| publishers(reader, &roles, &listing)).transpose()?.unwrap_or_default();
        origins.insert(alert.key.clone(), Origin { artifact, publishers });
    }
    Ok(origins)
}

/// The artifact of every capability that alerts are about, with the listing that speaks for it.
fn packages(
    reader: &Reader,
    alerts: &[Raised],
) -> anyhow::Result<BTreeMap<CapabilityId, (String, Option<ListingKey>)>> {
    let (mut found, mut unmet) = (BTreeMap::new(), BTreeSet::new());
    for capability in alerts.iter().filter_map(|raised| raised.alert.capability) {
        match reader.origin_of(&capability)? {
            Some(of) => drop(found.insert(capability, of)),
            None => drop(unmet.insert(capability)),
        }
    }
    // Events of a whole package name the id that its rest would have, whether it has one or not.
    if !unmet.is_empty() {
        reader.each_identity(|identity, listing| -> Result<(), StoreError> {
            let package = CapabilityId::of(&identity, Kind::Package, "");
            if unmet.contains(&package) {
                found.insert(package, (identity, listing));
            }
            Ok(())
        })?;
    }
    Ok(found)
}

fn publishers(reader: &Reader, roles: &SourceRoles, key: &ListingKey) -> anyhow::Result<BTreeSet<String>> {
    let listing = reader.listing(key)?.and_then(|stored| stored.listing);
    // Only its publishers are asked for: neither users nor dates play a part.
    let member = |listing| CorpusMember::of(&listing, roles, None, Timestamp::from_unix_seconds(0), true);
    Ok(listing.map(|listing| member(listing).publishers).unwrap_or_default())
}
