//! The export stage: the ranked dataset of what the store holds now.
//!
//! Writes nothing into the store but which dataset it wrote, and of which state.

use std::path::Path;

use super::{JobContext, StageReport};
use capdex_dataset::export::{self, ExportOptions, KeptDataset, WrittenDataset};
use capdex_dataset::stopwatch::Stopwatch;

/// Checks that the dataset can be written, before a run works for hours.
///
/// # Errors
/// A folder of somebody else's, one that another process writes into, or one that may not be written.
pub fn check(context: &JobContext, out: &Path) -> anyhow::Result<()> {
    export::check_out(out, &options(context))
}

/// The instant of the run, so that the same store exported again gives the same bytes.
fn options(context: &JobContext) -> ExportOptions {
    ExportOptions {
        as_of: context.as_of,
        formats: context.formats.clone(),
        license: context.license.clone(),
        with_transcripts: context.judge_transcripts,
        signing_key: context.signing_key.clone(),
        ..ExportOptions::default()
    }
}

/// Writes the dataset. Where all that stands was scored for the night, and nothing of it is otherwise than when the one that lies in
/// `out` was written, its tables of capabilities stay.
///
/// # Errors
/// Errors of the store or the file system.
pub fn run(context: &JobContext, out: &Path, is_all_scored: bool) -> anyhow::Result<(StageReport, WrittenDataset)> {
    let watch = Stopwatch::start();
    let reader = context.store.reader()?;
    let kept = KeptDataset::last(&reader)?.filter(|_| is_all_scored);
    let written = export::write(&reader, out, &ExportOptions { kept, ..options(context) }, &context.pool)?;
    if let Some(kept) = &written.kept {
        let (kept, at) = (serde_json::to_string(kept)?, context.as_of);
        context.store.write(move |writer| writer.dataset_written(&kept, at))?;
    }
    let report = StageReport {
        items: written.capabilities,
        done: written.capabilities,
        bytes: written.bytes,
        wall_ms: u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX),
        ..StageReport::default()
    };
    Ok((report, written))
}
