//! The source `marketplaces`: the plugins of marketplace documents, `.claude-plugin/marketplace.json` and its kin.
//!
//! Sources: the published schema of marketplaces, and recorded ones of 2026-08.

mod origin;

use std::collections::{BTreeMap, BTreeSet};

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims, Listing, Locator};
use capdex_model::source_role::SourceRole;
use serde_json::{Map, Value, json};

use self::origin::PluginOrigin;
use crate::documents::{self, SourceDocument};
use crate::{
    ListFuture, ListRequest, ListedEntry, Source, SourceMeta, WalkKind, claims, forge, json, names, page, references,
};

/// The source.
pub const SOURCE: &dyn Source = &Marketplaces;

/// The most bytes of a document. The largest seen has 169 KB.
const MAX_DOCUMENT_BYTES: u64 = 16 << 20;

/// The number of times that a new name may itself have a newer one.
const MAX_RENAMES: usize = 10;

struct Marketplaces;

const META: SourceMeta = SourceMeta {
    id: "marketplaces",
    title: "plugin marketplaces",
    about: "\
The watchlist names documents by their addresses, such as the raw text of a repository's `.claude-plugin/marketplace.json`.
Each plugin in one is a listing, `owner/repository/plugin`, after the document's own place. It carries the text of its entry
and where it comes from: a repository pinned to a commit (`sha`, `commit`) is located as the archive of that commit; one that
is not, and a path in the marketplace's own repository, is referred to and marked `floating`, because what it installs can
change while the entry stays. Packages of npm and PyPI are referred to.

Full walks read every document, others ask with the validators of the last visit. A plugin is unchanged where the digest of
its entry is the one of the last visit. A name in `renames` has moved where its new name is listed.",
    endpoints: "`GET` of each address in the watchlist; archives of commits at the forges.",
    limits: "Those of the forges that serve raw files, which publish none for a few files a day.",
    stored: "The text of the entry without mail addresses, description, licence, keywords, repository.",
    terms: "Each marketplace is under its repository's licence; the recorded ones are Apache-2.0 and MIT.",
    base_url: None,
    rate_limits: &[],
    keys: &[],
    walk: WalkKind::Directory { is_incremental: true },
    role: SourceRole { has_several_lists: true, ..SourceRole::UNKNOWN },
};

impl Source for Marketplaces {
    fn meta(&self) -> &'static SourceMeta {
        &META
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a> {
        Box::pin(async move { documents::step(&request, MAX_DOCUMENT_BYTES, read).await })
    }
}

fn read(document: &SourceDocument) -> Result<Vec<ListedEntry>, String> {
    let mut whole = json::parse(&document.bytes, |_, _| false)?;
    let plugins = page::objects(&mut whole, "plugins")?;
    // Other JSON documents may have a list of plugins too.
    if whole.get("name").and_then(Value::as_str).is_none() {
        return Err("a marketplace without a name".to_owned());
    }
    let own = origin::of_document(&document.url);
    let names: BTreeSet<String> =
        plugins.iter().filter_map(|plugin| page::text(plugin, "name")).map(str::to_owned).collect();
    let name = |plugin: &Map<String, Value>| Some(format!("{}/{}", document.name, page::text(plugin, "name")?));
    let mut listed = page::entries(&document.id, plugins, name, |plugin, key| entry(plugin, key, own.as_ref()))?;
    if let Some(Value::Object(renames)) = whole.get("renames") {
        listed.extend(renames.keys().filter_map(|old| moved(document, old, renames, &names)));
    }
    Ok(listed)
}

/// A name that a plugin had, where its newest name is listed and its old one is not.
fn moved(
    document: &SourceDocument,
    old: &str,
    renames: &Map<String, Value>,
    names: &BTreeSet<String>,
) -> Option<ListedEntry> {
    let newer = |name: &&str| renames.get(*name).and_then(Value::as_str);
    // Renames may lead in a circle, so the chain is bounded.
    let newest = std::iter::successors(Some(old), newer).take(MAX_RENAMES).find(|name| names.contains(*name))?;
    let key = ListingKey::new(&document.id, format!("{}/{old}", document.name));
    let is_moved = newest != old && names::is_usable(&key.name);
    is_moved.then(|| ListedEntry::Moved { key, to: format!("{}/{newest}", document.name) })
}

fn entry(plugin: &Map<String, Value>, key: &ListingKey, own: Option<&ListingKey>) -> Result<(Listing, Value), String> {
    let origin = PluginOrigin::read(plugin.get("source").ok_or("a plugin without a source")?, own)?;
    let mut kept = page::without(plugin, &[]);
    // Mail addresses are personal data and are not stored.
    if let Some(author) = kept.get_mut("author").and_then(Value::as_object_mut) {
        author.remove("email");
    }
    let text = json!({"plugin": kept, "origin": origin.text()});
    let files = BTreeMap::from([("listing.json".to_owned(), page::pretty(text.as_object().unwrap_or(&kept)))]);
    let version = page::text(plugin, "version").map(str::to_owned);
    let mut locators = vec![Locator::Inline { identity: key.to_string(), version, files }];
    locators.extend(
        origin
            .repository
            .as_ref()
            .zip(origin.commit.as_ref())
            .and_then(|(of, at)| forge::archive::of_commit(key, of, at)),
    );
    let claims = Claims {
        description: claims::text(plugin.get("description"), &Claim::Unknown),
        license: claims::text(plugin.get("license"), &Claim::Unknown),
        keywords: claims::texts(plugin.get("keywords").or_else(|| plugin.get("tags"))),
        repository: origin.address.clone().map_or(Claim::Unknown, Claim::Known),
        ..Claims::default()
    };
    let references = references::sorted([origin.repository, origin.package]);
    Ok((Listing { key: key.clone(), locators, claims, references }, text))
}

#[cfg(test)]
mod tests;
