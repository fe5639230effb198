//! The version that an installer takes for what somebody names: a version, a range or a tag.
//!
//! Sources: npm's documentation of `npm install` and of ranges, and `npm-pick-manifest` 10, by which the latest version is
//! taken where a range has it, and a deprecated one only where nothing else is left.

use semver::{Version, VersionReq};
use serde_json::{Map, Value};

/// Alternatives in one range: people write two or three.
const MAX_ALTERNATIVES: usize = 16;

/// The version among `versions` that `named` leads to; none where nothing published answers to it.
pub(super) fn resolve<'a>(
    named: &str,
    latest: &'a str,
    tags: Option<&'a Map<String, Value>>,
    versions: &'a Map<String, Value>,
) -> Option<&'a str> {
    if let Some((version, _)) = versions.get_key_value(named).filter(|(_, manifest)| manifest.is_object()) {
        return Some(version);
    }
    // What can be read as a range is one: npm never asks for a tag of such a name.
    let Some(range) = alternatives(named) else {
        let version = tags?.get(named)?.as_str()?;
        return versions.get(version).filter(|manifest| manifest.is_object()).map(|_| version);
    };
    let is_in = |version: &str| {
        let version = Version::parse(version).ok();
        version.is_some_and(|version| range.iter().any(|alternative| alternative.matches(&version)))
    };
    if is_in(latest) {
        return Some(latest);
    }
    let within = versions.iter().filter(|(version, manifest)| manifest.is_object() && is_in(version));
    let best = within.max_by_key(|(version, manifest)| preference(version, manifest));
    best.map(|(version, _)| version.as_str())
}

/// The order in which an installer prefers the versions of a range, the last first.
pub(super) fn preference(version: &str, manifest: &Value) -> (bool, Option<Version>) {
    let is_deprecated =
        manifest.get("deprecated").is_some_and(|said| said.as_str().is_some_and(|said| !said.is_empty()));
    (!is_deprecated, Version::parse(version).ok())
}

/// True for a text that npm reads as a version or a range.
pub(super) fn is_range(text: &str) -> bool {
    alternatives(text).is_some()
}

/// The alternatives of a range; none for a text that is no range.
fn alternatives(text: &str) -> Option<Vec<VersionReq>> {
    let parts: Vec<&str> = text.split("||").take(MAX_ALTERNATIVES + 1).collect();
    if parts.len() > MAX_ALTERNATIVES {
        return None;
    }
    parts.into_iter().map(comparators).collect()
}

fn comparators(text: &str) -> Option<VersionReq> {
    let text = text.trim();
    if matches!(text, "" | "*" | "x" | "X") {
        return Some(VersionReq::STAR);
    }
    // `1.2 - 2.0`: from the first of one to the last of the other.
    if let Some((from, to)) = text.split_once(" - ") {
        let to = trimmed(to);
        return VersionReq::parse(&format!(">={}, <={to}", trimmed(from))).ok();
    }
    let mut written = String::new();
    let mut operator = "";
    for word in text.split_whitespace() {
        // An operator may stand apart from its version.
        if matches!(word, ">" | "<" | ">=" | "<=" | "=" | "^" | "~") {
            operator = word;
            continue;
        }
        if !written.is_empty() {
            written.push_str(", ");
        }
        let digits = word.trim_start_matches(['v', 'V']);
        let bare = digits.starts_with(|first: char| first.is_ascii_digit());
        // To cargo's syntax a bare version is a range; to npm's it is that version, or all that begin like it.
        written.push_str(if bare && operator.is_empty() { "=" } else { operator });
        written.push_str(trimmed(if bare { digits } else { word }));
        operator = "";
    }
    if operator.is_empty() { VersionReq::parse(&written).ok() } else { None }
}

/// A version without the placeholders at its end: `1.x` is `1`.
fn trimmed(version: &str) -> &str {
    let mut version = version.trim().trim_start_matches(['v', 'V']);
    while let Some(shorter) = [".x", ".X", ".*"].iter().find_map(|end| version.strip_suffix(end)) {
        version = shorter;
    }
    version
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn resolved(named: &str) -> Option<String> {
        let versions = json!({"0.9.0": {}, "0.9.4": {}, "1.0.0": {}, "1.0.99": {}, "1.4.0": {}, "1.5.0": {"deprecated": "no"},
            "2.0.0": {}, "2.1.0": {}, "3.0.0-beta.1": {}, "3.0.0-beta.2": {}, "9.9.9": 1});
        let tags = json!({"latest": "2.0.0", "next": "3.0.0-beta.1", "lost": "7.0.0", "1": "1.0.0"});
        resolve(named, "2.0.0", tags.as_object(), versions.as_object().expect("an object")).map(str::to_owned)
    }

    #[test]
    fn a_range_leads_where_npm_leads() {
        for (named, version) in [
            ("1.0.0", Some("1.0.0")),
            ("next", Some("3.0.0-beta.1")),
            ("^1", Some("1.4.0")),
            ("1", Some("1.4.0")),
            ("1.x", Some("1.4.0")),
            ("~1.0.0", Some("1.0.99")),
            ("1.0", Some("1.0.99")),
            ("1.5.x", Some("1.5.0")),
            ("^0.9.0", Some("0.9.4")),
            ("0.9", Some("0.9.4")),
            (">=1 <2", Some("1.4.0")),
            (">= 1.0.0 < 1.4", Some("1.0.99")),
            ("0.9.0 - 1.0", Some("1.0.99")),
            ("^2.1.0", Some("2.1.0")),
            ("^2", Some("2.0.0")),
            ("^0.8 || ^1.0.1", Some("1.4.0")),
            (">=1", Some("2.0.0")),
            ("^3.0.0-beta.1", Some("3.0.0-beta.2")),
            ("v1.0.0", Some("1.0.0")),
            ("lost", None),
            ("none", None),
            ("9.9.9", None),
            ("^7", None),
            (">", None),
        ] {
            assert_eq!(resolved(named).as_deref(), version, "{named}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "[0-9a-zA-Z.^~<>=|* vx-]{0,24}") {
            let _ = resolved(&text);
        }
    }
}
