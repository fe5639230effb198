//! The survey of a directory: what lies in it, without reading it.
//!
//! The tree is untrusted input: it may hold links out of itself, devices, and more entries than fit in memory. Folders are
//! listed level by level, those with builds and dependencies last, so that no folder hides another.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use capdex_model::input::{Alias, LeftOut, LeftOutReason};
use capdex_model::snapshot::GapReason;

use super::beside::Beside;
use super::dependencies::{is_bulky, is_dependencies};
use super::git_data;
use super::options::FolderOptions;
use crate::unpack::LinkTarget;
use crate::unpack::intake::{IntakeScope, WHOLE};

/// The folder of git.
const GIT: &str = ".git";
/// Entries that are listed for each member that may be read: listing costs little, and what is left out is listed too.
const ENTRIES_PER_MEMBER: usize = 8;

/// A regular file that is to be read.
#[derive(Clone, Debug)]
pub(super) struct FoundFile {
    pub(super) path: PathBuf,
    /// Its admitted path inside the input.
    pub(super) name: String,
    pub(super) size: u64,
    /// True in a folder that is read after all others.
    pub(super) is_bulky: bool,
}

/// A folder of which something is left out.
#[derive(Clone, Debug)]
pub(super) struct LeftOutFolder {
    pub(super) path: PathBuf,
    pub(super) name: String,
}

/// What lies in a directory.
#[derive(Default)]
pub(super) struct Survey {
    pub(super) files: Vec<FoundFile>,
    /// Links that lead to a place beside the named folder and are read there.
    pub(super) aliases: Vec<Alias>,
    pub(super) left_out: Vec<LeftOut>,
    /// Folders of dependencies and of git, of which files are read that the input names.
    pub(super) unread: Vec<LeftOutFolder>,
}

/// A folder that is to be listed. The order of the fields is the order of listing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct OpenFolder {
    is_bulky: bool,
    depth: usize,
    name: String,
    /// The path below a `.git`, where it lies in one.
    in_git: Option<String>,
}

/// Lists everything below `root`.
///
/// # Errors
/// Only where `root` itself cannot be listed.
pub(super) fn survey(root: &Path, options: &FolderOptions, inside: &mut IntakeScope<'_>) -> io::Result<Survey> {
    let canonical = root.canonicalize()?;
    let mut surveyor = Surveyor {
        beside: Beside::of(&canonical),
        places: BTreeMap::from([(canonical.clone(), String::new())]),
        options,
        left: options.limits.members.saturating_mul(ENTRIES_PER_MEMBER),
        open: BTreeMap::new(),
        links: Vec::new(),
        survey: Survey::default(),
    };
    let first = OpenFolder { is_bulky: false, depth: 0, name: String::new(), in_git: None };
    let entries = surveyor.entries(root)?;
    surveyor.take(&first, entries, inside);
    while let Some((folder, path)) = surveyor.open.pop_first() {
        match surveyor.entries(&path) {
            Ok(entries) => surveyor.take(&folder, entries, inside),
            Err(error) => inside.member_gap(folder.name.as_bytes(), GapReason::Unreadable, error.to_string()),
        }
    }
    surveyor.settle_links(inside);
    Ok(surveyor.survey)
}

/// A link to a place in the input.
struct InnerLink {
    raw: Vec<u8>,
    /// The place, without links.
    path: PathBuf,
    /// Its path in the input.
    target: String,
    detail: String,
}

struct Surveyor<'o> {
    options: &'o FolderOptions,
    beside: Option<Beside>,
    /// The folders outside that links led to, and the root, each with its name in the input. None has a link in its path.
    places: BTreeMap<PathBuf, String>,
    /// Entries that may still be listed.
    left: usize,
    open: BTreeMap<OpenFolder, PathBuf>,
    /// Links that are settled when it is known what is left out.
    links: Vec<InnerLink>,
    survey: Survey,
}

impl Surveyor<'_> {
    /// The entries of a directory, sorted; none where there are more than may still be listed. The system lists in any
    /// order, so a part of them would be another part on another machine.
    fn entries(&self, directory: &Path) -> io::Result<Option<Vec<fs::DirEntry>>> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(directory)? {
            // Checked before the entry is kept, so that a directory of millions of entries costs no memory.
            if entries.len() == self.left {
                return Ok(None);
            }
            entries.push(entry?);
        }
        entries.sort_by_key(fs::DirEntry::file_name);
        Ok(Some(entries))
    }

    fn take(&mut self, folder: &OpenFolder, entries: Option<Vec<fs::DirEntry>>, inside: &mut IntakeScope<'_>) {
        let Some(entries) = entries else {
            let subject = if folder.name.is_empty() { WHOLE } else { &folder.name };
            let most = self.options.limits.members.saturating_mul(ENTRIES_PER_MEMBER);
            let detail = format!("more than {most} entries");
            return inside.member_gap(subject.as_bytes(), GapReason::TooManyMembers, detail);
        };
        self.left = self.left.saturating_sub(entries.len());
        for entry in entries {
            let own = entry.file_name();
            let raw = if folder.name.is_empty() {
                own.as_encoded_bytes().to_vec()
            } else {
                [folder.name.as_bytes(), b"/", own.as_encoded_bytes()].concat()
            };
            if let Err(error) = self.visit(folder, &entry.path(), &raw, inside) {
                inside.member_gap(&raw, GapReason::Unreadable, error.to_string());
            }
        }
    }

    fn visit(&mut self, folder: &OpenFolder, path: &Path, raw: &[u8], inside: &mut IntakeScope<'_>) -> io::Result<()> {
        // Not `metadata`: a link out of the tree would put files of this machine into the input.
        let metadata = fs::symlink_metadata(path)?;
        let kind = metadata.file_type();
        if !kind.is_symlink() && !kind.is_dir() && !kind.is_file() {
            // git's watcher listens there. Opening a FIFO would wait for a writer that never comes.
            if folder.in_git.is_none() {
                inside.member_gap(raw, GapReason::SpecialRefused, "a device, FIFO or socket");
            }
            return Ok(());
        }
        if kind.is_symlink() {
            return self.visit_link(folder, path, raw, inside);
        }
        let Some(name) = inside.admit(raw) else { return Ok(()) };
        if self.options.exclude.iter().any(|pattern| pattern.fits(&name)) {
            self.survey.left_out.push(LeftOut { path: name, reason: LeftOutReason::Excluded });
        } else if kind.is_dir() {
            self.visit_folder(folder, path, name);
        } else {
            self.visit_file(folder, path, name, metadata.len())?;
        }
        Ok(())
    }

    fn visit_folder(&mut self, folder: &OpenFolder, path: &Path, name: String) {
        let own = name.rsplit('/').next().unwrap_or(&name);
        if self.options.default_excludes && folder.in_git.is_none() && is_dependencies(own, path) {
            self.survey.unread.push(LeftOutFolder { path: path.to_path_buf(), name: name.clone() });
            self.survey.left_out.push(LeftOut { path: name, reason: LeftOutReason::Dependencies });
            return;
        }
        let in_git = match &folder.in_git {
            Some(above) => Some(format!("{above}{own}/")),
            None if own == GIT => {
                self.survey.unread.push(LeftOutFolder { path: path.to_path_buf(), name: name.clone() });
                Some(String::new())
            }
            None => None,
        };
        let is_bulky = folder.is_bulky || in_git.is_some() || is_bulky(own, path);
        self.open.insert(OpenFolder { is_bulky, depth: folder.depth + 1, name, in_git }, path.to_path_buf());
    }

    fn visit_file(&mut self, folder: &OpenFolder, path: &Path, name: String, size: u64) -> io::Result<()> {
        let own = name.rsplit('/').next().unwrap_or(&name);
        let is_gits = match &folder.in_git {
            Some(above) => git_data::is_gits(&format!("{above}{own}"), path, size)?,
            None => own == GIT && git_data::is_pointer(path)?,
        };
        if !is_gits {
            // In `.git` few files are not git's, and those are worth more than builds.
            let is_bulky = folder.is_bulky && folder.in_git.is_none();
            self.survey.files.push(FoundFile { path: path.to_path_buf(), name, size, is_bulky });
        }
        Ok(())
    }

    /// Takes a link: to a place in the input as an alias, to a place beside a folder that the operator named as what is
    /// there, and to anywhere else as a gap.
    fn visit_link(
        &mut self,
        folder: &OpenFolder,
        path: &Path,
        raw: &[u8],
        inside: &mut IntakeScope<'_>,
    ) -> io::Result<()> {
        let written = fs::read_link(path)?.display().to_string();
        let detail = format!("a symbolic link to {written}");
        // No target, or a circle: the link leads nowhere.
        let Ok(target) = path.canonicalize() else {
            inside.member_gap(raw, GapReason::LinkRefused, detail);
            return Ok(());
        };
        if let Some(name) = self.name_of(&target) {
            self.links.push(InnerLink { raw: raw.to_vec(), path: target, target: name, detail });
            return Ok(());
        }
        let metadata = fs::metadata(&target)?;
        let is_followed = self.beside.as_ref().is_some_and(|beside| beside.allows(&target));
        if !is_followed || (!metadata.is_dir() && !metadata.is_file()) {
            inside.member_gap(raw, GapReason::LinkRefused, detail);
            return Ok(());
        }
        let Some(name) = inside.admit(raw) else { return Ok(()) };
        if self.options.exclude.iter().any(|pattern| pattern.fits(&name)) {
            self.survey.left_out.push(LeftOut { path: name, reason: LeftOutReason::Excluded });
            return Ok(());
        }
        self.survey.aliases.push(Alias { path: name.clone(), target: written });
        if metadata.is_dir() {
            // Noted first, so that a second link to it is an alias of this one and no circle is walked.
            self.places.insert(target.clone(), name.clone());
            self.visit_folder(folder, &target, name);
        } else {
            self.visit_file(folder, &target, name, metadata.len())?;
        }
        Ok(())
    }

    /// Takes the links to places in the input. One into dependencies that are left out names the file that it leads to, and
    /// is left out with what is excluded.
    fn settle_links(&mut self, inside: &mut IntakeScope<'_>) {
        let left_out: BTreeMap<String, LeftOutReason> =
            self.survey.left_out.iter().map(|one| (one.path.clone(), one.reason)).collect();
        for link in std::mem::take(&mut self.links) {
            let folders = link.target.match_indices('/').filter_map(|(at, _)| link.target.get(..at));
            let reason = folders.chain([link.target.as_str()]).find_map(|path| left_out.get(path)).copied();
            let metadata = fs::metadata(&link.path).ok().filter(fs::Metadata::is_file);
            match (reason, metadata) {
                (Some(LeftOutReason::Dependencies), Some(metadata)) => {
                    let (path, name) = (link.path, link.target.clone());
                    self.survey.files.push(FoundFile { path, name, size: metadata.len(), is_bulky: false });
                    inside.link(&link.raw, LinkTarget::Inside(link.target), link.detail);
                }
                (Some(reason), _) => {
                    if let Some(path) = inside.admit(&link.raw) {
                        self.survey.left_out.push(LeftOut { path, reason });
                    }
                }
                (None, _) => inside.link(&link.raw, LinkTarget::Inside(link.target), link.detail),
            }
        }
        self.survey.files.sort_by(|one, other| one.name.cmp(&other.name));
        self.survey.files.dedup_by(|one, other| one.name == other.name && one.path == other.path);
    }

    /// The path in the input of a file or folder, which is given without links.
    fn name_of(&self, target: &Path) -> Option<String> {
        let (place, name) = target.ancestors().find_map(|above| self.places.get_key_value(above))?;
        let rest = target.strip_prefix(place).ok()?.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
        Some(match (name.as_str(), rest.as_str()) {
            ("", rest) => rest.to_owned(),
            (name, "") => name.to_owned(),
            (name, rest) => format!("{name}/{rest}"),
        })
    }
}
