//! The `folder` source and the reader of local input: a directory, an archive or a single file becomes files and gaps.
//!
//! It keeps the rules of the unpacker: same paths, same caps, nested archives opened, links that leave the input refused.
//! Data of git itself in `.git` is no part of the input, and installed dependencies are left out unless asked for; a file
//! among either that the input names is read. The input is taken to stand still while it is read.

mod beside;
mod dependencies;
mod git_config;
mod git_data;
mod list;
mod mentioned;
mod options;
mod order;
mod survey;
mod walk;

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

use crate::unpack::intake::{Intake, WHOLE};
use crate::unpack::{ArchiveFormat, UnpackLimits, Unpacked, read_at_most, strip_common_root, unpack};
use crate::{CrawlError, ListFuture, ListPage, ListRequest, NextPage, Source, SourceMeta, WalkKind};
use capdex_model::bundle::BundleFile;
use capdex_model::input::{Alias, LeftOut};
use capdex_model::snapshot::{Gap, GapReason};
use capdex_model::source_role::{Ecosystem, FilledBy, SourceRole, Speaker};

pub use options::{FolderOptions, PathPattern};

/// The source of local folders and archives.
pub const SOURCE: &dyn Source = &FolderSource;

/// The files and gaps of one local path.
#[derive(Clone, Debug)]
pub struct FolderInput {
    /// The last component of the path, without the ending of an archive.
    pub name: String,
    /// The files by path: relative, `/` between components, `outer!/inner` inside an archive.
    pub files: BTreeMap<String, BundleFile>,
    /// Links to what was read, sorted.
    pub aliases: Vec<Alias>,
    /// Folders and files that were left out on purpose, sorted.
    pub left_out: Vec<LeftOut>,
    /// Everything that was refused, capped or unreadable, sorted.
    pub gaps: Vec<Gap>,
    /// The path of the file that the input is; none for a folder and an archive.
    pub named: Option<String>,
}

impl FolderInput {
    /// The input that is one file or archive.
    fn of_file(path: &Path, unpacked: Unpacked) -> Self {
        let Unpacked { files, aliases, gaps } = unpacked;
        // A stream that was opened has its content beside it, and is no single file.
        let only = files.keys().next().filter(|_| files.len() == 1);
        let named = only.filter(|file| **file == last_component(path)).cloned();
        Self { name: name_of(path), files, aliases, left_out: Vec::new(), gaps, named }
    }

    /// An input of which nothing could be read, and why.
    pub fn unread(path: &Path, error: &CrawlError) -> Self {
        let gaps = vec![Gap::new(WHOLE, GapReason::Unreadable, error.to_string())];
        Self {
            name: name_of(path),
            files: BTreeMap::new(),
            aliases: Vec::new(),
            left_out: Vec::new(),
            gaps,
            named: None,
        }
    }
}

/// Reads a directory, an archive or a single file. Blocks on the disk.
///
/// A directory gives its files, sorted. An archive, told by its first bytes or else by its name, gives its members
/// without the one top folder that they share. Any other file gives itself, and what is inside where it is a gzip
/// stream. `path` itself may be a link. A link below it is followed to what lies in the input, and to what lies beside it
/// in the same project (see `beside`). `Gone` when it does not exist, `Denied` when it cannot be read at all; everything
/// else that goes wrong is a gap.
pub fn read(path: &Path, options: &FolderOptions) -> Result<FolderInput, CrawlError> {
    // `metadata` follows a link, unlike the walk below: the operator named this path, strangers named the others.
    let metadata = std::fs::metadata(path).map_err(|error| failure(path, &error))?;
    let (unpacked, left_out) = if metadata.is_dir() {
        walk::read_directory(path, options).map_err(|error| failure(path, &error))?
    } else if metadata.is_file() {
        let open = || read_bytes(&last_component(path), File::open(path)?, &options.limits);
        return Ok(FolderInput::of_file(path, open().map_err(|error| failure(path, &error))?));
    } else {
        return Err(denied(path, "neither a directory nor a file".to_owned()));
    };
    let Unpacked { files, aliases, gaps } = unpacked;
    Ok(FolderInput { name: name_of(path), files, aliases, left_out, gaps, named: None })
}

fn read_bytes(name: &str, stream: impl io::Read, limits: &UnpackLimits) -> io::Result<Unpacked> {
    // Capped while it is read, because a file may grow after its size was asked.
    let Some(bytes) = read_at_most(stream, limits.compressed_bytes)? else {
        let detail = format!("more than {} bytes", limits.compressed_bytes);
        let gaps = vec![Gap::new(WHOLE, GapReason::CompressedTooLarge, detail)];
        return Ok(Unpacked { files: BTreeMap::new(), aliases: Vec::new(), gaps });
    };
    let promised = ArchiveFormat::of_filename(name);
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
        None => Ok(single_file(name, bytes, limits)),
    }
}

fn single_file(name: &str, bytes: Vec<u8>, limits: &UnpackLimits) -> Unpacked {
    let mut intake = Intake::of_disk(*limits);
    let mut inside = intake.outermost();
    if let Some(path) = inside.admit(name.as_bytes())
        && let Err(refusal) = walk::take(&path, bytes.as_slice(), bytes.len() as u64, &mut inside)
    {
        inside.refuse(refusal);
    }
    intake.open_nested();
    intake.finish()
}

/// Reads one file or archive from a stream, as [`read`] reads it from the disk. Blocks on the stream.
///
/// `name` stands for the file's own. `Denied` when the stream cannot be read.
pub fn read_stream(name: &str, stream: impl io::Read, options: &FolderOptions) -> Result<FolderInput, CrawlError> {
    let path = Path::new(name);
    let mut unpacked = read_bytes(name, stream, &options.limits).map_err(|error| failure(path, &error))?;
    // The program at the other end of the pipe may have failed: nothing is not a file of which nothing bad can be said.
    if unpacked.gaps.is_empty() && unpacked.files.values().all(|file| file.bytes.is_empty()) {
        unpacked.files.clear();
        unpacked.gaps.push(Gap::new(WHOLE, GapReason::Empty, "nothing came in: pipe a file into it"));
    }
    Ok(FolderInput::of_file(path, unpacked))
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
        Box::pin(async move { Ok(ListPage { listed: list::list(request.id, request.settings), next: NextPage::END }) })
    }
}

#[cfg(test)]
mod tests;
