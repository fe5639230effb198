//! The source `git`: repositories on forges other than GitHub, by the names that other directories refer to.
//!
//! Sources: GitLab REST API ("Projects", "Commits", "Repositories"); Gitea API 1.22 and Forgejo API 7
//! (`/swagger.v1.json`).

mod forges;
#[cfg(test)]
mod tests;

use crate::forge::MAX_DOCUMENT_BYTES;
use crate::forge::path::{ForgePaths, of_scp};
use crate::http::{Http, HttpRequest, HttpResponse, RateLimit, is_status, redact};
use crate::walk::{self, Visited};
use crate::{CrawlError, KeyMeta, ListFuture, ListRequest, Source, SourceMeta, SourceSettings, WalkKind, json};
use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Listing, Locator, Validators};
use capdex_model::snapshot::GapReason;
use capdex_model::source_role::{Ecosystem, NameProof, SourceRole, Speaker};
use forges::{Forge, ForgeRepository};
use std::collections::BTreeSet;
use url::Url;

/// The source.
pub const SOURCE: &dyn Source = &Git;

struct Git;

/// The forges that are known without being configured, with the address of the interface of each. The first one's is
/// the source's own base address, unless the schedule has another.
const KNOWN: [(&str, &str); 3] = [
    ("gitlab.com", "https://gitlab.com/api/v4"),
    ("codeberg.org", "https://codeberg.org/api/v1"),
    ("gitea.com", "https://gitea.com/api/v1"),
];

const META: SourceMeta = SourceMeta {
    id: "git",
    title: "Repositories on GitLab, Gitea and Forgejo",
    about: "\
Visits the repositories `host/owner/name` that other directories refer to and those of the watchlist, on gitlab.com,
codeberg.org, gitea.com and on the host of the source's base address, where the schedule has another one
(`https://forge.example/api/v1`). An address that ends with `/api/v4` speaks as GitLab, any other as Gitea or Forgejo.
At GitLab groups may lie in groups: `host/group/group/name`, twenty parts at most. The watchlist may also have the address of
a repository, and `git@host:path`.

One request asks for the latest commit of the default branch: where that is the one of the last visit, the repository is
unchanged. A changed one costs a second request, for its description, licence, topics, stars, forks and times, which are
therefore as of its latest commit. The answer to the first is so short that nothing would be saved by a conditional one,
and \"not modified\" would not tell whether the name led elsewhere: a repository that was renamed or transferred is listed
as moved and under its new name.

Private and internal repositories are not listed, whatever a token may see. A repository without a commit has no bytes.
Unknown are contributors, activity and workflows, watchers on GitLab and the
licence of both.",
    endpoints: "\
GitLab: `GET /projects/<path>/repository/commits?per_page=1`, `GET /projects/<path>`,
`GET /projects/<path>/repository/archive.tar.gz?sha=<commit>`
Gitea and Forgejo: `GET /repos/<owner>/<name>/commits?limit=1`, `GET /repos/<owner>/<name>`,
`GET /repos/<owner>/<name>/archive/<commit>.tar.gz`",
    limits: "gitlab.com: 500 requests a minute for an address without a token, 2,000 with one (docs.gitlab.com, \"GitLab.com \
             rate limits\"); codeberg.org and gitea.com publish none. capdex asks 120 times a minute at GitLab and 60 at each \
             of the others, and obeys `RateLimit-*` and `Retry-After`.",
    stored: "The number of the repository, stars, forks, time of the last activity, whether it is archived, description, \
             topics, address, owner, time of creation, the commit of the default branch. No mail addresses.",
    terms: "Each forge's own; each repository has its own licence.",
    base_url: Some(KNOWN[0].1),
    rate_limits: &[
        (KNOWN[0].1, RateLimit { per_minute: 120, burst: 10, in_flight: 4 }),
        (KNOWN[1].1, RateLimit { per_minute: 60, burst: 5, in_flight: 2 }),
        (KNOWN[2].1, RateLimit { per_minute: 60, burst: 5, in_flight: 2 }),
    ],
    keys: &[KeyMeta { variable: "CAPDEX_GITLAB_TOKEN", header: "private-token", prefix: "", is_required: false }],
    walk: WalkKind::Names,
    role: SourceRole {
        speaker: Speaker::Artifact(Ecosystem::Git),
        proof: NameProof::HostAccount,
        precedence: 3,
        ..SourceRole::UNKNOWN
    },
};

impl Source for Git {
    fn meta(&self) -> &'static SourceMeta {
        &META
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a> {
        Box::pin(async move {
            let settings = request.settings;
            // A set: two spellings of one repository are one listing, asked for once.
            let names = settings.walked.names(|| {
                let names: BTreeSet<String> = settings.watchlist.iter().map(|name| name_of(settings, name)).collect();
                names.into_iter().collect()
            });
            walk::step(&request, &names, |name, known| {
                let place = ForgeLocation::of(settings, request.id, &name);
                let http = request.http.clone();
                async move { place?.visit(&http, known).await }
            })
            .await
        })
    }
}

/// The place of a repository at a forge.
#[derive(Clone, Debug)]
struct ForgeLocation {
    /// The id under which the schedule names the source.
    id: String,
    host: String,
    forge: Forge,
    /// The owner; at GitLab the groups, with slashes between.
    owner: String,
    name: String,
}

impl ForgeLocation {
    /// Reads `host/owner/name`, at GitLab with groups in groups between.
    fn of(settings: &SourceSettings, id: &str, name: &str) -> Result<Self, CrawlError> {
        let subject = format!("{id}:{name}");
        let Some((host, path)) = name.split_once('/') else { return Err(not_a_name(subject)) };
        // Strangers' listings name hosts: one is asked only if it is known here or the operator configured it.
        let Some(base_url) = base_url(settings, host) else {
            let detail = "no address is configured for this host".to_owned();
            return Err(CrawlError::Refused { subject, detail });
        };
        let forge = Forge::at(base_url);
        // Names become parts of an address; one such as `..` would ask for something else.
        let Some((owner, repository)) = in_two(&forge, path) else { return Err(not_a_name(subject)) };
        Ok(Self {
            id: id.to_owned(),
            host: host.to_owned(),
            owner: owner.to_owned(),
            name: repository.to_owned(),
            forge,
        })
    }

    async fn visit(&self, http: &Http, known: Option<Validators>) -> Result<Visited, CrawlError> {
        let asked = self.forge.commits(&self.owner, &self.name)?;
        let (commit, is_moved) = match get(http, &asked).await {
            Ok((bytes, url)) => {
                let document =
                    json::parse(&bytes, |_, _| false).map_err(|error| CrawlError::bad_answer(&asked, error))?;
                (self.forge.commit(&document).map_err(|error| CrawlError::bad_answer(&asked, error))?, url != asked)
            }
            // Gitea's word for an empty repository.
            Err(error) if is_status(&error, 409) => (None, false),
            Err(error) => return Err(error),
        };
        let unmoved = self.digest(commit.as_deref());
        // After a redirect the name is another one, so the document is read even where the commit is the same.
        if !is_moved && known.and_then(|known| known.digest) == Some(unmoved) {
            return Ok(Visited::Unchanged);
        }
        let asked = self.forge.document(&self.owner, &self.name)?;
        let (bytes, _) = get(http, &asked).await?;
        let document = json::parse(&bytes, |_, _| false).map_err(|error| CrawlError::bad_answer(&asked, error))?;
        let project = self.forge.read(&document).map_err(|error| CrawlError::bad_answer(&asked, error))?;
        if !project.is_public {
            // A token may see what its owner never meant to be listed, and strangers choose names.
            return Err(CrawlError::Denied {
                subject: redact(&asked),
                detail: "the repository is not public".to_owned(),
            });
        }
        // Believed, such an answer would list a repository with code as one without bytes.
        if commit.is_none() && !project.is_empty {
            return Err(CrawlError::bad_answer(&asked, "no commit, though the repository is not empty"));
        }
        self.listed(project, commit, is_moved).map_err(|detail| CrawlError::bad_answer(&asked, detail))
    }

    fn listed(&self, project: ForgeRepository, commit: Option<String>, is_moved: bool) -> Result<Visited, String> {
        let (owner, name) = in_two(&self.forge, &project.full_name).ok_or("no name")?;
        let here = Self { owner: owner.to_owned(), name: name.to_owned(), ..self.clone() };
        let is_same = here.listing_name() == self.listing_name();
        // Without a redirect, a document under another name is a wrong answer and no move.
        if !is_same && !is_moved {
            return Err("the name in it is not the one asked for".to_owned());
        }
        let locators = commit.as_ref().map(|commit| here.locator(commit)).transpose()?.into_iter().collect();
        let key = ListingKey::new(&self.id, here.listing_name());
        let listing = Box::new(Listing { key, locators, claims: project.claims, references: Vec::new() });
        let validators = Validators { digest: Some(here.digest(commit.as_deref())), ..Validators::default() };
        Ok(if is_same {
            Visited::Changed(listing, validators)
        } else {
            Visited::Moved(here.listing_name(), listing, validators)
        })
    }

    fn locator(&self, commit: &str) -> Result<Locator, String> {
        let url = self.forge.archive(&self.owner, &self.name, commit).map_err(|error| error.to_string())?;
        let repository = format!("{}:{}", self.id, self.listing_name());
        Ok(Locator::GitArchive { repository, commit: commit.to_owned(), url })
    }

    fn listing_name(&self) -> String {
        // Forges do not tell upper case from lower, so two spellings are one listing.
        format!("{}/{}/{}", self.host, self.owner, self.name).to_ascii_lowercase()
    }

    /// The digest of what decides whether it changed: its name and its commit.
    fn digest(&self, commit: Option<&str>) -> Digest {
        Digest::of_fields([self.listing_name().as_bytes(), commit.unwrap_or_default().as_bytes()])
    }
}

/// The body at an address, and the address that answered.
async fn get(http: &Http, url: &str) -> Result<(Vec<u8>, String), CrawlError> {
    let request =
        HttpRequest { url, accept: Some("application/json"), max_bytes: MAX_DOCUMENT_BYTES, ..HttpRequest::default() };
    match http.send(request).await? {
        HttpResponse::Body { bytes, url, .. } => Ok((bytes, url)),
        HttpResponse::NotModified => Err(CrawlError::bad_answer(url, "no body, though nothing was known of it")),
    }
}

/// The address of a host's interface: the source's own base address where that is on this host, else what is known.
fn base_url<'a>(settings: &'a SourceSettings, host: &str) -> Option<&'a str> {
    if let Some(base_url) = settings.scopes.get(host) {
        return Some(base_url);
    }
    let own = Url::parse(&settings.base_url).ok();
    if own.is_some_and(|own| own.host_str() == Some(host)) {
        return Some(&settings.base_url);
    }
    KNOWN.iter().find(|(known, _)| *known == host).map(|(_, base_url)| *base_url)
}

/// The owner, with its groups, and the name of a whole path at a forge.
fn in_two<'a>(forge: &Forge, path: &'a str) -> Option<(&'a str, &'a str)> {
    let is_whole = forge.paths().is_whole(&path.split('/').collect::<Vec<_>>());
    path.rsplit_once('/').filter(|_| is_whole)
}

/// A name of the watchlist as `host/path`. It may be written as an address, or as `git@host:path`; what is neither stays
/// as it is, and is refused under its own name.
fn name_of(settings: &SourceSettings, text: &str) -> String {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https" | "git" | "ssh"));
    let place = match &url {
        Some(url) => url.host_str().map(|host| (host, url.path())),
        None => of_scp(text),
    };
    let named = place.and_then(|(host, path)| {
        let host = host.to_ascii_lowercase();
        let paths = ForgePaths::of_interface(base_url(settings, &host)?);
        Some(format!("{host}/{}", paths.read(path)?))
    });
    named.unwrap_or_else(|| text.to_owned())
}

fn not_a_name(subject: String) -> CrawlError {
    let detail = "this is not `host/owner/name`, nor at GitLab `host/group/…/name` of at most twenty parts".to_owned();
    CrawlError::Malformed { subject, reason: GapReason::Malformed, detail }
}
