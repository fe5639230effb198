//! `capdex report`: writes the static site from the store.

use crate::cli::Report;
use crate::exit::Exit;
use capdex_dataset::export::ranked;
use crate::options::Global;
use crate::output::{self, Out};
use crate::progress::SiteProgress;
use capdex_site::report::{self, ReportOptions};

pub(super) fn run(global: &Global, options: &Report, out: &mut Out) -> anyhow::Result<Exit> {
    let reader = super::reader(global)?;
    let as_of = ranked::as_of(global.as_of, &reader)?;
    let progress = SiteProgress::new(global.quiet);
    let chosen = ReportOptions { as_of, threads: global.threads, progress: &progress };
    let written = report::write(&reader, &options.dir, &chosen)?;
    out.line(format_args!(
        "{} as of {as_of}: {} in {}, {}. Next: open {0}/index.html",
        capdex_dataset::escape::escape(&options.dir.display().to_string()),
        capdex_dataset::escape::count(written.capabilities, "capability"),
        capdex_dataset::escape::count(written.files, "file"),
        capdex_dataset::escape::bytes(written.bytes)
    ))?;
    Ok(Exit::Done)
}
