//! Events: what is said when something moves, is replaced or comes back, and what is not.

use super::*;
use crate::testing::roles;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::time::{AsOf, Timestamp};
const DAY: i64 = 86_400;

/// What the pass sees of a world on a day; those in `gone` are not there.
fn looks(world: &[(Listing, i64)], gone: &[&str], before: &IdentityAnchors, day: i64) -> BTreeMap<String, Look> {
    let mut statements: Vec<Statement> = world
        .iter()
        .map(|(listing, seen)| {
            let is_active = !gone.contains(&listing.key.to_string().as_str());
            Statement::of(listing, &roles(), None, Timestamp::from_unix_seconds(seen * DAY), is_active)
        })
        .collect();
    sort(&mut statements);
    let identified = identify(&statements, &given());
    anchors(&statements, &identified, before, at(day))
}

fn at(day: i64) -> AsOf {
    AsOf(Timestamp::from_unix_seconds(day * DAY))
}

fn kept(looks: &BTreeMap<String, Look>) -> IdentityAnchors {
    looks.iter().map(|(subject, look)| (subject.clone(), look.anchor.clone())).collect()
}

/// What is found over nights, each a world and what is gone in it. Every entity is relied on.
fn over(nights: &[(Vec<Listing>, &[&str])], contents: &Contents) -> Vec<(EventKind, String, Severity)> {
    let (mut before, mut found) = (IdentityAnchors::new(), Vec::new());
    let mut seen: BTreeMap<String, i64> = BTreeMap::new();
    for (day, (world, gone)) in nights.iter().enumerate() {
        let day = i64::try_from(day).expect("few");
        let dated: Vec<(Listing, i64)> =
            world.iter().map(|it| (it.clone(), *seen.entry(it.key.to_string()).or_insert(day))).collect();
        let now = looks(&dated, gone, &before, day);
        found.extend(events(&before, &now, contents, |_| true, at(day)));
        before = kept(&now);
    }
    found.into_iter().map(|event| (event.kind, event.subject, event.severity)).collect()
}

fn owned(mut listing: Listing, owner: &str, made: i64) -> Listing {
    listing.claims.maintainers = Claim::Known(vec![owner.to_owned()]);
    listing.claims.created = Claim::Known(Timestamp::from_unix_seconds(made));
    listing
}

#[test]
fn another_number_under_the_same_name_is_another_repository() {
    let nights = [
        (vec![repository("a/b", 7)], [].as_slice()),
        (vec![repository("a/b", 9)], &[]),
        (vec![repository("a/b", 9)], &[]),
    ];
    assert_eq!(
        over(&nights, &Contents::new()),
        [(EventKind::RepositoryRecreated, "github:a/b".into(), Severity::High)]
    );
}

#[test]
fn the_same_number_under_another_name_is_a_move_and_told_once() {
    let night = |new: &str| (vec![repository("a/b", 7), repository(new, 7)], ["github:a/b"].as_slice());
    let first = (vec![repository("a/b", 7)], [].as_slice());
    for (new, kind, severity) in [
        ("a/c", EventKind::RepositoryRenamed, Severity::Info),
        ("z/b", EventKind::RepositoryTransferred, Severity::Low),
    ] {
        assert_eq!(
            over(&[first.clone(), night(new), night(new)], &Contents::new()),
            [(kind, "github:a/b".into(), severity)]
        );
    }
}

#[test]
fn a_package_whose_name_was_given_out_again_is_told_from_one_that_changed_hands() {
    let night = |owner: &str, made: i64| (vec![owned(npm("p", &[]), owner, made)], [].as_slice());
    let gone = (vec![owned(npm("p", &[]), "ann", 1)], ["npm:p"].as_slice());
    let again = [(EventKind::PackageReregistered, "npm:p".into(), Severity::High)];
    assert_eq!(over(&[night("ann", 1), gone.clone(), night("eve", 9)], &Contents::new()), again);
    assert_eq!(over(&[night("ann", 1), night("eve", 9)], &Contents::new()), again);
    assert_eq!(over(&[night("ann", 1), gone, night("ann", 9)], &Contents::new()), []);
    assert_eq!(over(&[night("ann", 1), night("eve", 1)], &Contents::new()), [], "drift tells of new owners");
}

#[test]
fn a_listing_that_comes_back_as_somebody_elses_is_told() {
    let row = |owner: &str| listing("glama:x", &[&format!("github:{owner}/x")]);
    let gone = (vec![row("ann")], ["glama:x"].as_slice());
    let told = over(&[(vec![row("ann")], &[]), gone.clone(), (vec![row("eve")], &[])], &Contents::new());
    assert_eq!(told, [(EventKind::ListingResurrected, "glama:x".into(), Severity::High)]);
    assert_eq!(over(&[(vec![row("ann")], &[]), gone, (vec![row("ann")], &[])], &Contents::new()), []);
}

#[test]
fn what_vanishes_and_is_listed_elsewhere_by_others_is_told_once() {
    let (old, new) = (listing("clawhub:ann/x", &[]), listing("skills-sh:eve/skills/x", &["github:eve/skills"]));
    let same: BTreeSet<Digest> = [Digest::of(b"the skill")].into();
    let contents: Contents = [(old.key.clone(), same.clone()), (new.key.clone(), same)].into();
    let gone = ["clawhub:ann/x"].as_slice();
    let nights = [
        (vec![old.clone()], [].as_slice()),
        (vec![old.clone()], gone),
        (vec![old.clone(), new.clone()], gone),
        (vec![old.clone(), new.clone()], gone),
    ];
    let told = [(EventKind::ReturnedElsewhere, "clawhub:ann/x".into(), Severity::Medium)];
    assert_eq!(over(&nights, &contents), told);
    assert_eq!(over(&nights, &Contents::new()), [], "by the same words and not by its name");
    let before_it_is_noticed =
        [nights[0].clone(), (vec![old.clone(), new.clone()], [].as_slice()), (vec![old.clone(), new], gone)];
    assert_eq!(over(&before_it_is_noticed, &contents), told);
    let own = listing("skills-sh:ann/skills/x", &["github:ann/skills"]);
    let contents: Contents =
        [(old.key.clone(), [Digest::of(b"x")].into()), (own.key.clone(), [Digest::of(b"x")].into())].into();
    assert_eq!(
        over(&[(vec![old.clone()], &[]), (vec![old, own], gone)], &contents),
        [],
        "the same publisher elsewhere"
    );
}

#[test]
fn a_registry_that_rewrites_its_rows_is_silent() {
    let row = |server: &str, references: &[&str]| vec![registry_row("io.github.ann/x@1", server, references)];
    let all = ["github:ann/x", "npm:x", "oci:docker.io/ann/x:1"];
    let nights = [
        (row(r#"{"repository": {"url": "https://github.com/ann/x"}, "$schema": "a"}"#, &all), [].as_slice()),
        (row(r#"{"repository": {"url": "https://github.com/ann/x", "id": "7"}, "$schema": "b"}"#, &all), &[]),
        (row(r#"{"repository": {}}"#, &["npm:x", "oci:docker.io/ann/x@sha256:00"]), &[]),
        (row(r#"{"repository": {"url": "https://github.com/ann/x", "id": "7"}}"#, &all), &[]),
    ];
    assert_eq!(over(&nights, &Contents::new()), []);
}

#[test]
fn a_rows_own_word_about_its_repository_raises_nothing() {
    let row = |id: u64| {
        vec![registry_row("io.github.ann/x@1", &format!(r#"{{"repository": {{"id": "{id}"}}}}"#), &["github:ann/x"])]
    };
    let told = over(&[(row(7), &[]), (row(9), &[])], &Contents::new());
    assert_eq!(told, [(EventKind::RepositoryRecreated, "official-registry:io.github.ann/x".into(), Severity::Info)]);
}
