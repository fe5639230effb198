//! `Release`: the claims of a locator about its bytes, and `VersionChange`, the change of version between two of them.
//!
//! Only claims are read, no bytes.

use serde::{Deserialize, Serialize};

use capdex_model::listing::Locator;
use capdex_model::source_role::Ecosystem;
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
        Self { version: locator.version().map(str::to_owned), claim, is_live, is_tag }
    }

    /// True where both claim to be the same bytes.
    pub fn is_same(&self, other: &Self) -> bool {
        self.claim.is_some() && self.claim == other.claim
    }

    /// The change of version from here to `after`.
    pub fn version_change(&self, after: &Self) -> VersionChange {
        if self.is_same(after) {
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
    use std::collections::BTreeMap;

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

    #[test]
    fn a_wheel_beside_an_sdist_is_no_other_version_and_not_the_same_bytes() {
        let file = |filename: &str| {
            Release::of(&Locator::PypiPackage {
                registry: None,
                name: "a".into(),
                version: "1".into(),
                url: String::new(),
                filename: filename.into(),
                integrity: Vec::new(),
            })
        };
        let (sdist, wheel) = (file("a-1.tar.gz"), file("a-1-py3-none-any.whl"));
        assert!(!sdist.is_same(&wheel));
        assert_eq!(sdist.version_change(&wheel), VersionChange::Unversioned);
    }
}
