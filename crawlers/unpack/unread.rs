//! Containers that are recognised and not opened, by their first bytes.
//!
//! A short mark alone is never enough: the fields behind it must make sense too, so that no honest file is taken for a
//! container. Sources: the formats' own documents; file(1) 5.45.

use std::io::Read as _;

/// Marks that no other format begins with.
const MAGICS: [(&[u8], &str); 19] = [
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"MSCF\0\0\0\0", "cab"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"\x02\x21\x4c\x18", "lz4"),
    (b"\x89LZO\0\r\n\x1a\n", "lzop"),
    (b"LZIP\x01", "lzip"),
    (b"\xff\x06\0\0sNaPpY", "snappy"),
    (b"LRZI\0", "lrzip"),
    (b"hsqs", "squashfs"),
    (b"sqsh", "squashfs"),
    (b"xar!\0\x1c", "xar"),
    (b"\xed\xab\xee\xdb", "rpm"),
    (b"!<arch>\ndebian-binary", "deb"),
    (b"MSWIM\0\0\0", "wim"),
    (b"age-encryption.org/v1\n", "age"),
    (b"-----BEGIN AGE ENCRYPTED FILE-----", "age"),
];
/// Where an ISO 9660 image says that it is one.
const ISO_MARK: usize = 0x8001;

/// Whether bytes begin as one kind of container.
type ContainerCheck = fn(&[u8]) -> bool;

/// The name of a container that is recognised but not read, so that it can be recorded.
pub(crate) fn unread_container(bytes: &[u8]) -> Option<&'static str> {
    if let Some((_, name)) = MAGICS.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Some(name);
    }
    let checks: [(ContainerCheck, &'static str); 7] = [
        (is_bzip2, "bzip2"),
        (is_compress, "compress (.Z)"),
        (is_lzma, "lzma"),
        (is_zlib, "zlib"),
        (is_cpio, "cpio"),
        (is_asar, "asar"),
        (is_iso, "ISO 9660"),
    ];
    checks.iter().find(|(check, _)| check(bytes)).map(|(_, name)| *name)
}

fn little(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// A level and the digits of pi.
fn is_bzip2(bytes: &[u8]) -> bool {
    matches!(bytes, [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..])
}

/// The mark, and flags of which only the width of a code and the block mode are in use.
fn is_compress(bytes: &[u8]) -> bool {
    matches!(bytes, [0x1f, 0x9d, flags, _, ..] if flags & 0x60 == 0 && (9..=16).contains(&(flags & 0x1f)))
}

/// Properties below 225, a dictionary of a usual size, and a length that is unknown or below a terabyte.
fn is_lzma(bytes: &[u8]) -> bool {
    let Some(dictionary) = little(bytes, 1) else { return false };
    let Some(length) = bytes.get(5..13).and_then(|eight| <[u8; 8]>::try_from(eight).ok()).map(u64::from_le_bytes)
    else {
        return false;
    };
    // Encoders use one set of properties alone unless told otherwise, and powers of two or one and a half of them.
    let is_usual = dictionary >= 1 << 12
        && (dictionary.is_power_of_two() || (dictionary / 3).is_power_of_two() && dictionary % 3 == 0);
    bytes.first() == Some(&0x5d)
        && is_usual
        && (length == u64::MAX || (length > 0 && length < 1 << 40))
        && bytes.get(13) == Some(&0)
}

/// A header whose check fits, and a beginning that expands.
fn is_zlib(bytes: &[u8]) -> bool {
    let [first @ 0x78, flags @ (0x01 | 0x5e | 0x9c | 0xda), ..] = bytes else { return false };
    let fits = (u32::from(*first) << 8 | u32::from(*flags)) % 31 == 0;
    let mut start = Vec::new();
    let read = flate2::bufread::ZlibDecoder::new(bytes).take(64).read_to_end(&mut start);
    fits && read.is_ok() && !start.is_empty()
}

/// The portable form: six octal digits, then numbers alone; or the old binary form with a name of a sensible length.
fn is_cpio(bytes: &[u8]) -> bool {
    let is_new = bytes.starts_with(b"070701") || bytes.starts_with(b"070702");
    let is_odc = bytes.starts_with(b"070707");
    let digits = |to: usize, radix: u32| {
        bytes.get(6..to).is_some_and(|head| head.iter().all(|byte| char::from(*byte).is_digit(radix)))
    };
    (is_new && digits(110, 16)) || (is_odc && digits(76, 8))
}

/// Two sizes around a JSON of files (Electron).
fn is_asar(bytes: &[u8]) -> bool {
    little(bytes, 0) == Some(4) && bytes.get(16..).is_some_and(|rest| rest.starts_with(b"{\"files\":"))
}

fn is_iso(bytes: &[u8]) -> bool {
    bytes.get(ISO_MARK..).is_some_and(|rest| rest.starts_with(b"CD001"))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn zlib(content: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(content).expect("memory takes it");
        encoder.finish().expect("memory takes it")
    }

    #[test]
    fn containers_that_are_not_read_are_named() {
        let iso = [vec![0; ISO_MARK], b"CD001\x01".to_vec()].concat();
        let cpio = [b"070701".to_vec(), vec![b'0'; 104], b"name\0".to_vec()].concat();
        let lzma = [&[0x5d, 0, 0, 0x80, 0][..], &[0xff; 8], &[0, 1, 2]].concat();
        let asar = [&[4, 0, 0, 0, 40, 0, 0, 0, 36, 0, 0, 0, 30, 0, 0, 0][..], b"{\"files\":{}}"].concat();
        for (bytes, name) in [
            (&b"BZh91AY&SYxx"[..], "bzip2"),
            (b"7z\xbc\xaf\x27\x1c\0", "7z"),
            (b"\x1f\x9d\x90abc", "compress (.Z)"),
            (b"hsqs\x01", "squashfs"),
            (b"\x04\x22\x4d\x18x", "lz4"),
            (b"age-encryption.org/v1\n-> X25519 x\n", "age"),
            (&lzma, "lzma"),
            (&zlib(b"some text that is hidden"), "zlib"),
            (&cpio, "cpio"),
            (&asar, "asar"),
            (&iso, "ISO 9660"),
        ] {
            assert_eq!(unread_container(bytes), Some(name));
        }
    }

    #[test]
    fn honest_files_are_no_containers() {
        for bytes in [
            &b""[..],
            b"BZh is a heading",
            b"x\x9c is how a line may begin",
            b"070701 is a number",
            b"]\0\0\0 a list that ends",
            b"\x1f\x9d",
            b"age-encryption.org is a site",
            b"!<arch>\nlibx.o/",
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
            b"wOF2\0\x01\0\0",
            b"\0asm\x01\0\0\0",
            b"SQLite format 3\0",
            b"%PDF-1.7\n",
            b"GIF89a",
            b"\xff\xd8\xff\xe0",
            b"RIFF\0\0\0\0WEBP",
        ] {
            assert_eq!(unread_container(bytes), None, "{bytes:?}");
        }
    }
}
