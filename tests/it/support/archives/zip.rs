//! Zip archives by hand, so that local headers, the directory and the end record can contradict one another.
//!
//! Source: PKWARE APPNOTE 6.3.10.

use super::deflate::crc32;

/// One member as written; [`Entry::stored`] and [`Entry::deflated`] tell the truth, and tests change what they need.
#[derive(Clone)]
pub(crate) struct Entry {
    /// The name in both headers.
    pub(crate) name: Vec<u8>,
    /// Another name for the local header.
    pub(crate) local_name: Option<Vec<u8>>,
    /// The compression method: 0 stored, 8 deflated.
    pub(crate) method: u16,
    /// The general purpose flags: 1 encrypted, 8 sizes after the data, 0x800 UTF-8.
    pub(crate) flags: u16,
    /// The unix mode.
    pub(crate) mode: u32,
    /// The checksum that both headers state.
    pub(crate) crc: u32,
    /// The expanded size that both headers state.
    pub(crate) size: u32,
    /// The data as it stands in the archive.
    pub(crate) data: Vec<u8>,
    /// The index of an earlier member whose header and data this one shares.
    pub(crate) shares: Option<usize>,
}

impl Entry {
    /// A file that holds `content` as it is.
    pub(crate) fn stored(name: &str, content: &[u8]) -> Self {
        let size = u32::try_from(content.len()).expect("test files are small");
        Self {
            name: name.as_bytes().to_vec(),
            local_name: None,
            method: 0,
            flags: 0x800,
            mode: 0o100_644,
            crc: crc32(content),
            size,
            data: content.to_vec(),
            shares: None,
        }
    }

    /// A file of which `data` is the deflated form of `content`.
    pub(crate) fn deflated(name: &str, content: &[u8], data: Vec<u8>) -> Self {
        Self { method: 8, data, ..Self::stored(name, content) }
    }
}

/// A zip archive that grows member by member.
#[derive(Clone, Default)]
pub(crate) struct Zip {
    entries: Vec<Entry>,
    unlisted: Vec<Entry>,
}

impl Zip {
    /// An archive without members.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a stored file; a name that ends in `/` is a directory.
    pub(crate) fn file(self, path: &str, content: &[u8]) -> Self {
        self.entry(Entry::stored(path, content))
    }

    /// Adds a symbolic link.
    pub(crate) fn symlink(self, path: &str, target: &str) -> Self {
        self.entry(Entry { mode: 0o120_777, ..Entry::stored(path, target.as_bytes()) })
    }

    /// Adds a member exactly as given.
    pub(crate) fn entry(mut self, entry: Entry) -> Self {
        self.entries.push(entry);
        self
    }

    /// Adds a member that the directory does not name.
    pub(crate) fn unlisted(mut self, entry: Entry) -> Self {
        self.unlisted.push(entry);
        self
    }

    /// The archive.
    pub(crate) fn finish(self) -> Vec<u8> {
        let (mut out, mut central, mut offsets) = (Vec::new(), Vec::new(), Vec::new());
        for entry in &self.entries {
            let shared = entry.shares.and_then(|index| offsets.get(index).copied());
            let offset = shared.unwrap_or_else(|| append_local(&mut out, entry));
            offsets.push(offset);
            central.extend(central_header(entry, offset));
        }
        for entry in &self.unlisted {
            append_local(&mut out, entry);
        }
        let start = length_of(&out);
        out.extend(&central);
        let count = u16::try_from(self.entries.len()).expect("test archives are small");
        out.extend(b"PK\x05\x06\0\0\0\0");
        out.extend(count.to_le_bytes());
        out.extend(count.to_le_bytes());
        out.extend(length_of(&central).to_le_bytes());
        out.extend(start.to_le_bytes());
        out.extend([0, 0]);
        out
    }
}

fn length_of(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).expect("test archives are small")
}

/// Appends a local header and the data; gives where it begins.
fn append_local(out: &mut Vec<u8>, entry: &Entry) -> u32 {
    let offset = length_of(out);
    let name = entry.local_name.as_ref().unwrap_or(&entry.name);
    out.extend(b"PK\x03\x04");
    out.extend(common_fields(entry, name));
    out.extend(name);
    out.extend(&entry.data);
    offset
}

fn central_header(entry: &Entry, offset: u32) -> Vec<u8> {
    // Made by version 2.0 on unix, which is what gives the mode a meaning.
    let mut header = b"PK\x01\x02\x14\x03".to_vec();
    header.extend(common_fields(entry, &entry.name));
    header.extend([0; 2 + 2 + 2]);
    header.extend((entry.mode << 16).to_le_bytes());
    header.extend(offset.to_le_bytes());
    header.extend(&entry.name);
    header
}

/// From the version needed to the length of the extra field, which both headers have in common.
fn common_fields(entry: &Entry, name: &[u8]) -> Vec<u8> {
    let mut fields = vec![20, 0];
    fields.extend(entry.flags.to_le_bytes());
    fields.extend(entry.method.to_le_bytes());
    // Midnight of the first day that the format knows.
    fields.extend([0, 0, 0x21, 0]);
    fields.extend(entry.crc.to_le_bytes());
    fields.extend(length_of(&entry.data).to_le_bytes());
    fields.extend(entry.size.to_le_bytes());
    fields.extend(u16::try_from(name.len()).expect("names are short").to_le_bytes());
    fields.extend([0, 0]);
    fields
}
