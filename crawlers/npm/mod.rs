//! The source `npm`: packages by name in an npm registry, or in anything that answers like one. The names come from a
//! watchlist, from searches, and from the registry's feed of changes.
//!
//! Sources: the registry's own API documentation (`package-metadata.md`), and what registry proxies (verdaccio 6.8)
//! were seen to do.

mod changes;
mod claims;
mod integrity;
mod lines;
mod listing;
mod packument;
mod ranges;
mod search;
mod signals;
mod status;
mod visits;

use crate::collect::Collector;
use crate::http::{Http, HttpRequest, HttpResponse};
use crate::{
    CrawlError, ListFuture, ListPage, ListRequest, NextPage, Source, SourceMeta, WalkCursor, WalkKind, WalkScope,
};
use capdex_model::snapshot::GapReason;
use capdex_model::source_role::{Ecosystem, NameProof, SourceRole, Speaker};

/// The most bytes that a packument may have. The largest known ones have about 40 MB.
const MAX_PACKUMENT_BYTES: u64 = 64 << 20;

/// The longest name that a registry takes.
const MAX_NAME_BYTES: usize = 214;

/// The source.
pub const SOURCE: &dyn Source = &Npm;

struct Npm;

const META: SourceMeta = SourceMeta {
    id: "npm",
    title: "npm registry",
    about: "\
Lists the packages of a watchlist, one packument each, in steps of 16. The version listed is the one that
`dist-tags.latest` names; where it names none that exists, the one published last that is no pre-release.

A packument also lists release lines: every version, range and tag that other listings name (`acme@0.9.9`), and of the
package's other dist-tags and older majors the ones published last, as many as `release_lines` in the schedule says
(`acme@next`, `acme@1`, `acme@0.9`). Each line is a row of its own, compared with itself from night to night. A range leads
to the version that npm installs for it. Lines that lead to one version share its bytes; a line that leads nowhere any more
is gone.

Where the schedule gives `changes_url`, the address of a database that replicates the registry by CouchDB's protocol, only
the names that its feed of changes has since the last walk are asked for. The feed is entered ten changes early; where it
has gone back behind the last walk, everything is walked again.

Each of the schedule's `queries` (`keywords:mcp`) is a text search, at most 10,000 results deep; what it finds is listed
like the watchlist, after it. Search is a ranking and not an enumeration: a name that it does not find is not gone.

A package is unchanged where the registry says so (304), or, because proxies often answer 200 with the same content,
where the digest of the packument's canonical form is the one of the last visit. That form has sorted keys, no `time`,
`modified`, `users`, no key that begins with `_` or `readme` at the top or in a version, and tarball addresses without
all but their last component.

With `signals` in the schedule so many packages a night are asked for what their packument does not say, each once a week
and when it changes: the repository that the attestation of the listed version names and the downloads of the last month, cut
to two digits, which are asked for at `downloads_url`, or else of the npm registry itself: who asks a registry of his own tells it
to nobody. 128 names without a scope are one request.

A package is gone where the registry says 404, and where no version of it is left. It is taken down where the version
listed is the registry's placeholder (`0.0.1-security`, of `npm/security-holder`), which is no release of anybody; and a
version where its deprecation speaks of malice. What a proxy leaves out is unknown,
never absent: the maintainers always, and everything else where `time` is missing or has no `created`, as in abbreviated
packuments and those that a proxy put together. The times of such a proxy are those of its own intake and not taken.",
    endpoints: "`GET /<name>`, the scope's slash encoded; `GET /-/v1/search?text=&size=250&from=` for queries; \
                `GET <changes_url>/` and `GET <changes_url>/_changes?since=&limit=10000` for the feed; with `signals` `GET /-/npm/v1/attestations/<name>@<version>` and
                `GET <downloads_url>/downloads/point/last-month/<names>`.",
    limits: "None published for packuments; the registry's terms ask for no more than is needed. capdex asks 10 times a \
             second at most, unless the schedule says otherwise.",
    stored: "The version listed with its published digests, description, licence, repository, keywords, names of the \
             maintainers (no addresses), times, install scripts, dependencies, deprecation.",
    terms: "The registry's terms of use allow copying of metadata and of tarballs for inspection.",
    base_url: None,
    rate_limits: &[],
    keys: &[],
    walk: WalkKind::Names,
    role: SourceRole {
        speaker: Speaker::Artifact(Ecosystem::Npm),
        proof: NameProof::Scope,
        dates_entries: true,
        precedence: 0,
        ..SourceRole::UNKNOWN
    },
};

impl Source for Npm {
    fn meta(&self) -> &'static SourceMeta {
        &META
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a> {
        Box::pin(async move {
            match NpmCursorState::of(&request)? {
                NpmCursorState::Watchlist(cursor, seq) => watchlist(&request, cursor, seq).await,
                NpmCursorState::Search(query, from, seq) => search::step(&request, query, from, seq).await,
                NpmCursorState::Changes(since) => changes::step(&request, since).await,
            }
        })
    }

    fn collector(&self) -> Option<&'static dyn Collector> {
        Some(signals::COLLECTOR)
    }
}

/// The place of a walk. Text forms: `watchlist <seq> <cursor>`, `search <seq> <query> <from>`, `changes <seq>`; a seq
/// that is not known is `-`.
enum NpmCursorState {
    /// In the watchlist, with the feed's seq at the beginning of the walk.
    Watchlist(Option<WalkCursor>, Option<String>),
    /// In the results of a query, from a result on.
    Search(usize, u64, Option<String>),
    /// In the feed, after a seq.
    Changes(String),
}

impl NpmCursorState {
    fn of(request: &ListRequest<'_>) -> Result<Self, CrawlError> {
        let Some(cursor) = request.cursor else {
            return Ok(match request.walk {
                WalkScope::Since(watermark) if request.settings.changes_url.is_some() => {
                    Self::Changes(watermark.to_owned())
                }
                WalkScope::Since(_) | WalkScope::Full => Self::Watchlist(None, None),
            });
        };
        let mut words = cursor.0.split(' ');
        let kind = words.next();
        let seq = words.next().map(str::to_owned);
        let known = |seq: Option<String>| seq.filter(|seq| seq != "-");
        let place = match (kind, seq, words.next(), words.next()) {
            (Some("watchlist"), seq, Some(inner), None) => {
                Some(Self::Watchlist(Some(WalkCursor(inner.to_owned())), known(seq)))
            }
            (Some("search"), seq, Some(query), Some(from)) => {
                query.parse().ok().zip(from.parse().ok()).map(|(query, from)| Self::Search(query, from, known(seq)))
            }
            (Some("changes"), Some(seq), None, None) => Some(Self::Changes(seq)),
            _ => None,
        };
        place.ok_or_else(|| CrawlError::bad_answer("the cursor of the walk", "it is not one of this source"))
    }

    fn cursor(&self) -> WalkCursor {
        let or_dash = |seq: &Option<String>| seq.clone().unwrap_or_else(|| "-".to_owned());
        WalkCursor(match self {
            Self::Watchlist(inner, seq) => {
                format!("watchlist {} {}", or_dash(seq), inner.as_ref().map_or("", |inner| inner.0.as_str()))
            }
            Self::Search(query, from, seq) => format!("search {} {query} {from}", or_dash(seq)),
            Self::Changes(seq) => format!("changes {seq}"),
        })
    }
}

/// A step over the watchlist. At its beginning the feed says where it stands, so that the next walk may go on from there.
async fn watchlist(
    request: &ListRequest<'_>,
    cursor: Option<WalkCursor>,
    seq: Option<String>,
) -> Result<ListPage, CrawlError> {
    let seq = match (&cursor, &request.settings.changes_url) {
        // Asked before the first name: the next walk then sees what changes during this one.
        (None, Some(url)) => Some(changes::beginning(request.http, url).await?),
        _ => seq,
    };
    let inner = ListRequest { cursor: cursor.as_ref(), ..*request };
    let page = visits::step(&inner).await?;
    let next = match page.next {
        NextPage::More(inner) => NextPage::More(NpmCursorState::Watchlist(Some(inner), seq).cursor()),
        NextPage::Complete { .. } if request.settings.queries.is_empty() => NextPage::Complete { watermark: seq },
        NextPage::Complete { .. } => NextPage::More(NpmCursorState::Search(0, 0, seq).cursor()),
    };
    Ok(ListPage { next, ..page })
}

/// The address of a packument: the scope's slash is encoded, as the registry wants it.
///
/// # Errors
/// `Malformed` for a name that no registry would take; one with dots at its beginning could lead elsewhere.
fn address(base_url: &str, name: &str) -> Result<String, CrawlError> {
    let parts: Vec<&str> = match name.strip_prefix('@') {
        Some(scoped) => scoped.split('/').collect(),
        None => vec![name],
    };
    let is_part = |part: &&str| {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~!'()*".contains(&byte);
        !part.is_empty() && !part.starts_with('.') && part.bytes().all(is_letter)
    };
    let expected = if name.starts_with('@') { 2 } else { 1 };
    if name.len() > MAX_NAME_BYTES || parts.len() != expected || !parts.iter().all(is_part) {
        return Err(CrawlError::Malformed {
            subject: format!("npm:{name}"),
            reason: GapReason::Malformed,
            detail: "this is not a package name".to_owned(),
        });
    }
    Ok(format!("{}/{}", base_url.trim_end_matches('/'), name.replace('/', "%2F")))
}

/// A small answer of the registry, of a form that is known.
///
/// # Errors
/// Any error of the client, and `Malformed` for an answer of another form.
async fn ask<T: serde::de::DeserializeOwned>(http: &Http, url: &str, max_bytes: u64) -> Result<T, CrawlError> {
    let request = HttpRequest { url, accept: Some("application/json"), max_bytes, ..HttpRequest::default() };
    let HttpResponse::Body { bytes, .. } = http.send(request).await? else {
        return Err(CrawlError::bad_answer(url, "no body"));
    };
    serde_json::from_slice(&bytes).map_err(|error| CrawlError::bad_answer(url, error.to_string()))
}

#[cfg(test)]
mod feed_tests;
#[cfg(test)]
mod tests;
