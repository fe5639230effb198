//! Whether two texts name one version, as the installer of an ecosystem reads them.
//!
//! Sources: PEP 440 (normal form, zeros at the end) and Semantic Versioning 2.0.0 with the `v` and `=` that npm reads past.

use std::str::FromStr as _;

use capdex_model::source_role::Ecosystem;

/// True where two texts are one version to the installer of this ecosystem. Texts that it cannot read, and versions of other
/// ecosystems, are one where they are equal.
pub(crate) fn is_same_version(ecosystem: &str, one: &str, other: &str) -> bool {
    one == other || is_same_to_installer(ecosystem, one, other).unwrap_or(false)
}

/// None where either text is no version there.
fn is_same_to_installer(ecosystem: &str, one: &str, other: &str) -> Option<bool> {
    if ecosystem == Ecosystem::Pypi.as_str() {
        let read = |text: &str| pep440_rs::Version::from_str(text).ok();
        return Some(read(one)? == read(other)?);
    }
    if ecosystem == Ecosystem::Npm.as_str() {
        let read = |text: &str| semver::Version::parse(text.trim().trim_start_matches(['=', 'v', ' '])).ok();
        // By precedence: a registry holds one version for all build marks.
        return Some(read(one)?.cmp_precedence(&read(other)?).is_eq());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_that_are_one_to_an_index_of_python_are_one() {
        for (one, other) in [
            ("1.0", "1.0.0"),
            ("1", "1.0.0"),
            ("v1.0", "1.0"),
            ("1.0RC1", "1.0rc1"),
            ("1.0-rc.1", "1.0rc1"),
            ("1.0.0.post1", "1.0-1"),
            ("0!1.0", "1.0"),
            ("no version", "no version"),
        ] {
            assert!(is_same_version("pypi", one, other), "{one} {other}");
        }
        for (one, other) in [("1.0.1", "1.0"), ("10", "1"), ("1.0rc1", "1.0"), ("1.0+cpu", "1.0"), ("a", "b")] {
            assert!(!is_same_version("pypi", one, other), "{one} {other}");
        }
    }

    #[test]
    fn versions_that_are_one_to_npm_are_one() {
        for (one, other) in [("v1.2.3", "1.2.3"), ("=1.2.3", "1.2.3"), ("= v1.2.3", "1.2.3"), ("1.2.3+a", "1.2.3+b")] {
            assert!(is_same_version("npm", one, other), "{one} {other}");
        }
        for (one, other) in [("1.2.0", "1.2"), ("1.2.3-rc.1", "1.2.3"), ("1.2.3", "1.2.4"), ("^1.2.3", "1.2.3")] {
            assert!(!is_same_version("npm", one, other), "{one} {other}");
        }
    }

    #[test]
    fn elsewhere_a_version_is_its_text() {
        assert!(is_same_version("oci", "1.0", "1.0"));
        assert!(!is_same_version("oci", "1.0", "1.0.0"));
    }
}
