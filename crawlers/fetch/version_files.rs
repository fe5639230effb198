//! The files of one version of a Python project as one tree: the main distribution's at their paths, and of each other
//! what it has besides.
//!
//! Nothing is fetched here. Sources: the binary distribution format (PEP 427), recording of installed projects (PEP 376).

use std::collections::BTreeSet;

use capdex_model::digest::Digest;
use capdex_model::snapshot::{Gap, GapReason};

use super::Fetched;
use super::pypi::whole;
use crate::unpack;

/// The subject of a gap of an archive as a whole.
const WHOLE: &str = ".";

/// Files of a wheel's `*.dist-info` that every build writes anew from what was read: they differ in every wheel.
const GENERATED: [&str; 8] =
    ["INSTALLER", "METADATA", "RECORD", "RECORD.jws", "RECORD.p7s", "WHEEL", "top_level.txt", "zip-safe"];

/// The files that were read so far.
pub(super) struct VersionFiles {
    fetched: Fetched,
    /// What was read, by where it is installed and its bytes.
    read: BTreeSet<(String, Digest)>,
    /// The bytes that were read, wherever.
    contents: BTreeSet<Digest>,
    /// Folders that were given to files.
    folders: BTreeSet<String>,
}

impl VersionFiles {
    /// Starts with the main distribution.
    pub(super) fn of(fetched: Fetched) -> Self {
        let mut version = Self { fetched, read: BTreeSet::new(), contents: BTreeSet::new(), folders: BTreeSet::new() };
        let known: Vec<(String, Digest)> =
            version.fetched.files.iter().map(|(path, file)| (path.clone(), file.digest)).collect();
        for (path, digest) in known {
            version.note(&path, digest);
        }
        version
    }

    /// Records what could not be looked at.
    pub(super) fn gap(&mut self, gap: Gap) {
        self.fetched.gaps.push(gap);
    }

    /// The limits for the next file: less by what is held.
    pub(super) fn limits_left(&self, limits: &unpack::UnpackLimits) -> unpack::UnpackLimits {
        let held: u64 = self.fetched.files.values().map(|file| file.bytes.len() as u64).sum();
        unpack::UnpackLimits {
            // The ratio is about one archive, and so is the cap on compressed bytes.
            expanded_bytes: limits.expanded_bytes.saturating_sub(held),
            members: limits.members.saturating_sub(self.fetched.files.len()),
            ..*limits
        }
    }

    /// The folder for what a file has besides: its name without the version, so that a path stays from release to
    /// release. The whole name where two files would share one; none for a name that is none.
    pub(super) fn folder(&mut self, filename: &str) -> Option<String> {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-!".contains(&byte);
        if filename.is_empty() || filename.len() > 255 || filename.starts_with('.') || !filename.bytes().all(is_letter)
        {
            return None;
        }
        [without_version(filename), filename.to_owned()].into_iter().find(|folder| self.folders.insert(folder.clone()))
    }

    /// Adds what another distribution has besides, below `folder`.
    pub(super) fn add(&mut self, filename: &str, folder: &str, other: Fetched) {
        for (path, file) in other.files {
            let is_generated = dist_info(&path).is_some_and(|name| GENERATED.contains(&name));
            // Licences and entry points are copied there from elsewhere.
            let is_copied = dist_info(&path).is_some() && self.contents.contains(&file.digest);
            let is_read = self.read.contains(&(installed_at(&path).to_owned(), file.digest));
            if is_generated || is_copied || is_read {
                continue;
            }
            self.note(&path, file.digest);
            let stands_at = format!("{folder}!/{}", stable(&path));
            if self.fetched.files.contains_key(&stands_at) {
                let detail = format!("{filename}: {path} stands where another file stands");
                self.gap(Gap::new(WHOLE, GapReason::DuplicatePath, detail));
                continue;
            }
            self.fetched.files.insert(stands_at, file);
        }
        for gap in other.gaps {
            let is_whole = gap.subject == WHOLE;
            self.gap(if is_whole {
                whole(filename, gap)
            } else {
                Gap { subject: format!("{folder}!/{}", gap.subject), ..gap }
            });
        }
        self.fetched.bytes = self.fetched.bytes.saturating_add(other.bytes);
    }

    /// All that was read, with the gaps.
    pub(super) fn finish(mut self) -> Fetched {
        self.fetched.gaps.sort();
        self.fetched.gaps.dedup();
        self.fetched
    }

    fn note(&mut self, path: &str, digest: Digest) {
        // A layout with a folder for the source installs what lies below it.
        if let Some(below) = path.strip_prefix("src/") {
            self.read.insert((below.to_owned(), digest));
        }
        self.read.insert((installed_at(path).to_owned(), digest));
        self.contents.insert(digest);
    }
}

/// The name of a file that lies right below a `*.dist-info` folder.
fn dist_info(path: &str) -> Option<&str> {
    let (folder, name) = path.split_once('/')?;
    folder.ends_with(".dist-info").then_some(name)
}

/// The path below the folder into which packages are installed: that of a wheel, without the folder in which wheels keep
/// apart what goes to another place.
fn installed_at(path: &str) -> &str {
    let Some((folder, rest)) = path.split_once('/') else { return path };
    let to_library = rest.strip_prefix("purelib/").or_else(|| rest.strip_prefix("platlib/"));
    to_library.filter(|_| folder.ends_with(".data")).unwrap_or(path)
}

/// A path of a wheel without the version in its first folder: `a_b-1.0.dist-info/x` as `a_b.dist-info/x`.
fn stable(path: &str) -> String {
    let plain = || {
        let (folder, rest) = path.split_once('/')?;
        let ending = [".dist-info", ".data"].into_iter().find(|ending| folder.ends_with(ending))?;
        let (name, _) = folder.strip_suffix(ending)?.rsplit_once('-')?;
        Some(format!("{name}{ending}/{rest}"))
    };
    plain().unwrap_or_else(|| path.to_owned())
}

/// The name of a file without its version: `a_b-1.0-py3-none-any.whl` as `a_b-py3-none-any.whl`, `a-b-1.0.zip` as
/// `a-b.zip`.
fn without_version(filename: &str) -> String {
    if filename.ends_with(".whl") {
        let parts = filename.split('-').enumerate().filter(|(at, _)| *at != 1);
        return parts.map(|(_, part)| part).collect::<Vec<_>>().join("-");
    }
    let stem = unpack::ArchiveFormat::strip_ending(filename);
    let ending = filename.get(stem.len()..).unwrap_or_default();
    let name = stem.rsplit_once('-').map_or(stem, |(name, _)| name);
    format!("{name}{ending}")
}

#[cfg(test)]
mod tests {
    use capdex_model::bundle::BundleFile;

    use super::*;

    fn fetched(files: &[(&str, &str)]) -> Fetched {
        let file = |(path, text): &(&str, &str)| ((*path).to_owned(), BundleFile::new(text.as_bytes().to_vec()));
        Fetched { files: files.iter().map(file).collect(), gaps: Vec::new(), bytes: 1 }
    }

    fn paths(version: VersionFiles) -> Vec<String> {
        version.finish().files.into_keys().collect()
    }

    #[test]
    fn what_was_read_is_not_read_again_and_what_differs_is() {
        let sdist =
            [("src/a/x.py", "1"), ("src/a/y.py", "1"), ("a_b.egg-info/entry_points.txt", "e"), ("tests/a/z.py", "3")];
        let mut version = VersionFiles::of(fetched(&sdist));
        let wheel = [
            ("a/x.py", "1"),
            ("a/y.py", "other"),
            ("a/z.py", "3"),
            ("run.pth", "import a"),
            ("a_b-1.0.dist-info/RECORD", "r"),
            ("a_b-1.0.dist-info/METADATA", "m"),
            ("a_b-1.0.dist-info/entry_points.txt", "e"),
            ("a_b-1.0.dist-info/hook.py", "h"),
            ("a_b-1.0.data/scripts/run", "s"),
        ];
        let folder = version.folder("a_b-1.0-py3-none-any.whl").expect("a name");
        version.add("a_b-1.0-py3-none-any.whl", &folder, fetched(&wheel));
        // A second wheel: only its machine code is new, wherever it keeps what it shares with the first.
        let second = [("a/x.py", "1"), ("a_b-1.0.data/purelib/a/y.py", "other"), ("a/fast.so", "elf")];
        let folder = version.folder("a_b-1.0-cp312-cp312-win32.whl").expect("a name");
        version.add("a_b-1.0-cp312-cp312-win32.whl", &folder, fetched(&second));
        let besides: Vec<String> = paths(version).into_iter().filter(|path| path.contains("!/")).collect();
        let expected = [
            "a_b-cp312-cp312-win32.whl!/a/fast.so",
            "a_b-py3-none-any.whl!/a/y.py",
            "a_b-py3-none-any.whl!/a/z.py",
            "a_b-py3-none-any.whl!/a_b.data/scripts/run",
            "a_b-py3-none-any.whl!/a_b.dist-info/hook.py",
            "a_b-py3-none-any.whl!/run.pth",
        ];
        assert_eq!(besides, expected, "a test of the same bytes is no module that was read");
    }

    #[test]
    fn nothing_takes_the_place_of_another_file_without_a_gap() {
        let mut version = VersionFiles::of(fetched(&[("a-py3-none-any.whl!/a.py", "sdist")]));
        let folder = version.folder("a-1-py3-none-any.whl").expect("a name");
        version.add("a-1-py3-none-any.whl", &folder, fetched(&[("a.py", "wheel")]));
        let done = version.finish();
        assert_eq!(done.files.len(), 1);
        assert_eq!(done.gaps.iter().map(|gap| gap.reason).collect::<Vec<_>>(), [GapReason::DuplicatePath]);
    }

    #[test]
    fn folders_stay_from_release_to_release_and_are_each_files_own() {
        let mut version = VersionFiles::of(fetched(&[]));
        for (filename, folder) in [
            ("a_b-1.0-py3-none-any.whl", Some("a_b-py3-none-any.whl")),
            ("a_b-1.1-py3-none-any.whl", Some("a_b-1.1-py3-none-any.whl")),
            ("a_b-1.0-1-py3-none-any.whl", Some("a_b-1-py3-none-any.whl")),
            ("a-b-1.0.tar.gz", Some("a-b.tar.gz")),
            ("plain.zip", Some("plain.zip")),
            ("../a-1-py3-none-any.whl", None),
            ("a\\b-1.zip", None),
            ("", None),
            (".whl", None),
        ] {
            assert_eq!(version.folder(filename).as_deref(), folder, "{filename}");
        }
    }

    #[test]
    fn gaps_keep_their_place_and_those_of_a_whole_file_concern_the_version() {
        let mut version = VersionFiles::of(fetched(&[("a.py", "")]));
        let gaps =
            vec![Gap::new("x/y", GapReason::LinkRefused, "a link"), Gap::new(WHOLE, GapReason::Truncated, "cut")];
        version.add("a-1-py3-none-any.whl", "a-py3-none-any.whl", Fetched { gaps, ..fetched(&[]) });
        let subjects: Vec<(String, String)> =
            version.finish().gaps.into_iter().map(|gap| (gap.subject, gap.detail)).collect();
        let own = |subject: &str, detail: &str| (subject.to_owned(), detail.to_owned());
        assert_eq!(subjects, [own(".", "a-1-py3-none-any.whl: cut"), own("a-py3-none-any.whl!/x/y", "a link")]);
    }

    #[test]
    fn what_is_held_is_taken_off_the_limits() {
        let version = VersionFiles::of(fetched(&[("a", "12345"), ("b", "123")]));
        let limits = unpack::UnpackLimits { expanded_bytes: 10, members: 3, ..unpack::UnpackLimits::default() };
        let left = version.limits_left(&limits);
        assert_eq!((left.expanded_bytes, left.members), (2, 1));
    }
}
