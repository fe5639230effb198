//! `Print`: a short digest of cells, by which rows of any format are compared without keeping them.

use capdex_model::digest::{Digest, Hashing};

use super::cell::Cell;

/// The first half of a digest: enough to tell cells apart, of which there are millions.
pub(super) type Print = [u8; 16];

/// The print of cells. Nothing and the empty text have one print, as everywhere.
pub(super) fn print<'a>(cells: impl IntoIterator<Item = &'a Cell>) -> Print {
    let mut hashing = Hashing::default();
    let mut add = |text: &str| add(&mut hashing, text);
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

/// A digest over rows in their order, by which a table is told from the one that was written before. Nothing and the empty text
/// differ here: the formats whose files are compared tell them apart.
#[derive(Default)]
pub(super) struct RowsPrint(Hashing);

impl RowsPrint {
    pub(super) fn add<'a>(&mut self, cells: impl IntoIterator<Item = &'a Cell>) {
        let mut cell_of = |kind: u8, text: &str| {
            self.0.add(&[kind]);
            add(&mut self.0, text);
        };
        for cell in cells {
            match cell {
                Cell::Null => cell_of(0, ""),
                Cell::Text(_) | Cell::Json(_) | Cell::Nested(_) => cell_of(1, cell.as_text()),
                plain => cell_of(2, &plain.to_string()),
            }
        }
    }

    pub(super) fn digest(self) -> Digest {
        self.0.digest()
    }
}

fn add(hashing: &mut Hashing, text: &str) {
    // The length goes first, or neighbouring cells could be split in another way with the same print.
    hashing.add(&(text.len() as u64).to_le_bytes());
    hashing.add(text.as_bytes());
}

fn half(digest: Digest) -> Print {
    digest.as_bytes().first_chunk().copied().unwrap_or_default()
}
