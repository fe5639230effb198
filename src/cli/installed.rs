//! The options of what a packager runs once: completions and man pages.
//!
//! Must not know what a command does.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// Options of `completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell.
    pub shell: Shell,
}

/// Options of `man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Where the pages go; one for each command.
    pub dir: PathBuf,
}
