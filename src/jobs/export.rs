//! The export stage: the ranked dataset of what the store holds now.
//!
//! Must not write to the store.

use std::path::Path;

use super::{JobContext, StageReport};
use capdex_dataset::export::{self, ExportOptions, WrittenDataset};
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

/// Writes the dataset.
///
/// # Errors
/// Errors of the store or the file system.
pub fn run(context: &JobContext, out: &Path) -> anyhow::Result<(StageReport, WrittenDataset)> {
    let watch = Stopwatch::start();
    let written = export::write(&context.store.reader()?, out, &options(context), &context.pool)?;
    let report = StageReport {
        items: written.capabilities,
        done: written.capabilities,
        bytes: written.bytes,
        wall_ms: u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX),
        ..StageReport::default()
    };
    Ok((report, written))
}
