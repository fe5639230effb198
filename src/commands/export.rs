//! `capdex export`: writes the ranked dataset from the store.

use capdex_dataset::bulk;
use capdex_dataset::escape;
use capdex_model::time::AsOf;
use capdex_rubrics::rank::TRUST;

use crate::cli::ExportArgs;
use crate::clock;
use crate::exit::{Exit, usage};
use crate::nearest::did_you_mean;
use crate::options::Global;
use crate::output::Out;
use capdex_dataset::export::{self, EXPORTERS, ExportOptions, KeptDataset};

pub(super) fn run(global: &Global, options: &ExportArgs, out: &mut Out) -> anyhow::Result<Exit> {
    // Checked before the store is opened: a wrong word should cost no time.
    if options.rank_by != TRUST {
        super::known_rubric(&options.rank_by)?;
    }
    for format in &options.format {
        if !EXPORTERS.iter().any(|exporter| exporter.id() == format) {
            let known: Vec<&str> = EXPORTERS.iter().map(|exporter| exporter.id()).collect();
            return Err(usage(format!(
                "there is no format {format:?}{}; the formats are {}",
                did_you_mean(format, known.iter().copied()),
                known.join(", ")
            )));
        }
    }
    let signing_key = options.signing.key()?;
    let reader = super::reader(global)?;
    let last = reader.runs(1)?.first().map(|run| run.as_of);
    // The last run's instant, so that two exports of one store are the same bytes.
    let as_of = global.as_of.or(last).unwrap_or_else(|| AsOf(clock::now()));
    let chosen = ExportOptions {
        as_of,
        formats: options.format.clone(),
        rank_by: options.rank_by.clone(),
        with_private: options.private,
        with_transcripts: options.judge_transcripts,
        license: options.license.clone(),
        since: options.since.clone(),
        signing_key,
        // Of another instant nobody knows here whether all was scored for it.
        kept: KeptDataset::last(&reader)?.filter(|kept| kept.as_of == as_of),
    };
    let written = export::write(&reader, &options.dir, &chosen, &bulk::pool(global.threads)?)?;
    out.line(format_args!(
        "{} in {} files, {}, as of {as_of}: {}. Next: capdex verify {0}",
        options.dir.display(),
        written.files,
        escape::bytes(written.bytes),
        escape::count(written.capabilities, "capability")
    ))?;
    Ok(Exit::Done)
}
