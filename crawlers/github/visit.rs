//! One repository asked for by its name: what it says, where its bytes are, and whether it has another name now.
//!
//! One request where nothing changed; one more for the commit where something did; one for the redirect of a repository
//! that was renamed or transferred.

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Listing, Locator, Validators};
use capdex_model::snapshot::GapReason;
use url::Url;

use super::interface::{GithubResponse, Interface};
use super::repository::{Repository, name_of};
use crate::http::is_status;
use crate::walk::Visited;
use crate::{CrawlError, forge, json};

/// An answer that is nothing but a commit's id.
const COMMIT_ID: &str = "application/vnd.github.sha";

/// The parts that visits have in common.
#[derive(Clone)]
pub(super) struct Visitor {
    /// GitHub's interface.
    pub(super) github: Interface,
    /// The id under which the schedule names the source.
    pub(super) id: String,
}

/// The repository that a name led to.
pub(super) enum GithubVisit {
    /// The repository itself.
    Here(Visited),
    /// It has another name now; what it says stands as read, under that name.
    Moved(Box<Repository>, Validators),
}

impl Visitor {
    /// Visits the repository with this name.
    pub(super) async fn visit(self, name: String, known: Option<Validators>) -> Result<GithubVisit, CrawlError> {
        let Some((owner, repository)) = name_of(&name) else {
            return Err(CrawlError::Malformed {
                subject: format!("{}:{name}", self.id),
                reason: GapReason::Malformed,
                detail: "this is not the name of a repository".to_owned(),
            });
        };
        let call = self.github.calls().repos(owner, repository);
        let Some(told) = self.github.document(call.get(), known.as_ref()).await? else {
            return Ok(GithubVisit::Here(Visited::Unchanged));
        };
        let GithubResponse { document, asked, url, validators } = told;
        let read = Repository::read(&document).map_err(|error| CrawlError::bad_answer(&asked, error))?;
        if read.is_private {
            // A token may see what its owner never meant to be listed, and strangers choose names.
            return Err(CrawlError::Denied {
                subject: crate::http::redact(&asked),
                detail: "the repository is private".to_owned(),
            });
        }
        if read.name() != name.to_ascii_lowercase() {
            // Only a redirect to the repository's number makes a move: any other answer under another name is wrong.
            return if is_by_number(&url, read.id) {
                Ok(GithubVisit::Moved(Box::new(read), validators))
            } else {
                Err(CrawlError::bad_answer(&asked, "the name in it is not the one asked for"))
            };
        }
        self.finish(read, validators, known).await.map(GithubVisit::Here)
    }

    /// Asks for what the document of a repository does not say; nothing where it says what it said before.
    pub(super) async fn finish(
        self,
        read: Repository,
        validators: Validators,
        known: Option<Validators>,
    ) -> Result<Visited, CrawlError> {
        let digest = read.digest();
        if known.and_then(|known| known.digest) == Some(digest) {
            return Ok(Visited::Unchanged);
        }
        let locators = self.locator(&read).await?.into_iter().collect();
        let claims = read.claims.clone();
        let key = ListingKey::new(self.id, read.name());
        let listing = Listing { key, locators, claims, references: Vec::new() };
        Ok(Visited::Changed(Box::new(listing), Validators { digest: Some(digest), ..validators }))
    }

    /// The archive of the default branch's latest commit; none for a repository in which nothing is.
    async fn locator(&self, read: &Repository) -> Result<Option<Locator>, CrawlError> {
        // Servers with GitHub's interface may leave the branch out; `HEAD` is the one that they show.
        let branch = read.default_branch.as_deref().unwrap_or("HEAD");
        // octocrab's call for it would not encode the branch, whose name may have slashes.
        let url = self.below(read, &["commits", branch])?;
        let text = match self.github.text(self.github.calls()._get(url.as_str()), COMMIT_ID, None).await {
            Ok(Some(told)) => told.document,
            Ok(None) => {
                return Err(CrawlError::bad_answer(&url, "no body, though nothing was known of it"));
            }
            // GitHub's word for an empty repository; forges with its interface say that the branch does not exist.
            Err(error) if is_status(&error, 409) => return Ok(None),
            Err(CrawlError::Gone { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let commit = commit_of(&text).ok_or_else(|| CrawlError::bad_answer(&url, "the answer names no commit"))?;
        Ok(Some(Locator::GitArchive {
            repository: format!("{}:{}", self.id, read.name()),
            url: self.below(read, &["tarball", &commit])?,
            commit,
        }))
    }

    /// An address below that of a repository.
    fn below(&self, read: &Repository, segments: &[&str]) -> Result<String, CrawlError> {
        let (owner, name) = name_of(&read.full_name).unwrap_or_default();
        let all = ["repos", owner, name].into_iter().chain(segments.iter().copied());
        self.github.below(all)
    }
}

/// Returns true if an answer came from the address that a redirect to a repository leads to: its number.
fn is_by_number(url: &str, id: u64) -> bool {
    let path = Url::parse(url).map(|url| url.path().to_owned()).unwrap_or_default();
    path.ends_with(&format!("/repositories/{id}"))
}

/// The commit in an answer: its bare id, or a document that has it. Not every server knows the short form.
fn commit_of(text: &str) -> Option<String> {
    let text = text.trim();
    if forge::is_commit(text) {
        return Some(text.to_owned());
    }
    let document = json::parse(text.as_bytes(), |_, _| false).ok()?;
    forge::of_member(document.get("sha")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_is_read_bare_and_from_a_document() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(commit_of(&format!("{id}\n")).as_deref(), Some(id));
        assert_eq!(commit_of(&format!("{{\"sha\":\"{id}\"}}")).as_deref(), Some(id));
        for wrong in ["", "0123", "<html>", "[]", "{\"sha\":\"main\"}", "{\"sha\":1}"] {
            assert_eq!(commit_of(wrong), None, "{wrong}");
        }
    }
}
