//! `capdex agent-scan grade`: the report of a run once more, or of transcripts that somebody handed in.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use capdex_agent_scan::pack::Pack;
use capdex_agent_scan::report::{Origin, RUN_SCHEMA, Report, RunHead};

use super::shown;
use crate::agent_runs::folder::{RunFolder, read_transcripts};
use crate::agent_runs::run;
use crate::cli::AgentGradeArgs;
use crate::exit::{Exit, usage};
use crate::output::Out;

pub(super) fn run(pack: &Pack, options: &AgentGradeArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let report = match (&options.run, &options.transcript) {
        (Some(path), _) => {
            let folder = RunFolder::new(path);
            let head = folder.head()?.ok_or_else(|| usage(format!("{} holds no run", path.display())))?;
            run::graded(pack, head, &folder)?
        }
        (None, path) => handed_in(pack, path.as_deref().context("a run or a transcript is named")?)?,
    };
    shown(&report, &options.report, out)
}

/// The report of transcripts whose making nobody saw.
fn handed_in(pack: &Pack, path: &Path) -> anyhow::Result<Report> {
    let transcripts = read_transcripts(path)?;
    let first = transcripts.first().ok_or_else(|| usage(format!("{} holds no trial", path.display())))?;
    let head = RunHead {
        schema: RUN_SCHEMA.to_owned(),
        pack: pack.head.id.clone(),
        version: pack.head.version.clone(),
        pack_sha256: pack.digest,
        seed: first.head.seed,
        transport: first.head.transport,
        hears_words: first.head.hears_words,
        origin: Origin::Submitted,
        sandbox: String::new(),
        agent: String::new(),
        sampling: BTreeMap::new(),
        trials: 0,
        twins: 0,
        tests: Vec::new(),
    };
    Report::of(pack, head, &transcripts).map_err(|error| usage(format!("the transcripts cannot be graded: {error}")))
}
