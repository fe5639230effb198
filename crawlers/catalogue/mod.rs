//! The source `catalogue`: a marketplace's own list of what it hands out, as CSV or JSON lines.
//!
//! The list is the operator's. The ids and addresses in it may be anybody's.

mod rows;

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims, Listing, Locator, Validators};
use capdex_model::snapshot::{Gap, GapReason};
use capdex_model::source_role::{FilledBy, SourceRole};
use url::Url;

use self::rows::CatalogueRow;
use crate::http::{HttpRequest, HttpResponse, redact};
use crate::unpack::read_at_most;
use crate::{
    CrawlError, ListFuture, ListPage, ListRequest, ListedEntry, NextPage, Source, SourceMeta, WalkKind, claims, names,
    page, references,
};

/// The source.
pub const SOURCE: &dyn Source = &Catalogue;

/// The most bytes of a list: some hundreds of thousands of rows.
const MAX_BYTES: u64 = 128 << 20;

struct Catalogue;

const META: SourceMeta = SourceMeta {
    id: "catalogue",
    title: "a marketplace's own list",
    about: "\
The base address, or the one entry of the table, is a file on this machine or an address: CSV whose first row names its
columns, or JSON lines. Columns or members are `id` and `archive`, and where there are any `version`, `publisher` and `url`;
others are left alone. Each row is a listing by its `id`. `archive` is an address, or a path: below the folder of a local
list it may be an archive, a file or a folder, and of a list at an address it is an address relative to it. `url` is where
the thing is at home, often its repository.

Every walk reads the whole list. A row is unchanged where the digest of its five members is that of the last visit; a local
archive is read again each time. A row without an archive, with an id that came before, or with a path that leads out of the
list's folder is a gap. A list in which any row has no id is an error, so that nothing is taken for removed by mistake. Several
lists are several tables.",
    endpoints: "`GET` of the list, where it is an address, and of each archive.",
    limits: "The operator's own.",
    stored: "The row.",
    terms: "The operator's own.",
    base_url: None,
    rate_limits: &[],
    keys: &[],
    walk: WalkKind::Directory { is_incremental: false },
    role: SourceRole { filled_by: FilledBy::Operator, ..SourceRole::UNKNOWN },
};

impl Source for Catalogue {
    fn meta(&self) -> &'static SourceMeta {
        &META
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a> {
        Box::pin(async move {
            let place = CataloguePlace::of(&request)?;
            let bytes = place.read(&request).await?;
            let subject = place.to_string();
            let id = request.id.to_owned();
            // A long list would hold up the threads that wait for answers.
            let listed = tokio::task::spawn_blocking(move || listed(&id, &place, &bytes)).await;
            let listed = listed.unwrap_or_else(|error| Err(error.to_string()));
            let listed = listed.map_err(|detail| CrawlError::bad_answer(&subject, detail))?;
            Ok(ListPage { listed, next: NextPage::END })
        })
    }
}

/// Where a list is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum CataloguePlace {
    /// At an address.
    Web(Url),
    /// In a file.
    Local(PathBuf),
}

impl std::fmt::Display for CataloguePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Web(url) => f.write_str(&redact(url.as_str())),
            Self::Local(path) => write!(f, "{}", path.display()),
        }
    }
}

impl CataloguePlace {
    fn of(request: &ListRequest<'_>) -> Result<Self, CrawlError> {
        let settings = request.settings;
        let all: BTreeSet<&str> = settings.watchlist.iter().chain([&settings.base_url]).map(String::as_str).collect();
        let mut all = all.into_iter().filter(|place| !place.is_empty());
        match (all.next(), all.next()) {
            // A drive's letter is no scheme that is asked.
            (Some(one), None) => Ok(match Url::parse(one) {
                Ok(url) if matches!(url.scheme(), "http" | "https") => Self::Web(url),
                _ => Self::Local(PathBuf::from(one)),
            }),
            // Two lists in one table could give two things one id.
            (count, _) => Err(CrawlError::Malformed {
                subject: request.id.to_owned(),
                reason: GapReason::Malformed,
                detail: match count {
                    None => "no list is named: set `base_url` to a file or an address".to_owned(),
                    Some(_) => "several lists are named: give each a table of its own".to_owned(),
                },
            }),
        }
    }

    async fn read(&self, request: &ListRequest<'_>) -> Result<Vec<u8>, CrawlError> {
        match self {
            Self::Web(url) => {
                let asked = HttpRequest { url: url.as_str(), max_bytes: MAX_BYTES, ..HttpRequest::default() };
                match request.http.send(asked).await.map_err(page::not_gone)? {
                    HttpResponse::Body { bytes, .. } => Ok(bytes),
                    HttpResponse::NotModified => Err(CrawlError::bad_answer(url.as_str(), "not modified, unasked")),
                }
            }
            Self::Local(path) => {
                let denied = |detail: String| CrawlError::Denied { subject: path.display().to_string(), detail };
                let opened = path.clone();
                let read = tokio::task::spawn_blocking(move || {
                    std::fs::File::open(opened).and_then(|file| read_at_most(file, MAX_BYTES))
                });
                let read = read.await.map_err(|error| denied(error.to_string()))?;
                let read = read.map_err(|error| denied(error.to_string()))?;
                read.ok_or_else(|| denied(format!("it has more than {MAX_BYTES} bytes")))
            }
        }
    }

    /// The locator of a row's archive.
    fn locator(&self, key: &ListingKey, row: &CatalogueRow) -> Result<Locator, (GapReason, String)> {
        let refused = |detail: &str| (GapReason::PathRefused, format!("its archive {:?} {detail}", row.archive));
        let web = match (Url::parse(&row.archive), self) {
            (Ok(url), _) if matches!(url.scheme(), "http" | "https") => Some(url),
            (Ok(_), _) => return Err(refused("is neither an http address nor a path")),
            (Err(_), Self::Web(list)) => Some(list.join(&row.archive).map_err(|error| refused(&error.to_string()))?),
            (Err(_), Self::Local(_)) => None,
        };
        if let Some(url) = web {
            let last = url.path_segments().and_then(|mut parts| parts.next_back()).unwrap_or_default();
            return Ok(Locator::HttpFile {
                identity: key.to_string(),
                version: row.version.clone(),
                filename: last.to_owned(),
                url: url.into(),
                integrity: Vec::new(),
            });
        }
        let Self::Local(list) = self else { return Err(refused("is no address")) };
        // Publishers may have chosen the path, and only what lies beside the list was meant to be handed out.
        let is_below =
            Path::new(&row.archive).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !is_below {
            return Err(refused("leads out of the folder of the list"));
        }
        let path = list.parent().unwrap_or_else(|| Path::new("")).join(&row.archive);
        if std::fs::metadata(&path).is_err() {
            return Err((GapReason::NotFound, format!("there is nothing at {}", path.display())));
        }
        Ok(Locator::Folder {
            source: Some(key.source.clone()),
            path: path.display().to_string(),
            name: key.name.clone(),
        })
    }
}

fn listed(id: &str, place: &CataloguePlace, bytes: &[u8]) -> Result<Vec<ListedEntry>, String> {
    let rows = rows::read(bytes)?;
    // What is not listed counts as gone, so a list that became something else must not pass as an empty one.
    if rows.is_empty() {
        return Err("there is no row in it".to_owned());
    }
    let mut seen = BTreeSet::new();
    let entry = |row: CatalogueRow| {
        let key = ListingKey::new(id, row.id.clone());
        if !names::is_usable(&row.id) {
            return page::failed(key, "its id is no usable name");
        }
        if !seen.insert(row.id.clone()) {
            // Under a name of its own, so that it does not speak for the row that came first.
            let name = names::stand_in(&format!("{} again: {row:?}", row.id));
            return failed(ListingKey::new(id, name), GapReason::DuplicatePath, "another row has the same id");
        }
        match place.locator(&key, &row) {
            Ok(locator) => changed(key, locator, &row),
            Err((reason, detail)) => failed(key, reason, &detail),
        }
    };
    Ok(rows.into_iter().map(entry).collect())
}

fn failed(key: ListingKey, reason: GapReason, detail: &str) -> ListedEntry {
    let gap = Gap::new(key.to_string(), reason, detail);
    ListedEntry::Failed { key, gap, transient: false }
}

fn changed(key: ListingKey, locator: Locator, row: &CatalogueRow) -> ListedEntry {
    let home = row.url.as_deref();
    let repository = home.and_then(references::of_repository);
    let claims = Claims {
        // A home page that is no repository says nothing of one.
        repository: match (&repository, home) {
            (Some(_), Some(url)) => claims::of_text(url),
            _ => Claim::Unknown,
        },
        maintainers: row.publisher.clone().map_or(Claim::Unknown, |publisher| claims::list(vec![publisher])),
        ..Claims::default()
    };
    // A local archive may have changed under the same row, so such a row is never "unchanged".
    let digest = (!matches!(locator, Locator::Folder { .. })).then(|| Digest::of_json(row));
    let listing = Listing { key, locators: vec![locator], claims, references: references::sorted([repository]) };
    let validators = Validators { digest, ..Validators::default() };
    ListedEntry::Changed { listing: Box::new(listing), validators }
}

#[cfg(test)]
mod tests;
