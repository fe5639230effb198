//! A row as a listing: its claims, the texts it carries, and what it names elsewhere.
//!
//! The row is in canonical form here, without its envelope.

use std::collections::BTreeMap;

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims, Integrity, Listing, Locator, Validators};
use capdex_model::repository_signals::RepositorySignals;
use serde_json::{Map, Value};
use url::Url;

use super::row::OfficialRegistryRow;
use crate::{ListedEntry, claims, names, page, references};

/// The row as the walk gives it.
pub(super) fn listed(row: OfficialRegistryRow, key: ListingKey, is_official: bool) -> ListedEntry {
    if !names::is_usable(&row.key) {
        return page::failed(key, "this is no name of a server with a version");
    }
    if row.version.is_none() {
        return page::failed(key, "the row has no version");
    }
    if row.status.as_deref() == Some("deleted") {
        let detail = match row.message {
            Some(message) => format!("the registry gives its status as deleted: {message}"),
            None => "the registry gives its status as deleted".to_owned(),
        };
        return ListedEntry::TakenDown { key, detail };
    }
    let validators = Validators { digest: Some(row.digest()), ..Validators::default() };
    ListedEntry::Changed { listing: Box::new(of(row, key, is_official)), validators }
}

/// The listing. Only the latest version of a server carries its text, its bundles and its references: what an older one
/// named is history.
fn of(row: OfficialRegistryRow, key: ListingKey, is_official: bool) -> Listing {
    let claims = claims_of(&row, is_official);
    if !row.is_latest {
        return Listing { key, locators: Vec::new(), claims, references: Vec::new() };
    }
    let (identity, version) = (format!("{}:{}", key.source, row.name), row.version);
    let bundles = packages(&row.server, "mcpb").enumerate();
    let bundles = bundles
        .take(MAX_BUNDLES)
        .filter_map(|(number, package)| bundle(&row.name, version.as_deref(), number, package));
    let bundles: Vec<_> = bundles.collect();
    let references = references(&row.server, &claims.repository);
    let text = serde_json::to_string_pretty(&row.server).expect("what was read as JSON can be written");
    let files = BTreeMap::from([("server.json".to_owned(), text)]);
    let mut locators = vec![Locator::Inline { identity, version, files }];
    locators.extend(bundles);
    Listing { key, locators, claims, references }
}

fn claims_of(row: &OfficialRegistryRow, is_official: bool) -> Claims {
    let repository = match row.server.get("repository") {
        Some(Value::Object(repository)) => claims::text(repository.get("url"), &Claim::Absent),
        _ => Claim::Absent,
    };
    let deprecated = match row.status.as_deref() {
        Some("deprecated") => Claim::Known(row.message.clone().unwrap_or_else(|| "deprecated".to_owned())),
        Some("active") => Claim::Absent,
        _ => Claim::Unknown,
    };
    let official = if is_official { Claim::Known(true) } else { Claim::Unknown };
    Claims {
        description: claims::text(row.server.get("description"), &Claim::Absent),
        repository,
        // The registry dates each version; of a server it says no more.
        created: row.published.clone(),
        published: row.published.clone(),
        deprecated,
        repository_signals: RepositorySignals { official, ..RepositorySignals::default() },
        ..Claims::default()
    }
}

fn packages<'a>(server: &'a Map<String, Value>, kind: &'a str) -> impl Iterator<Item = &'a Map<String, Value>> {
    let packages = server.get("packages").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object);
    packages.filter(move |package| page::text(package, "registryType") == Some(kind))
}

fn references(server: &Map<String, Value>, repository: &Claim<String>) -> Vec<ListingKey> {
    let named = |kind: &'static str, read: fn(&str) -> Option<ListingKey>| {
        packages(server, kind).map(move |package| page::text(package, "identifier").and_then(read))
    };
    // What people get is the version that the row names, and not the one that the registry calls the latest.
    let at = |kind: &'static str, read: fn(&str, Option<&str>) -> Option<ListingKey>| {
        packages(server, kind)
            .map(move |package| read(page::text(package, "identifier")?, page::text(package, "version")))
    };
    let remotes = server.get("remotes").and_then(Value::as_array).into_iter().flatten();
    let remotes = remotes.map(|remote| references::endpoint(remote.get("url")?.as_str()?));
    let all = at("npm", references::npm_at)
        .chain(at("pypi", references::pypi_at))
        .chain(named("oci", references::oci))
        .chain(remotes)
        .chain([references::repository(repository)]);
    references::sorted(all)
}

/// Bundles of one row that are fetched at most: builds for every platform there is, and room for as many again.
const MAX_BUNDLES: usize = 16;

/// An MCP bundle at its address. Several of one server are its builds for several platforms, known by their place.
fn bundle(name: &str, version: Option<&str>, number: usize, package: &Map<String, Value>) -> Option<Locator> {
    let address = page::text(package, "identifier")?;
    let url = Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    let filename = url.path_segments()?.next_back().filter(|name| !name.is_empty())?.to_owned();
    // The first has no number, so that its identity stays when a second one comes.
    let place = if number == 0 { String::new() } else { format!("#{}", number + 1) };
    let is_digest = |text: &&str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digest = page::text(package, "fileSha256").filter(is_digest);
    Some(Locator::HttpFile {
        identity: format!("mcpb:{name}{place}"),
        version: page::text(package, "version").or(version).map(str::to_owned),
        url: address.to_owned(),
        filename,
        integrity: digest.map(|digest| Integrity::Sha256(digest.to_ascii_lowercase())).into_iter().collect(),
    })
}
