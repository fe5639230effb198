//! `Intake`: what one input has given so far, and `IntakeScope`, the view of it that the reader of one archive has.
//!
//! Archives and folders fill it alike, so that both keep the same rules.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::rc::Rc;
use std::sync::Arc;

use capdex_evidence::shape::{self, Shape};
use capdex_model::bundle::BundleFile;
use capdex_model::snapshot::{Gap, GapReason, capped_gaps};

use super::capped::{Capped, Refusal, UnpackBudget, read_at_most};
use super::format::ArchiveFormat;
use super::links::{self, Link, LinkTarget};
use super::unread::unread_container;
use super::{UnpackLimits, Unpacked, paths};

/// The subject of a gap that concerns an input as a whole. No member can have this path.
pub(crate) const WHOLE: &str = ".";

/// The name of what follows the end of a picture.
const TRAILING: &str = "trailing";

/// The bytes after the end of a picture; none where it is no picture, or only padding follows.
fn trailing(bytes: &[u8]) -> Option<&[u8]> {
    let Shape::Picture { ends: Some(end), .. } = shape::of(bytes, false) else { return None };
    let tail = bytes.get(end..)?;
    // Programs pad pictures, which hides nothing.
    let is_padding = |byte: &u8| matches!(byte, 0 | 0xFF) || byte.is_ascii_whitespace();
    (!tail.iter().all(is_padding)).then_some(tail)
}

/// Collects the files and gaps of one input under one budget.
pub(crate) struct Intake {
    limits: UnpackLimits,
    budget: Rc<UnpackBudget>,
    files: BTreeMap<String, BundleFile>,
    links: Vec<Link>,
    gaps: Vec<Gap>,
    /// The files that were looked at for what is inside them.
    opened: BTreeSet<String>,
    /// The earlier files of each path that stands several times.
    copies: BTreeMap<String, usize>,
    /// True where names of the outermost level stand on this machine's disk.
    is_on_disk: bool,
}

impl Intake {
    /// Starts on an input of so many compressed bytes.
    pub(crate) fn new(limits: UnpackLimits, compressed_bytes: u64) -> Self {
        let budget = Rc::new(UnpackBudget::new(limits, compressed_bytes));
        Self {
            limits,
            budget,
            files: BTreeMap::new(),
            links: Vec::new(),
            gaps: Vec::new(),
            opened: BTreeSet::new(),
            copies: BTreeMap::new(),
            is_on_disk: false,
        }
    }

    /// Starts on a folder or file of this machine. It has no compressed size yet: each file adds its own.
    pub(crate) fn of_disk(limits: UnpackLimits) -> Self {
        Self { is_on_disk: true, ..Self::new(limits, 0) }
    }

    /// The view of the outermost level.
    pub(crate) fn outermost(&mut self) -> IntakeScope<'_> {
        IntakeScope { intake: self, outer: String::new() }
    }

    /// The files so far, by path.
    pub(crate) fn files(&self) -> &BTreeMap<String, BundleFile> {
        &self.files
    }

    /// Opens every archive among the files that was not opened before, level by level in the order of paths, so that a
    /// bomb inside cannot starve what lies beside it.
    pub(crate) fn open_nested(&mut self) {
        let mut level: Vec<String> = self.files.keys().cloned().collect();
        for depth in 0.. {
            level.retain(|path| self.opened.insert(path.clone()));
            let trailing = self.cut_pictures(&level);
            self.opened.extend(trailing.iter().cloned());
            level.extend(trailing);
            let archives = self.archives_among(&level);
            if archives.is_empty() {
                return;
            }
            if depth >= self.limits.depth {
                for (path, ..) in archives {
                    let detail = format!("more than {} archives inside one another", self.limits.depth);
                    self.gaps.push(Gap::new(path, GapReason::TooDeep, detail));
                }
                return;
            }
            level.clear();
            for (path, bytes, format) in archives {
                let outer = format!("{path}!/");
                super::read_into(&bytes, format, &mut IntakeScope { intake: self, outer: outer.clone() });
                let inner = self.files.range(outer.clone()..).map(|(path, _)| path);
                level.extend(inner.take_while(|path| path.starts_with(&outer)).cloned());
            }
        }
    }

    /// Makes a file of what follows the end of each picture, and gives their paths: no viewer shows it, and any program
    /// can read it. Padding is left where it is.
    fn cut_pictures(&mut self, paths: &[String]) -> Vec<String> {
        let mut cut = Vec::new();
        for path in paths {
            let Some(bytes) = self.files.get(path).map(|file| Arc::clone(&file.bytes)) else { continue };
            let Some(tail) = trailing(&bytes) else { continue };
            let mut inside = IntakeScope { intake: self, outer: format!("{path}!/") };
            let counted = inside.budget().count_member();
            let limits = inside.limits();
            match counted.and_then(|()| {
                read_at_most(inside.capped(tail), limits.file_bytes).map_err(|error| Refusal::of(&error, false))
            }) {
                Ok(tail) => {
                    if let Some(own) = inside.admit(TRAILING.as_bytes()) {
                        inside.keep(own.clone(), tail.unwrap_or_default());
                        cut.push(own);
                    }
                }
                Err(refusal) => inside.refuse(refusal),
            }
        }
        cut
    }

    fn archives_among(&mut self, paths: &[String]) -> Vec<(String, Arc<[u8]>, ArchiveFormat)> {
        let mut archives = Vec::new();
        for path in paths {
            let Some(file) = self.files.get(path) else { continue };
            if self.files.contains_key(&format!("{path}!/{TRAILING}")) {
                // What follows the picture is a file of its own.
                continue;
            }
            if let Some(format) = ArchiveFormat::sniff_hidden(&file.bytes) {
                archives.push((path.clone(), Arc::clone(&file.bytes), format));
            } else if let Some(name) = unread_container(&file.bytes) {
                // Bytes that cannot be opened cannot be judged, and that must show.
                self.gaps.push(Gap::new(path.clone(), GapReason::Unsupported, format!("a {name} archive")));
            }
        }
        archives
    }

    /// Closes the account: resolves links, records paths that fold into one, and an input without anything; gaps sorted,
    /// each once.
    pub(crate) fn finish(mut self) -> Unpacked {
        let resolved = links::resolve(&self.links, &self.files, &self.limits, &self.budget);
        self.gaps.extend(resolved.gaps);
        for (path, file) in resolved.files {
            // A file of its own goes before a link of the same name, which is recorded.
            self.files.entry(path).or_insert(file);
        }
        let mut folded: BTreeMap<String, Vec<&String>> = BTreeMap::new();
        for path in self.files.keys() {
            folded.entry(paths::fold(path)).or_default().push(path);
        }
        for path in folded.into_values().filter(|group| group.len() > 1).flatten() {
            let detail = "another path differs from it only by case or Unicode form";
            self.gaps.push(Gap::new(path.clone(), GapReason::DuplicatePath, detail));
        }
        // Without files and without a reason, an input would look clean.
        if self.files.is_empty() && self.gaps.is_empty() {
            self.gaps.push(Gap::new(WHOLE, GapReason::Empty, "no files"));
        }
        let mut aliases = resolved.aliases;
        aliases.sort();
        Unpacked { files: self.files, aliases, gaps: capped_gaps(self.gaps) }
    }
}

/// One archive or folder inside an [`Intake`]: its members' paths begin with `outer`.
pub(crate) struct IntakeScope<'i> {
    intake: &'i mut Intake,
    outer: String,
}

impl IntakeScope<'_> {
    pub(crate) fn limits(&self) -> UnpackLimits {
        self.intake.limits
    }

    pub(crate) fn budget(&self) -> &UnpackBudget {
        &self.intake.budget
    }

    /// True where this is not inside another archive.
    pub(crate) fn is_outermost(&self) -> bool {
        self.outer.is_empty()
    }

    /// The subject of gaps that concern the archive as a whole.
    pub(crate) fn subject(&self) -> &str {
        self.outer.strip_suffix("!/").unwrap_or(WHOLE)
    }

    /// A reader that counts against the shared budget.
    pub(crate) fn capped<R: Read>(&self, reader: R) -> Capped<R> {
        Capped::new(reader, Rc::clone(&self.intake.budget))
    }

    /// Records a gap of the archive as a whole.
    pub(crate) fn gap(&mut self, reason: GapReason, detail: impl Into<String>) {
        let subject = self.subject().to_owned();
        self.intake.gaps.push(Gap::new(subject, reason, detail));
    }

    /// Records why the archive could not be read to its end.
    pub(crate) fn refuse(&mut self, refusal: Refusal) {
        self.gap(refusal.reason, refusal.detail);
    }

    /// Records a gap of one member, by its name as written.
    pub(crate) fn member_gap(&mut self, name: &[u8], reason: GapReason, detail: impl Into<String>) {
        let subject = format!("{}{}", self.outer, paths::shown(name));
        self.intake.gaps.push(Gap::new(subject, reason, detail));
    }

    /// The path of a member; `None` when it is refused. A name that installers write in another way than it stands there
    /// gives the path that they make of it. Either is recorded.
    pub(crate) fn admit(&mut self, name: &[u8]) -> Option<String> {
        let admitted = if self.intake.is_on_disk && self.is_outermost() {
            paths::admit_on_disk(name, &self.intake.limits)
        } else {
            paths::admit(name, &self.outer, &self.intake.limits)
        };
        match admitted {
            Ok(admitted) => {
                if let Some(why) = admitted.note {
                    let detail = format!("{why}; read as {}", admitted.path);
                    self.member_gap(name, GapReason::PathRefused, detail);
                }
                Some(admitted.path)
            }
            Err(why) => {
                self.member_gap(name, GapReason::PathRefused, why);
                None
            }
        }
    }

    /// Takes a link, which is resolved at the end. `detail` are the words of its gap, where it leads nowhere in here.
    pub(crate) fn link(&mut self, name: &[u8], target: LinkTarget, detail: String) {
        if let Some(path) = self.admit(name) {
            self.intake.links.push(Link { outer: self.outer.clone(), path, target, detail });
        }
    }

    /// The counterpart of [`IntakeScope::admit`] for a directory, which gives nothing but may still be refused. The root
    /// itself passes.
    pub(crate) fn check_directory(&mut self, name: &[u8]) {
        let own = name.strip_suffix(b"/").unwrap_or(name);
        if !matches!(own, b"." | b"./.") {
            self.admit(own);
        }
    }

    /// Takes a file under an admitted path. The last file of a path counts, as it does for installers (npm, pip, tar and
    /// unzip write one over the other). Earlier ones with other bytes stay as `path!/earlier-1/name` and so on, and the
    /// path is recorded.
    pub(crate) fn keep(&mut self, path: String, bytes: Vec<u8>) {
        let file = BundleFile::new(bytes);
        let Some(earlier) = self.intake.files.insert(path.clone(), file) else { return };
        // The same bytes twice mean the same to every reader.
        if self.intake.files.get(&path).is_some_and(|last| last.digest == earlier.digest) {
            return;
        }
        let detail = "several members have this path; the last one counts, and the earlier ones were read too";
        let gap = Gap::new(path.clone(), GapReason::DuplicatePath, detail);
        let name = path.rsplit('/').next().unwrap_or(&path);
        let number = self.intake.copies.entry(path.clone()).or_default();
        *number += 1;
        let copy = format!("{path}!/earlier-{number}/{name}");
        match paths::fits(&copy, &self.intake.limits) {
            Ok(()) => drop(self.intake.files.insert(copy, earlier)),
            Err(why) => self.intake.gaps.push(Gap::new(copy, GapReason::PathRefused, why)),
        }
        self.intake.gaps.push(gap);
    }
}
