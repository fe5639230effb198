//! What the pass `identity` joins over six real directories, by reason, and a sample of joins to be read by a person; and
//! what the pass `collision` says of three real collections of tools.
//!
//! Both print and are run by hand, with the data of `CAPDEX_DATA`:
//! `cargo test --release --test it joins:: -- --ignored --nocapture`. The official registry, Docker's registry and SkillsMP are
//! walked by the program itself; for lists that it has no source for small readers stand here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use capdex_corpus::identity::{self, Given, Identified, Reason, Statement};
use capdex_db::Reader;
use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::listing::Listing;
use capdex_model::time::Timestamp;
use serde_json::{Value, json};

use lists::{lines, mcpm, on_github, row, tensorblock, text, toolsdk};

use crate::directory::{recorded, serve};
use crate::support::archives::Tar;
use crate::support::capdex::Capdex;
use crate::support::directory::Directory;
use crate::support::rig::needed;

mod collide;
mod lists;

/// Joins that a person reads.
const SAMPLE: usize = 50;

/// What the program lists of the directories that it has sources for.
fn walked(data: &str) -> Vec<Listing> {
    let official = Directory::start(serve(recorded(data, "2025-12-18")));
    let docker = lines(data, "docker-mcp-registry/servers-2026-07-08.jsonl.gz");
    let archive = docker.iter().fold(Tar::new(), |tar, it| {
        let path = format!("mcp-registry-main/servers/{}/server.yaml", text(it, "/id"));
        // JSON is YAML.
        tar.file(&path, it["server"].to_string().as_bytes())
    });
    let archive = archive.gzipped();
    let docker = Directory::start(move |_| (200, archive.clone()));
    let skills = Arc::new(lines(data, "skillsmp/2025-12-28-85e7405-categories.jsonl.gz"));
    let skillsmp = Directory::start(move |path| {
        let number =
            path.split("page=").nth(1).and_then(|rest| rest.split('&').next()?.parse::<usize>().ok()).unwrap_or(1);
        let (begin, end) = ((number - 1) * 100, (number * 100).min(skills.len()));
        let entry = |(at, it): (usize, &Value)| {
            let folder = match text(it, "/path") {
                "" => String::new(),
                path => format!("/tree/main/{path}"),
            };
            let address = format!("https://github.com/{}{folder}", text(it, "/repo"));
            json!({"id": format!("{}-{at}", text(it, "/name")), "description": it["description"], "githubUrl": address})
        };
        let page: Vec<Value> = skills[begin..end].iter().enumerate().map(|(at, it)| entry((begin + at, it))).collect();
        let pagination = json!({"page": number, "hasNext": end < skills.len()});
        (200, json!({"success": true, "data": {"skills": page, "pagination": pagination}}).to_string())
    });
    let capdex = Capdex::offline();
    let schedule = format!(
        "name = \"joins\"\n[http]\nrequests_per_second = 1000\n\
         [sources.official-registry]\nbase_url = \"{}\"\nrequests_per_minute = 100000\n\
         [sources.docker-mcp-registry]\nbase_url = \"{}/docker/mcp-registry/tar.gz/refs/heads/main\"\n\
         [sources.skillsmp]\nbase_url = \"{}\"\nqueries = [\"x\"]\nrequests_per_minute = 100000\n",
        official.url(),
        docker.url(),
        skillsmp.url()
    );
    capdex.write("schedule.toml", schedule);
    for source in ["official-registry", "docker-mcp-registry", "skillsmp"] {
        let run = capdex.run(&[
            "backfill",
            source,
            "--config",
            "schedule.toml",
            "--list-only",
            "--as-of",
            "2026-11-20T00:00:00Z",
        ]);
        assert!(matches!(run.code, Some(0 | 3)), "{source}: {}", run.stderr);
    }
    let reader = Reader::open(&capdex.path().join("capdex.db"), &capdex_rules::INDEX).expect("a store");
    reader.listings(None).expect("reads").into_iter().filter_map(|stored| stored.listing).collect()
}

/// Two listings of different directories that are one thing, and the coordinate through which.
struct Join<'a> {
    one: &'a Listing,
    other: &'a Listing,
    reasons: (Reason, Reason),
    through: &'a str,
}

/// Pairs of listings of different sources that are joined through one coordinate, one pair for each coordinate and pair of
/// sources.
fn joins<'a>(listings: &'a BTreeMap<ListingKey, Listing>, identified: &'a [Identified]) -> Vec<Join<'a>> {
    let mut by_coordinate: BTreeMap<&str, BTreeMap<&str, (&ListingKey, Reason)>> = BTreeMap::new();
    for of in identified {
        for edge in of.edges.iter().filter(|edge| edge.reason.joins()) {
            let sources = by_coordinate.entry(&edge.to).or_default();
            sources.entry(of.listing.source.as_str()).or_insert((&of.listing, edge.reason));
        }
    }
    let mut joins = Vec::new();
    for (through, sources) in &by_coordinate {
        let sides: Vec<_> = sources.values().collect();
        for (at, (one, why)) in sides.iter().copied().enumerate() {
            for (other, other_why) in sides[at + 1..].iter().copied() {
                let (one, other) = (&listings[*one], &listings[*other]);
                joins.push(Join { one, other, reasons: (*why, *other_why), through });
            }
        }
    }
    joins
}

#[test]
#[ignore = "prints what is joined over real directories; run by hand"]
fn what_is_joined_over_six_directories() {
    let Some(data) = needed("CAPDEX_DATA") else { return };
    let all = [walked(&data), toolsdk(&data), mcpm(&data), tensorblock(&data)].concat();
    let listings: BTreeMap<ListingKey, Listing> = all.into_iter().map(|it| (it.key.clone(), it)).collect();
    let (seen, roles) = (Timestamp::from_unix_seconds(0), capdex_crawlers::roles());
    let mut statements: Vec<Statement> =
        listings.values().map(|it| Statement::of(it, &roles, None, seen, true)).collect();
    identity::sort(&mut statements);
    let identified = identity::identify(&statements, &Given::default());
    let mut of_source: BTreeMap<&str, usize> = BTreeMap::new();
    let mut of_reason: BTreeMap<Reason, usize> = BTreeMap::new();
    for of in &identified {
        *of_source.entry(&of.listing.source).or_default() += 1;
        for edge in &of.edges {
            *of_reason.entry(edge.reason).or_default() += 1;
        }
    }
    println!("listings by source: {of_source:?}");
    println!("edges by reason: {of_reason:?}");
    let mut entities: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for of in &identified {
        entities.entry(&of.entity).or_default().insert(&of.listing.source);
    }
    let spread = |count: usize| entities.values().filter(|sources| sources.len() == count).count();
    println!("entities: {}, by number of sources: {:?}", entities.len(), (1..=6).map(spread).collect::<Vec<_>>());
    let mut found = joins(&listings, &identified);
    let mut by_reasons: BTreeMap<(Reason, Reason, String), usize> = BTreeMap::new();
    for join in &found {
        let sources = format!("{} + {}", join.one.key.source, join.other.key.source);
        *by_reasons.entry((join.reasons.0, join.reasons.1, sources)).or_default() += 1;
    }
    println!("joins across directories: {}", found.len());
    for ((one, other, sources), count) in by_reasons {
        println!("  {count:5}  {} / {}  {sources}", one.as_str(), other.as_str());
    }
    found.sort_by_key(|join| Digest::of(format!("{} {} {}", join.one.key, join.other.key, join.through).as_bytes()));
    for (number, join) in found.iter().take(SAMPLE).enumerate() {
        println!(
            "\n{}. through {} ({} / {})",
            number + 1,
            join.through,
            join.reasons.0.as_str(),
            join.reasons.1.as_str()
        );
        for side in [join.one, join.other] {
            let names: Vec<String> = side.references.iter().map(ToString::to_string).collect();
            let description = side.claims.description.known().map_or("", String::as_str);
            let short: String = description.chars().take(160).collect();
            println!("   {}\n      {}\n      names {}", side.key, short, names.join(" "));
        }
    }
    assert!(!found.is_empty());
}

/// Listings of a synthetic world: packages, their repositories, registry rows and three directories, some of them wrong.
fn synthetic(count: usize) -> Vec<Listing> {
    let one = |number: usize| {
        let (thing, kind) = (number / 5, number % 5);
        let (repository, package) =
            (format!("https://github.com/owner{}/server{thing}", thing % 9_000), format!("server{thing}"));
        let named = vec![ListingKey::new("npm", package.clone())];
        match kind {
            0 => row("npm", &package, "a package", &repository, Vec::new()),
            1 => {
                let key = on_github(&repository).expect("a repository");
                Listing { references: Vec::new(), ..row("github", &key.name, "a repository", "", Vec::new()) }
            }
            2 => row("glama", &format!("owner/server{thing}"), "a server", &repository, Vec::new()),
            3 => row("mcp-so", &package, "a server", &repository, named),
            _ => row("awesome-lists", &format!("ann/list/github.com/o/s{thing}"), "a server", &repository, Vec::new()),
        }
    };
    (0..count).map(one).collect()
}

#[test]
#[ignore = "measures; run by hand"]
fn a_quarter_of_a_million_listings_take_seconds() {
    let listings = synthetic(250_000);
    let (seen, roles) = (Timestamp::from_unix_seconds(0), capdex_crawlers::roles());
    let mut statements: Vec<Statement> =
        listings.iter().map(|it| Statement::of(it, &roles, None, seen, true)).collect();
    identity::sort(&mut statements);
    let begin = std::time::Instant::now();
    let identified = identity::identify(&statements, &Given::default());
    let entities: BTreeSet<&str> = identified.iter().map(|of| of.entity.as_str()).collect();
    println!("{} listings, {} entities in {:.1} s", identified.len(), entities.len(), begin.elapsed().as_secs_f64());
    assert_eq!(entities.len(), 100_000, "a package with one row, and a repository with two");
}
