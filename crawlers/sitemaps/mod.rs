//! A walk over a site that has no API. Its sitemaps say which pages there are and when each changed, and each page that
//! changed is asked for.
//!
//! A [`SitemapSite`] says which pages are entries. Only paths on the site itself are taken, and only those that its robots.txt
//! allows. The rules are asked for anew in every step, which costs one request in seventeen.

mod item;
mod xml;

use std::collections::BTreeSet;

use capdex_model::ids::ListingKey;
use capdex_model::listing::Validators;
use capdex_model::snapshot::{Gap, GapReason};
use serde::{Deserialize, Serialize};

use self::xml::{Sitemap, SitemapEntry};
use crate::http::{HttpRequest, HttpResponse};
use crate::robots::{MAX_DELAY, Robots};
use crate::{CrawlError, ListPage, ListRequest, ListedEntry, NextPage, WalkCursor, names, page};

/// One site: its sitemap, and which pages are entries.
pub(crate) struct SitemapSite {
    /// The path of its sitemap, or of the index of its sitemaps.
    pub(crate) sitemap: &'static str,
    /// Returns true if a sitemap that the index names is wanted, by its path.
    pub(crate) is_wanted: fn(&str) -> bool,
    /// The name of the entry that a path is the page of; none for other pages.
    pub(crate) name: fn(&str) -> Option<String>,
    /// Repositories that every page links to, as `owner/name` in lower case.
    pub(crate) not_its_own: &'static [&'static str],
}

/// The most bytes of a sitemap, as its standard says.
const MAX_SITEMAP_BYTES: u64 = 50 << 20;

/// The most bytes of an entry's page.
const MAX_PAGE_BYTES: u64 = 4 << 20;

/// Sitemaps that a walk reads at most: with 50,000 pages each, more than any directory has.
const MAX_SITEMAPS: usize = 300;

/// Pages that are asked for in one step.
const STEP: usize = 16;

/// The bytes of pages to ask for that a cursor holds, so that a sitemap is not asked for in every step.
const PENDING_BYTES: usize = 24 * 1024;

/// The longest path of an entry's page.
const MAX_PATH_BYTES: usize = 1_024;

/// The place of a walk.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct SitemapCursorState {
    /// Sitemaps that are not read to their end, by their paths. The first one is being read.
    sitemaps: Vec<String>,
    /// The number of entries of the first one that were passed.
    passed: usize,
    /// Pages to ask for.
    pending: Vec<SitemapEntry>,
    /// The number of sitemaps that the walk has met.
    met: usize,
}

/// Takes one step: some pages, and before them a sitemap where no page is waiting.
///
/// # Errors
/// The error of a robots.txt or a sitemap that cannot be read, or of a site that asks to be left alone.
pub(crate) async fn step(request: &ListRequest<'_>, site: &SitemapSite) -> Result<ListPage, CrawlError> {
    let robots = Robots::fetch(request.http, &request.settings.base_url).await?;
    if robots.delay().is_some_and(|delay| delay > MAX_DELAY) {
        let detail = format!("robots.txt asks for more than {} s between requests", MAX_DELAY.as_secs());
        return Err(CrawlError::Denied { subject: request.id.to_owned(), detail });
    }
    let first =
        || SitemapCursorState { sitemaps: vec![site.sitemap.to_owned()], met: 1, ..SitemapCursorState::default() };
    let mut state: SitemapCursorState = page::state(request.cursor).unwrap_or_else(first);
    let mut listed = Vec::new();
    while state.pending.is_empty() && listed.is_empty() && !state.sitemaps.is_empty() {
        listed = read_sitemap(request, site, &robots, &mut state).await?;
    }
    let rest = state.pending.split_off(state.pending.len().min(STEP));
    let now = std::mem::replace(&mut state.pending, rest);
    listed.extend(visit(request, site, &robots, now).await?);
    // Two pages may be of one entry.
    let mut seen = BTreeSet::new();
    listed.retain(|listed| seen.insert(key_of(listed).clone()));
    if state.sitemaps.is_empty() && state.pending.is_empty() {
        return Ok(ListPage { listed, next: NextPage::END });
    }
    let cursor = page::cursor(&state);
    // The site chooses the addresses in it, so it may grow past the bound.
    if cursor.0.len() > WalkCursor::MAX_BYTES {
        return Err(CrawlError::bad_answer(&request.settings.base_url, "its sitemaps have too long addresses"));
    }
    Ok(ListPage { listed, next: NextPage::More(cursor) })
}

/// Reads the first sitemap on from where it was left: entries that did not change are listed, the others wait.
async fn read_sitemap(
    request: &ListRequest<'_>,
    site: &SitemapSite,
    robots: &Robots,
    state: &mut SitemapCursorState,
) -> Result<Vec<ListedEntry>, CrawlError> {
    let Some(path) = state.sitemaps.first().cloned() else { return Ok(Vec::new()) };
    let url = at(request, &path)?;
    if !robots.allows(&path) {
        return Err(CrawlError::Denied {
            subject: crate::http::redact(&url),
            detail: "robots.txt forbids it".to_owned(),
        });
    }
    let bytes =
        page::bytes(request.http, HttpRequest { url: &url, max_bytes: MAX_SITEMAP_BYTES, ..HttpRequest::default() })
            .await?;
    let base_url = request.settings.base_url.clone();
    // 50 MiB of XML take too long for a thread of the runtime.
    let read = tokio::task::spawn_blocking(move || xml::read(&bytes, &base_url)).await;
    let read =
        read.unwrap_or_else(|error| Err(error.to_string())).map_err(|detail| CrawlError::bad_answer(&url, &detail))?;
    match read {
        Sitemap::Index(places) => {
            state.sitemaps.remove(0);
            let wanted = places.into_iter().map(|place| place.path).filter(|path| (site.is_wanted)(path));
            state.sitemaps.extend(wanted);
            state.met += state.sitemaps.len();
            // Over the whole walk: indexes that name each other would be read without end.
            if state.met > MAX_SITEMAPS {
                return Err(CrawlError::bad_answer(&url, format!("more than {MAX_SITEMAPS} sitemaps")));
            }
            Ok(Vec::new())
        }
        Sitemap::Pages(places) => Ok(take(request, site, robots, places, state)),
    }
}

fn take(
    request: &ListRequest<'_>,
    site: &SitemapSite,
    robots: &Robots,
    places: Vec<SitemapEntry>,
    state: &mut SitemapCursorState,
) -> Vec<ListedEntry> {
    let (mut listed, mut waiting) = (Vec::new(), 0);
    let is_entry = |place: &SitemapEntry| (site.name)(&place.path).is_some();
    for place in places.into_iter().filter(is_entry).skip(state.passed) {
        let key = key(request, site, &place);
        let known = request.known.validators(&key);
        // Without a `lastmod` nothing says that the page is the same.
        let is_same = place.changed.is_some() && known.is_some_and(|known| known.last_modified == place.changed);
        if is_same {
            listed.push(ListedEntry::Unchanged(key));
        } else if !names::is_usable(&key.name) || place.path.len() > MAX_PATH_BYTES {
            listed.push(page::failed(key, "the page has no usable name"));
        } else if !robots.allows(&place.path) {
            let gap = Gap::new(key.to_string(), GapReason::Denied, "robots.txt forbids it");
            listed.push(ListedEntry::Failed { key, gap, transient: false });
        } else {
            // With room for the `lastmod` and the punctuation of the cursor.
            waiting += place.path.len() + 64;
            if waiting > PENDING_BYTES {
                // `passed` stays, so that the next step goes on from this page.
                return listed;
            }
            state.pending.push(place);
        }
        state.passed += 1;
    }
    state.sitemaps.remove(0);
    state.passed = 0;
    listed
}

/// Asks for pages one after the other.
async fn visit(
    request: &ListRequest<'_>,
    site: &SitemapSite,
    robots: &Robots,
    places: Vec<SitemapEntry>,
) -> Result<Vec<ListedEntry>, CrawlError> {
    let mut listed = Vec::with_capacity(places.len());
    for place in places {
        // The site's own wish comes on top of the client's rate limit.
        if let Some(delay) = robots.delay() {
            tokio::time::sleep(delay).await;
        }
        let key = key(request, site, &place);
        let url = at(request, &place.path)?;
        let asked =
            HttpRequest { url: &url, accept: Some("text/html"), max_bytes: MAX_PAGE_BYTES, ..HttpRequest::default() };
        listed.push(match request.http.send(asked).await {
            Ok(HttpResponse::Body { bytes, .. }) => read_page(site, key, &place, &bytes),
            Ok(HttpResponse::NotModified) => page::failed(key, "\"not modified\" though nothing was asked"),
            Err(CrawlError::Gone { .. }) => ListedEntry::Gone(key),
            // These concern the whole site, and the step can be taken again.
            Err(error @ (CrawlError::RetryAt { .. } | CrawlError::Unreachable { .. })) => return Err(error),
            Err(error) => ListedEntry::Failed {
                gap: Gap { subject: key.to_string(), ..error.to_gap() },
                transient: error.is_transient(),
                key,
            },
        });
    }
    Ok(listed)
}

fn read_page(site: &SitemapSite, key: ListingKey, place: &SitemapEntry, bytes: &[u8]) -> ListedEntry {
    match item::read(&key, &String::from_utf8_lossy(bytes), site.not_its_own) {
        Ok((listing, digest)) => {
            let validators = Validators { etag: None, last_modified: place.changed.clone(), digest: Some(digest) };
            ListedEntry::Changed { listing: Box::new(listing), validators }
        }
        Err(detail) => page::failed(key, detail),
    }
}

fn key_of(listed: &ListedEntry) -> &ListingKey {
    match listed {
        ListedEntry::Changed { listing, .. } => &listing.key,
        ListedEntry::Unchanged(key)
        | ListedEntry::Gone(key)
        | ListedEntry::TakenDown { key, .. }
        | ListedEntry::Moved { key, .. }
        | ListedEntry::Failed { key, .. } => key,
    }
}

fn key(request: &ListRequest<'_>, site: &SitemapSite, place: &SitemapEntry) -> ListingKey {
    request.key((site.name)(&place.path).unwrap_or_default())
}

/// The address of a path on the site.
fn at(request: &ListRequest<'_>, path: &str) -> Result<String, CrawlError> {
    let base = &request.settings.base_url;
    let joined = url::Url::parse(base).and_then(|base| base.join(path));
    joined.map(Into::into).map_err(|error| CrawlError::bad_answer(base, error.to_string()))
}

#[cfg(test)]
mod tests;
