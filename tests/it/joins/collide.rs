//! What the pass `collision` says of three real collections of tools.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use capdex_corpus::collision::{self, CollisionCorpus, Server, Widened};
use capdex_corpus::corpus::{Corpus, CorpusMember};
use capdex_corpus::drift::ToolPin;
use capdex_corpus::established::PopularityByEntity;
use capdex_corpus::identity::{self, Given, Statement};
use capdex_evidence::tools::{Tool, ToolOrigin};
use capdex_model::digest::Digest;
use capdex_model::fact::{Place, Severity};
use capdex_model::ids::ListingKey;
use capdex_model::listing::Listing;
use capdex_model::time::Timestamp;
use serde_json::{Value, json};

use super::lists::{lines, mcpm, row, text, toolsdk};
use crate::support::capdex::Capdex;
use crate::support::rig::needed;

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
    let part = |name: &str| value.get(name).filter(|it| !it.is_null()).cloned().map(Into::into);
    Tool {
        name: text(value, "/name").to_owned(),
        title: None,
        description: value["description"].as_str().map(str::to_owned),
        input_schema: part("inputSchema"),
        output_schema: part("outputSchema"),
        annotations: part("annotations"),
        extra: None,
        unread: Default::default(),
        origin: ToolOrigin::ToolsList,
        place: Place::default(),
    }
}

/// A world in which about half of the entities, chosen by their names, are a year older than the others: so that every
/// shared name has somebody who was there first.
fn world(collected: &[Collected], capdex: &Capdex) -> (CollisionCorpus, BTreeMap<String, Vec<Tool>>) {
    let year = 365 * 86_400;
    let age = |key: &ListingKey| i64::from(Digest::of(key.to_string().as_bytes()).as_bytes()[0] % 2) * year;
    let roles = capdex_crawlers::roles();
    let mut statements: Vec<Statement> = collected
        .iter()
        .map(|(listing, _)| Statement::of(listing, &roles, None, Timestamp::from_unix_seconds(age(&listing.key)), true))
        .collect();
    identity::sort(&mut statements);
    statements.dedup_by(|one, other| one.member.key == other.member.key);
    let identified = identity::identify(&statements, &Given::default());
    let entity: BTreeMap<ListingKey, String> =
        identified.iter().map(|of| (of.listing.clone(), of.entity.clone())).collect();
    let members =
        statements.into_iter().map(|said| CorpusMember { entity: entity[&said.member.key].clone(), ..said.member });
    let standings = PopularityByEntity::of(&Corpus::new(members.collect()));
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
    (CollisionCorpus { servers, listings, claimed: collision::claimed(&identified), popularity: standings }, tools)
}

/// What the program's own rules say of each tools list, by its number.
fn cues(collected: &[Collected], capdex: &Capdex) -> BTreeMap<usize, Vec<collision::CollisionCue>> {
    for (number, (_, tools)) in collected.iter().enumerate() {
        capdex.write(&format!("lists/{number}.json"), json!({"tools": tools}).to_string());
    }
    let paths: Vec<PathBuf> =
        (0..collected.len()).map(|number| PathBuf::from(format!("lists/{number}.json"))).collect();
    let mut cues: BTreeMap<usize, Vec<collision::CollisionCue>> = BTreeMap::new();
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
                    let cue = collision::CollisionCue {
                        rule: rule.into(),
                        severity,
                        evidence: text(finding, "/evidence").into(),
                    };
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
