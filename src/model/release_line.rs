//! Release lines: what an installer may get of a package beside the version that its registry calls the latest.
//!
//! Packages of npm and PyPI have them. A line of npm is a dist-tag (`next`), an older major version (`1`, and `0.9` for majors
//! of zero), or a version or range that somebody names (`0.9.9`, `^1`). A line of PyPI is a version that somebody names. Its
//! name is the package's with the line behind an `@`: `acme@next`, `@acme/tools@1`. A name has no other `@` than the one that
//! begins a scope of npm.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::{package_identity, split_registry};
use crate::source_role::Ecosystem;

/// The ecosystems whose packages have lines.
const ECOSYSTEMS: [Ecosystem; 2] = [Ecosystem::Npm, Ecosystem::Pypi];

/// The release lines of a package, as its registry stated them last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReleaseLines {
    /// The version that each line leads to, by line. Those among them that lead to one version are looked at once.
    pub versions: BTreeMap<String, String>,
    /// The number of lines that were not looked at, because the budget for one package was spent.
    pub beyond: u64,
}

impl ReleaseLines {
    /// True where the package has the latest version alone.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The package and the line of a name; none for the name of a package.
///
/// ```
/// use capdex_model::release_line;
///
/// assert_eq!(release_line::of_name("@acme/tools@1"), Some(("@acme/tools", "1")));
/// assert_eq!(release_line::of_name("@acme/tools"), None);
/// ```
pub fn of_name(name: &str) -> Option<(&str, &str)> {
    // The first letter may be the one that begins a scope.
    let (at, _) = name.char_indices().skip(1).find(|(_, letter)| *letter == '@')?;
    let (package, line) = name.split_at_checked(at)?;
    line.strip_prefix('@').filter(|line| !line.is_empty()).map(|line| (package, line))
}

/// True for the key of an ecosystem whose packages have lines.
pub fn has_lines(ecosystem: &str) -> bool {
    ECOSYSTEMS.iter().any(|known| known.as_str() == ecosystem)
}

/// The package of a name of npm or PyPI, whichever line it names.
pub fn package_of(name: &str) -> &str {
    of_name(name).map_or(name, |(package, _)| package)
}

/// The identity of the package that an identity is a line of: `npm:acme` for `npm:acme@1`, at the same registry. Any other is
/// its own.
pub fn package_of_identity(identity: &str) -> Cow<'_, str> {
    let (own, registry) = split_registry(identity);
    let line = own.split_once(':').filter(|(ecosystem, _)| has_lines(ecosystem));
    match line.and_then(|(ecosystem, name)| Some((ecosystem, of_name(name)?))) {
        Some((ecosystem, (package, _))) => Cow::Owned(package_identity(ecosystem, package, registry)),
        None => Cow::Borrowed(identity),
    }
}

/// The line that leads to a version: its major, or major and minor for majors of zero, where a range such as `^0.9.1` stays
/// within the minor. None for what is no version, and for pre-releases, which no range leads to.
pub fn of_version(version: &str) -> Option<String> {
    let core = version.split_once('+').map_or(version, |(core, _)| core);
    let numbers: Vec<u64> = core.split('.').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    match numbers.as_slice() {
        [0, minor, _] => Some(format!("0.{minor}")),
        [major, _, _] => Some(major.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_what_follows_the_package() {
        assert_eq!(of_name("acme@next"), Some(("acme", "next")));
        assert_eq!(of_name("@a/b@^1.0.0"), Some(("@a/b", "^1.0.0")));
        assert_eq!(of_name("a@b@c"), Some(("a", "b@c")));
        for name in ["", "@", "acme", "@a/b", "acme@", "ä"] {
            assert_eq!(of_name(name), None, "{name}");
            assert_eq!(package_of(name), name);
        }
        assert_eq!(package_of_identity("npm:@a/b@1"), "npm:@a/b");
        assert_eq!(package_of_identity("npm:@a/b"), "npm:@a/b");
        assert_eq!(package_of_identity("pypi:a@1.0?registry=b.test/simple"), "pypi:a?registry=b.test/simple");
        assert_eq!(package_of_identity("pypi:a"), "pypi:a");
        assert_eq!(package_of_identity("npm:a@1?registry=b.test/npm"), "npm:a?registry=b.test/npm");
        assert_eq!(package_of_identity("npm:a?registry=user@b.test"), "npm:a?registry=user@b.test");
        assert_eq!(package_of_identity("oci:host.test/a@sha256:00"), "oci:host.test/a@sha256:00");
    }

    #[test]
    fn a_version_is_of_its_major_and_of_its_minor_before_the_first() {
        assert_eq!(of_version("2.3.4").as_deref(), Some("2"));
        assert_eq!(of_version("0.9.1+build").as_deref(), Some("0.9"));
        for version in ["1.0.0-beta.1", "1.0", "latest", "", "1.2.3.4"] {
            assert_eq!(of_version(version), None, "{version}");
        }
    }
}
