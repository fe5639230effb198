//! What is joined and what is not, with what attackers try, and the properties of the whole pass.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::testing::{by, listing, npm, read, registry_row, repository};
use super::*;
use capdex_model::listing::{Claim, Listing, Locator};

mod events;

const FAMOUS: &str = "https://github.com/famous/server";

fn given() -> Given {
    Given::default()
}

fn identified(listings: &[Listing], given: &Given) -> Vec<Identified> {
    let mut statements: Vec<Statement> = listings.iter().map(read).collect();
    sort(&mut statements);
    identify(&statements, given)
}

/// The members of each entity, sorted.
fn entities(listings: &[Listing], given: &Given) -> Vec<String> {
    let mut entities: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for of in identified(listings, given) {
        entities.entry(of.entity).or_default().push(of.listing.to_string());
    }
    entities.into_values().map(|members| members.join(" ")).collect::<BTreeSet<_>>().into_iter().collect()
}

fn manifest(repository: &str, name: &str, folder: &str) -> Given {
    let named = NamedManifest { ecosystem: "npm".into(), name: name.into(), folder: folder.into() };
    let manifests = BTreeMap::from([(repository.to_owned(), vec![named])]);
    Given { proofs: Proofs { manifests, ..Proofs::default() }, ..Given::default() }
}

#[test]
fn directories_that_are_about_one_artifact_are_one() {
    let rows = [listing("glama:a", &["github:x/y"]), listing("mcp-so:b", &["github:x/y"]), repository("x/y", 7)];
    assert_eq!(entities(&rows, &given()), ["github:x/y glama:a mcp-so:b"]);
    let rows = [listing("glama:a", &["npm:p"]), listing("mcp-so:b", &["npm:p", "github:x/y"]), npm("p", &[])];
    assert_eq!(entities(&rows, &given()), ["glama:a mcp-so:b npm:p"]);
    let rows = [listing("glama:a", &["mcp:https://h.test/mcp"]), listing("mcp-so:b", &["mcp:http://H.test/mcp/"])];
    assert_eq!(entities(&rows, &given()), ["glama:a mcp-so:b"]);
}

#[test]
fn a_package_that_claims_a_famous_repository_stays_alone() {
    let world = [
        npm("evil", &["github:famous/server"]),
        repository("famous/server", 7),
        by("famous", npm("famous", &["github:famous/server"])),
    ];
    let proven = manifest("github:famous/server", "famous", "");
    assert_eq!(entities(&world, &proven), ["github:famous/server npm:famous", "npm:evil"]);
    let edges = &identified(&world, &proven).into_iter().find(|of| of.listing.name == "evil").expect("there").edges;
    assert!(edges.contains(&IdentityEdge::new(Reason::Claims, "repo:github@7")), "{edges:?}");
    assert_eq!(entities(&world, &given()).len(), 3, "and nothing is proven without the repository's own word");
}

#[test]
fn a_row_that_names_both_an_attackers_package_and_a_famous_repository_bridges_nothing() {
    let world =
        [npm("evil", &[]), repository("famous/server", 7), listing("glama:x", &["github:famous/server", "npm:evil"])];
    assert_eq!(entities(&world, &given()), ["github:famous/server", "glama:x npm:evil"]);
    let world = [
        npm("famous", &[]),
        npm("evil", &[]),
        listing("glama:x", &["npm:evil", "npm:famous", "oci:docker.io/famous/x"]),
    ];
    assert_eq!(entities(&world, &given()), ["glama:x npm:evil", "npm:famous"]);
}

#[test]
fn a_row_in_a_registry_is_not_the_repository_that_it_claims() {
    let evil = registry_row("io.github.evil/famous@1.0.0", "{}", &["github:famous/server"]);
    let own = registry_row("io.github.famous/server@1.0.0", "{}", &["github:famous/server"]);
    let world = [evil, own, repository("famous/server", 7)];
    let expected = [
        "github:famous/server official-registry:io.github.famous/server@1.0.0",
        "official-registry:io.github.evil/famous@1.0.0",
    ];
    assert_eq!(entities(&world, &given()), expected);
}

#[test]
fn a_stated_number_joins_nothing_and_parts_what_was_replaced() {
    let stated = |name: &str, repository: &str| registry_row(name, r#"{"repository": {"id": "7"}}"#, &[repository]);
    let world =
        [stated("io.github.evil/x@1", "github:evil/x"), repository("famous/server", 7), repository("evil/x", 9)];
    assert_eq!(entities(&world, &given()).len(), 3);
    let world = [stated("io.github.famous/server@1", "github:famous/server"), repository("famous/server", 9)];
    assert_eq!(entities(&world, &given()).len(), 2, "the row is of the repository that was there before");
}

#[test]
fn a_renamed_repository_is_one() {
    let world = [repository("old/name", 7), repository("new/name", 7), listing("glama:a", &["github:old/name"])];
    assert_eq!(entities(&world, &given()), ["github:new/name github:old/name glama:a"]);
}

#[test]
fn rows_and_packages_that_name_each_other_are_one() {
    let row = |official: bool| {
        let mut row = registry_row("io.github.ann/x@1", "{}", &["npm:a", "pypi:b"]);
        row.claims.repository_signals.official = if official { Claim::Known(true) } else { Claim::Unknown };
        row
    };
    let names = "official-registry:io.github.ann/x";
    assert_eq!(
        entities(&[row(true), npm("a", &[names]), listing("pypi:b", &[])], &given()).len(),
        1,
        "the registry verified both"
    );
    let apart = entities(&[row(false), npm("a", &[names]), listing("pypi:b", &[])], &given());
    assert_eq!(apart, ["npm:a official-registry:io.github.ann/x@1", "pypi:b"]);
    let other = entities(
        &[
            row(true),
            npm("a", &[names]),
            Listing {
                key: "pypi:b".parse().expect("a key"),
                ..listing("pypi:b", &["official-registry:io.github.bob/y"])
            },
        ],
        &given(),
    );
    assert_eq!(other, ["npm:a official-registry:io.github.ann/x@1", "pypi:b"], "the package names another row");
    assert_eq!(entities(&[npm("evil", &[names]), row(true)], &given()).len(), 2, "only the package says so");
}

#[test]
fn versions_of_a_row_are_one_and_names_in_other_registries_are_not() {
    let mut other = registry_row("io.github.ann/x@1", "{}", &[]);
    other.key.source = "corp".into();
    let world =
        [registry_row("io.github.ann/x@1", "{}", &[]), listing("official-registry:io.github.ann/x@0", &[]), other];
    assert_eq!(entities(&world, &given()).len(), 2);
}

#[test]
fn parts_of_a_repository_are_not_the_repository() {
    let at = |name: &str, folder: &str| {
        let mut row = listing(name, &["github:acme/mono"]);
        row.claims.repository = Claim::Known(format!("https://github.com/acme/mono/tree/main/{folder}"));
        row
    };
    let world =
        [at("glama:a", "a"), at("mcp-so:a", "a"), at("glama:b", "b"), listing("mcp-so:whole", &["github:acme/mono"])];
    assert_eq!(entities(&world, &given()), ["glama:a mcp-so:a", "glama:b", "mcp-so:whole"]);
    let world = [
        listing("glama:a", &["github:acme/mono"]),
        listing("glama:b", &["github:acme/mono"]),
        repository("acme/mono", 7),
    ];
    assert_eq!(entities(&world, &given()).len(), 3, "a directory with two rows for one repository means its parts");
    let rows = ["x", "y"].map(|name| {
        registry_row(&format!("io.github.acme/{name}@1"), "{}", &["github:acme/mono", &format!("npm:{name}")])
    });
    let world = [rows[0].clone(), rows[1].clone(), repository("acme/mono", 7)];
    assert_eq!(entities(&world, &given()).len(), 3, "two things of one owner are in one repository");
    assert_eq!(entities(&[rows[0].clone(), repository("acme/mono", 7)], &given()).len(), 1);
    let proven = manifest("github:acme/mono", "y", "");
    let world = [rows[0].clone(), repository("acme/mono", 7), by("acme", npm("y", &["github:acme/mono"]))];
    assert_eq!(entities(&world, &proven), ["github:acme/mono npm:y", "official-registry:io.github.acme/x@1"]);
}

#[test]
fn a_manifest_joins_where_it_lies() {
    let stranger = [by("eve", npm("p", &["github:acme/mono"])), repository("acme/mono", 7)];
    let taken = manifest("github:acme/mono", "p", "");
    assert_eq!(entities(&stranger, &taken).len(), 2, "a name that the repository never published");
    let world = [by("acme", npm("p", &["github:acme/mono"])), repository("acme/mono", 7)];
    assert_eq!(entities(&world, &manifest("github:acme/mono", "p", "packages/p")).len(), 2);
    assert_eq!(entities(&world, &manifest("github:acme/mono", "p", "")).len(), 1);
    assert_eq!(entities(&world, &manifest("github:other/mono", "p", "")).len(), 2, "a fork that nobody claims");
}

#[test]
fn a_fork_is_another_thing_and_says_of_which() {
    let mut fork = repository("me/server", 8);
    fork.claims.repository_signals.fork_of = Claim::Known(7);
    let world = [repository("acme/server", 7), fork];
    assert_eq!(entities(&world, &given()).len(), 2);
    let found = identified(&world, &given());
    let edges = &found.iter().find(|of| of.listing.name == "me/server").expect("there").edges;
    assert!(edges.contains(&IdentityEdge::new(Reason::ForkOf, "repo:github@7")), "{edges:?}");
}

#[test]
fn gateways_launchers_and_crowds_join_nothing() {
    for shared in ["mcp:https://server.smithery.ai/mcp", "npm:mcp-remote"] {
        assert_eq!(
            entities(&[listing("glama:a", &[shared]), listing("mcp-so:b", &[shared])], &given()).len(),
            2,
            "{shared}"
        );
    }
    let shared = "mcp:https://one.test/mcp";
    let mut rows: Vec<Listing> = (0..4).map(|number| listing(&format!("glama:{number}"), &[shared])).collect();
    assert_eq!(entities(&rows, &given()).len(), 4);
    rows.pop();
    assert_eq!(entities(&rows, &given()).len(), 1);
    let world = [listing("glama:a", &["npm:mcp-remote", "github:famous/server"]), repository("famous/server", 7)];
    assert_eq!(entities(&world, &given()).len(), 2, "what it runs is not what it shows");
    let world = [listing("smithery:a", &["github:famous/server"]), repository("famous/server", 7)];
    assert_eq!(entities(&world, &given()).len(), 2, "a hosted server is its own");
}

#[test]
fn an_endpoint_of_the_verified_domain_belongs_to_the_row() {
    let row = |name: &str| registry_row(name, "{}", &["npm:a", "mcp:https://mcp.acme.com/x"]);
    let endpoint = || listing("mcp:https://mcp.acme.com/x", &[]);
    assert_eq!(entities(&[row("com.acme/x@1"), endpoint()], &given()).len(), 1);
    assert_eq!(entities(&[row("com.evil/x@1"), endpoint()], &given()).len(), 2);
    assert_eq!(entities(&[row("com.acm/x@1"), endpoint()], &given()).len(), 2);
    let all = ["mcp:https://a.acme.com/mcp", "mcp:https://b.acme.com/mcp", "mcp:https://b.acme.com/sse"];
    let several = registry_row("com.acme/all@1", "{}", &all);
    let world = [several, listing("glama:a", &all[..1]), listing("glama:b", &all[1..])];
    assert_eq!(entities(&world, &given()).len(), 3, "a row of several servers is none of them");
    assert_eq!(entities(&[listing("mcp-so:b", &all[1..]), listing("glama:b", &all[1..])], &given()).len(), 1);
}

#[test]
fn an_image_of_the_repositorys_owner_is_its_image() {
    let image = |name: &str| listing(name, &["github:acme/x"]);
    let repository = repository("acme/x", 7);
    assert_eq!(entities(&[image("oci:ghcr.io/acme/x:1"), repository.clone()], &given()).len(), 1);
    assert_eq!(entities(&[image("oci:ghcr.io/evil/x:1"), repository], &given()).len(), 2);
}

#[test]
fn skills_are_joined_by_their_folder() {
    let mut path = listing("skillsmp:1", &["github:acme/skills"]);
    path.claims.repository = Claim::Known("https://github.com/acme/skills/tree/main/skills/x".into());
    let named = listing("skills-sh:acme/skills/x", &["github:acme/skills"]);
    let bare = listing("skillsmp:2", &["github:acme/skills"]);
    let world = [path, named, bare, repository("acme/skills", 7)];
    let skills = |folders: &[&str]| {
        let folders = folders.iter().map(|folder| (*folder).to_owned()).collect();
        let skills = BTreeMap::from([("github:acme/skills".to_owned(), folders)]);
        Given { proofs: Proofs { skills, ..Proofs::default() }, ..Given::default() }
    };
    let known = entities(&world, &skills(&["skills/x", "skills/y"]));
    assert_eq!(known, ["github:acme/skills", "skills-sh:acme/skills/x skillsmp:1", "skillsmp:2"]);
    assert_eq!(entities(&world, &skills(&["a/x", "b/x"])).len(), 4);
}

#[test]
fn what_a_directory_pins_is_where_its_bytes_lie() {
    let mut entry = listing("docker-mcp-registry:x", &["github:famous/server", "oci:docker.io/mcp/x"]);
    let repository_of = "pinned:docker-mcp-registry:x".to_owned();
    entry.locators = vec![Locator::GitArchive { repository: repository_of, commit: "0".into(), url: String::new() }];
    let world = [entry, listing("oci:docker.io/mcp/x:1", &[]), repository("famous/server", 7)];
    assert_eq!(entities(&world, &given()), ["docker-mcp-registry:x github:famous/server", "oci:docker.io/mcp/x:1"]);
}

#[test]
fn the_operator_has_the_last_word() {
    let text = "[[part]]\nlistings = [\"glama:a\"]\nreason = \"another author\"\n\
                [[join]]\nlistings = [\"npm:p\", \"npm:q\"]\nreason = \"they said so\"\n";
    let given = Given { overrides: Overrides::read(text).expect("a file"), ..Given::default() };
    let world = [listing("glama:a", &["npm:p"]), listing("mcp-so:b", &["npm:p"]), npm("p", &[]), npm("q", &[])];
    assert_eq!(entities(&world, &given), ["glama:a", "mcp-so:b npm:p npm:q"]);
    let all = identified(&world, &given);
    let words = |name: &str| all.iter().find(|of| of.listing.name == name).expect("there").edges.clone();
    assert!(words("a").iter().any(|edge| edge.reason == Reason::OperatorParted && edge.note == "another author"));
    assert!(words("p").iter().any(|edge| edge.reason == Reason::OperatorJoined && edge.note == "they said so"));
}

/// Listings of a small world in which everything can meet everything.
fn worlds() -> impl Strategy<Value = Vec<Listing>> {
    let reference = prop::sample::select(vec![
        "npm:p",
        "npm:q",
        "github:famous/server",
        "github:a/b",
        "mcp:https://h.test/mcp",
        "oci:ghcr.io/a/b:1",
        "official-registry:io.github.a/x",
    ]);
    let one =
        (0..6_u8, 0..4_u8, prop::collection::btree_set(reference, 0..3)).prop_map(|(kind, number, references)| {
            let references: Vec<&str> = references.into_iter().collect();
            match kind {
                0 => npm(["p", "q", "r", "s"][usize::from(number)], &references),
                1 => repository(["famous/server", "a/b", "c/d", "e/f"][usize::from(number)], u64::from(number / 2)),
                2 => registry_row(&format!("io.github.a/x@{number}"), "{}", &references),
                3 => listing(&format!("glama:{number}"), &references),
                4 => listing(&format!("smithery:{number}"), &references),
                _ => listing(&format!("mcp-so:{number}"), &references),
            }
        });
    prop::collection::vec(one, 0..14).prop_map(|listings| {
        let by_key: BTreeMap<String, Listing> = listings.into_iter().map(|it| (it.key.to_string(), it)).collect();
        by_key.into_values().collect()
    })
}

proptest! {
    #[test]
    fn the_order_of_the_input_does_not_matter(world in worlds(), seed in any::<u64>()) {
        let mut shuffled = world.clone();
        let count = shuffled.len().max(1);
        for at in 0..shuffled.len() {
            shuffled.swap(at, (usize::try_from(seed % 1_000_003).expect("small") * (at + 7)) % count);
        }
        prop_assert_eq!(identified(&world, &given()), identified(&shuffled, &given()));
    }

    #[test]
    fn display_names_descriptions_and_equal_names_join_nothing(names in prop::collection::vec("[a-c]{1,2}", 2..8)) {
        let world: Vec<Listing> = names.iter().enumerate().map(|(at, name)| {
            let mut row = listing(&format!("source-{at}:{name}"), &[]);
            row.claims.description = Claim::Known("the same words".into());
            row
        }).collect();
        prop_assert_eq!(entities(&world, &given()).len(), world.len());
    }

    /// Whatever an attacker lists without power over the famous repository, its entity gains no package.
    #[test]
    fn strangers_never_bring_a_package_to_a_repository(world in worlds()) {
        let strange = world.into_iter().filter(|it| it.key.source != "github" && it.key.source != "official-registry");
        let world: Vec<Listing> = strange.chain([repository("famous/server", 7)]).collect();
        for of in entities(&world, &given()).iter().filter(|members| members.contains("github:famous/server")) {
            prop_assert!(!of.contains("npm:"), "{}", of);
        }
    }

    #[test]
    fn ids_stay_when_nothing_changes_and_are_never_shared(world in worlds()) {
        let first = identified(&world, &given());
        let entities: BTreeMap<_, _> = first.iter().map(|of| (of.listing.clone(), of.entity.clone())).collect();
        let taken = entities.values().cloned().collect();
        let known = KnownEntities { entities, taken };
        prop_assert_eq!(identified(&world, &Given { known, ..Given::default() }), first);
    }
}

#[test]
fn the_famous_address_is_read_as_one() {
    assert_eq!(read(&listing("glama:a", &["github:famous/server"])).place, {
        let mut row = listing("glama:a", &["github:famous/server"]);
        row.claims.repository = Claim::Known(FAMOUS.into());
        read(&row).place
    });
}
