//! The options of what agents start: `mcp`.
//!
//! Must not know what a command does.

use std::path::PathBuf;

use clap::Args;

/// Options of `mcp`.
#[derive(Debug, Args)]
pub struct McpArgs {
    /// Ask registries, forges and endpoints for what the store does not know. Without it nobody is asked.
    #[arg(long)]
    pub allow_network: bool,
    /// A schedule whose registries are asked, such as a company's own.
    #[arg(long, value_name = "FILE", requires = "allow_network")]
    pub config: Option<PathBuf>,
}
