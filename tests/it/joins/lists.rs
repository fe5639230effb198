//! Lists that the program has no source for, read as listings.

use std::collections::BTreeSet;
use std::path::Path;

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims, Listing};
use serde_json::Value;

pub(super) fn lines(data: &str, path: &str) -> Vec<Value> {
    let bytes = std::fs::read(Path::new(data).join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let lines = std::io::BufRead::lines(capdex_crawlers::unpack::gunzip_lines(bytes.as_slice()));
    lines.map(|line| serde_json::from_str(&line.expect("text")).expect("JSON")).collect()
}

/// A text member; empty where there is none.
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn on_github(address: &str) -> Option<ListingKey> {
    let path = address.split_once("github.com/")?.1.split(['#', '?']).next()?;
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    let (owner, name) = (parts.next()?, parts.next()?.trim_end_matches(".git"));
    Some(ListingKey::new("github", format!("{owner}/{name}").to_lowercase()))
}

/// The package that a command line starts: `npx -y <name>@<version>`, `uvx <name>`.
pub(super) fn started(command: &str, arguments: &[&str]) -> Option<ListingKey> {
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
            Some(ListingKey::new("pypi", capdex_model::ids::pypi_name(name)))
        }
        _ => None,
    }
}

pub(super) fn row(source: &str, name: &str, description: &str, repository: &str, more: Vec<ListingKey>) -> Listing {
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

pub(super) fn toolsdk(data: &str) -> Vec<Listing> {
    let rows = lines(data, "toolsdk/packages-2025-09-29.jsonl.gz");
    rows.iter()
        .map(|it| row("toolsdk", text(it, "/name"), "", "", vec![ListingKey::new("npm", text(it, "/name"))]))
        .collect()
}

pub(super) fn mcpm(data: &str) -> Vec<Listing> {
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

pub(super) fn tensorblock(data: &str) -> Vec<Listing> {
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
