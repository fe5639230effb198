//! A repository's document as a listing, and the digest of what of it counts.
//!
//! octocrab's type reads it, but only from the members that are kept. It takes whole documents only as GitHub itself
//! writes them, and servers that speak GitHub's interface elsewhere leave some members out.

use capdex_model::digest::Digest;
use capdex_model::listing::{Claim, Claims};
use capdex_model::repository_signals::RepositorySignals;
use octocrab::models;
use serde_json::{Map, Value, json};

use crate::claims::{instant, list, of_text};
use crate::forge::is_name;

/// The members of a document that octocrab's type is given.
const KEPT: [&str; 13] = [
    "id",
    "node_id",
    "name",
    "full_name",
    "private",
    "html_url",
    "description",
    "forks_count",
    "stargazers_count",
    "subscribers_count",
    "default_branch",
    "topics",
    "archived",
];

/// A repository as its document says.
#[derive(Clone, Debug)]
pub(super) struct Repository {
    /// Owner and name, as written.
    pub(super) full_name: String,
    /// The forge's number for it.
    pub(super) id: u64,
    /// The branch that is listed.
    pub(super) default_branch: Option<String>,
    /// True where only some may see it.
    pub(super) is_private: bool,
    /// The claims of the document.
    pub(super) claims: Claims,
}

impl Repository {
    /// Reads a document.
    ///
    /// # Errors
    /// The fault in the document, in words.
    pub(super) fn read(document: &Value) -> Result<Self, String> {
        let whole = document.as_object().ok_or("not an object")?;
        let mut kept: Map<String, Value> =
            KEPT.iter().filter_map(|key| Some(((*key).to_owned(), whole.get(*key)?.clone()))).collect();
        // The one address that octocrab insists on; nothing is asked there.
        kept.insert("url".to_owned(), json!("https://repository.invalid"));
        let read: models::Repository =
            serde_json::from_value(Value::Object(kept)).map_err(|error| format!("no repository: {error}"))?;
        let full_name = read.full_name.clone().ok_or("a repository without a full name")?;
        // The name becomes a key and a part of addresses.
        if name_of(&full_name).is_none() {
            return Err("the full name of the repository is none".to_owned());
        }
        Ok(Self {
            id: read.id.into_inner(),
            default_branch: read.default_branch.clone().filter(|branch| !branch.is_empty()),
            is_private: read.private.unwrap_or(false),
            claims: claims(read, whole),
            full_name,
        })
    }

    /// The name under which it is listed: forges do not tell upper case from lower.
    pub(super) fn name(&self) -> String {
        self.full_name.to_ascii_lowercase()
    }

    /// The digest of what counts. Watchers and parent do not: lists and searches do not say them, and a repository must
    /// have one digest wherever it is met.
    pub(super) fn digest(&self) -> Digest {
        let mut claims = self.claims.clone();
        claims.repository_signals.watchers = Claim::Unknown;
        claims.repository_signals.fork_of = Claim::Unknown;
        Digest::of_json(&(&self.full_name, &self.default_branch, self.is_private, claims))
    }
}

/// Owner and name, where the text is both.
pub(super) fn name_of(full_name: &str) -> Option<(&str, &str)> {
    full_name.split_once('/').filter(|(owner, name)| is_name(owner) && is_name(name))
}

fn claims(read: models::Repository, whole: &Map<String, Value>) -> Claims {
    let known = |count: Option<u64>| count.map_or(Claim::Unknown, Claim::Known);
    let owner = whole.get("owner").and_then(|owner| owner.get("login")).and_then(Value::as_str);
    let standing = RepositorySignals {
        stars: known(read.stargazers_count.map(u64::from)),
        forks: known(read.forks_count.map(u64::from)),
        watchers: known(read.subscribers_count.and_then(|count| u64::try_from(count).ok())),
        pushed: instant(whole.get("pushed_at")),
        archived: read.archived.map_or(Claim::Unknown, Claim::Known),
        repository_id: Claim::Known(read.id.into_inner()),
        fork_of: fork_of(whole),
        repository_node: read.node_id.as_deref().map_or(Claim::Unknown, of_text),
        ..RepositorySignals::default()
    };
    Claims {
        description: stated(whole, "description", read.description.as_deref()),
        license: license(whole.get("license")),
        repository: read.html_url.map_or(Claim::Unknown, |address| of_text(address.as_str())),
        keywords: read.topics.map_or(Claim::Unknown, list),
        maintainers: owner.map_or(Claim::Unknown, |owner| list(vec![owner.to_owned()])),
        created: instant(whole.get("created_at")),
        repository_signals: standing,
        ..Claims::default()
    }
}

/// Which repository it was forked from. Lists say only that there is one.
fn fork_of(whole: &Map<String, Value>) -> Claim<u64> {
    let parent = whole.get("parent").and_then(|parent| parent.get("id")).and_then(Value::as_u64);
    let is_none = whole.get("fork").and_then(Value::as_bool) == Some(false);
    parent.map_or(if is_none { Claim::Absent } else { Claim::Unknown }, Claim::Known)
}

/// A text that the document has a place for: `Absent` where the place is empty, `Unknown` where there is none.
fn stated(whole: &Map<String, Value>, key: &str, text: Option<&str>) -> Claim<String> {
    match text {
        Some(text) => of_text(text),
        None if whole.contains_key(key) => Claim::Absent,
        None => Claim::Unknown,
    }
}

/// The licence that the forge recognised, by its SPDX id; its name where it is none of SPDX's.
fn license(value: Option<&Value>) -> Claim<String> {
    let Some(value) = value else { return Claim::Unknown };
    if value.is_null() {
        return Claim::Absent;
    }
    let text = |key: &str| value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    // `NOASSERTION` says that there is a licence which GitHub did not recognise.
    let id = text("spdx_id").filter(|id| *id != "NOASSERTION");
    id.or_else(|| text("name")).map_or(Claim::Unknown, of_text)
}
