//! The form of every pack: records in one zstd frame, and a footer with their length and their digest.
//!
//! Two packs of the same records have the same digest, whatever the frame around them looks like. A pack that is damaged, cut or
//! made to be large is refused before it costs more than it may hold.

use std::io::{Read as _, Write as _};

use capdex_model::digest::{Digest, Hashing};

/// The first bytes of a pack.
const MAGIC: &[u8; 8] = b"capdex\x01\n";
/// The footer: eight bytes of length, 32 of digest.
const FOOTER: usize = 40;
/// Packs are written once and read once or twice: speed counts.
const LEVEL: i32 = 1;
/// Room that is made at once; more is made as bytes come.
const FIRST_ROOM: usize = 1 << 20;

/// Why a pack is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the pack is refused: {0}")]
pub struct PackError(pub String);

fn refused<T>(why: impl Into<String>) -> Result<T, PackError> {
    Err(PackError(why.into()))
}

/// A pack that is being made.
pub struct Packer {
    frame: zstd::stream::write::Encoder<'static, Vec<u8>>,
    hashing: Hashing,
    bytes: u64,
}

impl Packer {
    /// An empty one.
    ///
    /// # Errors
    /// A compressor that cannot be made.
    pub fn new() -> Result<Self, PackError> {
        let frame = zstd::stream::write::Encoder::new(MAGIC.to_vec(), LEVEL).map_err(told)?;
        Ok(Self { frame, hashing: Hashing::default(), bytes: 0 })
    }

    /// Adds a record.
    ///
    /// # Errors
    /// A record of more than 4 GiB.
    pub fn add(&mut self, record: &[u8]) -> Result<(), PackError> {
        let Ok(length) = u32::try_from(record.len()) else { return refused("a record of more than 4 GiB") };
        for part in [&length.to_le_bytes(), record] {
            self.hashing.add(part);
            self.frame.write_all(part).map_err(told)?;
            self.bytes += part.len() as u64;
        }
        Ok(())
    }

    /// The pack, with its digest.
    ///
    /// # Errors
    /// A compressor that failed.
    pub fn finish(self) -> Result<(Vec<u8>, Digest), PackError> {
        let mut pack = self.frame.finish().map_err(told)?;
        let digest = self.hashing.digest();
        pack.extend_from_slice(&self.bytes.to_le_bytes());
        pack.extend_from_slice(digest.as_bytes());
        Ok((pack, digest))
    }
}

fn told(error: std::io::Error) -> PackError {
    PackError(error.to_string())
}

/// The records of a pack that was read and is whole.
#[derive(Debug)]
pub struct Unpacked {
    content: Vec<u8>,
    digest: Digest,
}

impl Unpacked {
    /// Reads a pack that holds no more than so many bytes.
    ///
    /// # Errors
    /// Anything that [`Packer`] did not make.
    pub fn read(pack: &[u8], most_bytes: u64) -> Result<Self, PackError> {
        let Some(rest) = pack.strip_prefix(MAGIC) else { return refused("it does not begin like one") };
        let Some((frame, footer)) = rest.split_last_chunk::<FOOTER>() else { return refused("it is cut") };
        let (length, digest) = footer.split_at(8);
        let length = u64::from_le_bytes(length.try_into().unwrap_or_default());
        let digest = Digest::from_bytes(digest.try_into().unwrap_or_default());
        if length > most_bytes {
            return refused(format!("it says that it holds {length} bytes, and may hold {most_bytes}"));
        }
        let decoder = zstd::stream::read::Decoder::with_buffer(frame).map_err(told)?;
        let room = usize::try_from(length).unwrap_or(usize::MAX).min(FIRST_ROOM);
        let mut content = Vec::with_capacity(room);
        // One more than it says: a frame that holds more is refused and not cut.
        decoder.take(length.saturating_add(1)).read_to_end(&mut content).map_err(told)?;
        if content.len() as u64 != length {
            return refused("its frame has another length than its footer says");
        }
        if Digest::of(&content) != digest {
            return refused("its records have another digest than its footer says");
        }
        Ok(Self { content, digest })
    }

    /// The digest of the records.
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// The records, in order.
    pub fn records(&self) -> Records<'_> {
        Records { rest: &self.content }
    }
}

/// The records of a pack, one after the other.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    rest: &'a [u8],
}

impl<'a> Records<'a> {
    /// The next record.
    ///
    /// # Errors
    /// Where there is none, or a part of one.
    pub fn record(&mut self) -> Result<&'a [u8], PackError> {
        let Some((length, rest)) = self.rest.split_first_chunk::<4>() else { return refused("a record is missing") };
        let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let Some((record, rest)) = rest.split_at_checked(length) else { return refused("a record is cut") };
        self.rest = rest;
        Ok(record)
    }

    /// The next record as JSON.
    ///
    /// # Errors
    /// As [`Self::record`], and a record that is no such JSON.
    pub fn json<T: serde::Deserialize<'a>>(&mut self) -> Result<T, PackError> {
        serde_json::from_slice(self.record()?).map_err(|error| PackError(error.to_string()))
    }

    /// Nothing more may come.
    ///
    /// # Errors
    /// Where something does.
    pub fn end(&self) -> Result<(), PackError> {
        if self.rest.is_empty() { Ok(()) } else { refused("it holds more records than it may") }
    }
}
