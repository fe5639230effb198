//! `capdex completions`: what a shell needs to complete the command line.

use clap::CommandFactory as _;

use crate::cli::{Cli, CompletionsArgs};
use crate::exit::Exit;
use crate::output::Out;

pub(super) fn run(options: &CompletionsArgs, out: &mut Out) -> anyhow::Result<Exit> {
    // Into memory first: the generator panics where a pipe is closed.
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "capdex", &mut script);
    out.raw(&script)?;
    Ok(Exit::Done)
}
