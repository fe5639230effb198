//! The place of an input, as tools of others refer to it: relative to the folder that the scan ran in, else a file address.
//!
//! Paths are compared as they are written: nothing is asked of the disk.

use std::path::{Component, Path, PathBuf};

/// One input's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputPlace {
    /// The path with `/` between components: relative to the working folder where it is below it, else absolute.
    path: String,
    /// True where it is one plain file, which is then its own only member.
    is_file: bool,
    /// The path of the input below the repository that it lies in, `/` between components; none outside of one.
    below_repository: Option<String>,
}

impl InputPlace {
    /// The place of a path as given, seen from the folder `from`.
    pub fn of(given: &Path, from: &Path, is_file: bool) -> Self {
        let whole = plain(&from.join(given));
        // Below the working folder a path is relative, so that reports of two machines are the same.
        let path = whole.strip_prefix(plain(from)).unwrap_or(&whole);
        let path = path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/");
        Self { path, is_file, below_repository: None }
    }

    /// The same with the path below the repository around it, where it lies in one.
    pub fn in_repository(self, below_repository: Option<String>) -> Self {
        Self { below_repository, ..self }
    }

    /// The path of a file that a fingerprint is made of: below the repository, else below the working folder, else inside
    /// the input. So one file has one fingerprint, whatever folder above it was named and wherever the clone lies.
    pub fn fingerprint_path(&self, file: &str) -> String {
        let is_itself = self.is_file && self.path.rsplit('/').next() == Some(file);
        // An archive has a name of its own for each version; what is inside stays.
        if self.is_file && !is_itself {
            return file.to_owned();
        }
        match &self.below_repository {
            Some(path) if path.is_empty() => file.to_owned(),
            Some(path) if is_itself => path.clone(),
            Some(path) => format!("{path}/{file}"),
            None if self.path.starts_with('/') => file.to_owned(),
            None => self.join(file),
        }
    }

    /// The path of a file in the input; of the input itself for an empty one, and `.` for the working folder.
    pub fn join(&self, file: &str) -> String {
        // A single file is scanned as a folder with one member of its own name.
        let is_itself = self.is_file && self.path.rsplit('/').next() == Some(file);
        match (self.path.as_str(), file) {
            ("", "") => ".".to_owned(),
            (path, "") => path.to_owned(),
            (path, _) if is_itself => path.to_owned(),
            ("", file) => file.to_owned(),
            (path, file) => format!("{}/{file}", path.trim_end_matches('/')),
        }
    }

    /// The same as a URI reference, and whether it is relative to the working folder. Everything but unreserved letters
    /// is percent-encoded.
    pub fn uri(&self, file: &str) -> (String, bool) {
        let path = self.join(file);
        // By the beginning of the text, because nothing is asked of the disk.
        let is_relative = !self.path.starts_with('/');
        let encoded: String = path.bytes().map(encode).collect();
        (if is_relative { encoded } else { format!("file://{encoded}") }, is_relative)
    }
}

fn encode(byte: u8) -> String {
    match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    }
}

/// A path without `.` and, where that can be told from its text, without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => (),
            // By the text alone: a link on the way could lead elsewhere, and the reference stays what was written.
            Component::ParentDir => drop(parts.pop()),
            other => parts.push(other),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(given: &str, is_file: bool) -> InputPlace {
        InputPlace::of(Path::new(given), Path::new("/home/ann/repo"), is_file)
    }

    #[test]
    fn what_lies_below_the_working_folder_is_relative_to_it() {
        for (given, file, path) in [
            (".", "", "."),
            (".", "a/SKILL.md", "a/SKILL.md"),
            ("./skills/", "a/SKILL.md", "skills/a/SKILL.md"),
            ("/home/ann/repo/skills", "SKILL.md", "skills/SKILL.md"),
            ("../repo/skills", "", "skills"),
        ] {
            assert_eq!(input(given, false).join(file), path, "{given}");
            assert!(input(given, false).uri(file).1);
        }
    }

    #[test]
    fn what_lies_elsewhere_has_an_address_of_its_own() {
        assert_eq!(input("../x y/ü", false).uri("a"), ("file:///home/ann/x%20y/%C3%BC/a".to_owned(), false));
        assert_eq!(input("/home/ann/repository", false).uri("a"), ("file:///home/ann/repository/a".to_owned(), false));
    }

    #[test]
    fn a_plain_file_is_its_own_only_member() {
        assert_eq!(input("d/tools.json", true).join("tools.json"), "d/tools.json");
        assert_eq!(input("d/pack.tgz", true).join("SKILL.md"), "d/pack.tgz/SKILL.md");
        assert_eq!(input("d", false).join("d"), "d/d", "a folder is not its member");
    }

    #[test]
    fn a_file_has_one_path_for_its_fingerprint() {
        let within = |given: &str, is_file, below: &str| input(given, is_file).in_repository(Some(below.to_owned()));
        for (place, file) in [
            (within(".", false, ""), "skills/n/SKILL.md"),
            (within("skills", false, "skills"), "n/SKILL.md"),
            (within("skills/n/SKILL.md", true, "skills/n/SKILL.md"), "SKILL.md"),
            (within("/elsewhere/clone", false, ""), "skills/n/SKILL.md"),
            (input(".", false), "skills/n/SKILL.md"),
            (input("skills/n", false), "SKILL.md"),
            (input("/elsewhere", false), "skills/n/SKILL.md"),
            (within("old/pack-1.tgz", true, "old/pack-1.tgz"), "skills/n/SKILL.md"),
        ] {
            assert_eq!(place.fingerprint_path(file), "skills/n/SKILL.md", "{place:?}");
        }
    }

    #[test]
    fn what_has_a_meaning_in_an_address_is_encoded() {
        assert_eq!(input(".", false).uri("a b%?#[x]/../\u{1b}").0, "a%20b%25%3F%23%5Bx%5D/../%1B");
        assert_eq!(input(".", false).uri("javascript:alert(1)").0, "javascript%3Aalert%281%29");
    }
}
