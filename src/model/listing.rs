//! `Listing`: the claims of a source about a package.
//!
//! All of it is a claim by strangers: nothing here is verified, and nothing here is a default value of ours.

use serde::{Deserialize, Serialize};

pub use crate::claim::Claim;
use crate::digest::Digest;
use crate::history::History;
use crate::ids::ListingKey;
pub use crate::locator::{Distribution, Integrity, Locator};
use crate::release_line::{self, ReleaseLines};
use crate::repository_signals::RepositorySignals;
pub use crate::takedown::RefusedVersion;
use crate::time::Timestamp;

/// One entry of one source: what it says, unverified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listing {
    /// The source and the name there.
    pub key: ListingKey,
    /// The places of the bytes; several where there are several artifacts.
    pub locators: Vec<Locator>,
    /// The claims of the source about the package.
    pub claims: Claims,
    /// The other things it names, by the key under which another source lists them (`npm:@scope/pkg`,
    /// `github:owner/repo`), sorted and each once. Those sources visit what is named, so that a package is fetched once
    /// however many directories list it. Left out of the text where empty, so that a listing of before has the digest
    /// that it had.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<ListingKey>,
}

impl Listing {
    /// The package and the line, where it is a listing of a release line and not of a package.
    pub fn release_line(&self) -> Option<(&str, &str)> {
        let is_package = self.locators.first().is_some_and(Locator::is_package);
        if is_package { release_line::of_name(&self.key.name) } else { None }
    }
}

/// The data that lets a source say "unchanged" next time. All empty on a first visit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Validators {
    /// The `ETag` of the last answer, as sent.
    pub etag: Option<String>,
    /// The `Last-Modified` of the last answer, as sent.
    pub last_modified: Option<String>,
    /// The digest of the canonical form of the last answer: decides where a server sends no validators.
    pub digest: Option<Digest>,
}

/// The claims of a registry about a package beside its bytes. Each field is a claim with its own state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Claims {
    /// The one-line description.
    pub description: Claim<String>,
    /// The licence expression or name.
    pub license: Claim<String>,
    /// The address of the source repository, as written.
    pub repository: Claim<String>,
    /// Keywords, in the source's order.
    pub keywords: Claim<Vec<String>>,
    /// The names of the accounts that may publish, sorted.
    pub maintainers: Claim<Vec<String>>,
    /// When the package first appeared.
    pub created: Claim<Timestamp>,
    /// When the listed version was published.
    pub published: Claim<Timestamp>,
    /// The number of versions that were ever published.
    pub version_count: Claim<u64>,
    /// The deprecation message or yank reason.
    pub deprecated: Claim<String>,
    /// The versions, of all that there are, whose deprecation or yank speaks of malice, sorted by their text. Left out of
    /// the text where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused_versions: Vec<RefusedVersion>,
    /// Downloads, installs or stars, whichever its source ranks by. It changes every day, and so is no part of the text
    /// of the claims and of no digest: the store keeps it beside them.
    #[serde(skip)]
    pub popularity: Option<u64>,
    /// Downloads in the last month.
    pub downloads_monthly: Claim<u64>,
    /// True where the listed version carries a provenance attestation.
    pub provenance: Claim<bool>,
    /// The repository that the registry's attestation of the listed version names, by its key: what it was built from, as the
    /// registry checked it. Absent where an attestation names none. Left out of the text where unknown.
    #[serde(skip_serializing_if = "Claim::is_unknown")]
    pub attested: Claim<ListingKey>,
    /// Scripts that run at installation, by name (npm `scripts`: only the life-cycle names).
    pub install_scripts: Claim<Vec<(String, String)>>,
    /// Names of the run-time dependencies, sorted.
    pub dependencies: Claim<Vec<String>>,
    /// The world's claims around the package: its repository, its account, other lists. Left out of the text where
    /// nothing is known, so that claims of before have the digest that they had.
    #[serde(rename = "standing", skip_serializing_if = "RepositorySignals::is_unknown")]
    pub repository_signals: RepositorySignals,
    /// The changes since the source spoke of it before; unknown at first sight. Left out of the text where unknown.
    #[serde(skip_serializing_if = "Claim::is_unknown")]
    pub history: Claim<History>,
    /// What installers may get of the package beside the listed version. Left out of the text where there is nothing.
    #[serde(skip_serializing_if = "ReleaseLines::is_empty")]
    pub release_lines: ReleaseLines,
    /// The versions of projects of PyPI that a row named before its references said them. No source says it any more, and rows
    /// of before are read so until their source is walked anew. Left out where empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub named_versions: Vec<(ListingKey, String)>,
}

impl Claims {
    /// Takes what a source answered later, or in another place than its listing, where the listing itself says nothing.
    pub fn fill(&mut self, later: &Self) {
        fn take<T: Clone>(own: &mut Claim<T>, later: &Claim<T>) {
            if own.is_unknown() {
                own.clone_from(later);
            }
        }
        take(&mut self.license, &later.license);
        take(&mut self.maintainers, &later.maintainers);
        take(&mut self.created, &later.created);
        take(&mut self.version_count, &later.version_count);
        take(&mut self.downloads_monthly, &later.downloads_monthly);
        take(&mut self.provenance, &later.provenance);
        // An attestation of the version before says nothing of one that has none.
        if self.provenance != Claim::Known(false) {
            take(&mut self.attested, &later.attested);
        }
        let (own, later) = (&mut self.repository_signals, &later.repository_signals);
        take(&mut own.commits_year, &later.commits_year);
        take(&mut own.commits_quarter, &later.commits_quarter);
        take(&mut own.response_hours, &later.response_hours);
        take(&mut own.issues_open, &later.issues_open);
        take(&mut own.issues_closed, &later.issues_closed);
        take(&mut own.contributors, &later.contributors);
        take(&mut own.workflows, &later.workflows);
        take(&mut own.branch_protected, &later.branch_protected);
        take(&mut own.releases, &later.releases);
        take(&mut own.account_created, &later.account_created);
        take(&mut own.account_repositories, &later.account_repositories);
        take(&mut own.account_followers, &later.account_followers);
        take(&mut own.account_organizations, &later.account_organizations);
        take(&mut own.failing_runs, &later.failing_runs);
        take(&mut own.installs, &later.installs);
        take(&mut own.signed, &later.signed);
        take(&mut own.trusted_publisher, &later.trusted_publisher);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_answers_fill_what_the_listing_leaves_open_and_change_nothing_else() {
        let mut claims = Claims { provenance: Claim::Known(true), ..Claims::default() };
        let mut later =
            Claims { provenance: Claim::Known(false), downloads_monthly: Claim::Known(7), ..Claims::default() };
        later.repository_signals.releases = Claim::Known(2);
        claims.fill(&later);
        assert_eq!(claims.provenance, Claim::Known(true));
        assert_eq!(claims.downloads_monthly, Claim::Known(7));
        assert_eq!(claims.repository_signals.releases, Claim::Known(2));
    }

    #[test]
    fn claims_round_trip_through_json() {
        let claims = Claims { license: Claim::Known("MIT".into()), repository: Claim::Absent, ..Claims::default() };
        let text = serde_json::to_string(&claims).expect("serialises");
        assert_eq!(serde_json::from_str::<Claims>(&text).expect("parses"), claims);
    }

    #[test]
    fn claims_of_an_earlier_schema_are_read_and_keep_their_text() {
        let text = r#"{"license":{"known":"MIT"},"repository":"absent"}"#;
        let claims: Claims = serde_json::from_str(text).expect("parses");
        assert!(claims.repository_signals == RepositorySignals::default());
        assert_eq!(&claims.history, &Claim::Unknown);
        let written = serde_json::to_string(&claims).expect("serialises");
        assert!(!written.contains("standing"), "{written}");
        for added in ["history", "release_lines", "named_versions"] {
            assert!(!written.contains(added), "{written}");
        }
    }
}
