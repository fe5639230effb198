//! Packed JSON: how the store keeps a value whose text may be long.
//!
//! A packed body is JSON text, or a zstd frame of it where that is shorter; JSON never begins with a frame's magic number.

use std::borrow::Cow;
use std::cell::RefCell;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::StoreError;

/// The first four bytes of a zstd frame (RFC 8878, section 3.1.1).
const FRAME_MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// Speed counts for documents: level 1 packs them nearly as small as level 3 does.
const LEVEL: i32 = 1;
/// Text shorter than this is not worth a frame.
const SHORT_BYTES: usize = 200;
/// No document is larger when unpacked; a frame that says so is refused before anything is allocated.
const MAX_DOCUMENT_BYTES: usize = 256 << 20;

thread_local! {
    /// One for each thread: making one costs more than packing a short document with it.
    static COMPRESSOR: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
    /// The same for unpacking.
    static DECOMPRESSOR: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
}

fn compress(text: &[u8]) -> std::io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|kept| {
        let mut compressor = kept.take().map_or_else(|| zstd::bulk::Compressor::new(LEVEL), Ok)?;
        let frame = compressor.compress(text);
        *kept = Some(compressor);
        frame
    })
}

/// Unpacks a frame into no more room than it says that it needs, and never into more than the limit.
fn decompress(frame: &[u8]) -> std::io::Result<Vec<u8>> {
    let said = zstd::zstd_safe::get_frame_content_size(frame).ok().flatten();
    // A frame need not state its size; then the limit alone bounds it.
    let room = said.map_or(MAX_DOCUMENT_BYTES, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    if room > MAX_DOCUMENT_BYTES {
        return Err(std::io::Error::other(format!("a document of {room} bytes")));
    }
    DECOMPRESSOR.with_borrow_mut(|kept| {
        let mut decompressor = kept.take().map_or_else(zstd::bulk::Decompressor::new, Ok)?;
        let text = decompressor.decompress(frame, room);
        *kept = Some(decompressor);
        text
    })
}

/// Packs JSON text.
pub(crate) fn pack(text: String) -> Result<Vec<u8>, StoreError> {
    if text.len() > MAX_DOCUMENT_BYTES {
        let detail = format!("{} bytes of JSON are more than {MAX_DOCUMENT_BYTES}", text.len());
        return Err(StoreError::Refused { what: "document", detail });
    }
    if text.len() < SHORT_BYTES {
        return Ok(text.into_bytes());
    }
    let frame = compress(text.as_bytes())
        .map_err(|error| StoreError::Refused { what: "document", detail: error.to_string() })?;
    // Text that does not get shorter stays text, and costs no unpacking later.
    Ok(if frame.len() < text.len() { frame } else { text.into_bytes() })
}

/// The JSON text of a value, keys in the order of its type; `what` names it in the error.
pub(crate) fn written<T: Serialize>(value: &T, what: &'static str) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Refused { what, detail: error.to_string() })
}

/// Reads what [`pack`] made; `what` names it in the error.
pub(crate) fn unpack<T: DeserializeOwned>(body: &[u8], what: &'static str) -> Result<T, StoreError> {
    parse(&text_of(body, what)?, what)
}

/// Reads JSON text, from which the value may borrow.
pub(crate) fn parse<'a, T: Deserialize<'a>>(text: &'a str, what: &'static str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Corrupt { what, detail: error.to_string() })
}

/// The JSON text that [`pack`] was given. Checks once that all of it is text, which is quicker than string by string.
pub(crate) fn text_of<'a>(body: &'a [u8], what: &'static str) -> Result<Cow<'a, str>, StoreError> {
    let corrupt = |detail: String| StoreError::Corrupt { what, detail };
    if body.starts_with(&FRAME_MAGIC) {
        let text = decompress(body).map_err(|error| corrupt(error.to_string()))?;
        String::from_utf8(text).map(Cow::Owned).map_err(|error| corrupt(error.to_string()))
    } else {
        std::str::from_utf8(body).map(Cow::Borrowed).map_err(|error| corrupt(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::canonical;

    #[test]
    fn short_and_long_text_round_trip() {
        for length in [0, SHORT_BYTES - 3, SHORT_BYTES - 2, SHORT_BYTES - 1, 100_000] {
            let value = "x".repeat(length);
            let text = canonical(&value).expect("serialises");
            let packed = pack(text.clone()).expect("packs");
            assert_eq!(packed.starts_with(&FRAME_MAGIC), text.len() >= SHORT_BYTES);
            assert_eq!(unpack::<String>(&packed, "test").expect("unpacks"), value);
        }
    }

    #[test]
    fn a_frame_that_claims_to_be_huge_is_refused() {
        // Magic, a descriptor for an eight-byte content size and one segment, then 2^60 bytes.
        let mut frame = FRAME_MAGIC.to_vec();
        frame.push(0b1110_0000);
        frame.extend_from_slice(&(1_u64 << 60).to_le_bytes());
        frame.extend_from_slice(&[1, 0, 0]);
        let error = unpack::<String>(&frame, "test").expect_err("refused");
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
    }

    #[test]
    fn bytes_that_are_no_json_are_corrupt() {
        assert!(matches!(unpack::<String>(b"\xff\xfe", "test"), Err(StoreError::Corrupt { .. })));
    }
}
