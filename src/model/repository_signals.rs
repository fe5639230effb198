//! `RepositorySignals`: the claims of the world around a package: its repository, its account, other lists.
//!
//! All of it is a claim by strangers, each with its own state; nothing here is a default value of ours. Counts over a
//! span of time were counted by the source that states them, because nothing in this package knows the day.

use serde::{Deserialize, Serialize};

use crate::abuse::Report;
use crate::claim::Claim;
use crate::corpus_signal::CorpusSignal;
use crate::time::Timestamp;

/// The signals of a package: its repository, its account, other lists. Each is a claim and may be unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RepositorySignals {
    /// Commits to the repository's main branch in the last year.
    pub commits_year: Claim<u64>,
    /// Commits to the repository's main branch in the last 90 days.
    pub commits_quarter: Claim<u64>,
    /// Hours until an issue of the last year got its first answer, the median.
    pub response_hours: Claim<u64>,
    /// Issues of the last year that are open.
    pub issues_open: Claim<u64>,
    /// Issues of the last year that are closed.
    pub issues_closed: Claim<u64>,
    /// Stars of the repository.
    pub stars: Claim<u64>,
    /// Forks of the repository.
    pub forks: Claim<u64>,
    /// People with commits in the repository.
    pub contributors: Claim<u64>,
    /// True where the repository runs workflows on changes.
    pub workflows: Claim<bool>,
    /// True where the repository protects its main branch.
    pub branch_protected: Claim<bool>,
    /// When the account that owns the repository was made.
    pub account_created: Claim<Timestamp>,
    /// The number of directories that list it.
    pub registries: Claim<u64>,
    /// True where the official MCP registry lists it.
    pub official: Claim<bool>,
    /// True where a signature of publisher or registry stands beside the listed version.
    pub signed: Claim<bool>,
    /// True where the operator's own list names it.
    pub approved: Claim<bool>,
    /// When something was last pushed to the repository. It and what follows are left out of the text where unknown, so
    /// that signals stored earlier keep their digest.
    #[serde(skip_serializing_if = "Claim::is_unknown")]
    pub pushed: Claim<Timestamp>,
    /// True where the repository is archived.
    #[serde(skip_serializing_if = "Claim::is_unknown")]
    pub archived: Claim<bool>,
    /// Watchers of the repository.
    #[serde(skip_serializing_if = "Claim::is_unknown")]
    pub watchers: Claim<u64>,
    /// Releases of the repository at its forge.
    #[serde(skip_serializing_if = "Claim::is_unknown")]
    pub releases: Claim<u64>,
    /// Public repositories of the account that owns it.
    #[serde(skip_serializing_if = "Claim::is_unknown")]
    pub account_repositories: Claim<u64>,
    /// Followers of that account.
    #[serde(skip_serializing_if = "Claim::is_unknown")]
    pub account_followers: Claim<u64>,
    /// Organisations in which that account is a public member; absent where the account is an organisation itself.
    #[serde(skip_serializing_if = "Claim::is_unknown")]
    pub account_organizations: Claim<u64>,
    /// Of a hundred of the last finished runs of workflows on the main branch, those that failed.
    #[serde(skip_serializing_if = "Claim::is_unknown")]
    pub failing_runs: Claim<u64>,
    /// Installs, pulls or uses since ever, as a directory or a registry of images counts them.
    #[serde(skip_serializing_if = "Claim::is_unknown")]
    pub installs: Claim<u64>,
    /// The number by which its forge knows the repository: another one under the same name is another repository.
    #[serde(skip_serializing_if = "Claim::is_unknown")]
    pub repository_id: Claim<u64>,
    /// The same as the forge's other interface writes it.
    #[serde(skip_serializing_if = "Claim::is_unknown")]
    pub repository_node: Claim<String>,
    /// The number of the repository that it was forked from, as the forge says; absent where it was forked from none.
    #[serde(skip_serializing_if = "Claim::is_unknown")]
    pub fork_of: Claim<u64>,
    /// True where the listed version was published by a workflow that the registry trusts, without a token; false where its
    /// registry says who published it and names no such workflow.
    #[serde(skip_serializing_if = "Claim::is_unknown")]
    pub trusted_publisher: Claim<bool>,
    /// The reports of imported lists of abuse about it, sorted: known and empty where none does, unknown while no list
    /// was imported. The store adds it; no source says it.
    #[serde(skip_serializing_if = "Claim::is_unknown")]
    pub reports: Claim<Vec<Report>>,
    /// The corpus signals of passes that compared nights or directories, sorted; unknown where they found nothing or did
    /// not look. The store adds it; no source says it.
    #[serde(rename = "sightings", skip_serializing_if = "Claim::is_unknown")]
    pub corpus_signals: Claim<Vec<CorpusSignal>>,
}

impl RepositorySignals {
    /// True where nobody says anything.
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_added_later_are_not_in_the_text_of_earlier_signals() {
        let before = RepositorySignals {
            stars: Claim::Known(3),
            pushed: Claim::Known(Timestamp::from_unix_seconds(0)),
            ..RepositorySignals::default()
        };
        let text = serde_json::to_string(&before).expect("serialises");
        assert!(!text.contains("repository"), "{text}");
        assert!(!text.contains("reports"), "{text}");
        assert!(!text.contains("watchers"), "{text}");
        let now = RepositorySignals {
            repository_id: Claim::Known(7),
            repository_node: Claim::Known("R_7".into()),
            ..before.clone()
        };
        let longer = serde_json::to_string(&now).expect("serialises");
        assert!(longer.starts_with(text.trim_end_matches('}')), "what came before stands where it stood: {longer}");
        assert_eq!(serde_json::from_str::<RepositorySignals>(&longer).expect("parses"), now);
    }
}
