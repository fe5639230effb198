//! Where things lie in a zip: the headers of its directory, and bytes that belong to nothing.
//!
//! Nothing is expanded here. Source: PKWARE APPNOTE 6.3.10.

/// The mark of a header in the directory.
pub(super) const CENTRAL_HEADER: &[u8] = b"PK\x01\x02";
const END64: &[u8] = b"PK\x06\x06";
const LOCATOR64: &[u8] = b"PK\x06\x07";
const END: &[u8] = b"PK\x05\x06";
const DESCRIPTOR: &[u8] = b"PK\x07\x08";
/// The end of the block in which Android keeps its signature between members and directory.
const APK_SIGNATURE: &[u8] = b"APK Sig Block 42";
/// The flag that sizes and checksum follow the data.
const SIZES_AFTER_DATA: u64 = 8;
/// A number that stands in a 64-bit extension instead.
const ELSEWHERE: u64 = 0xffff_ffff;

/// A header of the directory.
pub(super) struct CentralHeader<'a> {
    pub(super) name: &'a [u8],
    /// Where the local header lies, without what stands before the archive.
    pub(super) offset: u64,
    flags: u64,
    compressed: u64,
}

/// A little-endian number of so many bytes; 0 where the bytes end before it.
fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    let digits = bytes.get(at..at.saturating_add(width)).unwrap_or_default();
    digits.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn length(bytes: &[u8], at: usize) -> usize {
    usize::try_from(number(bytes, at, 2)).unwrap_or(0)
}

/// The headers of the directory that begins at `start`, in its order.
pub(super) fn central_headers(bytes: &[u8], start: u64) -> Vec<CentralHeader<'_>> {
    directory(bytes, start).0
}

/// The headers, and what follows the last.
fn directory(bytes: &[u8], start: u64) -> (Vec<CentralHeader<'_>>, &[u8]) {
    let mut headers = Vec::new();
    let mut rest = usize::try_from(start).ok().and_then(|start| bytes.get(start..)).unwrap_or_default();
    while rest.starts_with(CENTRAL_HEADER) {
        let (name, others) = (length(rest, 28), length(rest, 30) + length(rest, 32));
        let Some(raw) = rest.get(46..46 + name) else { break };
        headers.push(CentralHeader {
            name: raw,
            offset: number(rest, 42, 4),
            flags: number(rest, 8, 2),
            compressed: number(rest, 20, 4),
        });
        rest = rest.get(46 + name + others..).unwrap_or_default();
    }
    (headers, rest)
}

/// The number of bytes that belong to no member: before the first, between two, and behind the end record. None where there
/// are none, only padding, or where sizes stand in 64-bit extensions. `offset` is what stands before the archive as a whole.
pub(super) fn bytes_outside(bytes: &[u8], start: u64, offset: u64) -> Option<usize> {
    let (mut headers, tail) = directory(bytes, start);
    headers.sort_by_key(|header| header.offset);
    let mut outside = behind_the_end(tail);
    let mut end = usize::try_from(offset).ok()?;
    for header in &headers {
        if header.compressed == ELSEWHERE || header.offset == ELSEWHERE {
            return None;
        }
        let begin = usize::try_from(offset.checked_add(header.offset)?).ok()?;
        outside = outside.saturating_add(content_of(bytes.get(end..begin.max(end))?));
        let local = bytes.get(begin..)?;
        let data = 30 + length(local, 26) + length(local, 28);
        end = begin.checked_add(data)?.checked_add(usize::try_from(header.compressed).ok()?)?;
        if header.flags & SIZES_AFTER_DATA != 0 {
            // With its mark or without.
            end = end.saturating_add(if bytes.get(end..)?.starts_with(DESCRIPTOR) { 16 } else { 12 });
        }
    }
    let start = usize::try_from(start).ok()?;
    let before_directory = bytes.get(end..start.max(end))?;
    if !before_directory.ends_with(APK_SIGNATURE) {
        outside = outside.saturating_add(content_of(before_directory));
    }
    (outside > 0).then_some(outside)
}

/// The number of bytes, but none for padding.
fn content_of(bytes: &[u8]) -> usize {
    if bytes.iter().all(|byte| *byte == 0) { 0 } else { bytes.len() }
}

/// The number of bytes behind the end record and its comment.
fn behind_the_end(mut rest: &[u8]) -> usize {
    if rest.starts_with(END64) {
        let record = usize::try_from(number(rest, 4, 8)).unwrap_or(usize::MAX).saturating_add(12);
        rest = rest.get(record..).unwrap_or_default();
    }
    if rest.starts_with(LOCATOR64) {
        rest = rest.get(20..).unwrap_or_default();
    }
    if !rest.starts_with(END) {
        // A signature of the directory or the like: other checks say whether it can be read.
        return 0;
    }
    content_of(rest.get(22 + length(rest, 20)..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::super::archives::Zip;
    use super::*;

    fn outside(bytes: &[u8]) -> Option<usize> {
        let start = bytes.windows(4).position(|window| window == CENTRAL_HEADER).expect("a directory");
        bytes_outside(bytes, start as u64, 0)
    }

    #[test]
    fn only_bytes_of_nobody_count() {
        let zip = Zip::new().file("a", b"A").file("b", b"B").finish();
        assert_eq!(outside(&zip), None);
        assert_eq!(outside(&[zip.as_slice(), &[0; 100]].concat()), None, "padding");
        assert_eq!(outside(&[zip.as_slice(), b"#!/bin/sh"].concat()), Some(9));
    }

    #[test]
    fn a_gap_between_members_is_seen() {
        // The second member is no longer named, so that its bytes belong to nobody.
        let zip = Zip::new().file("a", b"A").file("b", b"B").finish();
        let start = zip.windows(4).position(|window| window == CENTRAL_HEADER).expect("a directory");
        let first = zip[start..start + 47].to_vec();
        let end = zip.windows(4).position(|window| window == END).expect("an end");
        let cut = [&zip[..start], &first, &zip[end..]].concat();
        assert_eq!(outside(&cut), Some(32));
    }
}
