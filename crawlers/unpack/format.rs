//! `ArchiveFormat`: which container some bytes are, by file name or by what they begin with.
//!
//! A decision reads no more than the first block of a container.

use std::io::Read;

use flate2::bufread::GzDecoder;

const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b, 0x08];
const ZIP_MAGICS: &[&[u8]] = &[b"PK\x03\x04", b"PK\x05\x06"];
const ZIP_END: &[u8] = b"PK\x05\x06";
/// The length of a zip's end record without a comment.
const ZIP_END_BYTES: usize = 22;
/// A tar header.
pub(super) const BLOCK_BYTES: usize = 512;

/// Endings that say "tar inside gzip".
const TAR_GZ_ENDINGS: &[&str] = &[".tar.gz", ".tgz", ".crate"];
/// Endings that say "zip": wheels and eggs, MCP bundles under both of their names, packed skills, editor extensions,
/// Java archives, office documents.
const ZIP_ENDINGS: &[&str] =
    &[".zip", ".whl", ".egg", ".mcpb", ".dxt", ".skill", ".vsix", ".xpi", ".nupkg", ".jar", ".docx", ".xlsx", ".pptx"];

/// A container that the unpacker reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveFormat {
    /// A tar inside gzip.
    TarGz,
    /// A bare tar.
    Tar,
    /// A gzip stream that holds one file.
    Gzip,
    /// A zip, under any of its many names.
    Zip,
}

impl ArchiveFormat {
    /// The format that a file name promises, whatever its case. `None` for names that promise no container, and for
    /// containers that are not read (bzip2, xz, 7z).
    pub fn of_filename(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
        if ends(TAR_GZ_ENDINGS) {
            Some(Self::TarGz)
        } else if ends(&[".tar"]) {
            Some(Self::Tar)
        } else if ends(&[".gz"]) {
            Some(Self::Gzip)
        } else if ends(ZIP_ENDINGS) {
            Some(Self::Zip)
        } else {
            None
        }
    }

    /// The format that the first bytes show. Expands at most one tar header. `None` when they show none; an empty tar,
    /// which is nothing but zeros, is among those.
    pub fn sniff(bytes: &[u8]) -> Option<Self> {
        if ZIP_MAGICS.iter().any(|magic| bytes.starts_with(magic)) {
            return Some(Self::Zip);
        }
        if bytes.starts_with(GZIP_MAGIC) {
            // One block is enough to tell, and no bomb is expanded for it.
            let mut block = Vec::new();
            let whole = GzDecoder::new(bytes).take(BLOCK_BYTES as u64).read_to_end(&mut block).is_ok();
            return Some(if whole && is_tar_header(&block) { Self::TarGz } else { Self::Gzip });
        }
        bytes.get(..BLOCK_BYTES).filter(|block| is_tar_header(block)).map(|_| Self::Tar)
    }

    /// The counterpart of [`ArchiveFormat::sniff`] that also finds a zip behind other bytes. Zip readers find one from its
    /// end: a script or picture that is an archive too.
    pub(crate) fn sniff_hidden(bytes: &[u8]) -> Option<Self> {
        Self::sniff(bytes).or_else(|| ends_as_zip(bytes).then_some(Self::Zip))
    }

    /// `name` without the ending that promises a container; as it is where there is none.
    pub(crate) fn strip_ending(name: &str) -> &str {
        let lower = name.to_ascii_lowercase();
        let endings = TAR_GZ_ENDINGS.iter().chain(ZIP_ENDINGS).chain(&[".tar", ".gz"]);
        endings
            .filter(|ending| lower.ends_with(*ending))
            .filter_map(|ending| name.get(..name.len() - ending.len()))
            .find(|stem| !stem.is_empty())
            .unwrap_or(name)
    }
}

/// Returns true if the bytes end with a zip's end record and its comment.
fn ends_as_zip(bytes: &[u8]) -> bool {
    let tail = bytes.get(bytes.len().saturating_sub(ZIP_END_BYTES + usize::from(u16::MAX))..).unwrap_or(&[]);
    let is_end = |at: usize| {
        let length = tail.get(at + 20..at + 22).and_then(|two| <[u8; 2]>::try_from(two).ok()).map(u16::from_le_bytes);
        length.is_some_and(|length| at + ZIP_END_BYTES + usize::from(length) == tail.len())
    };
    let starts = tail.windows(ZIP_END.len()).enumerate().rev().filter(|(_, window)| *window == ZIP_END);
    // A comment may hold the mark any number of times; eight tries bound the work.
    starts.take(8).any(|(at, _)| is_end(at))
}

/// True where bytes begin as a loose object of git: a zlib stream of `blob 12`, `tree`, `commit` or `tag`. Expands no more
/// than a few bytes.
pub(crate) fn is_git_object(head: &[u8]) -> bool {
    let mut start = Vec::new();
    // An error after the first bytes is the end of what was given here.
    drop(flate2::bufread::ZlibDecoder::new(head).take(7).read_to_end(&mut start));
    [&b"blob "[..], b"tree ", b"commit ", b"tag "].iter().any(|kind| start.starts_with(kind))
}

/// Returns true if the checksum of a tar header fits, which holds for every dialect.
fn is_tar_header(block: &[u8]) -> bool {
    let (Some(before), Some(stored), Some(after)) =
        (block.get(..148), block.get(148..156), block.get(156..BLOCK_BYTES))
    else {
        return false;
    };
    // Writers pad the number with spaces or zero bytes, on either side.
    let digits: Vec<u8> = stored.iter().copied().filter(|byte| !matches!(byte, b' ' | 0)).collect();
    let stored = std::str::from_utf8(&digits).ok().and_then(|digits| u32::from_str_radix(digits, 8).ok());
    let sum: u32 = before.iter().chain(after).map(|byte| u32::from(*byte)).sum();
    stored == Some(sum + 8 * u32::from(b' ')) && before.first() != Some(&0)
}

#[cfg(test)]
mod tests {
    use super::super::archives::{Tar, Zip, gzip};
    use super::*;

    #[test]
    fn names_promise_formats() {
        assert_eq!(ArchiveFormat::of_filename("a-1.0.TGZ"), Some(ArchiveFormat::TarGz));
        assert_eq!(ArchiveFormat::of_filename("a-1.0.tar.gz"), Some(ArchiveFormat::TarGz));
        assert_eq!(ArchiveFormat::of_filename("a.json.gz"), Some(ArchiveFormat::Gzip));
        assert_eq!(ArchiveFormat::of_filename("a.tar"), Some(ArchiveFormat::Tar));
        for name in ["a-1.0-py3-none-any.whl", "a.mcpb", "a.dxt", "a.docx", "a.Zip"] {
            assert_eq!(ArchiveFormat::of_filename(name), Some(ArchiveFormat::Zip), "{name}");
        }
        for name in ["a.tar.bz2", "SKILL.md", "zip", "a.targz"] {
            assert_eq!(ArchiveFormat::of_filename(name), None, "{name}");
        }
    }

    #[test]
    fn endings_are_stripped_once_and_never_to_nothing() {
        assert_eq!(ArchiveFormat::strip_ending("a-1.0.tar.gz"), "a-1.0");
        assert_eq!(ArchiveFormat::strip_ending("A.ZIP"), "A");
        assert_eq!(ArchiveFormat::strip_ending("SKILL.md"), "SKILL.md");
        assert_eq!(ArchiveFormat::strip_ending(".zip"), ".zip");
    }

    #[test]
    fn bytes_show_formats() {
        let tar = Tar::new().file("a", b"x").finish();
        assert_eq!(ArchiveFormat::sniff(&tar), Some(ArchiveFormat::Tar));
        assert_eq!(ArchiveFormat::sniff(&gzip(&tar)), Some(ArchiveFormat::TarGz));
        assert_eq!(ArchiveFormat::sniff(&gzip(b"text")), Some(ArchiveFormat::Gzip));
        assert_eq!(ArchiveFormat::sniff(&Zip::new().file("a", b"x").finish()), Some(ArchiveFormat::Zip));
        assert_eq!(ArchiveFormat::sniff(&Zip::new().finish()), Some(ArchiveFormat::Zip));
        for bytes in [&b""[..], b"text", &[0; 2048], b"\x1f\x8b"] {
            assert_eq!(ArchiveFormat::sniff(bytes), None);
        }
    }

    #[test]
    fn a_zip_behind_a_script_is_found() {
        let bytes = [&b"#!/bin/sh\n"[..], &Zip::new().file("a", b"x").finish()].concat();
        assert_eq!(ArchiveFormat::sniff(&bytes), None);
        assert_eq!(ArchiveFormat::sniff_hidden(&bytes), Some(ArchiveFormat::Zip));
        assert_eq!(ArchiveFormat::sniff_hidden(b"PK"), None);
        let mut commented = bytes.clone();
        let length = commented.len();
        commented.splice(length - 2.., [3, 0, b'a', b'b', b'c']);
        assert_eq!(ArchiveFormat::sniff_hidden(&commented), Some(ArchiveFormat::Zip));
        commented.push(b'd');
        assert_eq!(ArchiveFormat::sniff_hidden(&commented), None);
    }
}
