//! The comment of a gzipped tar file: a record in its first header, in which git writes the commit that an archive was
//! made of.
//!
//! Source: git-archive(1), "a global extended pax header with the commit id".

use std::io::Read as _;

use super::format::BLOCK_BYTES;
use super::gzip::GzipMembers;
use super::pax::Pax;

/// The most bytes of a first header that are read; git's has 52.
const MAX_BYTES: usize = 64 << 10;

/// The comment; none where the archive begins otherwise or does not begin at all. Faults of an archive are told by its
/// unpacker, not here.
pub(crate) fn of_tar_gz(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut stream = GzipMembers::new(bytes, 1);
    let mut block = [0; BLOCK_BYTES];
    stream.read_exact(&mut block).ok()?;
    let header = tar::Header::from_byte_slice(&block);
    if !header.entry_type().is_pax_global_extensions() {
        return None;
    }
    // A stranger wrote the number, and the buffer is as large.
    let size = usize::try_from(header.entry_size().ok()?).ok().filter(|size| *size <= MAX_BYTES)?;
    let mut content = vec![0; size];
    stream.read_exact(&mut content).ok()?;
    Pax::parse(&content).ok()?.comment
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unpack::archives::{Tar, gzip};

    #[test]
    fn the_comment_is_read_from_the_first_header_only() {
        let with = |tar: Tar| of_tar_gz(&gzip(&tar.file("a/b", b"c").finish()));
        assert_eq!(with(Tar::new().global_pax(&[("comment", "0123abc")])), Some(b"0123abc".to_vec()));
        assert_eq!(with(Tar::new()), None);
        assert_eq!(with(Tar::new().pax(&[("comment", "0123abc")])), None);
        assert_eq!(with(Tar::new().file("x", b"y").global_pax(&[("comment", "0123abc")])), None);
        assert_eq!(with(Tar::new().global_pax(&[("comment", "a"), ("comment", "b")])), None);
        for bytes in [&b""[..], b"\x1f\x8b", b"nonsense", &gzip(b"short")] {
            assert_eq!(of_tar_gz(bytes), None);
        }
    }
}
