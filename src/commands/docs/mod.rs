//! `capdex docs`: the generated manual, from the data that the engine runs.
//!
//! A page is a function from that data to Markdown; a stale page fails `--check` and a test.

use std::fs;
use std::path::Path;

use anyhow::Context as _;

use crate::cli::DocsArgs;
use crate::exit::Exit;
use crate::output::Out;

mod config;
mod coverage;
mod detection;
mod frameworks;
mod pages;
mod scale;

/// Every page: its file name and what writes it.
type ManualPage = (&'static str, fn() -> String);
const PAGES: &[ManualPage] = &[
    ("rules.md", pages::rules),
    ("coverage.md", coverage::coverage),
    ("detection.md", detection::detection),
    ("frameworks.md", frameworks::frameworks_page),
    ("rubrics.md", pages::rubrics),
    ("sources.md", pages::sources),
    ("cli.md", pages::cli),
    ("config.md", config::config),
    ("dataset.md", pages::dataset),
    ("scale.md", scale::scale),
];

pub(super) fn run(options: &DocsArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let mut stale = 0_usize;
    if !options.check {
        fs::create_dir_all(&options.dir).with_context(|| format!("failed to create {}", options.dir.display()))?;
    }
    for (name, page) in PAGES {
        let path = options.dir.join(name);
        let text = page();
        // A page that is the same is not written, so that its time of change stays.
        if is_fresh(&path, &text) {
            continue;
        }
        stale += 1;
        if options.check {
            out.line(format_args!("stale: {} (run `capdex docs {}`)", path.display(), options.dir.display()))?;
        } else {
            fs::write(&path, text).with_context(|| format!("failed to write {}", path.display()))?;
            out.line(format_args!("written: {}", path.display()))?;
        }
    }
    out.line(format_args!("{} pages, {stale} {}", PAGES.len(), if options.check { "stale" } else { "rewritten" }))?;
    Ok(if options.check && stale > 0 { Exit::Threshold } else { Exit::Done })
}

fn is_fresh(path: &Path, text: &str) -> bool {
    fs::read_to_string(path).is_ok_and(|there| there == text)
}
