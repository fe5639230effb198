//! `Print`: a short digest of cells, by which rows of any format are compared without keeping them.

use capdex_model::digest::{Digest, Hashing};

use super::cell::Cell;

/// The first half of a digest: enough to tell cells apart, of which there are millions.
pub(super) type Print = [u8; 16];

/// The print of cells. Nothing and the empty text have one print, as everywhere.
pub(super) fn print<'a>(cells: impl IntoIterator<Item = &'a Cell>) -> Print {
    let mut hashing = Hashing::default();
    let mut add = |text: &str| {
        // The length goes first, or neighbouring cells could be split in another way with the same print.
        hashing.add(&(text.len() as u64).to_le_bytes());
        hashing.add(text.as_bytes());
    };
    for cell in cells {
        match cell {
            Cell::Text(_) | Cell::Json(_) | Cell::Nested(_) => add(cell.as_text()),
            // As empty text, because CSV cannot tell the two apart.
            Cell::Null => add(""),
            plain => add(&plain.to_string()),
        }
    }
    half(hashing.digest())
}

fn half(digest: Digest) -> Print {
    digest.as_bytes().first_chunk().copied().unwrap_or_default()
}
