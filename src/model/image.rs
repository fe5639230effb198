//! `ImageReference`: the name of a container image in its parts, in the one spelling that all its spellings share.
//!
//! Reading refuses nothing, so that no row of a directory is lost: a registry's client checks before it asks. Sources: the OCI
//! distribution specification 1.1, and the normal form of its reference implementation (`docker.io`, `library/`, `latest`).

use std::fmt;

/// The registry of images whose name says none.
pub const DEFAULT_REGISTRY: &str = "docker.io";

/// Hosts that lead to the images of the default registry.
const DEFAULT_HOSTS: [&str; 4] =
    ["index.docker.io", "registry-1.docker.io", "hub.docker.com", "registry.hub.docker.com"];

/// A reference, `registry/repository:tag@digest`. Its text form has the tag and the digest that were written, and no other.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImageReference {
    /// The registry's host, with its port; never empty.
    pub registry: String,
    /// The repository, with the `library/` that people leave out at the default registry.
    pub repository: String,
    /// The tag, as written.
    pub tag: Option<String>,
    /// The digest with its algorithm, as written.
    pub digest: Option<String>,
}

impl ImageReference {
    /// Reads a reference as people and directories write it.
    pub fn read(text: &str) -> Self {
        Self::read_at(DEFAULT_REGISTRY, text)
    }

    /// Reads a reference that means `registry` where it names none; an empty one is the default registry.
    pub fn read_at(registry: &str, text: &str) -> Self {
        let (text, digest) = text.split_once('@').map_or((text, None), |(text, digest)| (text, Some(digest)));
        // The colon before a port is followed by a path.
        let tagged = text.rsplit_once(':').filter(|(_, tag)| !tag.contains('/'));
        let (name, tag) = tagged.map_or((text, None), |(name, tag)| (name, Some(tag)));
        let (registry, path) = match name.split_once('/') {
            // As the reference implementation does: a first part without dot, colon or `localhost` is a part of the path.
            Some((host, path)) if host.contains(['.', ':']) || host == "localhost" => (host, path),
            _ => (registry, name),
        };
        let is_default = registry.is_empty() || registry == DEFAULT_REGISTRY || DEFAULT_HOSTS.contains(&registry);
        let library = if is_default && !path.contains('/') { "library/" } else { "" };
        Self {
            registry: if is_default { DEFAULT_REGISTRY } else { registry }.to_owned(),
            repository: format!("{library}{path}"),
            tag: tag.map(str::to_owned),
            digest: digest.map(str::to_owned),
        }
    }

    /// The name by which an image is known from night to night: with its tag, because tags of one repository are images of
    /// their own. A digest is no name, and the reference of one alone has none but the repository's.
    pub fn identity(&self) -> String {
        // `latest` is implied only where nothing else is said; a digest alone does not mean the tag.
        let implied = self.digest.is_none().then_some("latest");
        let tag = self.tag.as_deref().or(implied).map(|tag| format!(":{tag}")).unwrap_or_default();
        format!("oci:{}/{}{tag}", self.registry, self.repository)
    }

    /// The name without tag and digest, in lower case.
    pub fn name(&self) -> String {
        // Directories spell hosts and repositories in any case, and the registries take only small letters.
        format!("{}/{}", self.registry, self.repository).to_lowercase()
    }
}

impl fmt::Display for ImageReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.registry, self.repository)?;
        self.tag.iter().try_for_each(|tag| write!(f, ":{tag}"))?;
        self.digest.iter().try_for_each(|digest| write!(f, "@{digest}"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_way_of_writing_a_reference_has_the_same_parts() {
        for (text, whole) in [
            ("python", "docker.io/library/python"),
            ("docker.io/python:3", "docker.io/library/python:3"),
            ("mcp/git:1.2", "docker.io/mcp/git:1.2"),
            ("registry-1.docker.io/mcp/git", "docker.io/mcp/git"),
            ("ghcr.io/a/b", "ghcr.io/a/b"),
            ("localhost/a:1", "localhost/a:1"),
            ("127.0.0.1:5000/a/b", "127.0.0.1:5000/a/b"),
            ("127.0.0.1:5000/a/b:2", "127.0.0.1:5000/a/b:2"),
            ("ghcr.io/a/b:1@sha256:00ff", "ghcr.io/a/b:1@sha256:00ff"),
            ("a@sha256:00ff", "docker.io/library/a@sha256:00ff"),
        ] {
            assert_eq!(ImageReference::read(text).to_string(), whole, "{text}");
        }
        let ImageReference { registry, repository, tag, digest } = ImageReference::read("ghcr.io:443/A/b:1@sha256:00");
        assert_eq!(registry.as_str(), "ghcr.io:443");
        assert_eq!(repository.as_str(), "A/b");
        assert_eq!(tag.as_deref(), Some("1"));
        assert_eq!(digest.as_deref(), Some("sha256:00"));
        assert_eq!(ImageReference::read("ghcr.io/A/b:1").name(), "ghcr.io/a/b");
        let identity = |text| ImageReference::read(text).identity();
        assert_eq!(identity("ghcr.io/a/b:1@sha256:00"), "oci:ghcr.io/a/b:1");
        assert_eq!(identity("a"), "oci:docker.io/library/a:latest");
        assert_eq!(identity("a@sha256:00"), "oci:docker.io/library/a");
        assert_eq!(ImageReference::read_at("ghcr.io", "a/b").to_string(), "ghcr.io/a/b");
        assert_eq!(ImageReference::read_at("ghcr.io", "quay.io/a/b").to_string(), "quay.io/a/b");
    }

    proptest! {
        #[test]
        fn a_reference_in_normal_form_keeps_it(text in "[a-z0-9./:@A-Z_-]{0,40}") {
            let whole = ImageReference::read(&text).to_string();
            prop_assert_eq!(ImageReference::read(&whole).to_string(), whole);
        }
    }
}
