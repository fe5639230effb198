//! `Packument`: what a registry says of a package, and which of its versions is listed.

use std::sync::LazyLock;

use capdex_model::time::Timestamp;
use semver::{BuildMetadata, Version};
use serde_json::{Map, Value};

/// A packument's outermost object, and the parts that all of it hangs on.
pub(super) struct Packument<'a> {
    /// All of it, but what is left out while reading.
    pub(super) whole: &'a Map<String, Value>,
    /// The version listed.
    pub(super) version: &'a str,
    /// The packument's members for that version.
    pub(super) manifest: &'a Map<String, Value>,
}

impl<'a> Packument<'a> {
    /// Every version by its text.
    pub(super) fn versions(&self) -> &'a Map<String, Value> {
        static NONE: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);
        self.whole.get("versions").and_then(Value::as_object).unwrap_or(&NONE)
    }

    /// The same packument, with another of its versions in the place of the one listed. None where it has no manifest.
    pub(super) fn at(&self, version: &'a str) -> Option<Self> {
        let manifest = self.versions().get(version)?.as_object()?;
        Some(Self { whole: self.whole, version, manifest })
    }

    /// When a version was published, or `created`; none where the registry does not say.
    pub(super) fn time(&self, of: &str) -> Option<&Value> {
        registry_times(self.whole)?.get(of)
    }

    /// True where it is as the registry gives it: neither abbreviated nor put together anew by a proxy.
    pub(super) fn is_whole(&self) -> bool {
        registry_times(self.whole).is_some()
    }
}

/// The registry's own times. Proxies were seen to fill `time` with the moments at which they took versions in, and
/// those have no `created`, which the registry always states.
fn registry_times(whole: &Map<String, Value>) -> Option<&Map<String, Value>> {
    whole.get("time")?.as_object().filter(|times| times.contains_key("created"))
}

/// The version that `dist-tags.latest` names, else of those that are no pre-release the one published last; semantic
/// order decides between equal and unknown times.
pub(super) fn listed_version<'a>(whole: &'a Map<String, Value>, versions: &'a Map<String, Value>) -> Option<&'a str> {
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
