//! Tar archives by hand, so that any header can be wrong in any way.
//!
//! Source: POSIX.1-2024 `pax` (ustar); GNU tar manual for long names.

use super::deflate::gzip;

/// One header and its content, as written; nothing is checked.
pub(crate) struct Member<'a> {
    /// The name field, cut at 100 bytes.
    pub(crate) name: &'a [u8],
    /// The type flag: `b'0'` file, `b'1'` hard link, `b'2'` symbolic link, `b'5'` directory, and so on.
    pub(crate) kind: u8,
    /// The size that the header states.
    pub(crate) size: u64,
    /// The target of a link.
    pub(crate) target: &'a [u8],
    /// What follows the header, padded to a whole block.
    pub(crate) content: &'a [u8],
}

impl<'a> Member<'a> {
    /// A file that tells the truth.
    pub(crate) fn file(name: &'a [u8], content: &'a [u8]) -> Self {
        Self { name, kind: b'0', size: content.len() as u64, target: b"", content }
    }

    /// A member without content.
    pub(crate) fn bare(name: &'a [u8], kind: u8) -> Self {
        Self { name, kind, size: 0, target: b"", content: b"" }
    }
}

/// A tar archive that grows member by member.
#[derive(Clone, Default)]
pub(crate) struct Tar {
    bytes: Vec<u8>,
}

impl Tar {
    /// An archive without members.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a file, with a PAX path where the name does not fit in the header.
    pub(crate) fn file(self, path: &str, content: &[u8]) -> Self {
        let tar = if path.len() > 100 { self.pax(&[("path", path)]) } else { self };
        tar.member(&Member::file(path.as_bytes(), content))
    }

    /// Adds a directory.
    pub(crate) fn directory(self, path: &str) -> Self {
        self.member(&Member::bare(path.as_bytes(), b'5'))
    }

    /// Adds a link: `b'1'` hard, `b'2'` symbolic.
    pub(crate) fn link(self, kind: u8, path: &str, target: &str) -> Self {
        self.member(&Member { target: target.as_bytes(), ..Member::bare(path.as_bytes(), kind) })
    }

    /// Adds PAX records for the next member.
    pub(crate) fn pax(self, records: &[(&str, &str)]) -> Self {
        self.extension(b'x', &pax_block(records))
    }

    /// Adds PAX records for all following members.
    pub(crate) fn global_pax(self, records: &[(&str, &str)]) -> Self {
        self.extension(b'g', &pax_block(records))
    }

    /// Adds a GNU long name for the next member.
    pub(crate) fn long_name(self, path: &str) -> Self {
        self.extension(b'L', &[path.as_bytes(), &[0]].concat())
    }

    /// Adds an extension header with any content.
    pub(crate) fn extension(self, kind: u8, content: &[u8]) -> Self {
        self.member(&Member { kind, ..Member::file(b"././@extension", content) })
    }

    /// Adds a member exactly as given.
    pub(crate) fn member(mut self, member: &Member<'_>) -> Self {
        self.bytes.extend(header(member));
        self.bytes.extend(member.content);
        self.bytes.resize(self.bytes.len().next_multiple_of(512), 0);
        self
    }

    /// Adds bytes that are no member.
    pub(crate) fn raw(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend(bytes);
        self
    }

    /// The archive with its end mark of two zero blocks.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.bytes.extend([0; 1024]);
        self.bytes
    }

    /// The archive without its end mark.
    pub(crate) fn unfinished(self) -> Vec<u8> {
        self.bytes
    }

    /// The finished archive inside gzip.
    pub(crate) fn gzipped(self) -> Vec<u8> {
        gzip(&self.finish())
    }
}

fn header(member: &Member<'_>) -> [u8; 512] {
    let mut block = [0; 512];
    put(&mut block, 0, 100, member.name);
    put(&mut block, 100, 8, b"0000644\0");
    put(&mut block, 108, 8, b"0000000\0");
    put(&mut block, 116, 8, b"0000000\0");
    if member.size < 0o100_000_000_000 {
        put(&mut block, 124, 12, format!("{:011o}\0", member.size).as_bytes());
    } else {
        // The binary form for what octal digits cannot hold.
        put(&mut block, 124, 1, &[0x80]);
        put(&mut block, 128, 8, &member.size.to_be_bytes());
    }
    put(&mut block, 136, 12, b"00000000000\0");
    put(&mut block, 148, 8, b"        ");
    put(&mut block, 156, 1, &[member.kind]);
    put(&mut block, 157, 100, member.target);
    put(&mut block, 257, 8, b"ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    put(&mut block, 148, 8, format!("{sum:06o}\0 ").as_bytes());
    block
}

fn put(block: &mut [u8; 512], at: usize, width: usize, value: &[u8]) {
    for (slot, byte) in block.iter_mut().skip(at).take(width).zip(value) {
        *slot = *byte;
    }
}

fn pax_block(records: &[(&str, &str)]) -> Vec<u8> {
    let mut block = String::new();
    for (key, value) in records {
        let rest = format!(" {key}={value}\n");
        // The length counts its own digits.
        let mut length = rest.len() + 1;
        while length != rest.len() + length.to_string().len() {
            length += 1;
        }
        block.push_str(&format!("{length}{rest}"));
    }
    block.into_bytes()
}
