//! What the pass `identity` joins over six real directories, by reason, and a sample of joins to be read by a person; and
//! what the pass `collision` says of three real collections of tools.
//!
//! Both print and are run by hand, with the data of `CAPDEX_DATA`:
//! `cargo test --release --test it joins:: -- --ignored --nocapture`. The official registry, Docker's registry and SkillsMP are
//! walked by the program itself; for lists that it has no source for small readers stand here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use capdex_core::digest::Digest;
use capdex_core::evidence::tools::{Tool, ToolOrigin};
use capdex_core::fact::{Place, Severity};
use capdex_core::ids::ListingKey;
use capdex_core::listing::{Claim, Claims, Listing};
use capdex_core::passes::collision::{self, Server, Widened, World};
use capdex_core::passes::corpus::{Corpus, Member};
use capdex_core::passes::drift::ToolPin;
use capdex_core::passes::established::Standings;
use capdex_core::passes::identity::{self, Given, Identified, Reason, Statement};
use capdex_core::time::Timestamp;
use capdex_db::Reader;
use serde_json::{Value, json};

use crate::directory::{recorded, serve};
use crate::support::archives::Tar;
use crate::support::capdex::Capdex;
use crate::support::directory::Directory;
use crate::support::rig::needed;

/// Joins that a person reads.
const SAMPLE: usize = 50;

fn lines(data: &str, path: &str) -> Vec<Value> {
    let bytes = std::fs::read(Path::new(data).join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let lines = std::io::BufRead::lines(capdex_crawlers::unpack::gunzip_lines(bytes.as_slice()));
    lines.map(|line| serde_json::from_str(&line.expect("text")).expect("JSON")).collect()
}

/// A text member; empty where there is none.
fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn on_github(address: &str) -> Option<ListingKey> {
    let path = address.split_once("github.com/")?.1.split(['#', '?']).next()?;
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    let (owner, name) = (parts.next()?, parts.next()?.trim_end_matches(".git"));
    Some(ListingKey::new("github", format!("{owner}/{name}").to_lowercase()))
}

/// The package that a command line starts: `npx -y <name>@<version>`, `uvx <name>`.
fn started(command: &str, arguments: &[&str]) -> Option<ListingKey> {
    let words = arguments.iter().filter(|word| !word.starts_with('-'));
    let word = words.copied().find(|word| !matches!(*word, "run" | "tool" | "install" | "x"))?;
    if word.contains("://") || word.contains("git+") || word.contains(' ') || word.contains('$') {
        return None;
    }
    let plain = |word: &str| word.get(1..).and_then(|rest| rest.find('@')).map_or(word.len(), |at| at + 1);
    match command {
        "npx" | "bunx" | "pnpx" => Some(ListingKey::new("npm", &word[..plain(word)])),
        "uvx" | "pipx" | "pip" => {
            let name = word.split(['=', '[', '>', '@']).next()?;
            Some(ListingKey::new("pypi", capdex_core::ids::pypi_name(name)))
        }
        _ => None,
    }
}

fn row(source: &str, name: &str, description: &str, repository: &str, more: Vec<ListingKey>) -> Listing {
    let references: BTreeSet<ListingKey> = on_github(repository).into_iter().chain(more).collect();
    let known = |text: &str| if text.is_empty() { Claim::Unknown } else { Claim::Known(text.to_owned()) };
    let claims = Claims { description: known(description), repository: known(repository), ..Claims::default() };
    Listing {
        key: ListingKey::new(source, name),
        locators: Vec::new(),
        claims,
        references: references.into_iter().collect(),
    }
}

fn toolsdk(data: &str) -> Vec<Listing> {
    let rows = lines(data, "toolsdk/packages-2025-09-29.jsonl.gz");
    rows.iter()
        .map(|it| row("toolsdk", text(it, "/name"), "", "", vec![ListingKey::new("npm", text(it, "/name"))]))
        .collect()
}

fn mcpm(data: &str) -> Vec<Listing> {
    let rows = lines(data, "mcpm/servers-2025-06-01.jsonl.gz");
    let packages = |it: &Value| -> Vec<ListingKey> {
        let all = it["installations"].as_object().into_iter().flatten();
        all.filter_map(|(_, how)| {
            let arguments: Vec<&str> = how["args"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            started(text(how, "/command"), &arguments)
        })
        .collect()
    };
    let of = |it: &Value| {
        row("mcpm", text(it, "/name"), text(it, "/description"), text(it, "/repository/url"), packages(it))
    };
    rows.iter().map(of).collect()
}

fn tensorblock(data: &str) -> Vec<Listing> {
    let rows = lines(data, "tensorblock/profiles-2026-08-22.jsonl.gz");
    let of = |it: &Value| {
        let commands = it["install"]["commands"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let packages = commands.filter_map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            started(words.first()?, words.get(1..)?)
        });
        let endpoint = text(it, "/links/endpoint");
        let endpoint = endpoint.starts_with("http").then(|| ListingKey::new("mcp", endpoint));
        row(
            "tensorblock",
            text(it, "/id"),
            text(it, "/description"),
            text(it, "/links/repo"),
            packages.chain(endpoint).collect(),
        )
    };
    rows.iter().map(of).collect()
}

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
    let reader = Reader::open(&capdex.path().join("capdex.db")).expect("a store");
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
    let seen = Timestamp::from_unix_seconds(0);
    let mut statements: Vec<Statement> = listings.values().map(|it| Statement::of(it, None, seen, true)).collect();
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

/// A server of a collection of tools, as a listing and its tools.
type Collected = (Listing, Vec<Value>);

fn collected(data: &str) -> Vec<Collected> {
    let tools = |value: &Value| -> Vec<Value> {
        let list = value.get("tools").filter(|tools| tools.is_array()).unwrap_or(value);
        match list {
            Value::Array(all) => all.clone(),
            Value::Object(all) => all.values().filter(|it| it.is_object()).cloned().collect(),
            _ => Vec::new(),
        }
    };
    let mut all = Vec::new();
    let sdk = lines(data, "toolsdk/packages-2025-09-29.jsonl.gz");
    all.extend(toolsdk(data).into_iter().zip(sdk.iter().map(|it| tools(&it["tools"]))));
    let mcpm_rows = lines(data, "mcpm/servers-2025-06-01.jsonl.gz");
    all.extend(mcpm(data).into_iter().zip(mcpm_rows.iter().map(|it| tools(&it["tools"]))));
    for it in lines(data, "metorial/servers-with-tools-2025-06-16.jsonl.gz") {
        let folder = match text(&it, "/server/server/subdirectory") {
            "/" | "" => String::new(),
            folder => format!("/tree/main/{}", folder.trim_matches('/')),
        };
        let repository = format!("{}{folder}", text(&it, "/server/repo/url"));
        let listing =
            row("metorial", text(&it, "/id"), text(&it, "/server/server/description"), &repository, Vec::new());
        all.push((listing, tools(&it["tools"])));
    }
    all.retain(|(_, tools)| !tools.is_empty());
    all
}

fn tool_of(value: &Value) -> Tool {
    let part = |name: &str| value.get(name).filter(|it| !it.is_null()).cloned();
    Tool {
        name: text(value, "/name").to_owned(),
        title: None,
        description: value["description"].as_str().map(str::to_owned),
        input_schema: part("inputSchema"),
        output_schema: part("outputSchema"),
        annotations: part("annotations"),
        origin: ToolOrigin::ToolsList,
        place: Place::default(),
    }
}

/// A world in which about half of the entities, chosen by their names, are a year older than the others: so that every
/// shared name has somebody who was there first.
fn world(collected: &[Collected], capdex: &Capdex) -> (World, BTreeMap<String, Vec<Tool>>) {
    let year = 365 * 86_400;
    let age = |key: &ListingKey| i64::from(Digest::of(key.to_string().as_bytes()).as_bytes()[0] % 2) * year;
    let mut statements: Vec<Statement> = collected
        .iter()
        .map(|(listing, _)| Statement::of(listing, None, Timestamp::from_unix_seconds(age(&listing.key)), true))
        .collect();
    identity::sort(&mut statements);
    statements.dedup_by(|one, other| one.member.key == other.member.key);
    let identified = identity::identify(&statements, &Given::default());
    let entity: BTreeMap<ListingKey, String> =
        identified.iter().map(|of| (of.listing.clone(), of.entity.clone())).collect();
    let members = statements.into_iter().map(|said| Member { entity: entity[&said.member.key].clone(), ..said.member });
    let standings = Standings::of(&Corpus::new(members.collect()));
    let cues = cues(collected, capdex);
    let (mut servers, mut tools) = (Vec::new(), BTreeMap::new());
    for (number, (listing, list)) in collected.iter().enumerate() {
        let of: Vec<Tool> = list.iter().map(tool_of).filter(|tool| !tool.name.is_empty()).collect();
        let slug = listing.key.to_string();
        servers.push(Server {
            slug: slug.clone(),
            listing: listing.key.clone(),
            entity: entity[&listing.key].clone(),
            tools: of.iter().map(|tool| (tool.name.clone(), ToolPin::of(tool))).collect(),
            cues: cues.get(&number).cloned().unwrap_or_default(),
        });
        tools.insert(slug, of);
    }
    servers.sort_by(|one, other| one.slug.cmp(&other.slug));
    let listings = collected.iter().map(|(listing, _)| (listing.key.clone(), entity[&listing.key].clone())).collect();
    (World { servers, listings, claimed: collision::claimed(&identified), standings }, tools)
}

/// What the program's own rules say of each tools list, by its number.
fn cues(collected: &[Collected], capdex: &Capdex) -> BTreeMap<usize, Vec<collision::Cue>> {
    for (number, (_, tools)) in collected.iter().enumerate() {
        capdex.write(&format!("lists/{number}.json"), json!({"tools": tools}).to_string());
    }
    let paths: Vec<PathBuf> =
        (0..collected.len()).map(|number| PathBuf::from(format!("lists/{number}.json"))).collect();
    let mut cues: BTreeMap<usize, Vec<collision::Cue>> = BTreeMap::new();
    for some in paths.chunks(500) {
        let mut arguments = vec!["scan", "--format", "jsonl"];
        arguments.extend(some.iter().map(|path| path.to_str().expect("plain")));
        let run = capdex.run(&arguments);
        for line in run.stdout.lines() {
            let line: Value = serde_json::from_str(line).expect("JSON");
            let number = Path::new(text(&line, "/input")).file_stem().and_then(|stem| stem.to_str()?.parse().ok());
            for finding in line["findings"].as_array().into_iter().flatten() {
                let rule = text(finding, "/rule");
                if rule == collision::BRAND || collision::DIRECTIVES.contains(&rule) {
                    let severity: Severity = serde_json::from_value(finding["severity"].clone()).expect("a severity");
                    let cue =
                        collision::Cue { rule: rule.into(), severity, evidence: text(finding, "/evidence").into() };
                    cues.entry(number.expect("a number")).or_default().push(cue);
                }
            }
        }
    }
    cues
}

#[test]
#[ignore = "prints what collides in real collections of tools; run by hand"]
fn what_collides_in_three_collections() {
    let Some(data) = needed("CAPDEX_DATA") else { return };
    let collected = collected(&data);
    let capdex = Capdex::offline();
    let (world, tools) = world(&collected, &capdex);
    let with_cues = world.servers.iter().filter(|server| !server.cues.is_empty()).count();
    let tool = |slug: &str, name: &str| tools[slug].iter().find(|tool| tool.name == name);
    let pairs = collision::pairs_to_compare(&world);
    let compared = pairs.len();
    let widened: Widened = pairs
        .into_iter()
        .filter_map(|pair| {
            let more = collision::widened(tool(&pair.target_slug, &pair.target_tool)?, tool(&pair.slug, &pair.tool)?);
            Some((pair, more))
        })
        .collect();
    let found = collision::find(&world, &widened);
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    for collision in &found {
        *classes.entry(collision.class.as_str()).or_default() += 1;
    }
    println!(
        "{} servers with tools, {with_cues} with cues, {compared} pairs compared; rows by class: {classes:?}",
        world.servers.len()
    );
    let weighty: Vec<_> = found.iter().filter(|it| it.severity >= Severity::Medium).collect();
    for collision in &weighty {
        println!("{collision:?}\n");
    }
    let share = weighty.iter().filter_map(|it| it.entity.as_ref()).collect::<BTreeSet<_>>().len();
    println!("{} alerts in {share} of {} entities", weighty.len(), world.servers.len());
    assert!(share * 500 <= world.servers.len(), "alerts on more than one in five hundred");
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
    let seen = Timestamp::from_unix_seconds(0);
    let mut statements: Vec<Statement> = listings.iter().map(|it| Statement::of(it, None, seen, true)).collect();
    identity::sort(&mut statements);
    let begin = std::time::Instant::now();
    let identified = identity::identify(&statements, &Given::default());
    let entities: BTreeSet<&str> = identified.iter().map(|of| of.entity.as_str()).collect();
    println!("{} listings, {} entities in {:.1} s", identified.len(), entities.len(), begin.elapsed().as_secs_f64());
    assert_eq!(entities.len(), 100_000, "a package with one row, and a repository with two");
}
