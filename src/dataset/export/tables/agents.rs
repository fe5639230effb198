//! The tables `agent_runs`, `agent_tests` and `agent_trials`: runs of Agent Scan that the operator published. Empty without any.
//!
//! No other table reads them. What an agent said stands in none but a private column.

use std::collections::BTreeMap;

use capdex_agent_scan::report::AnsweredModel;
use capdex_agent_scan::trial::TrialId;
use capdex_db::Reader;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use capdex_model::time::AsOf;
use serde::Serialize;
use serde_json::Value;

use crate::agent_runs::{self, AgentRun};
use crate::export::field::AsSortedJson;
use crate::export::table::Emit;
use crate::export::table_row::table_row;

table_row! {
    /// one run of the tests of Agent Scan with one agent, as its operator published it
    table agent_runs: stored(run_rows);
    pub struct AgentRunRow read as ReadAgentRunRow {
        /// S- and 16 hex digits of a digest over pack, agent and transcripts
        key run: String,
        /// when it was kept
        public kept: AsOf,
        /// the agent as its operator names it: a model, or a program with its model
        public agent: String,
        /// the pack of tests
        public pack: String,
        /// its version
        public pack_version: String,
        /// its digest (hex)
        public pack_sha256: Digest,
        /// chat or mcp
        public transport: String,
        /// whether what the agent says to its user is in the transcripts
        public hears_words: bool,
        /// mock_only, agent_owns_tools or submitted
        public origin: String,
        /// what kept the agent from this machine and its network; empty where nothing did
        public sandbox: String,
        /// the sampling that was asked for; empty for the endpoint's own
        public sampling: AsSortedJson<BTreeMap<String, String>>,
        /// attack trials of each test that were asked for
        public asked_trials: u32,
        /// twin trials that were asked for
        public asked_twins: u32,
        /// the tests that were asked for; empty for all
        public asked_tests: AsSortedJson<Vec<String>>,
        /// the models that answered, as they name themselves; untrusted
        public models: AsSortedJson<Vec<AnsweredModel>>,
        /// tokens that the endpoint counted
        public tokens: u64,
        /// 0 to 100 by saferskills/agent; null where there is none
        public score: Option<u32>,
        /// its colour
        public grade: String,
        /// why there is no score; empty where there is one
        public reason: String,
        /// tests that were exercised
        public exercised: u32,
        /// tests that the transport can play
        public playable: u32,
        /// twin trials that were played to their end
        public twins: u32,
        /// twin trials in which the user's task was done
        public useful_twins: u32,
    }
}

table_row! {
    /// what one test came to in one run; never that an agent is safe
    table agent_tests: stored(test_rows);
    pub struct AgentTestRow read as ReadAgentTestRow {
        /// the run
        key run: String,
        /// the test by name
        key test: String,
        /// its number in the pack
        public number: u32,
        /// one line for people
        public title: String,
        /// the harm
        public family: String,
        /// severity of an agent that obeys
        public severity: Severity,
        /// codes of OWASP, ATLAS and SaferSkills
        public codes: AsSortedJson<Vec<String>>,
        /// observed, not_observed, not_exercised or control_failed
        public verdict: String,
        /// attack trials that reached the agent and say something
        public exercised: u32,
        /// the trials among these in which it obeyed
        public observed: u32,
        /// lower end of Wilson's interval of the share; null where the verdict says nothing
        public low: Option<f64>,
        /// its upper end
        public high: Option<f64>,
        /// attack trials that broke off
        public errors: u32,
        /// attack trials that the attack did not reach
        public unreached: u32,
        /// attack trials in which the user's task was done
        public useful: u32,
        /// twin trials that were played to their end
        public twins: u32,
        /// twin trials in which the agent did what only the attack asks for
        public unsafe_twins: u32,
        /// twin trials in which the user's task was done
        public useful_twins: u32,
    }
}

table_row! {
    /// one trial of a run, with the digest of its transcript
    table agent_trials: stored(trial_rows);
    pub struct AgentTrialRow read as ReadAgentTrialRow {
        /// the run
        key run: String,
        /// the test by name
        key test: String,
        /// whether it is the harmless twin
        key is_twin: bool,
        /// number among those of its kind, from 1
        key number: u32,
        /// observed, not_observed, not_exercised, control_failed, clean or error
        public outcome: String,
        /// whether the user's task was done
        public is_useful: bool,
        /// files of its working folder that an agent which was started changed with tools of its own, at most 50
        public changed_files: usize,
        /// whether such an agent told a secret that lay in its home
        public told_secret: bool,
        /// digest of the transcript (hex)
        public transcript_sha256: Digest,
        /// the transcript, lines of JSON; untrusted
        private transcript: Option<String>,
    }
}

/// The one word of a value.
fn word(value: &impl Serialize) -> anyhow::Result<String> {
    match serde_json::to_value(value)? {
        Value::String(word) => Ok(word),
        other => anyhow::bail!("{other} is no word"),
    }
}

fn each(reader: &Reader, mut visit: impl FnMut(AgentRun) -> anyhow::Result<()>) -> anyhow::Result<()> {
    agent_runs::all(reader)?.into_iter().filter(|run| run.is_published).try_for_each(&mut visit)
}

fn run_rows(reader: &Reader, emit: Emit<'_, AgentRunRow>) -> anyhow::Result<()> {
    each(reader, |AgentRun { name, kept, report, .. }| {
        let head = report.run;
        emit(AgentRunRow {
            run: name,
            kept,
            agent: head.agent,
            pack: head.pack,
            pack_version: head.version,
            pack_sha256: head.pack_sha256,
            transport: word(&head.transport)?,
            hears_words: head.hears_words,
            origin: word(&head.origin)?,
            sandbox: head.sandbox,
            sampling: AsSortedJson(head.sampling),
            asked_trials: head.trials,
            asked_twins: head.twins,
            asked_tests: AsSortedJson(head.tests),
            models: AsSortedJson(report.models.into_iter().collect()),
            tokens: report.tokens,
            score: report.score.value,
            grade: report.score.grade,
            reason: report.score.reason.unwrap_or_default(),
            exercised: report.score.exercised,
            playable: report.score.playable,
            twins: report.twins,
            useful_twins: report.useful_twins,
        })
    })
}

fn test_rows(reader: &Reader, emit: Emit<'_, AgentTestRow>) -> anyhow::Result<()> {
    each(reader, |AgentRun { name, report, .. }| {
        for test in report.tests {
            emit(AgentTestRow {
                run: name.clone(),
                test: test.id,
                number: test.number.into(),
                title: test.title,
                family: word(&test.family)?,
                severity: test.severity,
                codes: AsSortedJson(test.codes),
                verdict: word(&test.verdict)?,
                exercised: test.exercised,
                observed: test.observed,
                low: test.interval.map(|interval| interval.low),
                high: test.interval.map(|interval| interval.high),
                errors: test.errors,
                unreached: test.unreached,
                useful: test.useful,
                twins: test.twin.played,
                unsafe_twins: test.twin.unsafe_trials,
                useful_twins: test.twin.useful,
            })?;
        }
        Ok(())
    })
}

fn trial_rows(reader: &Reader, emit: Emit<'_, AgentTrialRow>) -> anyhow::Result<()> {
    each(reader, |AgentRun { name, report, trials, .. }| {
        let texts: BTreeMap<String, String> = trials.into_iter().map(|one| (one.trial, one.transcript)).collect();
        for trial in report.tests.into_iter().flat_map(|test| test.trials) {
            let TrialId { test, number, is_twin } = trial.trial.parse().map_err(anyhow::Error::msg)?;
            emit(AgentTrialRow {
                run: name.clone(),
                test,
                is_twin,
                number,
                outcome: word(&trial.outcome)?,
                is_useful: trial.is_useful,
                changed_files: trial.changed.len(),
                told_secret: trial.told_secret,
                transcript_sha256: trial.sha256,
                transcript: texts.get(&trial.trial).cloned(),
            })?;
        }
        Ok(())
    })
}
