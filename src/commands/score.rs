//! `capdex score`: scores stored facts again, without any request.

use crate::cli::ScoreArgs;
use crate::config::Schedule;
use crate::exit::Exit;
use crate::jobs::{run as jobs, score};
use crate::options::{Global, RecordingArgs};
use crate::output::Out;
use capdex_dataset::escape;

pub(super) fn run(global: &Global, options: &ScoreArgs, out: &mut Out) -> anyhow::Result<Exit> {
    if let Some(id) = &options.rubric {
        super::known_rubric(id)?;
    }
    // Only a store that is there has facts; opening it to write would make an empty one.
    super::reader(global)?;
    // A schedule without sources: the same context as a night, and no request.
    let nothing_to_list = Schedule { name: "score".into(), ..Schedule::default() };
    let context = jobs::open(global, &nothing_to_list, &RecordingArgs::default())?;
    let report = score::run(&context, options.rubric.as_deref(), options.all)?;
    out.line(format_args!(
        "{} computed in {:.1} s from stored facts; no request was sent. Next: capdex export DIR",
        escape::count(report.done, "score"),
        report.wall_ms as f64 / 1000.0
    ))?;
    Ok(Exit::Done)
}
