//! The operator's word as commands take it: files of rulings, and methods with a vote.

use std::fs;
use std::path::{Path, PathBuf};

use capdex_model::ruling::{OperatorPolicy, newest};

use crate::advice;
use crate::exit::usage;
use crate::openvex::{self, ReadRulings};

/// A larger file is no document of rulings.
const MAX_BYTES: u64 = 64 << 20;

/// The policy of rulings and votes that somebody names.
///
/// # Errors
/// Wrong usage where a file cannot be read or is no document.
pub fn named(rulings: &[PathBuf], votes: &[String]) -> anyhow::Result<OperatorPolicy> {
    let mut given = Vec::new();
    for path in rulings {
        given.extend(read(path, false)?.rulings);
    }
    Ok(OperatorPolicy { votes: votes.to_vec(), rulings: newest(given) })
}

/// Reads a document. `takes_any_content` lets statements in that are bound to no content.
///
/// # Errors
/// Wrong usage; the text names the file and what is wrong.
pub fn read(path: &Path, takes_any_content: bool) -> anyhow::Result<ReadRulings> {
    let shown = path.display();
    let size =
        fs::metadata(path).map_err(|error| usage(format!("cannot read {shown}: {}", advice::told(&error))))?.len();
    // Asked before reading, so that a wrong path does not fill the memory.
    if size > MAX_BYTES {
        return Err(usage(format!("{shown} has {size} bytes; a document of rulings has at most {MAX_BYTES}")));
    }
    let bytes = fs::read(path).map_err(|error| usage(format!("cannot read {shown}: {}", advice::told(&error))))?;
    openvex::read(&bytes, takes_any_content).map_err(|error| usage(format!("{shown}: {error}")))
}
