//! The reading of a directory: capabilities first, never through a link that leaves the input, and counted like an archive.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use capdex_model::input::LeftOut;
use capdex_model::snapshot::GapReason;

use super::mentioned::{self, MAX_MENTIONS};
use super::options::FolderOptions;
use super::order::{PlannedFile, Turn, plan};
use super::survey::{FoundFile, LeftOutFolder, survey};
use crate::unpack::intake::{Intake, IntakeScope, WHOLE};
use crate::unpack::{Refusal, Unpacked, read_at_most};

/// The rounds in which what was read may name more. Each step of a chain of scripts takes one.
const MAX_ROUNDS: usize = 8;

/// Reads everything below `root`. An error only when `root` itself cannot be listed.
pub(super) fn read_directory(root: &Path, options: &FolderOptions) -> io::Result<(Unpacked, Vec<LeftOut>)> {
    let mut intake = Intake::of_disk(options.limits);
    let found = survey(root, options, &mut intake.outermost())?;
    let mut starved = BTreeMap::new();
    let planned = plan(found.files, &options.limits);
    let first = planned.partition_point(|file| file.turn <= Turn::Capability);
    let (capabilities, rest) = planned.split_at_checked(first).unwrap_or((&planned, &[]));
    read_files(capabilities, &mut intake.outermost(), &mut starved);
    // Before the rest, which may use up the budget.
    intake.open_nested();
    read_mentioned(&found.unread, &mut intake, &mut starved);
    read_files(rest, &mut intake.outermost(), &mut starved);
    read_mentioned(&found.unread, &mut intake, &mut starved);
    tell(starved, &mut intake.outermost());
    intake.open_nested();
    let mut unpacked = intake.finish();
    unpacked.aliases.extend(found.aliases);
    unpacked.aliases.sort();
    let mut left_out = found.left_out;
    left_out.sort();
    Ok((unpacked, left_out))
}

/// Files that the budget had no room for, by the folder that is told: how many, and why.
type Starved = BTreeMap<String, (u64, Refusal)>;

fn read_files(files: &[PlannedFile], inside: &mut IntakeScope<'_>, starved: &mut Starved) {
    for PlannedFile { file, folder, .. } in files {
        if let Err(refusal) = read_file(file, inside) {
            // A file at the root is told by its own name: the root would mean everything.
            let subject = if folder.is_empty() { &file.name } else { folder };
            starved.entry(subject.clone()).or_insert((0, refusal)).0 += 1;
        }
    }
}

/// Reads one file. An error where the budget has no room for it; smaller ones may still fit.
fn read_file(file: &FoundFile, inside: &mut IntakeScope<'_>) -> Result<(), Refusal> {
    let limits = inside.limits();
    if inside.budget().members_left() == 0 {
        return Err(Refusal::too_many_members(limits.members));
    }
    if file.size <= limits.file_bytes && file.size > inside.budget().unspent() {
        let detail = format!("more than {} expanded bytes", limits.expanded_bytes);
        return Err(Refusal { reason: GapReason::ExpandedTooLarge, detail });
    }
    inside.budget().count_member()?;
    let read = File::open(&file.path).map_err(|error| Refusal::of(&error, false));
    match read.and_then(|opened| take(&file.name, opened, file.size, inside)) {
        Err(refusal) if refusal.is_cap() => Err(refusal),
        Err(refusal) => {
            inside.member_gap(file.name.as_bytes(), GapReason::Unreadable, refusal.detail);
            Ok(())
        }
        Ok(()) => Ok(()),
    }
}

/// Records what the budget had no room for.
fn tell(starved: Starved, inside: &mut IntakeScope<'_>) {
    for (folder, (files, Refusal { reason, detail })) in starved {
        let word = if files == 1 { "file was" } else { "files were" };
        inside.member_gap(folder.as_bytes(), reason, format!("{files} {word} left out: {detail}"));
    }
}

/// Reads the files in folders that are left out which what was read so far names.
fn read_mentioned(unread: &[LeftOutFolder], intake: &mut Intake, starved: &mut Starved) {
    let name = |folder: &LeftOutFolder| folder.name.rsplit('/').next().unwrap_or(&folder.name).to_owned();
    let names: BTreeSet<String> = unread.iter().map(name).collect();
    for _ in 0..MAX_ROUNDS {
        let mut new = Vec::new();
        for base in &names {
            let mentions = mentioned::mentions(intake.files().values(), base);
            if mentions.len() > MAX_MENTIONS {
                let detail = format!("more than {MAX_MENTIONS} paths in {base} are named");
                intake.outermost().member_gap(WHOLE.as_bytes(), GapReason::BudgetExhausted, detail);
                continue;
            }
            let folders = unread.iter().filter(|folder| name(folder) == *base);
            new.extend(folders.flat_map(|folder| mentions.iter().flat_map(|path| mentioned::files_at(folder, path))));
        }
        new.retain(|file| !intake.files().contains_key(&file.name));
        new.sort_by(|one, other| one.name.cmp(&other.name));
        new.dedup_by(|one, other| one.name == other.name);
        let mut inside = intake.outermost();
        let mut is_more = false;
        for file in &new {
            let Some(path) = inside.admit(file.name.as_bytes()) else { continue };
            let before = inside.budget().members_left();
            if let Err(refusal) = read_file(&FoundFile { name: path, ..file.clone() }, &mut inside) {
                starved.entry(file.name.clone()).or_insert((0, refusal)).0 += 1;
            }
            is_more |= inside.budget().members_left() < before;
        }
        if !is_more {
            return;
        }
    }
}

/// Takes a file under an admitted path. A file above the cap on one file is recorded here; the error says why the bytes
/// could not be had.
pub(super) fn take(path: &str, file: impl Read, size: u64, inside: &mut IntakeScope<'_>) -> Result<(), Refusal> {
    let limits = inside.limits();
    // What is read as it is counts on both sides of the ratio.
    inside.budget().add_compressed(size.min(limits.file_bytes));
    let content =
        if size > limits.file_bytes { Ok(None) } else { read_at_most(inside.capped(file), limits.file_bytes) };
    match content {
        Ok(Some(content)) => inside.keep(path.to_owned(), content),
        Ok(None) => {
            let detail = format!("{size} bytes, more than {} bytes", limits.file_bytes);
            inside.member_gap(path.as_bytes(), GapReason::FileTooLarge, detail);
        }
        Err(error) => return Err(Refusal::of(&error, false)),
    }
    Ok(())
}
