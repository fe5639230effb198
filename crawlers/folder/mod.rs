//! The `folder` source and the reader of local input: a directory, an archive or a single file becomes files and gaps.
//!
//! It keeps the rules of the unpacker: same paths, same caps, links refused, nested archives opened. Files of git
//! itself in `.git` are no part of the input: they hold what is published in another form and what is not published.
//! Other files there are read: hooks, and files that git did not put there. The input is taken to stand still while it
//! is read.

mod list;
mod walk;

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

use crate::unpack::intake::{Intake, WHOLE};
use crate::unpack::{ArchiveFormat, UnpackLimits, Unpacked, read_at_most, strip_common_root, unpack};
use crate::{CrawlError, ListFuture, ListPage, ListRequest, NextPage, Source, SourceMeta, WalkKind};
use capdex_model::bundle::BundleFile;
use capdex_model::snapshot::{Gap, GapReason};
use capdex_model::source_role::{Ecosystem, FilledBy, SourceRole, Speaker};

/// The source of local folders and archives.
pub const SOURCE: &dyn Source = &FolderSource;

/// The files and gaps of one local path.
#[derive(Clone, Debug)]
pub struct FolderInput {
    /// The last component of the path, without the ending of an archive.
    pub name: String,
    /// The files by path: relative, `/` between components, `outer!/inner` inside an archive.
    pub files: BTreeMap<String, BundleFile>,
    /// Everything that was refused, capped or unreadable, sorted.
    pub gaps: Vec<Gap>,
}

impl FolderInput {
    /// An input of which nothing could be read, and why.
    pub fn unread(path: &Path, error: &CrawlError) -> Self {
        let gaps = vec![Gap::new(WHOLE, GapReason::Unreadable, error.to_string())];
        Self { name: name_of(path), files: BTreeMap::new(), gaps }
    }
}

/// Reads a directory, an archive or a single file. Blocks on the disk.
///
/// A directory gives its files, sorted. An archive, told by its first bytes or else by its name, gives its members
/// without the one top folder that they share. Any other file gives itself, and what is inside where it is a gzip
/// stream. `path` itself may be a link; nothing below it may. `Gone` when it does not exist, `Denied` when it cannot be
/// read at all; everything else that goes wrong is a gap.
pub fn read(path: &Path, limits: &UnpackLimits) -> Result<FolderInput, CrawlError> {
    // `metadata` follows a link, unlike the walk below: the operator named this path, strangers named the others.
    let metadata = std::fs::metadata(path).map_err(|error| failure(path, &error))?;
    let unpacked = if metadata.is_dir() {
        walk::read_directory(path, limits).map_err(|error| failure(path, &error))?
    } else if metadata.is_file() {
        read_file(path, limits).map_err(|error| failure(path, &error))?
    } else {
        return Err(denied(path, "neither a directory nor a file".to_owned()));
    };
    Ok(FolderInput { name: name_of(path), files: unpacked.files, gaps: unpacked.gaps })
}

fn read_file(path: &Path, limits: &UnpackLimits) -> io::Result<Unpacked> {
    // Capped while it is read, because a file may grow after its size was asked.
    let Some(bytes) = read_at_most(File::open(path)?, limits.compressed_bytes)? else {
        let detail = format!("more than {} bytes", limits.compressed_bytes);
        let gaps = vec![Gap::new(WHOLE, GapReason::CompressedTooLarge, detail)];
        return Ok(Unpacked { files: BTreeMap::new(), gaps });
    };
    let name = last_component(path);
    let promised = ArchiveFormat::of_filename(&name);
    let format = match (ArchiveFormat::sniff(&bytes), promised) {
        // A stream that does not begin with a tar header, though its name promises one, is a damaged tar.
        (Some(ArchiveFormat::Gzip), Some(ArchiveFormat::TarGz)) | (None, Some(ArchiveFormat::TarGz)) => {
            Some(ArchiveFormat::TarGz)
        }
        (Some(ArchiveFormat::Gzip), _) | (None, Some(ArchiveFormat::Gzip)) => None,
        (shown, promised) => shown.or(promised),
    };
    match format {
        Some(format) => Ok(strip_common_root(unpack(&bytes, format, limits))),
        None => Ok(single_file(&name, bytes, limits)),
    }
}

fn single_file(name: &str, bytes: Vec<u8>, limits: &UnpackLimits) -> Unpacked {
    let mut intake = Intake::new(*limits, 0);
    let mut inside = intake.outermost();
    if let Some(path) = inside.admit(name.as_bytes())
        && let Err(refusal) = walk::take(&path, bytes.as_slice(), bytes.len() as u64, &mut inside)
    {
        inside.refuse(refusal);
    }
    intake.open_nested();
    intake.finish()
}

/// The name of an input, from its path alone, so that it stays the same when the path is gone.
fn name_of(path: &Path) -> String {
    ArchiveFormat::strip_ending(&last_component(path)).to_owned()
}

/// The last component as text. Paths such as `.` and `..` have none until they are resolved.
fn last_component(path: &Path) -> String {
    let own = path.file_name().map(ToOwned::to_owned);
    let name = own.or_else(|| path.canonicalize().ok()?.file_name().map(ToOwned::to_owned));
    name.map_or_else(|| "folder".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn failure(path: &Path, error: &io::Error) -> CrawlError {
    match error.kind() {
        // A path through a file is as absent as one that does not exist.
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            CrawlError::Gone { subject: path.display().to_string() }
        }
        _ => denied(path, error.to_string()),
    }
}

fn denied(path: &Path, detail: String) -> CrawlError {
    CrawlError::Denied { subject: path.display().to_string(), detail }
}

struct FolderSource;

const META: SourceMeta = SourceMeta {
    id: "folder",
    title: "folders, archives and files on this machine",
    about: "Each entry is a path, or a pattern such as `*/*` that means folders and archives; relative ones lie below \
            the source's folder (`base_url`) where it has one. A listing is known by its path below that folder, or as \
            it is written, without the ending of an archive. An absolute path elsewhere is known by its last part, or by \
            the whole of it where several of the table end alike. Two paths that would still have one name are a gap. In \
            a table with a name of its own, listings are `<table>:<path>`. Local input is read afresh on every visit: \
            nothing is ever unchanged here, and nothing is claimed.",
    endpoints: "None: nothing is sent.",
    limits: "None.",
    stored: "The files.",
    terms: "The operator's own.",
    base_url: None,
    rate_limits: &[],
    keys: &[],
    walk: WalkKind::Names,
    role: SourceRole {
        speaker: Speaker::Artifact(Ecosystem::Folder),
        filled_by: FilledBy::Operator,
        ..SourceRole::UNKNOWN
    },
};

impl Source for FolderSource {
    fn meta(&self) -> &'static SourceMeta {
        &META
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a> {
        let (base, watchlist) = (request.settings.base_url.as_str(), &request.settings.watchlist);
        Box::pin(async move { Ok(ListPage { listed: list::list(request.id, base, watchlist), next: NextPage::END }) })
    }
}

#[cfg(test)]
mod tests;
