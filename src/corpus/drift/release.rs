//! `Release`: the claims of a locator about its bytes, and `VersionChange`, the change of version between two of them.
//!
//! Only claims are read, no bytes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use capdex_model::listing::{Integrity, Locator};
use capdex_model::source_role::Ecosystem;

/// What became of a file under one version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// It was not there before.
    Came,
    /// It is not there any more.
    Went,
    /// It has another digest.
    Swapped,
}

/// The answer to whether a version came with a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VersionChange {
    /// Another version is named.
    Yes,
    /// The same version is named, or none by an endpoint that could name one.
    No,
    /// Nothing here has versions: a commit after a commit, a folder.
    #[default]
    Unversioned,
}

impl VersionChange {
    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unversioned => "unversioned",
        }
    }
}

/// The claim that a locator makes of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Release {
    /// The version, where it names one.
    pub version: Option<String>,
    /// A text that stands for the same bytes wherever it is the same: a version that is never given twice, a commit, a
    /// published digest. None where bytes may change under all that is said.
    claim: Option<String>,
    /// The files of a version that has several, by name, with the strongest published digest of each, empty where none is.
    files: BTreeMap<String, String>,
    /// True where `files` are all that an installer may choose from; false where the locator is of a time when only the
    /// main file was looked at.
    names_all_files: bool,
    /// True for an endpoint that says on each visit what it offers.
    pub is_live: bool,
    /// True where the claim is a tag, which its registry lets people move.
    pub is_tag: bool,
}

impl Release {
    /// Reads a locator.
    pub fn of(locator: &Locator) -> Self {
        let ecosystem = locator.ecosystem();
        let (mut is_live, mut is_tag) = (false, false);
        let claim = match locator {
            Locator::NpmPackage { version, .. } => Some(version.clone()),
            Locator::PypiPackage { version, filename, .. } => Some(format!("{version} {filename}")),
            Locator::GitArchive { commit, .. } => Some(commit.clone()),
            Locator::HttpFile { version, filename, integrity, .. } => match version {
                Some(version) => Some(format!("{version} {filename}")),
                None => integrity.first().map(ToString::to_string),
            },
            Locator::FileList { version, .. } => version.clone(),
            Locator::Inline { .. } if ecosystem == Ecosystem::Mcp.as_str() => {
                is_live = true;
                None
            }
            Locator::Inline { identity, .. } if ecosystem == Ecosystem::Oci.as_str() => {
                let tag = identity.rsplit('/').next().and_then(|last| last.split_once(':')).map(|(_, tag)| tag);
                is_tag = true;
                tag.filter(|tag| is_full_version(tag)).map(str::to_owned)
            }
            // A row of a registry of servers: its version is never given twice. Other directories edit theirs.
            Locator::Inline { version, files, .. } => version.clone().filter(|_| files.contains_key("server.json")),
            Locator::Folder { .. } => None,
        };
        let digest = |integrity: &[Integrity]| integrity.first().map(ToString::to_string).unwrap_or_default();
        let files = locator.distributions().into_iter().map(|(name, integrity)| (name.to_owned(), digest(integrity)));
        let names_all_files = matches!(locator, Locator::PypiPackage { others: Some(_), .. });
        Self {
            version: locator.version().map(str::to_owned),
            claim,
            files: files.collect(),
            names_all_files,
            is_live,
            is_tag,
        }
    }

    /// True where both claim to be the same bytes.
    pub fn is_same(&self, other: &Self) -> bool {
        if self.files.is_empty() || other.files.is_empty() {
            return self.claim.is_some() && self.claim == other.claim;
        }
        let differs = |(name, old): (&String, &String)| {
            other.files.get(name).is_some_and(|new| !old.is_empty() && !new.is_empty() && old != new)
        };
        // A file that has another digest under its name was swapped, whatever came beside it.
        self.version == other.version
            && (self.files.iter().any(differs)
                || (self.names_all_files == other.names_all_files && self.files.keys().eq(other.files.keys())))
    }

    /// True where `after` names the same version with files that came or went.
    pub fn has_other_files(&self, after: &Self) -> bool {
        self.names_all_files && after.names_all_files && self.version == after.version && !self.is_same(after)
    }

    /// The files that `after` has under the same version and this has not, those that it lacks, and those that have
    /// another digest there; each sorted. Nothing where either does not name all of them.
    pub fn changed_files<'a>(&'a self, after: &'a Self) -> Vec<(FileChange, &'a str)> {
        if !self.names_all_files || !after.names_all_files || self.version != after.version {
            return Vec::new();
        }
        let came = after.files.keys().filter(|name| !self.files.contains_key(*name));
        let went = self.files.keys().filter(|name| !after.files.contains_key(*name));
        let swapped = self.files.iter().filter(|(name, old)| after.files.get(*name).is_some_and(|new| new != *old));
        let came = came.map(|name| (FileChange::Came, name.as_str()));
        came.chain(went.map(|name| (FileChange::Went, name.as_str())))
            .chain(swapped.map(|(name, _)| (FileChange::Swapped, name.as_str())))
            .collect()
    }

    /// The change of version from here to `after`.
    pub fn version_change(&self, after: &Self) -> VersionChange {
        // A file beside the others is chosen by installers without another version being named.
        if self.is_same(after) || self.has_other_files(after) {
            return VersionChange::No;
        }
        match (&self.version, &after.version) {
            (Some(old), Some(new)) if old != new => VersionChange::Yes,
            // Another file of the same version says nothing about either: a wheel beside an sdist.
            (Some(_), Some(_)) if self.claim.is_some() && after.claim.is_some() => VersionChange::Unversioned,
            (Some(_), Some(_)) => VersionChange::No,
            (None, None) if after.is_live => VersionChange::No,
            _ => VersionChange::Unversioned,
        }
    }
}

/// True for a tag that is a whole version such as `1.2.3`, which nobody expects to move as `1.2` and `latest` do.
fn is_full_version(tag: &str) -> bool {
    let plain = tag.trim_start_matches('v').split(['-', '+']).next().unwrap_or_default();
    let parts: Vec<&str> = plain.split('.').collect();
    parts.len() >= 3 && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_model::listing::Distribution;

    fn inline(identity: &str, version: Option<&str>, file: &str) -> Release {
        Release::of(&Locator::Inline {
            identity: identity.into(),
            version: version.map(str::to_owned),
            files: BTreeMap::from([(file.to_owned(), String::new())]),
        })
    }

    #[test]
    fn a_version_is_a_claim_where_it_is_never_given_twice() {
        let row = |version| inline("official-registry:a.b/c", Some(version), "server.json");
        assert!(row("1").is_same(&row("1")));
        assert!(!row("1").is_same(&row("2")));
        let endpoint = |version| inline("mcp:https://a.test/mcp", version, "tools.json");
        assert!(!endpoint(Some("1")).is_same(&endpoint(Some("1"))));
        assert_eq!(endpoint(Some("1")).version_change(&endpoint(Some("1"))), VersionChange::No);
        assert_eq!(endpoint(None).version_change(&endpoint(None)), VersionChange::No);
        assert_eq!(endpoint(Some("1")).version_change(&endpoint(Some("2"))), VersionChange::Yes);
        let entry = |version| inline("marketplaces:a/b", Some(version), "listing.json");
        assert!(!entry("1").is_same(&entry("1")));
    }

    #[test]
    fn a_tag_that_is_a_whole_version_shall_not_move() {
        let image = |tag: &str, digest| inline(&format!("oci:docker.io/a/b:{tag}"), Some(digest), "image.json");
        assert!(image("1.2.3", "sha256:a").is_same(&image("1.2.3", "sha256:b")));
        assert!(!image("latest", "sha256:a").is_same(&image("latest", "sha256:b")));
        assert!(!image("1.2", "sha256:a").is_same(&image("1.2", "sha256:b")));
    }

    /// A version of a project with its main file and the others that were looked at, each with its digest.
    fn project(files: &[(&str, &str)], names_all: bool) -> Release {
        let integrity = |digest: &str| vec![Integrity::Sha256(digest.to_owned())];
        let [(filename, digest), others @ ..] = files else { panic!("a main file") };
        let other = |(filename, digest): &(&str, &str)| Distribution {
            filename: (*filename).to_owned(),
            url: String::new(),
            integrity: integrity(digest),
        };
        Release::of(&Locator::PypiPackage {
            registry: None,
            name: "a".into(),
            version: "1".into(),
            url: String::new(),
            filename: (*filename).to_owned(),
            integrity: integrity(digest),
            others: names_all.then(|| others.iter().map(other).collect()),
        })
    }

    #[test]
    fn a_main_file_of_another_kind_says_nothing_where_nobody_looked_at_the_others() {
        let (sdist, wheel) = (project(&[("a-1.tar.gz", "1")], false), project(&[("a-1-py3-none-any.whl", "2")], false));
        assert!(!sdist.is_same(&wheel));
        assert_eq!(sdist.version_change(&wheel), VersionChange::Unversioned);
        let both = project(&[("a-1.tar.gz", "1"), ("a-1-py3-none-any.whl", "2")], true);
        assert!(!sdist.is_same(&both), "the wheel may have been there all the time");
        assert!(!sdist.has_other_files(&both));
        assert_eq!(sdist.version_change(&both), VersionChange::Unversioned);
        let swapped = project(&[("a-1.tar.gz", "9"), ("a-1-py3-none-any.whl", "2")], true);
        assert!(sdist.is_same(&swapped), "the sdist itself was swapped");
    }

    #[test]
    fn a_file_that_came_is_no_release_and_one_that_was_swapped_claims_to_be_the_same() {
        const WHEEL: &str = "a-1-py3-none-any.whl";
        let alone = project(&[("a-1.tar.gz", "1")], true);
        let both = project(&[("a-1.tar.gz", "1"), (WHEEL, "2")], true);
        let swapped = project(&[("a-1.tar.gz", "1"), (WHEEL, "3")], true);
        assert!(!alone.is_same(&both));
        assert!(alone.has_other_files(&both));
        assert_eq!(alone.version_change(&both), VersionChange::No);
        assert_eq!(alone.changed_files(&both), [(FileChange::Came, WHEEL)]);
        assert_eq!(both.changed_files(&alone), [(FileChange::Went, WHEEL)]);
        assert!(both.is_same(&swapped));
        assert!(!both.has_other_files(&swapped));
        assert_eq!(both.changed_files(&swapped), [(FileChange::Swapped, WHEEL)]);
        assert!(both.is_same(&both));
        assert!(both.changed_files(&both).is_empty());
    }
}
