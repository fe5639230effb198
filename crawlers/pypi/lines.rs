//! The versions of a project that somebody names: each is looked at beside the one that is listed.
//!
//! A line of an index of Python is a version: it has no tags, and what stands in a range leads to the newest.

use std::collections::{BTreeMap, BTreeSet};

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims, Listing, Locator};
use capdex_model::source_role::Ecosystem;

use super::file::{FilesByVersion, IndexFile, choose_named};
use super::project::claims_of_file;
use crate::package_lines::MAX_NAMED;
use crate::references;

/// The lines of a project that somebody names.
#[derive(Debug, Default)]
pub(crate) struct NamedLines {
    /// Their listings.
    pub(crate) listed: Vec<Listing>,
    /// Those that lead to nothing published.
    pub(crate) missing: Vec<String>,
    /// Those beyond the bound.
    pub(crate) beyond: Vec<String>,
}

/// The listing of a project, or of a line of it, by its name.
pub(crate) fn listing(name: String, locator: Locator, claims: Claims) -> Listing {
    let references = references::sorted([references::repository(&claims.repository)]);
    Listing { key: ListingKey::new(Ecosystem::Pypi.as_str(), name), locators: vec![locator], claims, references }
}

/// The lines of a project, whose listed version has `locator` and `claims`.
///
/// # Errors
/// The first error of `absolute`, which makes addresses.
pub(crate) fn of<E>(
    project: &str,
    files: &FilesByVersion,
    named: &BTreeSet<String>,
    (locator, claims): (&Locator, &Claims),
    absolute: impl Fn(&IndexFile) -> Result<String, E>,
) -> Result<NamedLines, E> {
    let mut lines = NamedLines::default();
    // The line by which the bytes of each version are kept: two spellings of a version share them.
    let mut kept: BTreeMap<&str, &str> = BTreeMap::new();
    for line in named {
        if lines.listed.len() >= MAX_NAMED {
            lines.beyond.push(line.clone());
            continue;
        }
        let Some(chosen) = choose_named(files, line) else {
            lines.missing.push(line.clone());
            continue;
        };
        let name = format!("{project}@{line}");
        if locator.version() == Some(chosen.version) {
            lines.listed.push(listing(name, locator.clone(), claims.clone()));
            continue;
        }
        let kept_as = *kept.entry(chosen.version).or_insert(line);
        let of_file = claims_of_file(chosen.main);
        let claims = Claims {
            published: of_file.published,
            deprecated: of_file.deprecated,
            provenance: of_file.provenance,
            // The index states those of the listed version alone.
            dependencies: Claim::Unknown,
            ..claims.clone()
        };
        let locator = chosen.locator(&format!("{project}@{kept_as}"), &absolute)?;
        lines.listed.push(listing(name, locator, claims));
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pypi::file::{choose, version_of};

    fn files(names: &[&str]) -> FilesByVersion {
        let mut files = FilesByVersion::new();
        for name in names {
            let file = IndexFile {
                filename: (*name).to_owned(),
                url: format!("http://files.test/{name}"),
                sha256: None,
                yanked: None,
                uploaded: None,
                has_provenance: None,
            };
            files.entry(version_of("a-b", name).expect("a known kind")).or_default().push(file);
        }
        files
    }

    fn lines(named: &[String]) -> NamedLines {
        let files = files(&["a_b-1.0.tar.gz", "a_b-2.0.tar.gz"]);
        let absolute = |file: &IndexFile| Ok::<_, ()>(file.url.clone());
        let locator = choose(&files, None).expect("a file").locator("a-b", absolute).expect("an address");
        let dependencies = Claim::Known(vec!["mcp".to_owned()]);
        let claims = Claims { license: Claim::Known("MIT".into()), dependencies, ..Claims::default() };
        of("a-b", &files, &named.iter().cloned().collect(), (&locator, &claims), absolute).expect("addresses")
    }

    #[test]
    fn a_named_version_has_its_own_bytes_once_and_the_listed_one_those_of_the_project() {
        let found = lines(&["1.0".into(), "1.0.0".into(), "2.0".into(), "3.0".into()]);
        let shown: Vec<(String, String)> =
            found.listed.iter().map(|line| (line.key.name.clone(), line.locators[0].identity())).collect();
        let expected = [("a-b@1.0", "pypi:a-b@1.0"), ("a-b@1.0.0", "pypi:a-b@1.0"), ("a-b@2.0", "pypi:a-b")];
        assert_eq!(shown, expected.map(|(name, identity)| (name.to_owned(), identity.to_owned())));
        assert_eq!(found.missing, ["3.0"]);
        assert_eq!(found.listed[0].claims.dependencies, Claim::Unknown);
        assert_eq!(found.listed[0].claims.license, Claim::Known("MIT".into()));
        assert_eq!(found.listed[0].release_line(), Some(("a-b", "1.0")));
    }

    #[test]
    fn the_number_of_named_versions_is_bounded() {
        // Spellings of one version, each of which is published.
        let many: Vec<String> = (0..=MAX_NAMED).map(|zeros| format!("1.0{}", ".0".repeat(zeros))).collect();
        let found = lines(&many);
        assert_eq!((found.listed.len(), found.beyond.len(), found.missing.len()), (MAX_NAMED, 1, 0));
    }
}
