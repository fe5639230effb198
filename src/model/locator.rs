//! `Locator`: the place of bytes, and what tells one artifact from another.
//!
//! All of it is a claim by strangers. The crawlers have one fetcher for each variant.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::ids;
use crate::source_role::Ecosystem;

/// The place of bytes. Closed: one fetcher per variant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Locator {
    /// A tarball of an npm registry.
    NpmPackage {
        /// The registry, as [`crate::ids::package_identity`] writes it; none for the ecosystem's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        registry: Option<String>,
        /// The package's name, with its scope; of another release line than the latest version the line's name, with the
        /// line behind an `@` (see [`crate::release_line`]).
        name: String,
        /// The version listed: of a package usually the one that `dist-tags.latest` names.
        version: String,
        /// The tarball's address, as the packument gives it.
        url: String,
        /// The published digests that the bytes must have, strongest first.
        integrity: Vec<Integrity>,
    },
    /// A version of a project of a Python package index: its main file, and the others that an installer may choose.
    PypiPackage {
        /// The index, as [`crate::ids::package_identity`] writes it; none for the ecosystem's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        registry: Option<String>,
        /// The project's name, normalised as PEP 503 says; of another version than the listed one with the version behind an
        /// `@` (see [`crate::release_line`]).
        name: String,
        /// The version listed.
        version: String,
        /// The file's address.
        url: String,
        /// The file's name, which decides the archive format.
        filename: String,
        /// The published digests that the bytes must have, strongest first.
        integrity: Vec<Integrity>,
        /// The further files of the version that an installer may choose, in the order in which they are read: wheels
        /// for every machine, wheels for one, source distributions; each kind by name. Empty where there are none; none
        /// in a locator of a time when nobody looked. Left out of the text then, so that it keeps its digest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        others: Option<Vec<Distribution>>,
    },
    /// The tree of a git repository at one commit, as the archive that its forge makes of it.
    GitArchive {
        /// The name of the repository that stays from commit to commit: `github:owner/name`, `git:host/owner/name`,
        /// lower case; `pinned:<listing>` for a commit that another listing chose.
        repository: String,
        /// The commit, in full hex.
        commit: String,
        /// The archive's address. Archives are gzipped tar files; no forge publishes a digest of their bytes.
        url: String,
    },
    /// One file at an address: an archive, an MCP bundle or a text.
    HttpFile {
        /// The name that stays from version to version: the source's id and the name there, `clawhub:owner/slug`.
        identity: String,
        /// The version, where the source names one.
        version: Option<String>,
        /// The file's address.
        url: String,
        /// The file's name, which decides the archive format; what is no archive is taken as it is.
        filename: String,
        /// The published digests that the bytes must have, strongest first.
        integrity: Vec<Integrity>,
    },
    /// A JSON answer `{files: [{path, contents}]}` that carries the texts of a skill.
    FileList {
        /// The name that stays from version to version: the source's id and the name there.
        identity: String,
        /// The mark that, as the source says, changes with the files: a version or a digest of its own kind.
        version: Option<String>,
        /// The answer's address.
        url: String,
    },
    /// Texts that the listing itself carries: a registry row, the tools list of a live endpoint, the labels of an image.
    Inline {
        /// The name that stays from version to version: the source's id and the name there.
        identity: String,
        /// The version, where the source names one.
        version: Option<String>,
        /// The texts by path.
        files: BTreeMap<String, String>,
    },
    /// A directory, an archive or a single file on this machine.
    Folder {
        /// The table of the schedule that lists it; none for the table that has the source's own name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<String>,
        /// The path as given.
        path: String,
        /// The name by which its listing is known: mostly the path below the table's folder.
        name: String,
        /// Patterns of paths inside it that are left out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        exclude: Vec<String>,
        /// True where installed dependencies and caches in it are read too.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        with_dependencies: bool,
    },
}

impl Locator {
    /// The name that stays the same over versions: `npm:<name>`, `npm:<name>@<line>`, `pypi:<name>`, `folder:<name>`,
    /// `github:<owner>/<name>`. A package of a registry that is not the ecosystem's own says which:
    /// `npm:<name>?registry=<host>`. Capability ids are derived from it.
    pub fn identity(&self) -> String {
        match self {
            Self::NpmPackage { name, registry, .. } => {
                ids::package_identity(Ecosystem::Npm.as_str(), name, registry.as_deref())
            }
            Self::PypiPackage { name, registry, .. } => {
                ids::package_identity(Ecosystem::Pypi.as_str(), name, registry.as_deref())
            }
            Self::GitArchive { repository, .. } => repository.clone(),
            Self::HttpFile { identity, .. } | Self::FileList { identity, .. } | Self::Inline { identity, .. } => {
                identity.clone()
            }
            Self::Folder { source, name, .. } => {
                format!("{}:{name}", source.as_deref().unwrap_or(Ecosystem::Folder.as_str()))
            }
        }
    }

    /// Says of a package which registry it is of; of anything else nothing. True where that was news.
    pub fn set_registry(&mut self, of: Option<&str>) -> bool {
        let (Self::NpmPackage { registry, .. } | Self::PypiPackage { registry, .. }) = self else { return false };
        let is_news = registry.as_deref() != of;
        *registry = of.map(str::to_owned);
        is_news
    }

    /// True for a package of a registry that may have release lines.
    pub const fn is_package(&self) -> bool {
        matches!(self, Self::NpmPackage { .. } | Self::PypiPackage { .. })
    }

    /// The part of the identity before the colon. It says where the names of its dependencies are to be looked for, and
    /// whose credentials go along when it is fetched.
    pub fn ecosystem(&self) -> String {
        let identity = self.identity();
        identity.split_once(':').map_or_else(String::new, |(ecosystem, _)| ecosystem.to_owned())
    }

    /// The mark that tells one artifact from another under the same identity: version and strongest published digest,
    /// never an address (mirrors rewrite those). Equal text means that the bytes claim to be the same.
    pub fn artifact(&self) -> String {
        // The lists of digests begin with the strongest; a weaker one could be met by other bytes.
        let strongest = |integrity: &[Integrity]| integrity.first().map(ToString::to_string).unwrap_or_default();
        match self {
            Self::NpmPackage { version, integrity, .. } => format!("{version}@{}", strongest(integrity)),
            Self::PypiPackage { version, filename, integrity, others, .. } => {
                let main = format!("{version}@{filename}@{}", strongest(integrity));
                match others.as_deref() {
                    // As it was before others were looked at: what has none has not changed.
                    None | Some([]) => main,
                    Some(others) => {
                        // As a set: an index may list the same files in another order.
                        let named: BTreeMap<&str, String> =
                            others.iter().map(|one| (one.filename.as_str(), strongest(&one.integrity))).collect();
                        format!("{main}+{}@{}", named.len(), Digest::of_json(&named))
                    }
                }
            }
            Self::GitArchive { commit, .. } => commit.clone(),
            Self::HttpFile { version, filename, integrity, .. } => {
                format!("{}@{filename}@{}", version.as_deref().unwrap_or_default(), strongest(integrity))
            }
            Self::FileList { version, .. } => version.clone().unwrap_or_default(),
            // The row is the artifact: without a published digest its own texts stand for it.
            Self::Inline { version, files, .. } => {
                format!("{}@{}", version.as_deref().unwrap_or_default(), Digest::of_json(files))
            }
            // A folder is read afresh every time: what is in it is known only then. Read in another way it is another.
            Self::Folder { path, exclude, with_dependencies, .. } => {
                let with = if *with_dependencies { " with dependencies" } else { "" };
                let without: String = exclude.iter().map(|pattern| format!(" without {pattern}")).collect();
                format!("{path}{with}{without}")
            }
        }
    }

    /// The address at which bytes are asked for; none for what needs no request.
    pub fn url(&self) -> Option<&str> {
        match self {
            Self::NpmPackage { url, .. }
            | Self::PypiPackage { url, .. }
            | Self::GitArchive { url, .. }
            | Self::HttpFile { url, .. }
            | Self::FileList { url, .. } => Some(url),
            Self::Inline { .. } | Self::Folder { .. } => None,
        }
    }

    /// The files of a version of a Python project by name, each with its published digests; empty for other kinds.
    pub fn distributions(&self) -> BTreeMap<&str, &[Integrity]> {
        let Self::PypiPackage { filename, integrity, others, .. } = self else { return BTreeMap::new() };
        let others = others.iter().flatten().map(|one| (one.filename.as_str(), one.integrity.as_slice()));
        others.chain([(filename.as_str(), integrity.as_slice())]).collect()
    }

    /// The version, where the locator has one.
    pub fn version(&self) -> Option<&str> {
        match self {
            Self::NpmPackage { version, .. } | Self::PypiPackage { version, .. } => Some(version),
            Self::HttpFile { version, .. } | Self::FileList { version, .. } | Self::Inline { version, .. } => {
                version.as_deref()
            }
            Self::GitArchive { .. } | Self::Folder { .. } => None,
        }
    }
}

/// One file of a version of a Python project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distribution {
    /// The file's name, which decides the archive format.
    pub filename: String,
    /// The file's address.
    pub url: String,
    /// The published digests that the bytes must have, strongest first.
    pub integrity: Vec<Integrity>,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identity_has_no_version_and_artifact_no_address() {
        let at = |url: &str, version: &str| Locator::NpmPackage {
            registry: None,
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
    fn a_package_of_another_registry_and_a_folder_of_another_table_are_other_things() {
        let at = |registry: Option<&str>| Locator::PypiPackage {
            others: None,
            registry: registry.map(str::to_owned),
            name: "acme".into(),
            version: "1".into(),
            url: String::new(),
            filename: String::new(),
            integrity: vec![],
        };
        assert_eq!(at(None).identity(), "pypi:acme");
        assert_eq!(at(Some("corp.test/simple")).identity(), "pypi:acme?registry=corp.test/simple");
        assert_eq!(at(Some("corp.test/simple")).ecosystem(), "pypi");
        let at = |source: Option<&str>| Locator::Folder {
            source: source.map(str::to_owned),
            path: "up/notes".into(),
            name: "notes".into(),
            exclude: Vec::new(),
            with_dependencies: false,
        };
        assert_eq!(at(None).identity(), "folder:notes");
        assert_eq!(at(Some("mine")).identity(), "mine:notes");
    }

    #[test]
    fn a_stored_locator_reads_and_keeps_its_text() {
        let text = r#"{"type":"npm_package","name":"a","version":"1","url":"u","integrity":[]}"#;
        let read: Locator = serde_json::from_str(text).expect("reads");
        assert_eq!(serde_json::to_string(&read).expect("writes"), text);
    }

    #[test]
    fn texts_that_differ_are_another_artifact_of_the_same_identity() {
        let inline = |text: &str| Locator::Inline {
            identity: "mcp:endpoint.test/mcp".into(),
            version: None,
            files: BTreeMap::from([("tools.json".to_owned(), text.to_owned())]),
        };
        assert_eq!(inline("{}").identity(), inline("[]").identity());
        assert_ne!(inline("{}").artifact(), inline("[]").artifact());
        assert_eq!(inline("{}").ecosystem(), "mcp");
    }

    fn project(others: Option<Vec<Distribution>>) -> Locator {
        Locator::PypiPackage {
            registry: None,
            name: "a".into(),
            version: "1".into(),
            url: String::new(),
            filename: "a-1.tar.gz".into(),
            integrity: vec![Integrity::Sha256("aa".into())],
            others,
        }
    }

    fn wheel(filename: &str, digest: &str) -> Distribution {
        let integrity = vec![Integrity::Sha256(digest.into())];
        Distribution { filename: filename.into(), url: format!("https://one.test/{digest}"), integrity }
    }

    #[test]
    fn a_file_that_is_added_or_has_another_digest_makes_another_artifact() {
        let (one, two) = (wheel("a-1-py3-none-any.whl", "bb"), wheel("a-1-cp312-cp312-win32.whl", "cc"));
        let artifact =
            |others: &[&Distribution]| project(Some(others.iter().map(|other| (*other).clone()).collect())).artifact();
        assert_eq!(artifact(&[]), project(None).artifact());
        assert_ne!(artifact(&[&one]), artifact(&[]));
        assert_ne!(artifact(&[&one]), artifact(&[&one, &two]));
        assert_ne!(artifact(&[&one]), artifact(&[&wheel("a-1-py3-none-any.whl", "dd")]));
        assert_eq!(artifact(&[&two, &one]), artifact(&[&one, &two]), "the order is the index's whim");
        let moved = Distribution { url: "https://two.test/".into(), ..one.clone() };
        assert_eq!(artifact(&[&moved]), artifact(&[&one]), "an address says nothing of bytes");
    }

    #[test]
    fn a_locator_of_a_time_before_other_files_keeps_its_text() {
        let text = r#"{"type":"pypi_package","name":"a","version":"1","url":"","filename":"a-1.tar.gz","integrity":[{"algorithm":"sha256","value":"aa"}]}"#;
        let read: Locator = serde_json::from_str(text).expect("parses");
        assert_eq!(read, project(None));
        assert_eq!(serde_json::to_string(&read).expect("serialises"), text);
        let now = project(Some(vec![wheel("a-1-py3-none-any.whl", "bb")]));
        let again: Locator = serde_json::from_str(&serde_json::to_string(&now).expect("serialises")).expect("parses");
        assert_eq!(again, now);
        assert_eq!(now.distributions().len(), 2);
    }

    #[test]
    fn a_repository_has_no_version_and_its_commit_is_the_artifact() {
        let at = |commit: &str| Locator::GitArchive {
            repository: "github:owner/name".into(),
            commit: commit.into(),
            url: format!("https://forge.test/{commit}"),
        };
        assert_eq!(at("a").identity(), at("b").identity());
        assert_ne!(at("a").artifact(), at("b").artifact());
        assert_eq!(at("a").version(), None);
    }
}
