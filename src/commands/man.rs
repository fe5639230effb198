//! `capdex man`: a man page for the program and one for each command.

use std::fs;

use anyhow::Context as _;
use capdex_dataset::escape;
use clap::CommandFactory as _;
use clap_mangen::Man as Page;

use crate::cli::{Cli, ManArgs};
use crate::exit::Exit;
use crate::output::Out;

pub(super) fn run(options: &ManArgs, out: &mut Out) -> anyhow::Result<Exit> {
    fs::create_dir_all(&options.dir).with_context(|| format!("failed to create {}", options.dir.display()))?;
    let mut root = Cli::command().disable_help_subcommand(true);
    // Subcommands get their full names only when the tree is built.
    root.build();
    let pages = write(&root, "capdex", options)?;
    out.line(format_args!("{} in {}", escape::count(pages, "page"), options.dir.display()))?;
    Ok(Exit::Done)
}

/// Writes the page of a command and of all below it; how many.
fn write(command: &clap::Command, name: &str, options: &ManArgs) -> anyhow::Result<u64> {
    let mut text = Vec::new();
    // The words of a command's name are joined in a page's name and apart in its text.
    let shown = command.clone().display_name(name.to_owned()).bin_name(name.replace('-', " "));
    Page::new(shown).title(name.to_uppercase()).render(&mut text)?;
    let path = options.dir.join(format!("{name}.1"));
    fs::write(&path, text).with_context(|| format!("failed to write {}", path.display()))?;
    let below = command.get_subcommands().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help");
    let mut pages = 1;
    for sub in below {
        pages += write(sub, &format!("{name}-{}", sub.get_name()), options)?;
    }
    Ok(pages)
}
