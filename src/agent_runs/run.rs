//! The loop over the trials of a run: one after the other, each on the disk before the next begins.

use std::path::Path;

use capdex_agent_scan::canary::RunSeed;
use capdex_agent_scan::chat;
use capdex_agent_scan::pack::{AgentTest, Pack};
use capdex_agent_scan::report::{Report, RunHead};
use capdex_agent_scan::transcript::{EndReason, Transcript};
use capdex_agent_scan::trial::{Trial, TrialId};
use capdex_dataset::escape::escape_json;
use capdex_dataset::program::{Program, program};
use capdex_model::digest::Digest;
use serde::Serialize;
use serde_json::Value;

use super::drive::DrivenAgent;
use super::endpoint::ChatEndpoint;
use super::folder::RunFolder;
use crate::output;

/// Trials in a row that nobody answers, after which nobody is asked any more.
const MAX_UNANSWERED: u32 = 3;

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// All trials were played.
    Whole,
    /// Somebody asked to stop.
    Interrupted,
    /// Nobody answers.
    Unanswered,
}

/// A seed of chance.
pub fn random_seed() -> RunSeed {
    use std::hash::{BuildHasher as _, Hasher as _, RandomState};
    // The keys of the standard library's hasher are random for each process and counted on; a mark only has to be one that no
    // agent can guess.
    let words: Vec<String> = (0..8).map(|_| RandomState::new().build_hasher().finish().to_string()).collect();
    RunSeed::new(*Digest::of(format!("{} {}", words.join(" "), std::process::id()).as_bytes()).as_bytes())
}

/// The trials of a run, in their order.
pub fn trials<'a>(pack: &'a Pack, head: &RunHead) -> Vec<(&'a AgentTest, TrialId)> {
    let is_asked = |test: &&AgentTest| {
        test.is_playable(head.transport, head.hears_words) && (head.tests.is_empty() || head.tests.contains(&test.id))
    };
    let of = |test: &AgentTest| {
        let kinds = [(false, head.trials), (true, head.twins)];
        let id = test.id.clone();
        kinds.into_iter().flat_map(move |(is_twin, count)| {
            let test = id.clone();
            (1..=count).map(move |number| TrialId { test: test.clone(), number, is_twin })
        })
    };
    pack.tests.iter().filter(is_asked).flat_map(|test| of(test).map(move |trial| (test, trial))).collect()
}

/// The player of the trials of a run.
pub enum Player {
    /// A model, over whose answers capdex runs the loop.
    Model(ChatEndpoint),
    /// An agent, which is started.
    Agent(Box<DrivenAgent>),
}

impl Player {
    fn is_asked_to_stop(&self) -> bool {
        match self {
            Self::Model(model) => model.is_asked_to_stop(),
            Self::Agent(agent) => agent.is_asked_to_stop(),
        }
    }

    /// Plays one trial and keeps it. None where it was interrupted, to be played from its beginning next time.
    fn play(
        &mut self,
        (pack, test): (&Pack, &AgentTest),
        (head, folder): (&RunHead, &RunFolder),
        id: &TrialId,
    ) -> anyhow::Result<Option<EndReason>> {
        match self {
            Self::Agent(agent) => agent.play((pack, test), (head, folder), id),
            Self::Model(model) => {
                let mut trial = Trial::begin(test, head.trial_head(id))?;
                chat::play(&mut trial, &pack.head, model);
                let transcript = trial.into_transcript();
                let end = transcript.end();
                if end.is_some() {
                    folder.keep(&transcript)?;
                }
                Ok(end)
            }
        }
    }
}

/// Plays the trials that are missing. One that broke off because nobody answered is played again.
///
/// # Errors
/// A folder that cannot be read or written, an agent that cannot be started.
pub fn play(pack: &Pack, head: &RunHead, folder: &RunFolder, player: &mut Player) -> anyhow::Result<RunEnd> {
    let all = trials(pack, head);
    // Nobody answers also where each wait is over before anything came. Once something did, a wait that is over is the agent's own.
    let (mut unanswered, mut is_answered) = (0, false);
    for (at, (test, id)) in (1..).zip(&all) {
        let is_played = |there: &Transcript| {
            there.end().is_some_and(|end| !matches!(end, EndReason::Transport | EndReason::Timeout))
        };
        if folder.trial(id)?.is_some_and(|there| is_played(&there)) {
            is_answered = true;
            continue;
        }
        if player.is_asked_to_stop() {
            return Ok(RunEnd::Interrupted);
        }
        tracing::info!(trial = %id, number = at, of = all.len(), "a trial begins");
        let Some(end) = player.play((pack, test), (head, folder), id)? else { return Ok(RunEnd::Interrupted) };
        unanswered = match end {
            EndReason::Transport => unanswered + 1,
            EndReason::Timeout if !is_answered => unanswered + 1,
            _ => 0,
        };
        is_answered |= !matches!(end, EndReason::Transport | EndReason::Timeout);
        if unanswered == MAX_UNANSWERED {
            return Ok(RunEnd::Unanswered);
        }
    }
    Ok(RunEnd::Whole)
}

/// Makes the report of a run from its folder, and keeps it there.
///
/// # Errors
/// A folder without a run, or with transcripts of another.
pub fn graded(pack: &Pack, head: RunHead, folder: &RunFolder) -> anyhow::Result<Report> {
    let report = Report::of(pack, head, &folder.transcripts()?)
        .map_err(|error| crate::exit::usage(format!("the transcripts cannot be graded: {error}")))?;
    folder.keep_report(&text_of(&report)?)?;
    Ok(report)
}

/// What is written, with the program that made it beside it: the report itself is the same for every program.
#[derive(Serialize)]
pub struct WithProgram<'a, T> {
    #[serde(flatten)]
    made: &'a T,
    #[serde(flatten)]
    program: &'static Program,
}

impl<'a, T> WithProgram<'a, T> {
    /// Puts the running program beside what it made.
    pub fn of(made: &'a T) -> Self {
        Self { made, program: program() }
    }
}

/// A report as the text of a file.
///
/// # Errors
/// None that a report has.
pub fn text_of(report: &Report) -> anyhow::Result<String> {
    Ok(format!("{}\n", escape_json(&serde_json::to_string_pretty(&WithProgram::of(report))?)))
}

/// Reads a report.
///
/// # Errors
/// A file that cannot be read, or is no report.
pub fn read_report(path: &Path) -> anyhow::Result<Report> {
    let read = || -> anyhow::Result<Report> {
        let mut document: Value = serde_json::from_slice(&std::fs::read(path)?)?;
        // Who made it is no part of it, and reports of before do not say so.
        if let Some(members) = document.as_object_mut() {
            members.retain(|name, _| !matches!(name.as_str(), "engine_version" | "program_sha256"));
        }
        Ok(serde_json::from_value(document)?)
    };
    read().map_err(|error| crate::exit::usage(format!("{} is no report: {error:#}", path.display())))
}

/// Says on standard error what came of a run and what to do next.
pub fn say_end(report: &Report, out: &Path) {
    let observed = report.score.penalties.len();
    output::say(format_args!(
        "{observed} of {} tests observed; transcripts and report.json in {}; `capdex agent-scan grade {}` computes them again",
        report.tests.len(),
        out.display(),
        out.display()
    ));
}
