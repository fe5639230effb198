//! Who lends whom what, and who only says that he belongs.

use std::collections::BTreeMap;

use super::{StatedSignals, Walked, join};
use crate::identity::testing::{by, listing, npm, read, registry_row, repository};
use crate::identity::{self, Given, NamedManifest, Proofs};
use capdex_model::approved::ApprovedNames;
use capdex_model::entity_signals::{EntitySignals, LinkProof, SignalKind};
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims, Listing};
use capdex_model::time::Timestamp;

const ALL_WALKED: Walked = Walked { directories: true, official: true };

/// What the entities of some listings lend them, where these manifests stand in these repositories.
fn lent(listings: &[Listing], manifests: &[(&str, &str, &str)]) -> BTreeMap<ListingKey, EntitySignals> {
    let mut proofs = Proofs::default();
    for (repository, name, folder) in manifests {
        let named = NamedManifest { ecosystem: "npm".into(), name: (*name).into(), folder: (*folder).into() };
        proofs.manifests.entry((*repository).to_owned()).or_default().push(named);
    }
    let mut statements: Vec<_> = listings.iter().map(read).collect();
    identity::sort(&mut statements);
    let identified = identity::identify(&statements, &Given { proofs, ..Given::default() });
    let claims: BTreeMap<&ListingKey, &Claims> = listings.iter().map(|one| (&one.key, &one.claims)).collect();
    let stated: Vec<_> = identified
        .iter()
        .map(|of| StatedSignals::of(claims[&of.listing], None, Timestamp::from_unix_seconds(7)))
        .collect();
    join(&statements, &identified, &stated, ALL_WALKED, &ApprovedNames::default())
}

/// The claims of a listing with what it is lent.
fn claims_of(key: &str, listings: &[Listing], lent: &BTreeMap<ListingKey, EntitySignals>) -> Claims {
    let mut claims = listings.iter().find(|one| one.key.to_string() == key).expect("listed").claims.clone();
    if let Some(signals) = lent.get(&key.parse::<ListingKey>().expect("a key")) {
        signals.apply(&mut claims);
    }
    claims
}

fn starred(name: &str, number: u64, stars: u64) -> Listing {
    let mut repository = repository(name, number);
    repository.claims.repository_signals.stars = Claim::Known(stars);
    repository
}

fn naming(package: Listing, repository: &str) -> Listing {
    let claims = Claims { repository: Claim::Known(format!("https://github.com/{repository}")), ..package.claims };
    Listing { claims, ..package }
}

#[test]
fn a_package_and_a_repository_that_name_each_other_lend_each_other() {
    let mut package = naming(by("acme", npm("@acme/notes", &["github:acme/notes"])), "acme/notes");
    package.claims.downloads_monthly = Claim::Known(900);
    let all = [package, starred("acme/notes", 7, 5_400)];
    let lent = lent(&all, &[("github:acme/notes", "@acme/notes", "")]);
    let package = claims_of("npm:@acme/notes", &all, &lent);
    assert_eq!(package.repository_signals.stars, Claim::Known(5_400));
    assert_eq!(claims_of("github:acme/notes", &all, &lent).downloads_monthly, Claim::Known(900));
    let of_package = &lent[&"npm:@acme/notes".parse::<ListingKey>().expect("a key")].lent;
    let stars = of_package.iter().find(|lent| lent.kind == SignalKind::Stars).expect("lent");
    assert_eq!((stars.proof, stars.from.to_string().as_str()), (LinkProof::BothSides, "github:acme/notes"));
    assert_eq!(stars.reason, "manifest");
    assert_eq!(stars.at, Timestamp::from_unix_seconds(7));
}

#[test]
fn a_stranger_that_names_a_famous_repository_is_shown_its_stars_and_gets_none() {
    let stranger = naming(by("mallory", npm("notes-pro", &["github:acme/notes"])), "acme/notes");
    let row = listing("glama:mallory/notes", &["npm:@acme/notes", "github:acme/notes"]);
    let package = naming(by("acme", npm("@acme/notes", &["github:acme/notes"])), "acme/notes");
    let all = [stranger, row, package, starred("acme/notes", 7, 5_400)];
    let lent = lent(&all, &[("github:acme/notes", "@acme/notes", "")]);
    for key in ["npm:notes-pro", "glama:mallory/notes"] {
        let claims = claims_of(key, &all, &lent);
        assert_eq!(claims.repository_signals.stars, Claim::Unknown, "{key}");
    }
    let shown = &lent[&"npm:notes-pro".parse::<ListingKey>().expect("a key")].lent;
    assert!(shown.iter().any(|lent| lent.kind == SignalKind::Stars && lent.proof == LinkProof::OneSide), "{shown:?}");
    // Nor does what the stranger says of itself reach those that it names.
    let of_repository = &lent[&"github:acme/notes".parse::<ListingKey>().expect("a key")].lent;
    assert!(of_repository.iter().all(|lent| lent.from.name != "notes-pro"), "{of_repository:?}");
}

#[test]
fn a_package_in_a_folder_is_lent_what_is_of_the_repository_and_lends_it_nothing() {
    let package = |name: &str, downloads| {
        let mut package = naming(by("acme", npm(name, &["github:acme/mono"])), "acme/mono");
        package.claims.downloads_monthly = Claim::Known(downloads);
        package
    };
    let all = [package("@acme/one", 10), package("@acme/two", 20), starred("acme/mono", 7, 300)];
    let manifests = [("github:acme/mono", "@acme/one", "one"), ("github:acme/mono", "@acme/two", "two")];
    let lent = lent(&all, &manifests);
    for key in ["npm:@acme/one", "npm:@acme/two"] {
        assert_eq!(claims_of(key, &all, &lent).repository_signals.stars, Claim::Known(300), "{key}");
    }
    assert_eq!(claims_of("github:acme/mono", &all, &lent).downloads_monthly, Claim::Unknown);
    assert_eq!(claims_of("npm:@acme/one", &all, &lent).downloads_monthly, Claim::Known(10));
}

#[test]
fn an_attestation_proves_the_link_that_names_alone_do_not() {
    let attested = |package: Listing, downloads| {
        let claims = Claims {
            attested: Claim::Known(ListingKey::new("github", "acme/notes")),
            downloads_monthly: Claim::Known(downloads),
            ..package.claims
        };
        Listing { claims, ..package }
    };
    let package = |name| naming(by("ann", npm(name, &["github:acme/notes"])), "acme/notes");
    let alone = [attested(package("notes"), 70), starred("acme/notes", 7, 900)];
    let of_one = lent(&alone, &[]);
    assert_eq!(claims_of("npm:notes", &alone, &of_one).repository_signals.stars, Claim::Known(900));
    assert_eq!(claims_of("github:acme/notes", &alone, &of_one).downloads_monthly, Claim::Known(70));
    // Two things of one repository: it lends both what is its own, and is neither.
    let both = [attested(package("notes"), 70), attested(package("tasks"), 8), starred("acme/notes", 7, 900)];
    let of_two = lent(&both, &[]);
    for key in ["npm:notes", "npm:tasks"] {
        assert_eq!(claims_of(key, &both, &of_two).repository_signals.stars, Claim::Known(900), "{key}");
    }
    assert_eq!(claims_of("github:acme/notes", &both, &of_two).downloads_monthly, Claim::Unknown);
}

#[test]
fn a_row_that_the_registry_verified_is_lent_and_directories_are_counted() {
    let server = r#"{"name": "io.github.acme/notes", "repository": {"url": "https://github.com/acme/notes"}}"#;
    let row = naming(
        registry_row("io.github.acme/notes@1.0.0", server, &["npm:@acme/notes", "github:acme/notes"]),
        "acme/notes",
    );
    let package = naming(by("acme", npm("@acme/notes", &["github:acme/notes"])), "acme/notes");
    let other = listing("glama:acme/notes", &["npm:@acme/notes"]);
    let lonely = npm("lonely", &[]);
    let all = [row, package, other, lonely, starred("acme/notes", 7, 12)];
    let lent = lent(&all, &[("github:acme/notes", "@acme/notes", "")]);
    let row = claims_of("official-registry:io.github.acme/notes@1.0.0", &all, &lent);
    assert_eq!(row.repository_signals.stars, Claim::Known(12));
    let package = claims_of("npm:@acme/notes", &all, &lent);
    assert_eq!(package.repository_signals.official, Claim::Known(true));
    assert_eq!(package.repository_signals.registries, Claim::Known(2));
    let lonely = claims_of("npm:lonely", &all, &lent).repository_signals;
    assert_eq!((lonely.official, lonely.registries), (Claim::Known(false), Claim::Known(0)));
}

#[test]
fn the_order_of_the_listings_changes_nothing() {
    let package = naming(by("acme", npm("@acme/notes", &["github:acme/notes"])), "acme/notes");
    let all = [package, starred("acme/notes", 7, 5), listing("glama:acme/notes", &["npm:@acme/notes"])];
    let manifests = [("github:acme/notes", "@acme/notes", "")];
    let mut turned = all.clone();
    turned.reverse();
    assert_eq!(lent(&all, &manifests), lent(&turned, &manifests));
}
