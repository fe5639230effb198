//! The source `awesome-lists`: what curated Markdown lists link to.
//!
//! The list's own text decides the listing; the pages it links to are never asked for.

mod items;

use std::collections::BTreeSet;

use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims, Listing, Validators};
use capdex_model::source_role::{FilledBy, SourceRole};
use serde_json::json;

use self::items::AwesomeListItem;
use crate::documents::{self, SourceDocument};
use crate::references::OperatorForge;
use crate::{ListFuture, ListRequest, ListedEntry, Source, SourceMeta, WalkKind, claims, names, page, references};

/// The source.
pub const SOURCE: &dyn Source = &AwesomeLists;

/// The most bytes of a document. The largest recorded list has 99 KB.
const MAX_DOCUMENT_BYTES: u64 = 8 << 20;

struct AwesomeLists;

const META: SourceMeta = SourceMeta {
    id: "awesome-lists",
    title: "curated Markdown lists",
    about: "\
The watchlist names Markdown documents by their addresses, such as the raw text of an `awesome` list. Each item of a list
in one whose first link leads to another site is a listing, `owner/repository/host/path`: the document's own place, then
the link without its scheme. A link that comes twice is listed once. The item refers to the repository that it links to, if
it does; its text after the link is the description, and the heading above it a keyword. Tables, badges and tables of
contents are not read.

Full walks read every document, others ask with the validators of the last visit. An item is unchanged where the digest of
its title, link, text and heading is the one of the last visit. A document without any item is an error and no empty list.",
    endpoints: "`GET` of each address in the watchlist.",
    limits: "Those of the forges that serve raw files, which publish none for a few files a day.",
    stored: "Link, description, heading.",
    terms: "Each list is under its repository's licence; the recorded ones are MIT.",
    base_url: None,
    rate_limits: &[],
    keys: &[],
    walk: WalkKind::Directory { is_incremental: true },
    role: SourceRole {
        filled_by: FilledBy::Others,
        has_several_lists: true,
        ..SourceRole::UNKNOWN
    },
};

impl Source for AwesomeLists {
    fn meta(&self) -> &'static SourceMeta {
        &META
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a> {
        Box::pin(async move { documents::step(&request, MAX_DOCUMENT_BYTES, read).await })
    }
}

fn read(document: &SourceDocument) -> Result<Vec<ListedEntry>, String> {
    let text = std::str::from_utf8(&document.bytes).map_err(|error| error.to_string())?;
    let items = items::of(text);
    // Full walks take what is not listed for gone, so a page that became something else must not pass as an empty list.
    if items.is_empty() {
        return Err("no item in it links anywhere".to_owned());
    }
    // A link that comes twice is listed once: two rows under one key would contradict each other.
    let mut seen = BTreeSet::new();
    let keyed = items.into_iter().map(|item| {
        let key = ListingKey::new(&document.id, format!("{}/{}", document.name, item.place()));
        (key, item)
    });
    Ok(keyed
        .filter(|(key, _)| seen.insert(key.name.clone()))
        .map(|(key, item)| listed(key, &item, &document.forges))
        .collect())
}

fn listed(key: ListingKey, item: &AwesomeListItem, forges: &[OperatorForge]) -> ListedEntry {
    if !names::is_usable(&key.name) {
        return page::failed(key, "the link is too long for a name");
    }
    // A link to something else says nothing about a repository: the claim is unknown then, not absent.
    let repository = references::of_repository_among(item.url.as_str(), forges);
    let claims = Claims {
        description: claims::of_text(&item.description),
        repository: if repository.is_some() { Claim::Known(item.url.to_string()) } else { Claim::Unknown },
        keywords: item.heading.clone().map_or(Claim::Unknown, |heading| Claim::Known(vec![heading])),
        ..Claims::default()
    };
    let canonical = json!([item.title, item.url.as_str(), item.description, item.heading]);
    let listing = Listing { key, locators: Vec::new(), claims, references: references::sorted([repository]) };
    let validators = Validators { digest: Some(Digest::of_json(&canonical)), ..Validators::default() };
    ListedEntry::Changed { listing: Box::new(listing), validators }
}

#[cfg(test)]
mod tests;
