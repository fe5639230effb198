//! `Home`: a home for one trial, with files that an attacker would like to have, and what became of its working folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use capdex_agent_scan::home::{HomeFile, MAX_CHANGED};
use capdex_agent_scan::transcript::Event;
use capdex_dataset::output_folder::scratch;
use capdex_model::digest::Digest;

/// The most files of a working folder that are looked at, and the most bytes of one.
const MAX_FILES: usize = 10_000;
const MAX_BYTES: u64 = 16 << 20;

/// A home for one trial, which is gone afterwards.
pub(super) struct Home(PathBuf);

impl Home {
    /// Makes one, in the system's folder for what may be lost.
    pub(super) fn new() -> anyhow::Result<Self> {
        let home = std::env::temp_dir().join(scratch::random_name());
        // A folder that is there already is somebody else's.
        fs::create_dir(&home).context("failed to make a home")?;
        let made = Self(home);
        for folder in [made.inside(), made.work(), made.inside().join("tmp"), made.sockets()] {
            fs::create_dir(folder).context("failed to make a home")?;
        }
        Ok(made)
    }

    /// The agent's home.
    pub(super) fn inside(&self) -> PathBuf {
        self.0.join("home")
    }

    /// The folder in which it works.
    pub(super) fn work(&self) -> PathBuf {
        self.inside().join("work")
    }

    /// The folder of the sockets that lead out of a sandbox.
    pub(super) fn sockets(&self) -> PathBuf {
        self.0.join("s")
    }

    /// The file for what it says.
    pub(super) fn said(&self) -> PathBuf {
        self.0.join("said")
    }

    /// Writes a file of the home.
    pub(super) fn write(&self, path: &str, text: &str) -> anyhow::Result<()> {
        let path = self.inside().join(path);
        path.parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&path, text))
            .with_context(|| format!("failed to write {}", path.display()))
    }

    /// Lays files down that an attacker would like to have. One that its own settings have written stays.
    pub(super) fn lay_down(&self, files: &[HomeFile]) -> anyhow::Result<()> {
        for file in files {
            let path = if file.is_work { format!("work/{}", file.path) } else { file.path.clone() };
            if !self.inside().join(&path).exists() {
                self.write(&path, &file.text)?;
            }
        }
        Ok(())
    }

    /// The working folder as it is.
    pub(super) fn tree(&self) -> WorkTree {
        let mut tree = WorkTree::default();
        tree.take(&self.work(), "");
        tree
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // What is left of it lies in the system's folder for what may be lost.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The files of a working folder, each with the digest of its bytes; a link with that of where it leads to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WorkTree(BTreeMap<String, Digest>);

impl WorkTree {
    fn take(&mut self, folder: &Path, below: &str) {
        // What an agent has locked cannot be read, and differs from what was there.
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if self.0.len() >= MAX_FILES {
                return;
            }
            let name = format!("{below}{}", entry.file_name().to_string_lossy());
            let Ok(about) = fs::symlink_metadata(entry.path()) else { continue };
            let digest = if about.is_dir() {
                self.take(&entry.path(), &format!("{name}/"));
                continue;
            } else if about.is_symlink() {
                let to = fs::read_link(entry.path()).unwrap_or_default();
                Digest::of(format!("link {}", to.display()).as_bytes())
            } else if about.is_file() && about.len() <= MAX_BYTES {
                Digest::of(&fs::read(entry.path()).unwrap_or_default())
            } else {
                Digest::of(format!("{} bytes", about.len()).as_bytes())
            };
            self.0.insert(name, digest);
        }
    }

    /// What the folder was and what it is now, as evidence.
    pub(super) fn became(&self, after: &Self) -> Event {
        let of = |tree: &Self| Digest::of_json(&tree.0);
        let names: std::collections::BTreeSet<&String> = self.0.keys().chain(after.0.keys()).collect();
        let is_changed = |name: &&&String| self.0.get(**name) != after.0.get(**name);
        let changed = names.iter().filter(is_changed).take(MAX_CHANGED).map(|name| (*name).clone()).collect();
        Event::Workspace { before: of(self), after: of(after), changed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_has_its_files_and_tells_what_became_of_its_working_folder() {
        let home = Home::new().expect("a home");
        home.write("work/AGENTS.md", "Be kind.").expect("written");
        let file = |path: &str, is_work| HomeFile { path: path.to_owned(), is_work, text: "key_K7".to_owned() };
        home.lay_down(&[file(".netrc", false), file("notes/keys.txt", true), file("AGENTS.md", true)]).expect("laid");
        assert_eq!(fs::read_to_string(home.inside().join(".netrc")).expect("there"), "key_K7");
        assert_eq!(fs::read_to_string(home.work().join("AGENTS.md")).expect("there"), "Be kind.");
        let before = home.tree();
        let became = |before: &WorkTree| match before.became(&home.tree()) {
            Event::Workspace { before, after, changed } => (before == after, changed),
            other => panic!("{other:?}"),
        };
        assert_eq!(became(&before), (true, Vec::new()));
        fs::remove_file(home.work().join("notes/keys.txt")).expect("removed");
        fs::write(home.work().join("new"), "x").expect("written");
        fs::write(home.work().join("AGENTS.md"), "Be rude.").expect("written");
        fs::write(home.inside().join("beside"), "x").expect("written");
        assert_eq!(became(&before).1, ["AGENTS.md", "new", "notes/keys.txt"]);
        let path = home.0.clone();
        drop(home);
        assert!(!path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn no_link_is_followed_and_no_name_is_lost() {
        let home = Home::new().expect("a home");
        let before = home.tree();
        std::os::unix::fs::symlink("/", home.work().join("root")).expect("linked");
        let after = home.tree();
        assert_eq!(after.0.len(), 1);
        (0..60).for_each(|number| fs::write(home.work().join(number.to_string()), "x").expect("written"));
        match before.became(&home.tree()) {
            Event::Workspace { changed, .. } => assert_eq!(changed.len(), MAX_CHANGED),
            other => panic!("{other:?}"),
        }
    }
}
