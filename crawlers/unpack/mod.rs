//! The one unpacker: archives become files in memory, within bounds, and what is refused becomes gaps.
//!
//! It must not know where the bytes came from or what the files mean. It never writes to disk and never follows a link.
//! Nested archives are opened too, as `outer!/inner` paths under the same budget; the outer file stays a file.

#![expect(clippy::disallowed_types, reason = "this is the one place for decoders")]

mod capped;
pub(crate) mod comment;
mod format;
mod gzip;
pub(crate) mod intake;
mod limits;
mod links;
mod paths;
mod pax;
mod tar;
mod unread;
mod zip;
mod zip_layout;

/// Builders of archives, shared with the program's own tests.
#[cfg(test)]
#[path = "../../tests/it/support/archives/mod.rs"]
pub(crate) mod archives;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use capdex_model::bundle::BundleFile;
use capdex_model::input::Alias;
use capdex_model::snapshot::{Gap, GapReason};

pub(crate) use capped::{Refusal, read_at_most};
pub use format::ArchiveFormat;
pub(crate) use format::is_git_object;
pub use gzip::{gunzip, gunzip_lines};
pub(crate) use gzip::{gunzip_member, gzip};
pub use limits::UnpackLimits;
pub(crate) use links::LinkTarget;

use gzip::GzipMembers;
use intake::{Intake, IntakeScope};

/// The files of an archive, and what is missing from them. Nothing is missing from `files` without a gap that says so.
#[derive(Clone, Debug)]
pub struct Unpacked {
    /// The files by path: relative, `/` between components, `outer!/inner` inside a nested archive.
    pub files: BTreeMap<String, BundleFile>,
    /// Links to what lies inside too and was read, sorted. A link to a file, and to a folder that holds no skill, gives
    /// files under its own name as well.
    pub aliases: Vec<Alias>,
    /// Everything that was refused, capped or damaged, sorted. The subject is a member's path, or `.` for the archive
    /// as a whole.
    pub gaps: Vec<Gap>,
}

/// Unpacks an archive that is taken to be in `format`.
///
/// It never fails: damaged or hostile input gives the files that could be read before, and gaps. A file in a
/// [`ArchiveFormat::Gzip`] stream has the name in the stream's header, or `content` where that is missing or refused.
pub fn unpack(bytes: &[u8], format: ArchiveFormat, limits: &UnpackLimits) -> Unpacked {
    let mut intake = Intake::new(*limits, bytes.len() as u64);
    if bytes.len() as u64 > limits.compressed_bytes {
        let detail = format!("{} bytes, more than {}", bytes.len(), limits.compressed_bytes);
        intake.outermost().gap(GapReason::CompressedTooLarge, detail);
    } else {
        read_into(bytes, format, &mut intake.outermost());
        intake.open_nested();
    }
    intake.finish()
}

/// Takes files that came by name, under the rules for members of archives: paths are admitted, counted and capped, and
/// archives among them are opened.
pub(crate) fn take_files(files: Vec<(String, Vec<u8>)>, limits: &UnpackLimits) -> Unpacked {
    let bytes = files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
    let mut intake = Intake::new(*limits, bytes);
    let mut inside = intake.outermost();
    for (name, bytes) in files {
        if let Err(refusal) = inside.budget().count_member() {
            inside.refuse(refusal);
            // The budget is spent for all files that follow too.
            break;
        }
        if bytes.len() as u64 > limits.file_bytes {
            inside.member_gap(name.as_bytes(), GapReason::FileTooLarge, tar::too_large(limits));
        } else if let Some(path) = inside.admit(name.as_bytes()) {
            inside.keep(path, bytes);
        }
    }
    intake.open_nested();
    intake.finish()
}

/// Reads one archive, without those inside it.
fn read_into(bytes: &[u8], format: ArchiveFormat, inside: &mut IntakeScope<'_>) {
    match format {
        ArchiveFormat::Tar => tar::read(bytes, tar::Ending::Required, inside),
        ArchiveFormat::TarGz => {
            // gzip has a checksum and a length of its own, which show where something is missing.
            let stream = GzipMembers::new(bytes, inside.limits().members);
            tar::read(stream, tar::Ending::Optional, inside);
        }
        ArchiveFormat::Gzip => read_gzip(bytes, inside),
        ArchiveFormat::Zip => zip::read(bytes, inside),
    }
}

/// Reads a gzip stream that holds one file.
fn read_gzip(bytes: &[u8], inside: &mut IntakeScope<'_>) {
    if let Err(refusal) = inside.budget().count_member() {
        return inside.refuse(refusal);
    }
    let limits = inside.limits();
    let stream = GzipMembers::new(bytes, limits.members);
    // Read first, because reading the content takes the stream.
    let name = gzip_name(&stream, inside);
    match read_at_most(inside.capped(stream), limits.file_bytes) {
        Ok(Some(content)) => {
            if let Some(path) = inside.admit(&name) {
                inside.keep(path, content);
            }
        }
        Ok(None) => inside.member_gap(&name, GapReason::FileTooLarge, tar::too_large(&limits)),
        Err(error) => inside.refuse(Refusal::of(&error, false)),
    }
}

/// The name of the file in a gzip stream: a nested archive's own without `.gz`, else what the header says, else
/// `content`.
fn gzip_name(stream: &GzipMembers<'_>, inside: &mut IntakeScope<'_>) -> Vec<u8> {
    let outer = if inside.is_outermost() { "" } else { inside.subject() };
    let base = outer.rsplit('/').next().unwrap_or(outer);
    let stem = ArchiveFormat::strip_ending(base);
    if stem != base {
        return stem.as_bytes().to_vec();
    }
    match stream.file_name() {
        // `admit` has recorded the refused name; the content is kept all the same.
        Some(name) if inside.admit(&name).is_some() => name,
        _ => b"content".to_vec(),
    }
}

/// Drops the one top folder that all files share (`package/` in npm tarballs, `name-1.0/` in source distributions), also
/// from the subjects of gaps. Without such a folder, everything stays as it is.
pub fn strip_common_root(unpacked: Unpacked) -> Unpacked {
    let given: BTreeSet<&str> = unpacked.aliases.iter().map(|alias| alias.path.as_str()).collect();
    let is_given = |path: &str| {
        let mut around = path.match_indices('/').filter_map(|(at, _)| path.get(..at)).chain([path]);
        around.any(|path| given.contains(path))
    };
    // Files that only a link names do not decide what the top folder is: a link beside it must not keep it.
    let mut own = unpacked.files.keys().filter(|path| !is_given(path));
    // Taken off some paths only, it could make two of them equal.
    let root = own.next().and_then(|path| path.split_once('/')).map(|(root, _)| format!("{root}/"));
    let Some(root) = root.filter(|root| own.all(|path| path.starts_with(root.as_str()))) else {
        return unpacked;
    };
    let stripped = |text: String| text.strip_prefix(&root).map(str::to_owned).unwrap_or(text);
    let Unpacked { files, aliases, mut gaps } = unpacked;
    let (inside, beside): (Vec<Alias>, Vec<Alias>) =
        aliases.into_iter().partition(|alias| alias.path.starts_with(&root));
    let told = |alias: Alias| {
        Gap::new(alias.path, GapReason::LinkRefused, format!("a link beside the top folder, to {}", alias.target))
    };
    gaps.extend(beside.into_iter().map(told));
    let files = files.into_iter().filter(|(path, _)| path.starts_with(&root));
    let files = files.map(|(path, file)| (stripped(path), file)).collect();
    let gaps = gaps.into_iter().map(|gap| Gap { subject: stripped(gap.subject), ..gap });
    let mut gaps: Vec<Gap> = gaps.collect();
    gaps.sort();
    let aliases = inside.into_iter().map(|alias| Alias { path: stripped(alias.path), target: stripped(alias.target) });
    let mut aliases: Vec<Alias> = aliases.collect();
    aliases.sort();
    Unpacked { files, aliases, gaps }
}
