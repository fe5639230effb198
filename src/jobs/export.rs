//! The export stage: the ranked dataset of what the store holds now.
//!
//! Writes to the store what the dataset was made from, and nothing else.

use std::path::Path;

use super::{JobContext, StageReport};
use capdex_dataset::export::{self, ExportOptions, MadeFrom, WrittenDataset};
use capdex_dataset::stopwatch::Stopwatch;
use capdex_db::Reader;

use crate::program;

/// Checks that the dataset can be written, before a run works for hours.
///
/// # Errors
/// A folder of somebody else's, one that another process writes into, or one that may not be written.
pub fn check(context: &JobContext, out: &Path) -> anyhow::Result<()> {
    export::check_out(out, &options(context))
}

/// The word under which the store keeps what the last dataset was made from.
const LAST: &str = "dataset";

/// The instant of the run, so that the same store exported again gives the same bytes.
fn options(context: &JobContext) -> ExportOptions {
    ExportOptions { as_of: context.as_of, formats: context.formats.clone(), ..ExportOptions::default() }
}

/// What the last dataset was made from; none where it is not known or was noted by a program of another form.
fn last(reader: &Reader) -> anyhow::Result<Option<MadeFrom>> {
    Ok(reader.pass_input(LAST)?.and_then(|noted| serde_json::from_str(&noted).ok()))
}

/// Writes the dataset.
///
/// # Errors
/// Errors of the store or the file system.
pub fn run(context: &JobContext, out: &Path) -> anyhow::Result<(StageReport, WrittenDataset)> {
    let watch = Stopwatch::start();
    let reader = context.store.reader()?;
    let options = ExportOptions { program: program::digest(), last: last(&reader)?, ..options(context) };
    let written = export::write(&reader, out, &options, &context.pool)?;
    if let Some(made_from) = &written.made_from {
        let (noted, at) = (serde_json::to_string(made_from)?, context.as_of);
        context.store.write(move |writer| writer.pass_ran(LAST, &noted, at))?;
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
