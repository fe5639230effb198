//! `Program`: the version and the digest of the running program, as every output for machines names them.
//!
//! The one place that knows either. Nothing else is said of the machine or its folders.

use std::fs::File;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::export::file;

/// Where Linux has the running program itself, also after another took its name on the disk.
const RUNNING: &str = "/proc/self/exe";

/// What made an output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The version of capdex.
    pub engine_version: String,
    /// SHA-256 (hex) of the program's file, as the checksums of a release have it; null where the file cannot be read.
    pub program_sha256: Option<String>,
}

/// The version of the running program, without a look at its file.
pub const fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

static PROGRAM: OnceLock<Program> = OnceLock::new();

/// The running program. Its file is read at the first call, which takes some tens of milliseconds for a release; others wait for it.
pub fn program() -> &'static Program {
    PROGRAM.get_or_init(|| Program { engine_version: version().to_owned(), program_sha256: digest() })
}

/// Begins to read the program's file beside other work, for who will ask later.
pub fn prepare() {
    if PROGRAM.get().is_none() {
        // Nobody waits for the thread: who asks waits for the value. A machine without threads reads at the first call.
        let _ = std::thread::Builder::new().name("program".to_owned()).spawn(program);
    }
}

fn digest() -> Option<String> {
    let running = File::open(RUNNING).or_else(|_| File::open(std::env::current_exe()?));
    file::hash_all(running.ok()?).ok().map(|(digest, _)| digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_that_of_the_file_that_runs() {
        prepare();
        let path = std::env::current_exe().expect("a path");
        let (digest, _) = file::hash(&path).expect("it can be read");
        assert_eq!(program().program_sha256.as_deref(), Some(digest.as_str()));
        assert_eq!(program().engine_version, env!("CARGO_PKG_VERSION"));
        assert!(std::ptr::eq(program(), program()), "once");
    }
}
