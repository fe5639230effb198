//! Requests to GitLab, and to Gitea and Forgejo, and the reading of their answers.
//!
//! Addresses go out and documents come in; `git/mod.rs` sends the requests.

use capdex_model::listing::{Claim, Claims};
use capdex_model::repository_signals::RepositorySignals;
use serde_json::{Map, Value};

use crate::CrawlError;
use crate::claims::{instant, list, text};
use crate::forge::path::ForgePaths;
use crate::forge::{address, of_member};

/// Whose words a forge speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ForgeKind {
    /// GitLab, version 4 of its interface.
    GitLab,
    /// Gitea, Forgejo.
    Gitea,
}

/// One forge.
#[derive(Clone, Debug)]
pub(super) struct Forge {
    kind: ForgeKind,
    base_url: String,
}

/// A repository as its forge describes it.
pub(super) struct ForgeRepository {
    /// Owner and name, as written.
    pub(super) full_name: String,
    /// True where everybody may see it.
    pub(super) is_public: bool,
    /// True where the forge says that nothing is in it.
    pub(super) is_empty: bool,
    /// The claims of the document.
    pub(super) claims: Claims,
}

impl Forge {
    /// The forge whose interface is at this address.
    pub(super) fn at(base_url: &str) -> Self {
        let base_url = base_url.trim_end_matches('/');
        let kind = match ForgePaths::of_interface(base_url) {
            ForgePaths::Groups => ForgeKind::GitLab,
            ForgePaths::OwnerAndName => ForgeKind::Gitea,
        };
        Self { kind, base_url: base_url.to_owned() }
    }

    /// The shape of its repositories' paths.
    pub(super) const fn paths(&self) -> ForgePaths {
        match self.kind {
            ForgeKind::GitLab => ForgePaths::Groups,
            ForgeKind::Gitea => ForgePaths::OwnerAndName,
        }
    }

    /// The address of the latest commit.
    pub(super) fn commits(&self, owner: &str, name: &str) -> Result<String, CrawlError> {
        match self.kind {
            ForgeKind::GitLab => self.below(owner, name, &["repository", "commits"], &[("per_page", "1")]),
            ForgeKind::Gitea => {
                // Statistics, signatures and files of a commit cost the server work, and nobody reads them here.
                let short = [("limit", "1"), ("stat", "false"), ("verification", "false"), ("files", "false")];
                self.below(owner, name, &["commits"], &short)
            }
        }
    }

    /// The address of the document.
    pub(super) fn document(&self, owner: &str, name: &str) -> Result<String, CrawlError> {
        match self.kind {
            ForgeKind::GitLab => self.below(owner, name, &[], &[("license", "true")]),
            ForgeKind::Gitea => self.below(owner, name, &[], &[]),
        }
    }

    /// The address of the archive of a commit.
    pub(super) fn archive(&self, owner: &str, name: &str, commit: &str) -> Result<String, CrawlError> {
        match self.kind {
            ForgeKind::GitLab => self.below(owner, name, &["repository", "archive.tar.gz"], &[("sha", commit)]),
            ForgeKind::Gitea => self.below(owner, name, &["archive", &format!("{commit}.tar.gz")], &[]),
        }
    }

    fn below(&self, owner: &str, name: &str, rest: &[&str], query: &[(&str, &str)]) -> Result<String, CrawlError> {
        let project = format!("{owner}/{name}");
        let first = match self.kind {
            // GitLab takes the whole path as one segment, with its slashes encoded.
            ForgeKind::GitLab => vec!["projects", project.as_str()],
            ForgeKind::Gitea => vec!["repos", owner, name],
        };
        address(&self.base_url, first.into_iter().chain(rest.iter().copied()), query)
    }

    /// The latest commit; none in an empty repository, which the document must say too.
    pub(super) fn commit(&self, document: &Value) -> Result<Option<String>, String> {
        let all = document.as_array().ok_or("no list of commits")?;
        let key = if self.kind == ForgeKind::GitLab { "id" } else { "sha" };
        match all.first() {
            None => Ok(None),
            // Read as none, a commit without an id would make the repository look empty.
            Some(first) => first.get(key).and_then(of_member).map(Some).ok_or_else(|| "a commit without id".to_owned()),
        }
    }

    /// Reads the document of a repository.
    pub(super) fn read(&self, document: &Value) -> Result<ForgeRepository, String> {
        let whole = document.as_object().ok_or("not an object")?;
        let name = if self.kind == ForgeKind::GitLab { "path_with_namespace" } else { "full_name" };
        let full_name = whole.get(name).and_then(Value::as_str).ok_or("a repository without a full name")?.to_owned();
        // A missing member counts as not public: better one repository too few than a private one in the dataset.
        let is_public = match self.kind {
            ForgeKind::GitLab => whole.get("visibility").and_then(Value::as_str) == Some("public"),
            ForgeKind::Gitea => whole.get("private").and_then(Value::as_bool) == Some(false),
        };
        let empty = if self.kind == ForgeKind::GitLab { "empty_repo" } else { "empty" };
        let is_empty = whole.get(empty).and_then(Value::as_bool) == Some(true);
        Ok(ForgeRepository { full_name, is_public, is_empty, claims: self.claims(whole) })
    }

    fn claims(&self, whole: &Map<String, Value>) -> Claims {
        let of = |gitlab: &'static str, gitea: &'static str| {
            whole.get(if self.kind == ForgeKind::GitLab { gitlab } else { gitea })
        };
        let count = |value: Option<&Value>| value.and_then(Value::as_u64).map_or(Claim::Unknown, Claim::Known);
        let topics = of("topics", "topics").and_then(Value::as_array);
        let topics = topics.map(|all| all.iter().filter_map(Value::as_str).map(str::to_owned).collect());
        let owner = of("namespace", "owner").and_then(|owner| owner.get("path").or_else(|| owner.get("login")));
        let owner = owner.and_then(Value::as_str);
        let standing = RepositorySignals {
            stars: count(of("star_count", "stars_count")),
            forks: count(of("forks_count", "forks_count")),
            // GitLab does not count watchers.
            watchers: count(of("", "watchers_count")),
            pushed: instant(of("last_activity_at", "updated_at")),
            archived: of("archived", "archived").and_then(Value::as_bool).map_or(Claim::Unknown, Claim::Known),
            repository_id: count(whole.get("id")),
            ..RepositorySignals::default()
        };
        Claims {
            description: text(whole.get("description"), &Claim::Unknown),
            license: match of("license", "licenses") {
                // GitLab has an object with a short key, and Gitea since 1.23 a list of SPDX ids.
                Some(Value::Object(license)) => text(license.get("key"), &Claim::Unknown),
                Some(Value::Array(ids)) if ids.is_empty() => Claim::Absent,
                Some(Value::Array(ids)) => text(ids.first(), &Claim::Unknown),
                _ => Claim::Unknown,
            },
            repository: text(of("web_url", "html_url"), &Claim::Unknown),
            keywords: topics.map_or(Claim::Unknown, list),
            maintainers: owner.map_or(Claim::Unknown, |owner| list(vec![owner.to_owned()])),
            created: instant(whole.get("created_at")),
            repository_signals: standing,
            ..Claims::default()
        }
    }
}
