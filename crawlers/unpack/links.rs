//! Links inside one input, resolved when all of it was read.
//!
//! A link is never followed on the way in. Where its target lies in the same input and was read, it is an alias: a name
//! for what is there. Everything else stays a gap.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use capdex_model::bundle::BundleFile;
use capdex_model::input::Alias;
use capdex_model::snapshot::{Gap, GapReason};

use super::capped::{Refusal, UnpackBudget};
use super::{UnpackLimits, paths};

/// Links on the way to one target. Systems stop at about as many (`ELOOP`).
const MAX_HOPS: usize = 40;
/// The longest target of a link. Systems stop there (`PATH_MAX`).
pub(super) const MAX_TARGET_BYTES: u64 = 4096;

/// The place that a link names.
#[derive(Clone, Debug)]
pub(crate) enum LinkTarget {
    /// As a symbolic link writes it: relative to the link's folder.
    Symbolic(Vec<u8>),
    /// As a hard link writes it: relative to the archive's root.
    Hard(Vec<u8>),
    /// A path inside the input, as the system resolved it.
    Inside(String),
}

/// A link under an admitted path.
#[derive(Clone, Debug)]
pub(super) struct Link {
    /// The archive around it, as its members' paths begin.
    pub(super) outer: String,
    /// Its path, which begins with `outer`.
    pub(super) path: String,
    pub(super) target: LinkTarget,
    /// The words of its gap.
    pub(super) detail: String,
}

/// The result of resolving the links of an input.
#[derive(Default)]
pub(super) struct ResolvedLinks {
    pub(super) aliases: Vec<Alias>,
    /// The files under the names that links give them.
    pub(super) files: BTreeMap<String, BundleFile>,
    pub(super) gaps: Vec<Gap>,
}

/// Resolves links over the files that were read.
///
/// A link to a file gives a file under its own name: a client that looks for `CLAUDE.md` finds it. A link to a folder
/// gives the files below it in the same way, but for skills, which are one content under any number of names.
pub(super) fn resolve(
    links: &[Link],
    files: &BTreeMap<String, BundleFile>,
    limits: &UnpackLimits,
    budget: &UnpackBudget,
) -> ResolvedLinks {
    let mut by_path: BTreeMap<&str, &Link> = BTreeMap::new();
    let mut resolved = ResolvedLinks::default();
    for link in links {
        // Two links of one name, or a link and a file: readers differ in which of them they keep.
        if by_path.insert(&link.path, link).is_some() || files.contains_key(&link.path) {
            resolved.gaps.push(Gap::new(
                &link.path,
                GapReason::DuplicatePath,
                "a link and another member have this path",
            ));
        }
    }
    let mut folders = Vec::new();
    // Files first, so that a linked folder holds them too.
    for link in by_path.values() {
        let refused = || Gap::new(&link.path, GapReason::LinkRefused, &link.detail);
        // A member that lies below a link would be written through it.
        let is_written_through = below(files, &link.path).next().is_some();
        let Some(target) = target_of(link, &by_path).filter(|_| !is_written_through) else {
            resolved.gaps.push(refused());
            continue;
        };
        if let Some(file) = files.get(&target) {
            if let Err(refusal) = resolved.give(&link.path, file, budget) {
                resolved.gaps.push(Gap::new(&link.path, refusal.reason, refusal.detail));
                continue;
            }
        } else if below(files, &target).next().is_some() && !lies_in(&link.path, &target) {
            folders.push((*link, target.clone()));
        } else {
            resolved.gaps.push(refused());
            continue;
        }
        resolved.aliases.push(Alias { path: link.path.clone(), target });
    }
    for (link, target) in folders {
        let inside: Vec<(String, BundleFile)> = below(files, &target)
            .chain(below(&resolved.files, &target))
            .filter(|(rest, _)| !rest.contains("!/"))
            .map(|(rest, file)| (rest.to_owned(), file.clone()))
            .collect();
        let skills: BTreeSet<&str> = inside.iter().filter_map(|(rest, _)| skill_folder(rest)).collect();
        for (rest, file) in &inside {
            let given = if folders_around(rest).any(|folder| skills.contains(folder)) {
                // Counted all the same: many links to many skills must not cost more than many files.
                budget.count_member()
            } else {
                resolved.give_below(link, rest, file, files, limits, budget)
            };
            if let Err(refusal) = given {
                resolved.gaps.push(Gap::new(&link.path, refusal.reason, refusal.detail));
                break;
            }
        }
    }
    resolved
}

impl ResolvedLinks {
    /// Adds a file under a link's name, at the cost of a file of its own.
    fn give(&mut self, path: &str, file: &BundleFile, budget: &UnpackBudget) -> Result<(), Refusal> {
        budget.take(file.bytes.len() as u64)?;
        self.files.insert(path.to_owned(), file.clone());
        Ok(())
    }

    /// Adds a file below a linked folder. A name that does not fit under the link's is recorded.
    fn give_below(
        &mut self,
        link: &Link,
        rest: &str,
        file: &BundleFile,
        files: &BTreeMap<String, BundleFile>,
        limits: &UnpackLimits,
        budget: &UnpackBudget,
    ) -> Result<(), Refusal> {
        let path = format!("{}/{rest}", link.path);
        if files.contains_key(&path) {
            return Ok(());
        }
        match paths::fits(&path, limits) {
            Ok(()) => self.give(&path, file, budget),
            Err(why) => {
                self.gaps.push(Gap::new(path, GapReason::PathRefused, why));
                Ok(())
            }
        }
    }
}

/// The files below a folder, by what follows the folder in their paths; all of them for an empty one.
fn below<'a>(
    files: &'a BTreeMap<String, BundleFile>,
    folder: &str,
) -> impl Iterator<Item = (&'a str, &'a BundleFile)> + use<'a> {
    let start = if folder.is_empty() || folder.ends_with('/') { folder.to_owned() } else { format!("{folder}/") };
    let length = start.len();
    files
        .range(start.clone()..)
        .take_while(move |(path, _)| path.starts_with(&start))
        .filter_map(move |(path, file)| Some((path.get(length..)?, file)))
}

/// True where a path is, or lies below, a folder. Everything lies in the folder without a name.
fn lies_in(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The folders around a file, the innermost first, and at last the one without a name.
fn folders_around(path: &str) -> impl Iterator<Item = &str> {
    path.rmatch_indices('/').filter_map(|(at, _)| path.get(..at)).chain([""])
}

/// The folder of a skill, by the path of its text.
fn skill_folder(path: &str) -> Option<&str> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    name.eq_ignore_ascii_case("skill.md").then_some(folder)
}

/// The path that a link leads to over any further links; none where it leaves the input or runs in a circle.
fn target_of(link: &Link, links: &BTreeMap<&str, &Link>) -> Option<String> {
    let own = link.path.get(link.outer.len()..)?;
    let mut at: Vec<String> = Vec::new();
    let mut left: VecDeque<String> = VecDeque::new();
    let folder = own.rsplit_once('/').map_or("", |(folder, _)| folder);
    step(
        &link.target,
        || folder.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect(),
        &mut at,
        &mut left,
    )?;
    let mut hops = 0;
    while let Some(part) = left.pop_front() {
        match part.as_str() {
            "" | "." => {}
            ".." => drop(at.pop()?),
            _ => {
                at.push(part);
                let path = format!("{}{}", link.outer, at.join("/"));
                if let Some(next) = links.get(path.as_str()) {
                    hops += 1;
                    if hops > MAX_HOPS || next.path == link.path {
                        return None;
                    }
                    at.pop();
                    let here = at.clone();
                    step(&next.target, || here, &mut at, &mut left)?;
                }
            }
        }
    }
    Some(format!("{}{}", link.outer, at.join("/")))
}

/// Goes one link further: `at` is where its target counts from, and `left` what is still to be walked.
fn step(
    target: &LinkTarget,
    folder: impl FnOnce() -> Vec<String>,
    at: &mut Vec<String>,
    left: &mut VecDeque<String>,
) -> Option<()> {
    let (from, text) = match target {
        LinkTarget::Symbolic(text) => (folder(), std::str::from_utf8(text).ok()?),
        LinkTarget::Hard(text) => (Vec::new(), std::str::from_utf8(text).ok()?),
        LinkTarget::Inside(text) => (Vec::new(), text.as_str()),
    };
    if text.starts_with('/') || text.is_empty() && !matches!(target, LinkTarget::Inside(_)) {
        return None;
    }
    *at = from;
    for part in text.split('/').rev() {
        left.push_front(part.to_owned());
    }
    Some(())
}
