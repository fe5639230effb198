//! References: what a listing names beside its own bytes, as the keys under which other sources list it.
//!
//! Must not ask anybody. What cannot be read as a reference is none: it stays in the claims as it was written.

use capdex_core::ids::ListingKey;
use capdex_core::listing::Claim;
use serde_json::Value;
use url::Url;

/// The longest name of an owner or a repository that a forge takes.
const MAX_NAME_BYTES: usize = 100;

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
    (is_name(namespace) && is_name(rest)).then(|| ListingKey::new("official-registry", name))
}

/// The repository at an address, in any of the spellings that people use: `github:owner/name`, lower case, for GitHub;
/// `git:host/owner/name` for other forges over https. An address without both an owner and a name is none.
pub(crate) fn of_repository(text: &str) -> Option<ListingKey> {
    let text = text.trim();
    let text = text.strip_prefix("git+").unwrap_or(text);
    if let Some(shorthand) = text.strip_prefix("github:") {
        return on_github(shorthand);
    }
    if let Some(path) = text.strip_prefix("git@github.com:") {
        return on_github(path);
    }
    if !text.contains(':') {
        // npm's own shorthand: two names and nothing else.
        return if text.split('/').count() == 2 { on_github(text) } else { None };
    }
    let url = Url::parse(text).ok()?;
    if !matches!(url.scheme(), "http" | "https" | "git" | "ssh") {
        return None;
    }
    let host = url.host_str()?.to_ascii_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    let path = url.path().trim_start_matches('/');
    if host == "github.com" { on_github(path) } else { on_forge(host, path) }
}

fn on_github(path: &str) -> Option<ListingKey> {
    Some(ListingKey::new("github", owner_and_name(path)?))
}

fn on_forge(host: &str, path: &str) -> Option<ListingKey> {
    let is_known = ["gitlab.com", "codeberg.org", "gitea.com"].contains(&host);
    if !is_known {
        return None;
    }
    Some(ListingKey::new("git", format!("{host}/{}", owner_and_name(path)?)))
}

fn owner_and_name(path: &str) -> Option<String> {
    let path = path.split(['#', '?']).next()?;
    let mut parts = path.split('/').filter(|part| !part.is_empty());
    let (owner, name) = (parts.next()?, parts.next()?);
    let name = name.strip_suffix(".git").unwrap_or(name);
    let is_name = |text: &str| {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        !text.is_empty() && text.len() <= MAX_NAME_BYTES && !text.starts_with('.') && text.bytes().all(is_letter)
    };
    (is_name(owner) && is_name(name)).then(|| format!("{owner}/{name}").to_ascii_lowercase())
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
        let elsewhere = of_repository("https://gitlab.com/Group/Name/-/tree/main");
        assert_eq!(elsewhere, Some(ListingKey::new("git", "gitlab.com/group/name")));
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
        ] {
            assert_eq!(of_repository(text), None, "{text}");
        }
    }

    #[test]
    fn a_registry_name_has_one_slash() {
        let name = |text: &str| registry_name(Some(&Value::from(text)));
        assert_eq!(name("io.test/x"), Some(ListingKey::new("official-registry", "io.test/x")));
        assert_eq!((name("x"), name("a/b/c"), name("/x"), registry_name(None)), (None, None, None, None));
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
