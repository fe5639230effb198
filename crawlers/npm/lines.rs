//! Which release lines of a package are looked at: those that somebody names, and of the others as many as the budget has.
//!
//! A line is looked at once for each version: lines that lead to one version share its bytes.

use std::collections::{BTreeMap, BTreeSet};

use capdex_model::release_line::{self, ReleaseLines};
use capdex_model::time::Timestamp;
use semver::Version;
use serde_json::{Map, Value};

use super::packument::Packument;
use super::ranges::{is_range, preference, resolve};
use crate::package_lines::MAX_NAMED;

/// Lines that lead to a version that is looked at anyway and are remembered, so that it is known when they part from it.
const MAX_REMEMBERED: usize = 64;
/// The longest tag that is a line: npm's own are a word.
const MAX_TAG_BYTES: usize = 40;

/// The lines of a package.
pub(super) struct Lines<'a> {
    /// The tags and majors, for the package's own listing.
    pub(super) stated: ReleaseLines,
    /// The lines to list, each with its version and the name under which its bytes are kept.
    pub(super) listed: Vec<ListedLine<'a>>,
    /// Those that somebody names and that lead to nothing published.
    pub(super) missing: Vec<String>,
    /// Those that somebody names beyond the bound.
    pub(super) beyond: Vec<String>,
}

/// A line to list.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ListedLine<'a> {
    /// The line.
    pub(super) line: String,
    /// The version that it leads to.
    pub(super) version: &'a str,
    /// The line whose bytes these are; none for those of the package's latest version.
    pub(super) kept_as: Option<String>,
}

/// The lines of a package: of those that are tags and majors as many as `budget`, those published last first; and every one
/// that is `named`.
pub(super) fn of<'a>(packument: &Packument<'a>, named: &BTreeSet<String>, budget: usize) -> Lines<'a> {
    let (latest, versions) = (packument.version, packument.versions());
    let tags = packument.whole.get("dist-tags").and_then(Value::as_object);
    let mut lines =
        Lines { stated: ReleaseLines::default(), listed: Vec::new(), missing: Vec::new(), beyond: Vec::new() };
    // The line by which each version is kept.
    let mut kept: BTreeMap<&str, Option<String>> = BTreeMap::from([(latest, None)]);
    for (line, version) in candidates(packument, tags, versions) {
        if kept.contains_key(version) {
            // It costs nothing, and where it leads elsewhere later, that is where it came from.
            if lines.stated.versions.len() < MAX_REMEMBERED {
                lines.stated.versions.insert(line, version.to_owned());
            }
        } else if lines.listed.len() < budget {
            kept.insert(version, Some(line.clone()));
            lines.stated.versions.insert(line.clone(), version.to_owned());
            lines.listed.push(ListedLine { kept_as: Some(line.clone()), line, version });
        } else {
            lines.stated.beyond += 1;
        }
    }
    let listed: BTreeSet<String> = lines.listed.iter().map(|listed| listed.line.clone()).collect();
    for line in named.iter().filter(|line| !listed.contains(*line)) {
        match resolve(line, latest, tags, versions) {
            _ if lines.listed.len() >= listed.len() + MAX_NAMED => lines.beyond.push(line.clone()),
            None => lines.missing.push(line.clone()),
            Some(version) => {
                let kept_as = kept.entry(version).or_insert_with(|| Some(line.clone())).clone();
                lines.listed.push(ListedLine { line: line.clone(), version, kept_as });
            }
        }
    }
    lines
}

/// The tags but `latest`, and the newest version of each major that the latest is not of; those published last first.
fn candidates<'a>(
    packument: &Packument<'a>,
    tags: Option<&'a Map<String, Value>>,
    versions: &'a Map<String, Value>,
) -> Vec<(String, &'a str)> {
    let mut majors: BTreeMap<String, (&str, (bool, Option<Version>))> = BTreeMap::new();
    let own = release_line::of_version(packument.version);
    for (version, manifest) in versions.iter().filter(|(_, manifest)| manifest.is_object()) {
        let Some(line) = release_line::of_version(version).filter(|line| Some(line) != own.as_ref()) else { continue };
        let preference = preference(version, manifest);
        let best = majors.entry(line).or_insert_with(|| (version, preference.clone()));
        if preference > best.1 {
            *best = (version, preference);
        }
    }
    let is_line = |tag: &str| {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        tag != "latest" && (1..=MAX_TAG_BYTES).contains(&tag.len()) && tag.bytes().all(is_letter) && !is_range(tag)
    };
    let tagged = tags.into_iter().flatten().filter(|(tag, _)| is_line(tag));
    let tagged = tagged.filter_map(|(tag, version)| Some((tag.clone(), version.as_str()?)));
    let tagged = tagged.filter(|(_, version)| versions.get(*version).is_some_and(Value::is_object));
    let of_majors = majors.into_iter().map(|(line, (version, _))| (line, version));
    // Majors before tags where both lead to one version: a tag may be taken away, and ranges stay.
    let mut all: Vec<(String, &str)> = of_majors.chain(tagged).collect();
    let published = |version: &str| -> Option<Timestamp> { packument.time(version)?.as_str()?.parse().ok() };
    all.sort_by_cached_key(|(_, version)| std::cmp::Reverse((published(version), Version::parse(version).ok())));
    all
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The lines that are listed, as `line version kept`, and all that is stated.
    fn lines(named: &[&str], budget: usize) -> (Vec<String>, ReleaseLines, Vec<String>, usize) {
        let whole = json!({
            "dist-tags": {"latest": "2.0.0", "next": "3.0.0-rc.1", "stable": "2.0.0", "legacy": "1.4.0", "^9": "0.9.1",
                          "lost": "8.0.0", "no line": "0.9.1"},
            "time": {"created": "2026-01-01T00:00:00Z", "0.9.1": "2026-01-01T00:00:00Z", "1.4.0": "2026-01-02T00:00:00Z",
                     "1.5.0": "2026-01-03T00:00:00Z", "2.0.0": "2026-01-04T00:00:00Z", "3.0.0-rc.1": "2026-01-05T00:00:00Z",
                     "1.4.9": "2026-01-06T00:00:00Z"},
            "versions": {"0.9.1": {}, "1.4.0": {}, "1.4.9": {}, "1.5.0": {"deprecated": "broken"}, "2.0.0": {},
                         "3.0.0-rc.1": {}},
        });
        let whole = whole.as_object().expect("an object");
        let manifest = whole["versions"]["2.0.0"].as_object().expect("an object");
        let packument = Packument { whole, version: "2.0.0", manifest };
        let named = named.iter().map(|line| (*line).to_owned()).collect();
        let found = of(&packument, &named, budget);
        let shown = |line: &ListedLine<'_>| {
            format!("{} {} {}", line.line, line.version, line.kept_as.as_deref().unwrap_or("the package"))
        };
        (found.listed.iter().map(shown).collect(), found.stated, found.missing, found.beyond.len())
    }

    #[test]
    fn lines_that_were_published_last_come_first_and_the_rest_is_counted() {
        let (listed, stated, ..) = lines(&[], 2);
        assert_eq!(listed, ["1 1.4.9 1", "next 3.0.0-rc.1 next"]);
        assert_eq!(stated.versions.keys().collect::<Vec<_>>(), ["1", "next", "stable"]);
        assert_eq!(stated.beyond, 2, "the tag legacy and the minor 0.9");
        let (listed, stated, ..) = lines(&[], 9);
        assert_eq!(listed, ["1 1.4.9 1", "next 3.0.0-rc.1 next", "legacy 1.4.0 legacy", "0.9 0.9.1 0.9"]);
        assert_eq!(stated.beyond, 0);
        assert_eq!(lines(&[], 0).0, Vec::<String>::new());
    }

    #[test]
    fn what_somebody_names_is_always_listed_and_shares_the_bytes_of_its_version() {
        let (listed, _, missing, _) = lines(&["1.4.0", "1.4.9", "2.0.0", "^1", "legacy", "7.0.0", "lost"], 1);
        let expected = [
            "1 1.4.9 1",
            "1.4.0 1.4.0 1.4.0",
            "1.4.9 1.4.9 1",
            "2.0.0 2.0.0 the package",
            "^1 1.4.9 1",
            "legacy 1.4.0 1.4.0",
        ];
        assert_eq!(listed, expected);
        assert_eq!(missing, ["7.0.0", "lost"]);
    }

    #[test]
    fn the_number_of_named_lines_is_bounded() {
        let many: Vec<String> = (0..=MAX_NAMED).map(|number| format!(">=1.{number} || 2")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let (listed, _, _, beyond) = lines(&many, 0);
        assert_eq!((listed.len(), beyond), (MAX_NAMED, 1));
    }
}
