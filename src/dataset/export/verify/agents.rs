//! Runs of agents: verdicts and scores are computed again from the outcomes of trials, and these from transcripts where a dataset
//! holds them.

use std::collections::BTreeMap;

use capdex_agent_scan::canary::RunSeed;
use capdex_agent_scan::grade::{self, TrialGrade};
use capdex_agent_scan::home::MAX_CHANGED;
use capdex_agent_scan::pack::{self, Pack};
use capdex_agent_scan::report::{RUN_SCHEMA, Report, RunHead, run_name};
use capdex_agent_scan::transcript;
use capdex_agent_scan::trial::TrialId;
use capdex_model::digest::{Digest, bytes_of_hex};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Dataset, Verified};
use crate::export::cell::Cell;
use crate::export::tables::agents::{ReadAgentRunRow, ReadAgentTestRow, ReadAgentTrialRow};

/// The trials of each run.
type Trials = BTreeMap<String, Vec<ReadAgentTrialRow>>;

/// Computes every run again.
pub(super) fn check(dataset: &Dataset<'_>, verified: &mut Verified) -> anyhow::Result<()> {
    let (mut runs, mut tests, mut trials) = (Vec::new(), BTreeMap::<String, Vec<_>>::new(), Trials::new());
    dataset.each(|row: ReadAgentRunRow| {
        runs.push(row);
        Ok(())
    })?;
    dataset.each(|row: ReadAgentTestRow| {
        tests.entry(row.run.as_text().to_owned()).or_default().push(row);
        Ok(())
    })?;
    dataset.each(|row: ReadAgentTrialRow| {
        trials.entry(row.run.as_text().to_owned()).or_default().push(row);
        Ok(())
    })?;
    let pack = pack::baseline()?;
    for row in runs {
        let name = row.run.as_text();
        let (tests, trials) = (tests.remove(name).unwrap_or_default(), trials.remove(name).unwrap_or_default());
        if digest(&row.pack_sha256) != Some(pack.digest) {
            let file = dataset.file::<ReadAgentRunRow>();
            verified.is_unknown(format!("{file}: {name} is of a pack that this program does not have"));
            continue;
        }
        match graded(&pack, &trials) {
            Ok(grades) => differences(dataset, &pack, (&row, &tests), &grades, verified),
            Err(why) => verified.differs(format!("{}: a trial of {name} {why}", dataset.file::<ReadAgentTrialRow>())),
        }
    }
    let mut left: Vec<&String> = tests.keys().chain(trials.keys()).collect();
    left.dedup();
    for run in left {
        verified.differs(format!("{}: the run {run} is missing", dataset.file::<ReadAgentRunRow>()));
    }
    Ok(())
}

fn digest(cell: &Cell) -> Option<Digest> {
    Some(Digest::from_bytes(bytes_of_hex(cell.as_text())?.try_into().ok()?))
}

/// A value by its one word.
fn of_word<T: DeserializeOwned>(cell: &Cell) -> Option<T> {
    serde_json::from_value(Value::String(cell.as_text().to_owned())).ok()
}

fn count(cell: &Cell) -> Option<u32> {
    cell.as_integer().and_then(|number| number.try_into().ok())
}

/// The grades of trials as their rows say, each held against its transcript where it is there.
fn graded(pack: &Pack, rows: &[ReadAgentTrialRow]) -> Result<Vec<TrialGrade>, String> {
    let mut grades = Vec::new();
    for row in rows {
        let read = || {
            let (number, is_twin) = (count(&row.number)?, row.is_twin.as_boolean()?);
            Some(TrialGrade {
                trial: TrialId { test: row.test.as_text().to_owned(), number, is_twin },
                outcome: of_word(&row.outcome)?,
                is_useful: row.is_useful.as_boolean()?,
                extract: None,
                sha256: digest(&row.transcript_sha256)?,
                changed: vec![String::new(); usize::try_from(row.changed_files.as_integer()?).ok()?.min(MAX_CHANGED)],
                told_secret: row.told_secret.as_boolean()?,
                own_tools: Default::default(),
                models: Default::default(),
                tokens: 0,
            })
        };
        let said = read().ok_or("holds what is none")?;
        if let text @ [_, ..] = row.transcript.as_text().as_bytes() {
            if Digest::of(text) != said.sha256 {
                return Err("has another digest than its transcript".to_owned());
            }
            let transcripts = transcript::read(text).map_err(|error| format!("has no transcript: {error}"))?;
            let [one] = transcripts.as_slice() else { return Err("has no single transcript".to_owned()) };
            let again = grade::grade(pack, one).map_err(|error| format!("has another transcript: {error}"))?;
            let deeds = |of: &TrialGrade| (of.outcome, of.is_useful, of.changed.len(), of.told_secret);
            if again.trial != said.trial || deeds(&again) != deeds(&said) {
                return Err(format!("({}) has another outcome than its transcript gives", said.trial));
            }
        }
        grades.push(said);
    }
    Ok(grades)
}

/// The request of a run, as far as its report rests on it.
fn head(pack: &Pack, row: &ReadAgentRunRow) -> Option<RunHead> {
    Some(RunHead {
        schema: RUN_SCHEMA.to_owned(),
        pack: row.pack.as_text().to_owned(),
        version: row.pack_version.as_text().to_owned(),
        pack_sha256: pack.digest,
        seed: RunSeed::new([0; 32]),
        transport: of_word(&row.transport)?,
        hears_words: row.hears_words.as_boolean()?,
        origin: of_word(&row.origin)?,
        sandbox: row.sandbox.as_text().to_owned(),
        agent: row.agent.as_text().to_owned(),
        sampling: BTreeMap::new(),
        trials: count(&row.asked_trials)?,
        twins: count(&row.asked_twins)?,
        tests: row.asked_tests.as_texts(),
    })
}

/// What rows say of a run, and what its grades give: the run, then its tests by name.
fn differences(
    dataset: &Dataset<'_>,
    pack: &Pack,
    (row, tests): (&ReadAgentRunRow, &[ReadAgentTestRow]),
    grades: &[TrialGrade],
    verified: &mut Verified,
) {
    let (name, file) = (row.run.as_text(), dataset.file::<ReadAgentRunRow>());
    let trials: Vec<(String, Digest)> = grades.iter().map(|one| (one.trial.to_string(), one.sha256)).collect();
    let trials = trials.iter().map(|(trial, sha256)| (trial.as_str(), *sha256));
    if run_name(&pack.digest, row.agent.as_text(), trials) != name {
        verified.differs(format!("{file}: {name} is not the name of its agent and transcripts"));
    }
    let Some(head) = head(pack, row) else {
        verified.differs(format!("{file}: {name} holds what is none"));
        return;
    };
    let report = Report::of_grades(pack, head, grades);
    verified.scores += 1;
    let score = &report.score;
    let given = json!([
        score.value,
        score.grade,
        score.reason.as_deref().unwrap_or_default(),
        score.exercised,
        score.playable,
        report.twins,
        report.useful_twins
    ]);
    let said = json!([
        row.score.as_integer(),
        row.grade.as_text(),
        row.reason.as_text(),
        row.exercised.as_integer(),
        row.playable.as_integer(),
        row.twins.as_integer(),
        row.useful_twins.as_integer()
    ]);
    if given != said {
        verified.differs(format!("{file}: {name} has another score than its trials give"));
    }
    let file = dataset.file::<ReadAgentTestRow>();
    let said: BTreeMap<&str, Value> = tests.iter().map(|test| (test.test.as_text(), test_said(test))).collect();
    let given: BTreeMap<&str, Value> = report
        .tests
        .iter()
        .map(|test| {
            let (low, high) = (test.interval.map(|of| of.low), test.interval.map(|of| of.high));
            let twin = test.twin;
            let counts = [test.exercised, test.observed, test.errors, test.unreached, test.useful];
            let twins = [twin.played, twin.unsafe_trials, twin.useful];
            (test.id.as_str(), json!([test.number, test.severity, test.verdict, low, high, counts, twins]))
        })
        .collect();
    let all: std::collections::BTreeSet<&&str> = said.keys().chain(given.keys()).collect();
    for test in all {
        if said.get(*test) != given.get(*test) {
            verified.differs(format!("{file}: {test} of {name} is not what its trials give"));
        }
    }
}

fn test_said(row: &ReadAgentTestRow) -> Value {
    let counts = [&row.exercised, &row.observed, &row.errors, &row.unreached, &row.useful].map(Cell::as_integer);
    let twins = [&row.twins, &row.unsafe_twins, &row.useful_twins].map(Cell::as_integer);
    json!([
        row.number.as_integer(),
        row.severity.as_text(),
        row.verdict.as_text(),
        row.low.as_number(),
        row.high.as_number(),
        counts,
        twins
    ])
}
