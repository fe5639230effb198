//! The program itself, told from every other build of it by the digest of its file.
//!
//! What one build made is not taken over by another, which may make it differently.

use std::fs::File;
use std::io::Read as _;

use capdex_model::digest::{Digest, Hashing};

/// Bytes read at once.
const CHUNK: usize = 256 << 10;

/// The digest; none where the system does not give the file.
pub(crate) fn digest() -> Option<Digest> {
    // On Linux the file that runs, also where another one has taken its name since.
    let mut file = File::open("/proc/self/exe").or_else(|_| File::open(std::env::current_exe()?)).ok()?;
    let (mut hashing, mut chunk) = (Hashing::default(), vec![0; CHUNK]);
    loop {
        match file.read(&mut chunk).ok()? {
            0 => return Some(hashing.digest()),
            read => hashing.add(chunk.get(..read)?),
        }
    }
}
