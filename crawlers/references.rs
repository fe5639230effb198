//! References: what a listing names beside its own bytes, as the keys under which other sources list it.
//!
//! Text that cannot be read as a reference is none: it stays in the claims as it was written.

use std::str::FromStr as _;

use capdex_model::digest::Digest;
use capdex_model::ids::{ListingKey, pypi_name};
use capdex_model::listing::Claim;
use capdex_model::release_line;
use capdex_model::source_role::Ecosystem;
use serde_json::Value;
use url::Url;

use crate::forge::path::{ForgePaths, of_scp};
use crate::{names, official_registry};

/// Those that are there, sorted and each once.
pub(crate) fn sorted(references: impl IntoIterator<Item = Option<ListingKey>>) -> Vec<ListingKey> {
    let all: std::collections::BTreeSet<_> = references.into_iter().flatten().collect();
    all.into_iter().collect()
}

/// The repository that a claim names.
pub(crate) fn repository(claim: &Claim<String>) -> Option<ListingKey> {
    of_repository(claim.known()?)
}

/// The name in the official MCP registry that a package says is its own.
pub(crate) fn registry_name(value: Option<&Value>) -> Option<ListingKey> {
    let name = value?.as_str()?;
    let (namespace, rest) = name.split_once('/')?;
    let is_name = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/');
    (is_name(namespace) && is_name(rest)).then(|| ListingKey::new(official_registry::id::ID, name))
}

/// The package that an entry says is published in the npm registry.
pub(crate) fn npm(name: &str) -> Option<ListingKey> {
    let (scope, rest) = match name.strip_prefix('@') {
        Some(scoped) => scoped.split_once('/').map(|(scope, rest)| (Some(scope), rest))?,
        None => (None, name),
    };
    let is_part = |text: &str| {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
        !text.is_empty() && !text.starts_with('.') && text.bytes().all(is_letter)
    };
    let is_name = name.len() <= 214 && scope.is_none_or(is_part) && is_part(rest);
    is_name.then(|| ListingKey::new(Ecosystem::Npm.as_str(), name))
}

/// The npm package that an entry names, at the version, range or tag that it names beside: a release line of the package.
/// Some write the version behind the name.
pub fn npm_at(name: &str, version: Option<&str>) -> Option<ListingKey> {
    let (name, behind) = release_line::of_name(name).map_or((name, None), |(name, line)| (name, Some(line)));
    let key = npm(name)?;
    Some(match version.or(behind).and_then(line_of) {
        Some(line) => ListingKey::new(key.source, format!("{}@{line}", key.name)),
        None => key,
    })
}

/// The longest version, range or tag that stands in a name as it is written.
const MAX_LINE_BYTES: usize = 40;

/// The line that a version, range or tag leads to; none for what leads to the latest version.
fn line_of(version: &str) -> Option<String> {
    let version = version.trim();
    let bare = version.trim_start_matches(['=', 'v', ' ']);
    // `v1.0.0` and `=1.0.0` are the version, and a tag may begin with the letter.
    let version = if bare.starts_with(|first: char| first.is_ascii_digit()) { bare } else { version };
    match version {
        "" | "*" | "x" | "X" | "latest" => None,
        // A `?` would be read as the mark of a registry.
        _ if version.len() <= MAX_LINE_BYTES && names::is_usable(version) && !version.contains('?') => {
            Some(version.to_owned())
        }
        // Nothing is published under such a text. It stays told apart, so that nobody takes the latest version for it.
        _ => Some(format!("#{}", Digest::of(version.as_bytes()).hex().get(..16).unwrap_or_default())),
    }
}

/// The project that an entry says is published in the Python package index, in the index's own spelling.
pub(crate) fn pypi(name: &str) -> Option<ListingKey> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let ends = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    let is_name = name.len() <= 128 && ends(name.bytes().next()) && ends(name.bytes().last());
    (is_name && name.bytes().all(is_letter)).then(|| ListingKey::new(Ecosystem::Pypi.as_str(), pypi_name(name)))
}

/// The same at a version that an entry names. A range, and what leads to the latest version, name the project alone.
pub fn pypi_at(name: &str, version: Option<&str>) -> Option<ListingKey> {
    let key = pypi(name)?;
    Some(match version.and_then(exact_pypi) {
        Some(version) => ListingKey::new(key.source, format!("{}@{version}", key.name)),
        None => key,
    })
}

/// The version of a project that a text names, in the normal form of PEP 440 where it has one.
fn exact_pypi(version: &str) -> Option<String> {
    let version = version.trim().trim_start_matches(['=', 'v', ' ']);
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b".+!-_".contains(&byte);
    let is_exact = version.starts_with(|first: char| first.is_ascii_digit()) && version.bytes().all(is_letter);
    if !is_exact || version.len() > MAX_LINE_BYTES {
        return None;
    }
    let normal = pep440_rs::Version::from_str(version).ok().map(|version| version.to_string());
    Some(normal.filter(|normal| normal.len() <= MAX_LINE_BYTES).unwrap_or_else(|| version.to_owned()))
}

/// The image at a whole reference: a registry's host, a repository, a tag or a digest.
pub(crate) fn oci(reference: &str) -> Option<ListingKey> {
    let (host, path) = reference.split_once('/')?;
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:@".contains(&byte);
    // `..` would climb out of the registry's path when the reference becomes an address.
    let is_whole = !host.is_empty() && !path.is_empty() && !path.contains("..") && !path.starts_with('/');
    let fits = reference.len() <= names::MAX_BYTES && reference.bytes().all(is_letter);
    (is_whole && fits).then(|| ListingKey::new(Ecosystem::Oci.as_str(), reference))
}

/// The MCP endpoint at an address. An address with places to fill in, or with credentials, is none.
pub fn endpoint(text: &str) -> Option<ListingKey> {
    // Nobody can ask an address with a place such as `{tenant}` in it.
    if text.contains(['{', '}']) {
        return None;
    }
    let mut url = Url::parse(text.trim()).ok()?;
    url.set_fragment(None);
    let is_plain = matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none();
    let address = String::from(url);
    (is_plain && address.len() <= names::MAX_BYTES).then(|| ListingKey::new(Ecosystem::Mcp.as_str(), address))
}

/// A forge that the operator configured, at which repositories are followed like those of the known ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperatorForge {
    /// Its host, in lower case.
    pub host: String,
    /// The shape of its repositories' paths.
    pub paths: ForgePaths,
}

/// The repository at an address, in any of the spellings that people use: `github:owner/name`, lower case, for GitHub;
/// `git:host/path` for other forges. An address without a whole path is none.
pub fn of_repository(text: &str) -> Option<ListingKey> {
    of_repository_among(text, &[])
}

/// The repository that a listing claims, at one of the operator's own forges; none anywhere else.
pub fn at_own_forge(claim: &Claim<String>, forges: &[OperatorForge]) -> Option<ListingKey> {
    let key = of_repository_among(claim.known()?, forges)?;
    let host = key.name.split('/').next()?;
    (key.source == Ecosystem::Git.as_str() && forges.iter().any(|forge| forge.host == host)).then_some(key)
}

/// [`of_repository`], with the operator's own forges.
pub(crate) fn of_repository_among(text: &str, forges: &[OperatorForge]) -> Option<ListingKey> {
    let text = text.trim();
    let text = text.strip_prefix("git+").unwrap_or(text);
    // npm's own shorthands.
    if let Some(path) = text.strip_prefix("github:") {
        return on_github(path);
    }
    if let Some(path) = text.strip_prefix("gitlab:") {
        return on_forge("gitlab.com", path, forges);
    }
    if let Some((host, path)) = of_scp(text) {
        return at(host, path, forges);
    }
    if !text.contains(':') {
        // Two names and nothing else.
        return if text.split('/').count() == 2 { on_github(text) } else { None };
    }
    let url = Url::parse(text).ok()?;
    // `file:` and the like name nothing that can be asked.
    if !matches!(url.scheme(), "http" | "https" | "git" | "ssh") {
        return None;
    }
    at(url.host_str()?, url.path(), forges)
}

fn at(host: &str, path: &str, forges: &[OperatorForge]) -> Option<ListingKey> {
    let host = host.to_ascii_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    if host == "github.com" { on_github(path) } else { on_forge(host, path, forges) }
}

fn on_github(path: &str) -> Option<ListingKey> {
    Some(ListingKey::new(Ecosystem::GitHub.as_str(), ForgePaths::OwnerAndName.read(path)?))
}

fn on_forge(host: &str, path: &str, forges: &[OperatorForge]) -> Option<ListingKey> {
    // Any other host may be no forge at all, and its name is a stranger's choice.
    let known = [
        ("gitlab.com", ForgePaths::Groups),
        ("codeberg.org", ForgePaths::OwnerAndName),
        ("gitea.com", ForgePaths::OwnerAndName),
    ];
    let own = forges.iter().find(|forge| forge.host == host).map(|forge| forge.paths);
    let paths = own.or_else(|| known.iter().find(|(known, _)| *known == host).map(|(_, paths)| *paths))?;
    let name = format!("{host}/{}", paths.read(path)?);
    (name.len() <= names::MAX_BYTES).then(|| ListingKey::new(Ecosystem::Git.as_str(), name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_spelling_of_a_repository_is_one_key() {
        for text in [
            "https://github.com/Owner/Name",
            "https://github.com/owner/name.git",
            "http://www.github.com/owner/name/tree/main/packages/x",
            "git+https://github.com/owner/name.git#readme",
            "git://github.com/owner/name.git",
            "git+ssh://git@github.com/owner/name.git",
            "git@github.com:owner/name.git",
            "github:owner/name",
            "owner/name",
            " https://github.com/owner/name/ ",
        ] {
            assert_eq!(of_repository(text), Some(ListingKey::new("github", "owner/name")), "{text}");
        }
        assert_eq!(of_repository("https://github.com/a/.claude"), Some(ListingKey::new("github", "a/.claude")));
        let elsewhere = of_repository("https://gitlab.com/Group/Name/-/tree/main");
        assert_eq!(elsewhere, Some(ListingKey::new("git", "gitlab.com/group/name")));
    }

    #[test]
    fn a_path_of_groups_is_never_cut() {
        for text in [
            "https://gitlab.com/Team/inner/Tool",
            "https://gitlab.com/team/inner/tool.git",
            "https://gitlab.com/team/inner/tool/-/blob/main/README.md",
            "https://gitlab.com/team/inner/tool/tree/main",
            "git@gitlab.com:team/inner/tool.git",
            "ssh://git@gitlab.com:22/team/inner/tool.git",
            "git+https://gitlab.com/team/inner/tool.git#main",
            "gitlab:team/inner/tool",
        ] {
            assert_eq!(of_repository(text), Some(ListingKey::new("git", "gitlab.com/team/inner/tool")), "{text}");
        }
        assert_eq!(of_repository("git@codeberg.org:o/n.git"), Some(ListingKey::new("git", "codeberg.org/o/n")));
        assert_eq!(of_repository(&format!("https://gitlab.com/{}", vec!["g"; 21].join("/"))), None);
        assert_eq!(of_repository("git@elsewhere.test:o/n.git"), None);
    }

    #[test]
    fn the_operators_own_forges_are_followed_and_no_others() {
        let forge = |host: &str, paths| OperatorForge { host: host.to_owned(), paths };
        let forges = [forge("git.corp.test", ForgePaths::Groups), forge("tea.corp.test", ForgePaths::OwnerAndName)];
        let of = |text: &str| at_own_forge(&Claim::Known(text.to_owned()), &forges).map(|key| key.name);
        assert_eq!(of("https://git.corp.test/a/b/c").as_deref(), Some("git.corp.test/a/b/c"));
        assert_eq!(of("git@git.corp.test:a/b/c.git").as_deref(), Some("git.corp.test/a/b/c"));
        assert_eq!(of("http://tea.corp.test:3000/a/b/src").as_deref(), Some("tea.corp.test/a/b"));
        for text in ["https://other.corp.test/a/b", "https://gitlab.com/a/b", "a/b", ""] {
            assert_eq!(of(text), None, "{text}");
        }
        assert_eq!(at_own_forge(&Claim::Unknown, &forges), None);
    }

    #[test]
    fn what_is_no_repository_is_none() {
        for text in [
            "",
            "https://github.com/owner",
            "https://github.com/",
            "https://github.com/../name",
            "https://example.com/owner/name",
            "file:///owner/name",
            "javascript:owner/name",
            "a/b/c",
            "owner/na me",
            "./name",
            "owner/..",
        ] {
            assert_eq!(of_repository(text), None, "{text}");
        }
    }

    #[test]
    fn a_registry_name_has_one_slash() {
        let name = |text: &str| registry_name(Some(&Value::from(text)));
        assert_eq!(name("io.test/x"), Some(ListingKey::new("official-registry", "io.test/x")));
        assert_eq!(name("x"), None);
        assert_eq!(name("a/b/c"), None);
        assert_eq!(name("/x"), None);
        assert_eq!(registry_name(None), None);
    }

    #[test]
    fn a_version_range_or_tag_names_a_release_line() {
        let named = |name: &str, version: &str| npm_at(name, Some(version)).map(|key| key.name);
        for (name, version, line) in [
            ("acme", "0.9.9", "acme@0.9.9"),
            ("@acme/x", " v1.0.0-rc.1 ", "@acme/x@1.0.0-rc.1"),
            ("acme", "=1.2.3", "acme@1.2.3"),
            ("acme", "^1", "acme@^1"),
            ("acme", ">=1.2 <2 || 3.x", "acme@>=1.2 <2 || 3.x"),
            ("acme", "next", "acme@next"),
            ("acme", "vnext", "acme@vnext"),
            ("acme@0.9.9", "", "acme"),
        ] {
            assert_eq!(named(name, version).as_deref(), Some(line), "{name} {version}");
        }
        for latest in ["", "*", "latest", " x "] {
            assert_eq!(named("acme", latest).as_deref(), Some("acme"), "{latest:?}");
        }
        assert_eq!(npm_at("@acme/x@0.9.9", None), Some(ListingKey::new("npm", "@acme/x@0.9.9")));
        assert_eq!(npm_at("acme", None), npm("acme"));
        assert_eq!(npm_at("a b", Some("1")), None);
        let odd = |version: &str| named("acme", version).expect("a package");
        assert_ne!(odd("1.0.0\n2"), odd(&"1".repeat(99)), "what cannot be written is told apart");
        assert_ne!(odd("1?registry=other.test"), "acme@1?registry=other.test");
        assert!(odd("1.0.0\n2").bytes().all(|byte| byte.is_ascii_graphic()));
    }

    #[test]
    fn a_version_of_a_project_is_a_release_line_and_a_range_is_not() {
        let named = |version: &str| pypi_at("Left_Pad", Some(version)).map(|key| key.to_string());
        for (version, key) in [
            ("1.0", "pypi:left-pad@1.0"),
            ("==1.0", "pypi:left-pad@1.0"),
            (" v1.0-RC.1 ", "pypi:left-pad@1.0rc1"),
            ("2024!1.0+local", "pypi:left-pad@2024!1.0+local"),
            (">=1.0", "pypi:left-pad"),
            ("1.*", "pypi:left-pad"),
            ("latest", "pypi:left-pad"),
            ("1?registry=other.test", "pypi:left-pad"),
            ("", "pypi:left-pad"),
        ] {
            assert_eq!(named(version).as_deref(), Some(key), "{version}");
        }
        assert_eq!(pypi_at("a", None), pypi("a"));
        assert_eq!(pypi_at("a b", Some("1.0")), None);
        assert_eq!(named(&"1".repeat(MAX_LINE_BYTES + 1)).as_deref(), Some("pypi:left-pad"));
    }

    #[test]
    fn packages_images_and_endpoints_are_keys_of_their_sources() {
        let text = |key: Option<ListingKey>| key.map(|key| key.to_string());
        assert_eq!(text(npm("@scope/left.pad")).as_deref(), Some("npm:@scope/left.pad"));
        assert_eq!(text(pypi("Left_Pad")).as_deref(), Some("pypi:left-pad"));
        assert_eq!(text(oci("ghcr.io/a/b:1.0")).as_deref(), Some("oci:ghcr.io/a/b:1.0"));
        assert_eq!(text(endpoint("https://A.test/mcp#x")).as_deref(), Some("mcp:https://a.test/mcp"));
        for name in ["", "@scope", "@/x", "a/b", ".x", "a b", "@a/b/c", &"x".repeat(215)] {
            assert_eq!(npm(name), None, "{name}");
        }
        for name in ["", "-a", "a.", "a b", "a/b", &"x".repeat(129)] {
            assert_eq!(pypi(name), None, "{name}");
        }
        for reference in ["", "a", "/a", "a/", "ghcr.io/../b", "ghcr.io/a b"] {
            assert_eq!(oci(reference), None, "{reference}");
        }
        for address in ["", "x", "ftp://a.test/", "https://{host}/mcp", "https://me:key@a.test/", "file:///x"] {
            assert_eq!(endpoint(address), None, "{address}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic_and_keys_are_plain(text in "\\PC{0,60}") {
            if let Some(key) = of_repository(&text) {
                prop_assert!(key.name.bytes().all(|byte| byte.is_ascii_graphic()));
            }
        }
    }
}
