//! The source `pypi`: projects by name in a Python package index, or in anything that answers like one.
//!
//! Sources: the index's own API documentation; PEP 503, 592, 691, 792.

mod file;
mod index;
mod lines;
mod project;
mod signals;
mod simple;
mod status;

use std::collections::BTreeSet;

use crate::collect::Collector;
use crate::http::{Http, HttpRequest, HttpResponse, redact};
use crate::package_lines::{self, LinesByPackage, PackageListings, VisitResult, Wanted};
use crate::walk;
use crate::walked_names::PackageList;
use crate::{
    CrawlError, ListFuture, ListPage, ListRequest, NextPage, Source, SourceMeta, WalkCursor, WalkKind, WalkScope,
};
use capdex_model::digest::Digest;
use capdex_model::ids::pypi_name;
use capdex_model::listing::{Claim, Claims, Locator, Validators};
use capdex_model::release_line;
use capdex_model::snapshot::GapReason;
use capdex_model::source_role::{Ecosystem, SourceRole, Speaker};
use lines::NamedLines;

/// The most bytes that the JSON or the index page of one project may have.
const MAX_PAGE_BYTES: u64 = 64 << 20;

/// The source.
pub const SOURCE: &dyn Source = &Pypi;

struct Pypi;

const META: SourceMeta = SourceMeta {
    id: "pypi",
    title: "Python package index",
    about: "\
Lists the projects of a watchlist, in steps of 16, under their normalised names (PEP 503). It asks for the project JSON
and, where an index has none, for the simple index in JSON (PEP 691) or HTML, which says nothing but files.

The version listed is the one that the index states, else the newest; releases come before pre-releases, and what was
not yanked before what was. Every file of it that an installer may choose is fetched. A source distribution stands for
it where there is one, else a wheel; of the others what differs is read, wheels for every machine first, then wheels for
one, then source distributions. A version that another listing names (`acme@0.9.9`) is listed and fetched as well, yanked
or not; it costs no request for the index. Ranges lead to the version listed.

Where the schedule gives `changes_url`, the address of a whole simple index in JSON (PEP 691) with serials, only projects
whose serial there is greater than at the last walk are asked for: one request a night tells what changed. An index whose
serial has gone back is walked whole again.

A project is unchanged where the index says so (304), or where the digest of what it says of the project and its files
is the one of the last visit; addresses, serials, upload times, readmes and vulnerabilities are not in it.

With `signals` in the schedule so many projects a night are asked, each once in four weeks and when it changes, whether the
listed file is attested (yes, no, or nothing said, as by mirrors) and which repository's publisher attested it. The index
publishes no downloads, and who counts them is somebody else, so that nothing is asked by itself. Where `downloads_url` names a service that counts them, those of the last month are asked for, cut to
two digits. Owners are the accounts with a role in the project, and its organisation as `org:NAME`.

A project is gone where the index says 404 and where it has no file left. It is taken down where it is quarantined (PEP
792), and a version where the reason of its yank speaks of malice.",
    endpoints: "`GET /pypi/<name>/json`, and where an index has none `GET /simple/<name>/`; \
                `GET <changes_url>/` for the serials; with `signals` `GET /simple/<name>/` and
                `GET /integrity/<name>/<version>/<file>/provenance`, `GET <downloads_url>/api/packages/<name>/recent`.",
    limits: "None at the edge; the index asks for a contact in the User-Agent and for serial rather than parallel use.",
    stored: "The version listed with its files' published digests, summary, licence, repository, keywords, times, \
             dependencies, yank reason, accounts with a role.",
    terms: "The index's terms allow use of its API; names and metadata are its publishers'.",
    base_url: None,
    rate_limits: &[],
    keys: &[],
    walk: WalkKind::Names,
    role: SourceRole {
        speaker: Speaker::Artifact(Ecosystem::Pypi),
        dates_entries: true,
        precedence: 1,
        ..SourceRole::UNKNOWN
    },
};

impl Source for Pypi {
    fn meta(&self) -> &'static SourceMeta {
        &META
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a> {
        Box::pin(async move {
            let projects = request.settings.walked.packages(|| projects(&request.settings.watchlist));
            match (&request.settings.changes_url, request.walk) {
                (None, _) => whole(&request, &projects).await,
                (Some(url), WalkScope::Since(since)) => changed(&request, projects.lines.clone(), url, since).await,
                (Some(url), WalkScope::Full) => whole_with_serial(&request, &projects, url).await,
            }
        })
    }

    fn collector(&self) -> Option<&'static dyn Collector> {
        Some(signals::COLLECTOR)
    }
}

/// The projects of a watchlist with the versions that are asked for. Several spellings of one project are one project.
fn projects(watchlist: &[String]) -> LinesByPackage {
    let normal = |name: &String| match release_line::of_name(name) {
        Some((project, line)) => format!("{}@{line}", pypi_name(project)),
        None => pypi_name(name),
    };
    let names: BTreeSet<String> = watchlist.iter().map(normal).collect();
    package_lines::by_package(&names)
}

/// A step over all projects.
async fn whole(request: &ListRequest<'_>, projects: &PackageList) -> Result<ListPage, CrawlError> {
    package_lines::step(request, projects, |wanted| visit(request, wanted)).await
}

/// A step over all names, whose walk leaves the serial that the index had at its beginning. Cursor: the serial, a space and
/// the step's own.
async fn whole_with_serial(
    request: &ListRequest<'_>,
    projects: &PackageList,
    url: &str,
) -> Result<ListPage, CrawlError> {
    let (serial, inner) = match request.cursor.and_then(|cursor| cursor.0.split_once(' ')) {
        Some((serial, inner)) => (serial.to_owned(), Some(WalkCursor(inner.to_owned()))),
        // The serial of the beginning, so that the next walk sees what changes during this one.
        None => (index::serial(request.http, url).await?, None),
    };
    let page = whole(&ListRequest { cursor: inner.as_ref(), ..*request }, projects).await?;
    let next = match page.next {
        NextPage::More(inner) => NextPage::More(WalkCursor(format!("{serial} {}", inner.0))),
        NextPage::Complete { .. } => NextPage::Complete { watermark: Some(serial) },
    };
    Ok(ListPage { next, ..page })
}

/// Everything that changed since a serial, in one step: a night has few of them among the names that are watched.
async fn changed(
    request: &ListRequest<'_>,
    mut projects: LinesByPackage,
    url: &str,
    since: &str,
) -> Result<ListPage, CrawlError> {
    let names = projects.keys().cloned().collect();
    let (changed, serial) = index::changed(request.http, url, since, names).await?;
    let changed: BTreeSet<String> = changed.into_iter().collect();
    projects.retain(|name, _| changed.contains(name));
    let listed = package_lines::all(request, &projects, |wanted| visit(request, wanted)).await;
    let listed = walk::unless_all_failed(listed, request)?;
    Ok(ListPage { listed, next: NextPage::Complete { watermark: Some(serial) } })
}

fn visit(request: &ListRequest<'_>, wanted: Wanted) -> impl Future<Output = VisitResult> + Send + use<> {
    let known = package_lines::known(request, &wanted);
    let visit = PypiVisit { http: request.http.clone(), wanted, known };
    let base_url = request.settings.base_url.clone();
    async move { visit.run(&base_url).await }
}

/// The addresses at which an index answers for one project: project JSON, and pages of the simple index in the order of
/// the tries.
#[derive(Debug, PartialEq, Eq)]
struct Addresses {
    project: String,
    simple: Vec<String>,
}

/// The root of an index, from what people configure: the address of the simple index (`…/simple`), or the root itself.
fn root(base_url: &str) -> &str {
    let base = base_url.trim_end_matches('/');
    ["/simple", "/+simple"].iter().find_map(|ending| base.strip_suffix(ending)).unwrap_or(base)
}

/// Derives them from what people configure: the address of the simple index (`…/simple`), or the root above it.
fn addresses(base_url: &str, name: &str) -> Addresses {
    let base = base_url.trim_end_matches('/');
    let root = ["/simple", "/+simple"].iter().find_map(|ending| base.strip_suffix(ending));
    Addresses {
        project: format!("{}/pypi/{name}/json", root.unwrap_or(base)),
        simple: match root {
            Some(_) => vec![format!("{base}/{name}/")],
            None => vec![format!("{base}/simple/{name}/"), format!("{base}/{name}/")],
        },
    }
}

struct PypiVisit {
    http: Http,
    wanted: Wanted,
    known: Option<Validators>,
}

impl PypiVisit {
    async fn run(self, base_url: &str) -> VisitResult {
        // A name with a slash or dots would ask for another page of the index.
        if !is_name(&self.wanted.name) {
            return Err(CrawlError::Malformed {
                subject: format!("pypi:{}", self.wanted.name),
                reason: GapReason::Malformed,
                detail: "this is not a project name".to_owned(),
            });
        }
        let addresses = addresses(base_url, &self.wanted.name);
        let mut last = match self.project(&addresses.project).await {
            // Proxies often have no project JSON, or answer with something else in its place.
            Err(error) if is_no_such_page(&error) => error,
            other => return other,
        };
        for page in &addresses.simple {
            match self.simple(page).await {
                // Of two errors the one that says more: an index without JSON says "gone" to every name.
                Err(CrawlError::Gone { .. }) => {}
                Err(error) if is_no_such_page(&error) => last = error,
                other => return other,
            }
        }
        Err(last)
    }

    async fn get(&self, url: &str, accept: &str) -> Result<HttpResponse, CrawlError> {
        let validators = self.known.as_ref();
        self.http
            .send(HttpRequest {
                url,
                accept: Some(accept),
                validators,
                max_bytes: MAX_PAGE_BYTES,
                ..HttpRequest::default()
            })
            .await
    }

    async fn project(&self, url: &str) -> VisitResult {
        let answer = self.get(url, "application/json").await?;
        let HttpResponse::Body { bytes, validators, url, .. } = answer else { return Ok(None) };
        let (wanted, page_url) = (self.wanted.clone(), url.clone());
        let read = move || project::read(&wanted.name, &wanted.lines, &page_url, &bytes);
        let read = in_background(&url, read).await?;
        Ok(self.visited((read.locator, read.claims), read.lines, read.digest, validators))
    }

    async fn simple(&self, url: &str) -> VisitResult {
        let answer = self.get(url, simple::ACCEPT).await?;
        let HttpResponse::Body { bytes, validators, headers, url } = answer else { return Ok(None) };
        let project = self.wanted.name.as_str();
        let (name, page_url) = (project.to_owned(), url.clone());
        let read = move || simple::read(&name, &page_url, headers.content_type.as_deref(), &bytes);
        let read = in_background(&url, read).await?;
        // Installers get no file of a quarantined project either.
        if let Some(detail) = read.quarantined {
            return Err(CrawlError::TakenDown { subject: redact(&url), detail });
        }
        if read.files.is_empty() {
            return Err(CrawlError::Gone { subject: redact(&url) });
        }
        let chosen = file::choose(&read.files, None).ok_or_else(|| CrawlError::Malformed {
            subject: redact(&url),
            reason: GapReason::Unsupported,
            detail: "no file is a .tar.gz, a .zip or a wheel".to_owned(),
        })?;
        let version_count = read.version_count.map_or(Claim::Unknown, Claim::Known);
        let refused_versions = file::refused_versions(&read.files);
        let claims = Claims { version_count, refused_versions, ..project::claims_of_file(chosen.main) };
        // The pages give addresses that are resolved already.
        let absolute = |file: &file::IndexFile| Ok::<_, CrawlError>(file.url.clone());
        let locator = chosen.locator(project, absolute)?;
        let lines = lines::of(project, &read.files, &self.wanted.lines, (&locator, &claims), absolute)?;
        Ok(self.visited((locator, claims), lines, file::digest_of(&read.files), validators))
    }

    fn visited(
        &self,
        (locator, claims): (Locator, Claims),
        lines: NamedLines,
        digest: Digest,
        validators: Validators,
    ) -> Option<(PackageListings, Validators)> {
        // Proxies without validators answer 200 every night, so the digest tells.
        if self.known.as_ref().and_then(|known| known.digest) == Some(digest) {
            return None;
        }
        let package = lines::listing(self.wanted.name.clone(), locator, claims);
        let NamedLines { listed: lines, missing, beyond } = lines;
        let listings = PackageListings { package, lines, missing, beyond, digest };
        Some((listings, Validators { digest: Some(digest), ..validators }))
    }
}

/// Reads away from the threads that wait for answers. A reader that panics has met what is not of its form.
async fn in_background<T: Send + 'static>(
    url: &str,
    read: impl FnOnce() -> Result<T, CrawlError> + Send + 'static,
) -> Result<T, CrawlError> {
    tokio::task::spawn_blocking(read).await.map_err(|error| CrawlError::Malformed {
        subject: redact(url),
        reason: GapReason::BadAnswer,
        detail: error.to_string(),
    })?
}

/// True where an index may still have the project on another page. It says that this page is not there, or what is
/// there is something else.
const fn is_no_such_page(error: &CrawlError) -> bool {
    matches!(error, CrawlError::Gone { .. } | CrawlError::Malformed { reason: GapReason::BadAnswer, .. })
}

/// Returns true if a normalised name can be one: letters, digits and single dashes within.
fn is_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    !name.is_empty() && !name.starts_with('-') && !name.ends_with('-') && name.bytes().all(is_letter)
}

#[cfg(test)]
mod index_tests;
#[cfg(test)]
mod tests;
