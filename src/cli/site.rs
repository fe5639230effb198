//! Options of the commands that show the store to people and programs: the static site.
//!
//! Must not know what a command does.

use std::path::PathBuf;

use clap::Args;

/// Options of `report`.
#[derive(Debug, Args)]
pub struct Report {
    /// Where the site goes; replaced as a whole.
    pub dir: PathBuf,
}
