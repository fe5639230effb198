//! The export stage: the ranked dataset of what the store holds now.
//!
//! Must not write to the store.

use std::path::Path;

use super::{JobContext, StageReport};
use capdex_dataset::export::{self, ExportOptions, WrittenDataset};
use capdex_dataset::stopwatch::Stopwatch;

/// Writes the dataset.
///
/// # Errors
/// Errors of the store or the file system.
pub fn run(context: &JobContext, out: &Path) -> anyhow::Result<(StageReport, WrittenDataset)> {
    let watch = Stopwatch::start();
    // The instant of the run, so that the same store exported again gives the same bytes.
    let options = ExportOptions { as_of: context.as_of, ..ExportOptions::default() };
    let written = export::write(&context.store.reader()?, out, &options, &context.pool)?;
    let report = StageReport {
        items: written.capabilities,
        done: written.capabilities,
        bytes: written.bytes,
        wall_ms: u64::try_from(watch.elapsed().as_millis()).unwrap_or(u64::MAX),
        ..StageReport::default()
    };
    Ok((report, written))
}
