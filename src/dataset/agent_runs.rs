//! Runs of Agent Scan as they are kept: graded again from their transcripts wherever this program has their pack.

use capdex_agent_scan::pack;
use capdex_agent_scan::report::Report;
use capdex_agent_scan::transcript;
use capdex_db::{KeptAgentRun, KeptAgentTrial, Reader};
use capdex_model::time::AsOf;

/// A run that was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentRun {
    /// Its name.
    pub name: String,
    /// When it was kept.
    pub kept: AsOf,
    /// True where it may be exported.
    pub is_published: bool,
    /// What its transcripts come to; by a pack of before, what they came to when it was kept.
    pub report: Report,
    /// The transcripts.
    pub trials: Vec<KeptAgentTrial>,
}

/// All runs that were kept, in their order.
///
/// # Errors
/// Errors of the store, and a transcript that is none.
pub fn all(reader: &Reader) -> anyhow::Result<Vec<AgentRun>> {
    reader.agent_runs()?.into_iter().map(|run| graded(reader, run)).collect()
}

/// The run of a name; none where there is none.
///
/// # Errors
/// Errors of the store, and a transcript that is none.
pub fn of(reader: &Reader, name: &str) -> anyhow::Result<Option<AgentRun>> {
    let run = reader.agent_runs()?.into_iter().find(|run| run.name == name);
    run.map(|run| graded(reader, run)).transpose()
}

fn graded(reader: &Reader, run: KeptAgentRun) -> anyhow::Result<AgentRun> {
    let corrupt = |what: String| anyhow::anyhow!("the run {} cannot be graded: {what}", run.name);
    let then: Report = serde_json::from_value(run.report.clone()).map_err(|error| corrupt(error.to_string()))?;
    let (pack, trials) = (pack::baseline()?, reader.agent_trials(&run.name)?);
    let report = if then.run.pack_sha256 == pack.digest {
        let mut transcripts = Vec::new();
        for trial in &trials {
            transcripts
                .extend(transcript::read(trial.transcript.as_bytes()).map_err(|error| corrupt(error.to_string()))?);
        }
        // The order of names is another: the second attack comes before the first twin.
        transcripts.sort_by(|one, other| one.head.trial.cmp(&other.head.trial));
        Report::of(&pack, then.run, &transcripts).map_err(|error| corrupt(error.to_string()))?
    } else {
        then
    };
    Ok(AgentRun { name: run.name, kept: run.at, is_published: run.is_published, report, trials })
}
