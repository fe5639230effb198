//! `capdex report`: writes the static site from the store.

use std::collections::BTreeSet;

use crate::capability_lookup;
use crate::cli::ReportArgs;
use crate::exit::Exit;
use crate::options::Global;
use crate::output::Out;
use crate::progress::SiteProgress;
use capdex_dataset::escape;
use capdex_dataset::export::ranked_capability;
use capdex_site::report::{self, ReportOptions};

pub(super) fn run(global: &Global, options: &ReportArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let signing_key = options.signing.key()?;
    let reader = super::reader(global)?;
    let mut only = BTreeSet::new();
    for item in &options.only {
        only.extend(capability_lookup::all(&reader, item)?);
    }
    let only = (!options.only.is_empty()).then_some(&only);
    let as_of = ranked_capability::as_of(global.as_of, &reader)?;
    let progress = SiteProgress::new(global.quiet);
    let chosen = ReportOptions {
        as_of,
        threads: global.threads,
        progress: &progress,
        only,
        base_url: options.base_url.as_deref(),
        signing_key: signing_key.as_ref(),
    };
    let written = report::write(&reader, &options.dir, &chosen)?;
    out.line(format_args!(
        "{} as of {as_of}: {} in {}, {}. Next: open {0}/index.html",
        escape::escape(&options.dir.display().to_string()),
        escape::count(written.capabilities, "capability"),
        escape::count(written.files, "file"),
        escape::bytes(written.bytes)
    ))?;
    Ok(Exit::Done)
}
