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
mod paths;
mod pax;
mod tar;
mod zip;

/// Builders of archives, shared with the program's own tests.
#[cfg(test)]
#[path = "../../tests/it/support/archives/mod.rs"]
pub(crate) mod archives;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use capdex_model::bundle::BundleFile;
use capdex_model::snapshot::{Gap, GapReason};

pub(crate) use capped::{Refusal, read_at_most};
pub use format::ArchiveFormat;
pub use gzip::{gunzip, gunzip_lines};
pub(crate) use gzip::{gunzip_member, gzip};
pub use limits::UnpackLimits;

use gzip::GzipMembers;
use intake::{Intake, IntakeScope};

/// The files of an archive, and what is missing from them. Nothing is missing from `files` without a gap that says so.
#[derive(Clone, Debug)]
pub struct Unpacked {
    /// The files by path: relative, `/` between components, `outer!/inner` inside a nested archive.
    pub files: BTreeMap<String, BundleFile>,
    /// Everything that was refused, capped or damaged, sorted. The subject is a member's path, or `.` for the archive
    /// as a whole.
    pub gaps: Vec<Gap>,
}

/// `name` without the ending that promises a container; as it is where there is none.
pub(crate) fn strip_ending(name: &str) -> &str {
    ArchiveFormat::strip_ending(name)
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
    // Taken off some paths only, it could make two of them equal.
    let root = unpacked.files.keys().next().and_then(|path| path.split_once('/')).map(|(root, _)| format!("{root}/"));
    let Some(root) = root.filter(|root| unpacked.files.keys().all(|path| path.starts_with(root.as_str()))) else {
        return unpacked;
    };
    let stripped = |text: String| text.strip_prefix(&root).map(str::to_owned).unwrap_or(text);
    let files = unpacked.files.into_iter().map(|(path, file)| (stripped(path), file)).collect();
    let gaps = unpacked.gaps.into_iter().map(|gap| Gap { subject: stripped(gap.subject), ..gap });
    let mut gaps: Vec<Gap> = gaps.collect();
    gaps.sort();
    Unpacked { files, gaps }
}
