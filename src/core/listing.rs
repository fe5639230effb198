//! `Listing` and `Locator`: what a source says about a package, and where its bytes are.
//!
//! All of it is a claim by strangers: nothing here is verified, and nothing here is a default value of ours.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::history::History;
use crate::ids::ListingKey;
use crate::standing::Standing;
use crate::time::Timestamp;

/// Where bytes are. Closed: one fetcher per variant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Locator {
    /// A tarball of an npm registry.
    NpmPackage {
        /// The package's name, with its scope.
        name: String,
        /// The version listed, usually the one that `dist-tags.latest` names.
        version: String,
        /// The tarball's address, as the packument gives it.
        url: String,
        /// The published digests that the bytes must have, strongest first.
        integrity: Vec<Integrity>,
    },
    /// A source distribution or wheel of a Python package index.
    PypiPackage {
        /// The project's name, normalised as PEP 503 says.
        name: String,
        /// The version listed.
        version: String,
        /// The file's address.
        url: String,
        /// The file's name, which decides the archive format.
        filename: String,
        /// The published digests that the bytes must have, strongest first.
        integrity: Vec<Integrity>,
    },
    /// A directory, an archive or a single file on this machine.
    Folder {
        /// The path as given.
        path: String,
        /// The name by which its listing is known: the last component of the path.
        name: String,
    },
}

impl Locator {
    /// What stays the same over versions: `npm:<name>`, `pypi:<name>`, `folder:<name>`. Capability ids are derived
    /// from it.
    pub fn identity(&self) -> String {
        match self {
            Self::NpmPackage { name, .. } => format!("npm:{name}"),
            Self::PypiPackage { name, .. } => format!("pypi:{name}"),
            Self::Folder { name, .. } => format!("folder:{name}"),
        }
    }

    /// What tells one artifact from another under the same identity: version and strongest published digest, never
    /// an address (mirrors rewrite those). Equal text means that the bytes claim to be the same.
    pub fn artifact(&self) -> String {
        match self {
            Self::NpmPackage { version, integrity, .. } => {
                let digest = integrity.first().map(ToString::to_string).unwrap_or_default();
                format!("{version}@{digest}")
            }
            Self::PypiPackage { version, filename, integrity, .. } => {
                let digest = integrity.first().map(ToString::to_string).unwrap_or_default();
                format!("{version}@{filename}@{digest}")
            }
            // A folder is read afresh every time: what is in it is known only then.
            Self::Folder { path, .. } => path.clone(),
        }
    }

    /// The version, where the locator has one.
    pub fn version(&self) -> Option<&str> {
        match self {
            Self::NpmPackage { version, .. } | Self::PypiPackage { version, .. } => Some(version),
            Self::Folder { .. } => None,
        }
    }
}

/// A digest that a registry published for an artifact. Text form as in the Subresource Integrity format for SHA-512
/// (`sha512-<base64>`) and `sha256:<hex>`, `sha1:<hex>` for the others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "algorithm", content = "value", rename_all = "snake_case")]
pub enum Integrity {
    /// Base64 of a SHA-512, as npm publishes it.
    Sha512(String),
    /// Hex of a SHA-256, as PyPI publishes it.
    Sha256(String),
    /// Hex of a SHA-1, all that npm's oldest packages have.
    Sha1(String),
}

impl std::fmt::Display for Integrity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sha512(value) => write!(f, "sha512-{value}"),
            Self::Sha256(value) => write!(f, "sha256:{value}"),
            Self::Sha1(value) => write!(f, "sha1:{value}"),
        }
    }
}

/// One entry of one source: what it says, unverified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listing {
    /// The source and the name there.
    pub key: ListingKey,
    /// Where the bytes are; several where a row names a package and a repository.
    pub locators: Vec<Locator>,
    /// What the source claims about the package.
    pub claims: Claims,
}

/// What lets a source say "unchanged" next time. All empty on a first visit.
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

/// A value that a source may state, may state to be absent, or may not speak of at all.
///
/// A registry proxy that strips a field gives [`Claim::Unknown`], never [`Claim::Absent`].
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim<T> {
    /// The source states this value.
    Known(T),
    /// The source has a place for the value and leaves it empty.
    Absent,
    /// The source says nothing either way.
    #[default]
    Unknown,
}

impl<T> Claim<T> {
    /// The value, where it is known.
    pub const fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Absent | Self::Unknown => None,
        }
    }

    /// Whether the source says nothing either way.
    pub const fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// `Known` for a value, `Absent` for none: for fields whose absence the source itself asserts.
    pub fn known_or_absent(value: Option<T>) -> Self {
        value.map_or(Self::Absent, Self::Known)
    }
}

/// What a registry says about a package beside its bytes. Each field is a claim with its own state.
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
    /// How many versions were ever published.
    pub version_count: Claim<u64>,
    /// The deprecation message or yank reason.
    pub deprecated: Claim<String>,
    /// Downloads in the last month.
    pub downloads_monthly: Claim<u64>,
    /// Whether the listed version carries a provenance attestation.
    pub provenance: Claim<bool>,
    /// Scripts that run at installation, by name (npm `scripts`: only the life-cycle names).
    pub install_scripts: Claim<Vec<(String, String)>>,
    /// Names of the run-time dependencies, sorted.
    pub dependencies: Claim<Vec<String>>,
    /// What the world around the package says: its repository, its account, other lists. Left out of the text where
    /// nothing is known, so that claims of before have the digest that they had.
    #[serde(skip_serializing_if = "Standing::is_unknown")]
    pub standing: Standing,
    /// What changed since the source spoke of it before; unknown at first sight. Left out of the text where unknown.
    #[serde(skip_serializing_if = "Claim::is_unknown")]
    pub history: Claim<History>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identity_has_no_version_and_artifact_no_address() {
        let at = |url: &str, version: &str| Locator::NpmPackage {
            name: "@a/b".into(),
            version: version.into(),
            url: url.into(),
            integrity: vec![Integrity::Sha512("AAAA".into())],
        };
        let (one, mirror, next) = (at("http://one.test/x.tgz", "1"), at("http://two.test/x.tgz", "1"), at("", "2"));
        assert_eq!(one.identity(), next.identity());
        assert_eq!(one.artifact(), mirror.artifact());
        assert_ne!(one.artifact(), next.artifact());
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
        assert_eq!((claims.standing == Standing::default(), &claims.history), (true, &Claim::Unknown));
        let written = serde_json::to_string(&claims).expect("serialises");
        assert!(!written.contains("standing") && !written.contains("history"), "{written}");
    }
}
