//! The files of a project, and which of them is fetched.
//!
//! Sources: PEP 440 (versions), PEP 491 (names of wheels), PEP 503 (names of projects), PEP 592 (yanked files), PEP 625
//! (names of source distributions).

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use capdex_model::digest::Digest;
use capdex_model::ids::pypi_name;
use capdex_model::listing::{Distribution, Integrity, Locator, RefusedVersion};
use capdex_model::time::Timestamp;
use pep440_rs::Version;
use serde::Serialize;

/// One file as the index describes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct IndexFile {
    /// Its name, which says format and version.
    pub(crate) filename: String,
    /// Its address, absolute. Not part of what "unchanged" is about: mirrors rewrite it.
    #[serde(skip)]
    pub(crate) url: String,
    /// The published SHA-256 in hex.
    pub(crate) sha256: Option<String>,
    /// Why it was yanked, may be empty; none where it was not.
    pub(crate) yanked: Option<String>,
    /// When it was uploaded. Not part of what "unchanged" is about: mirrors may not know it.
    #[serde(skip)]
    pub(crate) uploaded: Option<Timestamp>,
    /// True where it has a provenance attestation; none where the index does not say.
    pub(crate) has_provenance: Option<bool>,
}

/// Files by version.
pub(crate) type FilesByVersion = BTreeMap<String, Vec<IndexFile>>;

/// The version in the name of a file of `project` (normalised); none where the name is of no kind that is known.
pub(crate) fn version_of(project: &str, filename: &str) -> Option<String> {
    // Wheels escape dashes in their parts, so that the second part is always the version.
    if let Some(stem) = filename.strip_suffix(".whl") {
        return stem.split('-').nth(1).map(str::to_owned);
    }
    let mut endings = [".tar.gz", ".tgz", ".zip"].iter().chain(&FURTHER_ENDINGS);
    let stem = endings.find_map(|ending| filename.strip_suffix(ending))?;
    // Old source distributions have dashes in the name, so that only the name itself tells where the version begins.
    let dashes = stem.match_indices('-');
    let found = dashes.filter_map(|(at, _)| Some((stem.get(..at)?, stem.get(at + 1..)?)));
    let mut found = found.filter(|(name, version)| pypi_name(name) == project && !version.is_empty());
    found.next().map(|(_, version)| version.to_owned())
}

/// The rank of a file, 0 first. Source distributions are what people read, wheels for every machine come next, and a
/// wheel for one machine is better than nothing.
fn preference(filename: &str) -> Option<u8> {
    match filename {
        name if name.ends_with(".tar.gz") || name.ends_with(".tgz") => Some(0),
        name if name.ends_with(".zip") => Some(1),
        name if name.ends_with("-py3-none-any.whl") => Some(2),
        name if name.ends_with("-none-any.whl") => Some(3),
        name if name.ends_with(".whl") => Some(4),
        _ => None,
    }
}

/// Endings of source distributions that installers take beside those of [`preference`]. Most are not read, which the
/// fetcher says.
const FURTHER_ENDINGS: [&str; 9] =
    [".tar", ".tar.bz2", ".tbz", ".tar.xz", ".txz", ".tar.zst", ".tar.lzma", ".tlz", ".tar.Z"];

/// The place of a further file among those of its version, 0 first: what runs on most machines is read first. None for
/// a file that no installer takes.
fn place(filename: &str) -> Option<u8> {
    match preference(filename)? {
        2 => Some(0),
        3 => Some(1),
        4 => Some(2),
        _ => Some(3),
    }
}

/// The version and file to fetch. The version is the index's own choice or else the newest; releases come before
/// pre-releases, and what was not yanked before what was. None where no file is of a kind that is read.
pub(crate) fn choose<'a>(files: &'a FilesByVersion, stated: Option<&str>) -> Option<ChosenFiles<'a>> {
    choose_among(files, stated, |_| true)
}

/// The files of the version that a text names, as an installer takes them that is told the version: yanked ones where it has
/// no others. None where nothing published is that version, or no file of it is of a kind that is read.
pub(crate) fn choose_named<'a>(files: &'a FilesByVersion, named: &str) -> Option<ChosenFiles<'a>> {
    let wanted = Version::from_str(named).ok();
    let is_equal = |version: &str| wanted.is_some() && Version::from_str(version).ok() == wanted;
    choose_among(files, Some(named), |version| version == named || is_equal(version))
}

/// The best of the versions that are meant.
fn choose_among<'a>(
    files: &'a FilesByVersion,
    stated: Option<&str>,
    is_meant: impl Fn(&str) -> bool,
) -> Option<ChosenFiles<'a>> {
    let best = |is_yanked: bool| {
        files
            .iter()
            .filter(|(version, _)| is_meant(version))
            .filter_map(|(version, files)| {
                let mut offered: Vec<_> = files.iter().filter(|file| file.yanked.is_some() == is_yanked).collect();
                // Equals go by name, so that every run chooses the same file.
                offered.sort_by_key(|file| (preference(&file.filename), file.filename.as_str()));
                offered.dedup_by_key(|file| file.filename.as_str());
                let main = offered.iter().find(|file| preference(&file.filename).is_some()).copied()?;
                let is_other = |file: &&&IndexFile| file.filename != main.filename;
                let mut others: Vec<_> = offered
                    .iter()
                    .filter(is_other)
                    .filter_map(|file| {
                        let is_further = FURTHER_ENDINGS.iter().any(|ending| file.filename.ends_with(ending));
                        Some((place(&file.filename).or(is_further.then_some(4))?, *file))
                    })
                    .collect();
                others.sort_by_key(|(place, file)| (*place, file.filename.as_str()));
                let others = others.into_iter().map(|(_, file)| file).collect();
                // What is no version by PEP 440 comes before what is one, and counts as a pre-release.
                let parsed = Version::from_str(version).ok();
                let is_release = parsed.as_ref().is_some_and(Version::is_stable);
                let is_stated = stated == Some(version.as_str());
                Some(((is_release, is_stated, parsed), ChosenFiles { version, main, others }))
            })
            .max_by(|(one, ..), (other, ..)| one.cmp(other))
            .map(|(_, chosen)| chosen)
    };
    best(false).or_else(|| best(true))
}

/// The version that is listed, with its files: an installer may choose any of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChosenFiles<'a> {
    /// The version.
    pub(crate) version: &'a str,
    /// The file that stands for it.
    pub(crate) main: &'a IndexFile,
    /// The others, in the order in which they are read.
    pub(crate) others: Vec<&'a IndexFile>,
}

impl ChosenFiles<'_> {
    /// The locator, with each address as `absolute` makes it.
    ///
    /// # Errors
    /// The first error of `absolute`.
    pub(crate) fn locator<E>(
        &self,
        project: &str,
        absolute: impl Fn(&IndexFile) -> Result<String, E>,
    ) -> Result<Locator, E> {
        let other = |file: &&IndexFile| {
            Ok(Distribution { filename: file.filename.clone(), url: absolute(file)?, integrity: integrity(file) })
        };
        Ok(Locator::PypiPackage {
            registry: None,
            name: project.to_owned(),
            version: self.version.to_owned(),
            url: absolute(self.main)?,
            filename: self.main.filename.clone(),
            integrity: integrity(self.main),
            others: Some(self.others.iter().map(other).collect::<Result<_, E>>()?),
        })
    }
}

fn integrity(file: &IndexFile) -> Vec<Integrity> {
    file.sha256.iter().map(|hex| Integrity::Sha256(hex.to_ascii_lowercase())).collect()
}

/// The versions that were yanked with words that speak of malice.
pub(crate) fn refused_versions(files: &FilesByVersion) -> Vec<RefusedVersion> {
    let of_version = |(version, files): (&String, &Vec<IndexFile>)| {
        files.iter().find_map(|file| RefusedVersion::of(version, file.yanked.as_deref()?))
    };
    RefusedVersion::sorted(files.iter().filter_map(of_version))
}

/// The form in which a listing is read. It is part of the digest, so that what an earlier program read is read again:
/// 2 since a listing names every file of its version.
const FORM: &str = "2";

/// The digest of what mirrors do not change about a set of files.
pub(crate) fn digest_of(files: &FilesByVersion) -> Digest {
    // As sets, because mirrors list the same files in another order.
    let sorted: BTreeMap<_, BTreeSet<_>> =
        files.iter().map(|(version, files)| (version, files.iter().collect())).collect();
    Digest::of_json(&(FORM, sorted))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn file(filename: &str, yanked: Option<&str>) -> IndexFile {
        IndexFile {
            filename: filename.into(),
            url: String::new(),
            sha256: None,
            yanked: yanked.map(str::to_owned),
            uploaded: None,
            has_provenance: None,
        }
    }

    fn files(names: &[(&str, Option<&str>)]) -> FilesByVersion {
        let mut files = FilesByVersion::new();
        for (name, yanked) in names {
            let version = version_of("a-b", name).expect("a known kind");
            files.entry(version).or_default().push(file(name, *yanked));
        }
        files
    }

    fn chosen(names: &[(&str, Option<&str>)], stated: Option<&str>) -> Option<String> {
        choose(&files(names), stated).map(|chosen| chosen.main.filename.clone())
    }

    #[test]
    fn versions_are_read_from_names_of_files() {
        for (filename, version) in [
            ("a_b-1.0.tar.gz", "1.0"),
            ("a-b-1.0-2.zip", "1.0-2"),
            ("A.B-1.0rc1.tar.gz", "1.0rc1"),
            ("a_b-1.0-py3-none-any.whl", "1.0"),
            ("a_b-1.0-1-cp312-cp312-win32.whl", "1.0"),
        ] {
            assert_eq!(version_of("a-b", filename).as_deref(), Some(version), "{filename}");
        }
        for filename in ["a_b-1.0.exe", "other-1.0.tar.gz", "a_b.tar.gz", "a_b-.zip", "", ".whl", "é-1.zip"] {
            assert_eq!(version_of("a-b", filename), None, "{filename}");
        }
    }

    #[test]
    fn source_comes_before_wheels_and_pure_wheels_before_others() {
        let all = [
            ("a_b-1-cp312-cp312-win32.whl", None),
            ("a_b-1-py2.py3-none-any.whl", None),
            ("a_b-1-py3-none-any.whl", None),
            ("a_b-1.zip", None),
            ("a_b-1.tar.gz", None),
        ];
        for left in (1..=all.len()).rev() {
            let (some, _) = all.split_at(left);
            assert_eq!(chosen(some, None).as_deref(), some.last().map(|(name, _)| *name));
        }
        assert_eq!(choose(&FilesByVersion::from([("1".into(), vec![file("a_b-1.exe", None)])]), None), None);
    }

    #[test]
    fn every_file_of_the_version_that_an_installer_may_choose_is_named_in_the_order_of_reading() {
        let all = files(&[
            ("a_b-1-cp312-cp312-win32.whl", None),
            ("a_b-1-1-py3-none-any.whl", None),
            ("a_b-1.tar.bz2", None),
            ("a_b-1-py3-none-any.whl", None),
            ("a_b-1.zip", None),
            ("a_b-1-py2.py3-none-any.whl", Some("broken")),
            ("a_b-1.tar.gz", None),
            ("a_b-0.9.zip", None),
        ]);
        let chosen = choose(&all, None).expect("a file");
        assert_eq!(chosen.main.filename, "a_b-1.tar.gz");
        let others: Vec<&str> = chosen.others.iter().map(|file| file.filename.as_str()).collect();
        let expected = [
            "a_b-1-1-py3-none-any.whl",
            "a_b-1-py3-none-any.whl",
            "a_b-1-cp312-cp312-win32.whl",
            "a_b-1.zip",
            "a_b-1.tar.bz2",
        ];
        assert_eq!(others, expected);
        let locator = chosen.locator("a-b", |file| Ok::<_, ()>(format!("x/{}", file.filename))).expect("addresses");
        assert_eq!(locator.distributions().len(), 6);
    }

    #[test]
    fn yanks_that_speak_of_malice_name_their_version() {
        let all = files(&[
            ("a_b-1.zip", Some("broken metadata")),
            ("a_b-2.zip", Some("This release was compromised")),
            ("a_b-3.zip", None),
        ]);
        let refused = refused_versions(&all);
        assert_eq!(refused.iter().map(|one| one.version.as_str()).collect::<Vec<_>>(), ["2"]);
    }

    #[test]
    fn a_named_version_is_chosen_in_every_spelling_and_though_it_was_yanked() {
        let all = files(&[("a_b-1.0.tar.gz", None), ("a_b-1.1.tar.gz", Some("broken")), ("a_b-2.0rc1.tar.gz", None)]);
        let named = |version: &str| choose_named(&all, version).map(|chosen| chosen.main.filename.clone());
        for (version, file) in [
            ("1.0", Some("a_b-1.0.tar.gz")),
            ("1.0.0", Some("a_b-1.0.tar.gz")),
            ("1.1", Some("a_b-1.1.tar.gz")),
            ("2.0-rc.1", Some("a_b-2.0rc1.tar.gz")),
            ("2.0", None),
            ("no version", None),
        ] {
            assert_eq!(named(version).as_deref(), file, "{version}");
        }
    }

    #[test]
    fn the_newest_release_that_was_not_yanked_is_chosen() {
        let all =
            [("a_b-1.9.zip", None), ("a_b-1.10.zip", None), ("a_b-1.11.zip", Some("broken")), ("a_b-2.0rc1.zip", None)];
        assert_eq!(chosen(&all, None).as_deref(), Some("a_b-1.10.zip"));
        assert_eq!(chosen(&all, Some("1.9")).as_deref(), Some("a_b-1.9.zip"));
        assert_eq!(chosen(&all, Some("1.11")).as_deref(), Some("a_b-1.10.zip"));
        assert_eq!(chosen(&all, Some("2.0rc1")).as_deref(), Some("a_b-1.10.zip"));
        let [.., yanked, candidate] = all;
        assert_eq!(chosen(&[yanked, candidate], None).as_deref(), Some("a_b-2.0rc1.zip"));
        assert_eq!(chosen(&[yanked], None).as_deref(), Some("a_b-1.11.zip"));
    }

    fn version(text: &str) -> Option<Version> {
        Version::from_str(text).ok()
    }

    #[test]
    fn versions_order_as_the_standard_says() {
        let ordered = [
            "1.0.dev1",
            "1.0a1.dev1",
            "1.0a1",
            "1.0a2",
            "1.0b1",
            "1.0rc1",
            "1.0",
            "1.0+local",
            "1.0+2",
            "1.0+10",
            "1.0.post1.dev1",
            "1.0.post1",
            "1.0.1",
            "1.2",
            "1.10",
            "2020.1",
            "1!0.1",
        ];
        let parsed: Vec<_> = ordered.iter().map(|text| version(text).expect("a version")).collect();
        for (one, next) in parsed.iter().zip(parsed.iter().skip(1)) {
            assert!(one < next, "{one:?} {next:?}");
        }
    }

    #[test]
    fn spellings_of_one_version_are_equal() {
        for (one, other) in [
            ("1.0", "v1.0.0"),
            ("1.0rc1", "1.0-C.1"),
            ("1.0a0", "1.0alpha"),
            ("1.0.post1", "1.0-1"),
            ("1.0.post0", "1.0_rev"),
            ("1.0.dev0", "1.0-DEV"),
            ("1.0+a.b", "1.0+A-b"),
        ] {
            assert_eq!(version(one), version(other), "{one}");
            assert!(version(one).is_some());
        }
    }

    #[test]
    fn prereleases_are_told_and_nonsense_is_not_read() {
        let is_prerelease = |text: &str| version(text).expect("a version").any_prerelease();
        assert!(is_prerelease("1.0a1"));
        assert!(is_prerelease("1.0.dev1"));
        assert!(is_prerelease("1.0.post1.dev1"));
        assert!(!is_prerelease("1.0"));
        assert!(!is_prerelease("1.0.post1"));
        for text in ["", "a", "1.0x", "1.0..1", "1.0-", "1..0", "99999999999999999999", "1.0 2"] {
            assert_eq!(version(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "[v0-9a-z.!+_ä-]{0,20}") {
            let _ = version(&text);
        }
    }
}
