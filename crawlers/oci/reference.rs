//! References that a registry can be asked for: what `ImageReference` reads, checked before it becomes an address.
//!
//! The text comes from strangers and becomes part of an address, so that letters, lengths and dots are checked.

use capdex_model::image::{DEFAULT_REGISTRY, ImageReference};
use capdex_model::snapshot::GapReason;

use crate::CrawlError;

/// The host at which the default registry answers.
const DEFAULT_HOST: &str = "registry-1.docker.io";

/// A reference, in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    /// The registry as people name it.
    pub registry: String,
    /// The repository, with the `library/` that Docker Hub leaves out.
    pub repository: String,
    /// The digest, or else the tag.
    pub what: String,
    /// The name that stays the same for the image from night to night.
    pub identity: String,
}

impl Reference {
    /// Reads a reference. Without a tag it means `latest`.
    ///
    /// # Errors
    /// `Malformed` for what no registry would take.
    pub(super) fn parse(text: &str) -> Result<Self, CrawlError> {
        let malformed = || CrawlError::Malformed {
            subject: format!("oci:{}", text.chars().take(200).collect::<String>()),
            reason: GapReason::Malformed,
            detail: "this is no reference to an image".to_owned(),
        };
        let image = ImageReference::read(text);
        let identity = image.identity();
        let ImageReference { registry, repository, tag, digest } = image;
        let what = digest.or(tag).unwrap_or_else(|| "latest".to_owned());
        let is_part = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte))
        };
        let is_what = |text: &str| {
            let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"._-:".contains(&byte);
            (1..=135).contains(&text.len()) && text.bytes().all(is_letter)
        };
        let is_registry = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:".contains(&byte));
        let fits = text.len() <= 400 && repository.split('/').all(is_part) && is_what(&what) && is_registry(&registry);
        // A dot at the beginning of a part could climb out of the registry's path.
        if !fits || repository.contains("..") || repository.split('/').any(|part| part.starts_with('.')) {
            return Err(malformed());
        }
        let reference = Self { registry, repository, what, identity };
        url::Url::parse(&reference.base_url()).map_err(|_| malformed())?;
        Ok(reference)
    }

    /// The base address of the registry. Only a registry on this machine, which the operator must have configured, is
    /// asked without TLS.
    pub(super) fn base_url(&self) -> String {
        let host = if self.registry == DEFAULT_REGISTRY { DEFAULT_HOST } else { &self.registry };
        let is_local = host.starts_with("127.0.0.1:") || host.starts_with("localhost:");
        format!("{}://{host}/v2/{}", if is_local { "http" } else { "https" }, self.repository)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(text: &str) -> (String, String, String) {
        let reference = Reference::parse(text).expect("a reference");
        (reference.registry, reference.repository, reference.what)
    }

    fn owned(registry: &str, repository: &str, what: &str) -> (String, String, String) {
        (registry.into(), repository.into(), what.into())
    }

    #[test]
    fn every_way_of_writing_a_reference_is_read() {
        assert_eq!(parts("python"), owned("docker.io", "library/python", "latest"));
        assert_eq!(parts("mcp/git:1.2"), owned("docker.io", "mcp/git", "1.2"));
        assert_eq!(parts("docker.io/mcp/git:1.2"), owned("docker.io", "mcp/git", "1.2"));
        assert_eq!(parts("ghcr.io/a/b"), owned("ghcr.io", "a/b", "latest"));
        assert_eq!(parts("127.0.0.1:5000/a/b:2"), owned("127.0.0.1:5000", "a/b", "2"));
        assert_eq!(parts("ghcr.io/a/b@sha256:00ff"), owned("ghcr.io", "a/b", "sha256:00ff"));
        assert_eq!(parts("ghcr.io/a/b:1@sha256:00ff"), owned("ghcr.io", "a/b", "sha256:00ff"));
        let reference = Reference::parse("mcp/git").expect("a reference");
        assert_eq!(reference.base_url(), "https://registry-1.docker.io/v2/mcp/git");
    }

    #[test]
    fn what_no_registry_takes_is_an_error() {
        for text in ["", "A/B", "a/../b", "ghcr.io/a/b:", "a b", "http://h.test/a", "a@", "ghcr.io//b", "a/.b"] {
            assert!(Reference::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn an_address_stays_within_its_repository(text in "[a-z0-9./:@A-Z_-]{0,40}") {
            if let Ok(reference) = Reference::parse(&text) {
                let url = url::Url::parse(&reference.base_url()).expect("an address");
                prop_assert!(url.path().starts_with("/v2/") && !url.path().contains(".."));
            }
        }
    }
}
