//! The identifiers that are stored and printed: `ListingKey`, `CapabilityId`, `RuleId`, and how a slug is made.
//!
//! Identity never holds a version, a commit or a display name: drift depends on that.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::kind::Kind;

/// The key of a listing: the source's id and the name there. Text form `npm:@scope/pkg`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListingKey {
    /// The id of the source, such as `npm`; has no colon.
    pub source: String,
    /// The name in that source, as the source spells it.
    pub name: String,
}

impl ListingKey {
    /// Joins a source and a name.
    pub fn new(source: impl Into<String>, name: impl Into<String>) -> Self {
        Self { source: source.into(), name: name.into() }
    }
}

impl fmt::Display for ListingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.source, self.name)
    }
}

/// The text was not `source:name`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not of the form source:name")]
pub struct ParseListingKeyError(String);

impl FromStr for ListingKey {
    type Err = ParseListingKeyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // The first colon parts them: names of endpoints and images hold more.
        match text.split_once(':') {
            Some((source, name)) if !source.is_empty() && !name.is_empty() => Ok(Self::new(source, name)),
            _ => Err(ParseListingKeyError(text.to_owned())),
        }
    }
}

impl Serialize for ListingKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ListingKey {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// The identity of a capability from night to night: a digest of (locator identity, kind, path inside it).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CapabilityId(pub Digest);

impl CapabilityId {
    /// Derives the id from the locator's identity (see [`crate::listing::Locator::identity`]), the kind and the path.
    pub fn of(locator_identity: &str, kind: Kind, path: &str) -> Self {
        Self(Digest::of_fields([locator_identity.as_bytes(), kind.as_str().as_bytes(), path.as_bytes()]))
    }
}

impl fmt::Display for CapabilityId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.hex())
    }
}

/// The stable, lower-case kebab id of a rule, such as `pipe-to-shell`. Never reused for another meaning.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RuleId(Arc<str>);

impl RuleId {
    /// The id of a rule. Every answer of a rule carries it: a copy costs a count.
    pub fn new(id: &str) -> Self {
        Self(id.into())
    }

    /// The id's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for RuleId {
    fn from(id: String) -> Self {
        Self(id.into())
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The mark before the registry in the identity of a package. No name of a package has it, since none may hold a `?`.
const REGISTRY: &str = "?registry=";

/// The identity of a package: `npm:name`, and `npm:name?registry=host` where it is of a registry that is not the ecosystem's
/// own. `registry` is host, port and path without slashes at the ends.
pub fn package_identity(ecosystem: &str, name: &str, registry: Option<&str>) -> String {
    registry.map_or_else(|| format!("{ecosystem}:{name}"), |registry| format!("{ecosystem}:{name}{REGISTRY}{registry}"))
}

/// A package's identity, or the name in it, without the registry, and the registry; none for the ecosystem's own.
///
/// ```
/// use capdex_model::ids::split_registry;
///
/// assert_eq!(split_registry("npm:@acme/x?registry=corp.test/npm"), ("npm:@acme/x", Some("corp.test/npm")));
/// assert_eq!(split_registry("npm:@acme/x"), ("npm:@acme/x", None));
/// ```
pub fn split_registry(identity: &str) -> (&str, Option<&str>) {
    // Addresses of endpoints may hold anything, and are no packages.
    let is_address = identity.contains("://");
    match identity.split_once(REGISTRY) {
        Some((package, registry)) if !is_address => (package, Some(registry)),
        _ => (identity, None),
    }
}

/// The name of a PyPI project in the one form that all its spellings share (PEP 503).
pub fn pypi_name(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    for letter in name.chars() {
        if matches!(letter, '-' | '_' | '.') {
            if !normal.ends_with('-') {
                normal.push('-');
            }
        } else {
            normal.push(letter.to_ascii_lowercase());
        }
    }
    normal
}

/// The readable name of a capability, `npm:@scope/name#kind:path` in lower-case kebab: every run of characters other
/// than letters and digits becomes one dash. Unlike names may fold to one text: [`longer_slug`] tells them apart.
pub fn slug_of(locator_identity: &str, kind: Kind, path: &str) -> String {
    let parts = [locator_identity, "#", kind.as_str(), ":", path];
    let mut slug = Slug { text: String::with_capacity(parts.iter().map(|part| part.len()).sum()), parts_words: false };
    for part in parts {
        for letter in part.chars() {
            if letter.is_ascii() {
                // `to_lowercase` of a letter beyond ASCII may be several, and most names have none.
                slug.add(letter.to_ascii_lowercase(), letter.is_ascii_alphanumeric());
            } else {
                letter.to_lowercase().for_each(|letter| slug.add(letter, letter.is_alphanumeric()));
            }
        }
    }
    slug.text
}

/// The fewest digits of an id that tell two slugs apart.
pub const SLUG_DIGITS: usize = 8;

/// A slug with digits of the capability's id behind it, for one whose plain slug another capability has. Plain slugs never
/// hold two dashes in a row, so it is no other capability's plain one.
pub fn longer_slug(plain: &str, id: &CapabilityId, digits: usize) -> String {
    let hex = id.0.hex();
    format!("{plain}--{}", hex.get(..digits).unwrap_or(&hex))
}

/// A slug as it is written, and whether what was read last parts words.
struct Slug {
    text: String,
    parts_words: bool,
}

impl Slug {
    #[inline]
    fn add(&mut self, letter: char, is_of_word: bool) {
        if is_of_word {
            // The dash is written before the next word, so that a slug never ends with one.
            if self.parts_words && !self.text.is_empty() {
                self.text.push('-');
            }
            self.text.push(letter);
        }
        self.parts_words = !is_of_word;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_normalised_as_the_index_does() {
        assert_eq!(pypi_name("Foo__Bar.-baz"), "foo-bar-baz");
        assert_eq!(pypi_name("a"), "a");
    }

    #[test]
    fn listing_keys_round_trip() {
        let key = ListingKey::new("npm", "@scope/pkg");
        assert_eq!(key.to_string(), "npm:@scope/pkg");
        assert_eq!(key.to_string().parse(), Ok(key));
        assert!("npm".parse::<ListingKey>().is_err());
        assert!(":x".parse::<ListingKey>().is_err());
    }

    #[test]
    fn slugs_are_kebab() {
        assert_eq!(slug_of("npm:@scope/pkg", Kind::Skill, "skills/a b"), "npm-scope-pkg-skill-skills-a-b");
        assert_eq!(slug_of("npm:@scope/pkg", Kind::McpServer, ""), "npm-scope-pkg-mcp-server");
        // A capital I with a dot is two letters in lower case, the second of which parts words.
        assert_eq!(slug_of("git:Ünï\u{130}x", Kind::Hook, "日本/Ж_"), "git-ünïi-x-hook-日本-ж");
    }
}
