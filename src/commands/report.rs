//! `capdex report`: writes the static site from the store.

use crate::cli::Report;
use crate::exit::Exit;
use crate::export::ranked;
use crate::options::Global;
use crate::output::{self, Out};
use crate::report::{self, ReportOptions};

pub(super) fn run(global: &Global, options: &Report, out: &mut Out) -> anyhow::Result<Exit> {
    let reader = super::reader(global)?;
    let as_of = ranked::as_of(global, &reader)?;
    let chosen = ReportOptions { as_of, threads: global.threads, quiet: global.quiet };
    let written = report::write(&reader, &options.dir, &chosen)?;
    out.line(format_args!(
        "{} as of {as_of}: {} in {}, {}. Next: open {0}/index.html",
        output::escape(&options.dir.display().to_string()),
        output::count(written.capabilities, "capability"),
        output::count(written.files, "file"),
        output::bytes(written.bytes)
    ))?;
    Ok(Exit::Done)
}
