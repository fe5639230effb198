//! A packument as a listing, and the digest of its canonical form.
//!
//! The bytes come from a registry or from anything that answers like one.

use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Listing, Locator};
use capdex_model::snapshot::GapReason;
use capdex_model::time::Timestamp;
use semver::{BuildMetadata, Version};
use serde_json::{Map, Value};

use super::{claims, integrity};
use crate::{CrawlError, json, references};

/// A packument's outermost object, and the parts that all of it hangs on.
pub(crate) struct Packument<'a> {
    /// All of it, but what is left out while reading.
    pub(crate) whole: &'a Map<String, Value>,
    /// The version listed.
    pub(crate) version: &'a str,
    /// The packument's members for that version.
    pub(crate) manifest: &'a Map<String, Value>,
}

impl Packument<'_> {
    /// When a version was published, or `created`; none where the registry does not say.
    pub(crate) fn time(&self, of: &str) -> Option<&Value> {
        registry_times(self.whole)?.get(of)
    }

    /// True where it is as the registry gives it: neither abbreviated nor put together anew by a proxy.
    pub(crate) fn is_whole(&self) -> bool {
        registry_times(self.whole).is_some()
    }
}

/// Reads a packument that was asked for as `name`.
///
/// # Errors
/// `Gone` where no version is left, `Malformed` for what is not the packument of `name`.
pub(crate) fn read(name: &str, subject: &str, bytes: &[u8]) -> Result<(Listing, Digest), CrawlError> {
    let malformed = |detail: &str| CrawlError::Malformed {
        subject: subject.to_owned(),
        reason: GapReason::BadAnswer,
        detail: detail.to_owned(),
    };
    let value = json::parse(bytes, is_left_out).map_err(|error| malformed(&error))?;
    let whole = value.as_object().ok_or_else(|| malformed("not an object"))?;
    // A cache that answers for another package would list that one's bytes under this name.
    if whole.get("name").and_then(Value::as_str) != Some(name) {
        return Err(malformed("the name in it is not the one asked for"));
    }
    let is_unpublished = whole.get("time").and_then(|time| time.get("unpublished")).is_some();
    let versions = match whole.get("versions") {
        Some(Value::Object(versions)) if !versions.is_empty() => versions,
        Some(Value::Object(_)) => return Err(CrawlError::Gone { subject: subject.to_owned() }),
        None if is_unpublished => return Err(CrawlError::Gone { subject: subject.to_owned() }),
        _ => return Err(malformed("it has no object of versions")),
    };
    let version = listed_version(whole, versions).ok_or_else(|| malformed("no version in it is an object"))?;
    let manifest = versions.get(version).and_then(Value::as_object).ok_or_else(|| malformed("no manifest"))?;
    let dist = manifest.get("dist").ok_or_else(|| malformed("the version has no dist"))?;
    let url = dist.get("tarball").and_then(Value::as_str).ok_or_else(|| malformed("the version has no tarball"))?;
    let locator = Locator::NpmPackage {
        name: name.to_owned(),
        version: version.to_owned(),
        url: url.to_owned(),
        integrity: integrity::of_dist(dist),
    };
    let claims = claims::of(&Packument { whole, version, manifest });
    let references = references::sorted([
        references::repository(&claims.repository),
        references::registry_name(manifest.get("mcpName")),
    ]);
    let listing = Listing { key: ListingKey::new("npm", name), locators: vec![locator], claims, references };
    Ok((listing, canonical_digest(value)))
}

/// The registry's own times. Proxies were seen to fill `time` with the moments at which they took versions in, and
/// those have no `created`, which the registry always states.
fn registry_times(whole: &Map<String, Value>) -> Option<&Map<String, Value>> {
    whole.get("time")?.as_object().filter(|times| times.contains_key("created"))
}

/// Members on which neither a listing nor "unchanged" depends. These are readmes (the tarball has them), who starred
/// it, and everything that registries and proxies keep for themselves.
fn is_left_out(depth: usize, key: &str) -> bool {
    let is_private = key.starts_with('_') || key.starts_with("readme");
    match depth {
        0 => is_private || key == "users",
        2 => is_private,
        _ => false,
    }
}

/// The version that `dist-tags.latest` names, else of those that are no pre-release the one published last; semantic
/// order decides between equal and unknown times.
fn listed_version<'a>(whole: &'a Map<String, Value>, versions: &'a Map<String, Value>) -> Option<&'a str> {
    let manifest_of = |version: &str| versions.get(version).and_then(Value::as_object);
    let tagged = whole.get("dist-tags").and_then(|tags| tags.get("latest")).and_then(Value::as_str);
    // The tag may name a version that was taken back.
    if let Some(tagged) = tagged.filter(|tagged| manifest_of(tagged).is_some()) {
        return Some(tagged);
    }
    let rank = |version: &str| {
        let time = registry_times(whole).and_then(|times| times.get(version)).and_then(Value::as_str);
        let time: Option<Timestamp> = time.and_then(|time| time.parse().ok());
        let parsed = precedence(version);
        (parsed.as_ref().is_some_and(|parsed| parsed.pre.is_empty()), time, parsed)
    };
    versions
        .iter()
        .filter(|(_, manifest)| manifest.is_object())
        .map(|(version, _)| version.as_str())
        .max_by_key(|version| rank(version))
}

/// A version as far as its precedence goes: without build metadata, which `semver` orders and the standard does not. None,
/// which comes before every version, for what does not parse.
fn precedence(text: &str) -> Option<Version> {
    Version::parse(text).ok().map(|version| Version { build: BuildMetadata::EMPTY, ..version })
}

/// The digest of what does not differ between a registry and its proxies. It leaves out `time` and `modified`, which
/// some proxies fill with the moment when they took the package in. It also leaves out the host of tarballs, which they
/// rewrite. All else counts, a change of nothing but maintainers too.
fn canonical_digest(mut value: Value) -> Digest {
    if let Some(whole) = value.as_object_mut() {
        whole.remove("time");
        whole.remove("modified");
    }
    let versions = value.get_mut("versions").and_then(Value::as_object_mut);
    for dist in versions.into_iter().flat_map(Map::values_mut).filter_map(|manifest| manifest.get_mut("dist")) {
        if let Some(Value::String(tarball)) = dist.get_mut("tarball") {
            *tarball = tarball.rsplit('/').next().unwrap_or_default().to_owned();
        }
        if let Some(dist) = dist.as_object_mut() {
            dist.retain(|key, _| !key.starts_with('_'));
        }
    }
    Digest::of(value.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn versions_order_as_the_standard_says() {
        let ordered = [
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1.0.0",
            "1.0.1",
            "1.2.0",
            "1.10.0",
            "2.0.0",
        ];
        let parsed: Vec<_> = ordered.iter().map(|text| precedence(text).expect("a version")).collect();
        assert!(parsed.is_sorted());
        assert_eq!(precedence("1.0.0+a"), precedence("1.0.0+b"));
        for text in ["", "1", "1.2", "1.2.3.4", "v1.2.3", "latest", "01.2.3", "1.2.3-", "99999999999999999999.0.0"] {
            assert_eq!(precedence(text), None, "{text}");
        }
    }

    #[test]
    fn a_number_of_any_length_orders_in_a_prerelease() {
        let long = |digits: usize| precedence(&format!("1.0.0-{}", "9".repeat(digits))).expect("a version");
        assert!(long(20) < long(100_000));
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "[0-9a-z.+ä-]{0,20}") {
            let _ = precedence(&text);
        }
    }
}
