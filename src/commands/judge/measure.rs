//! `judge agree` and `judge bench`: how much answers agree with each other, and with labels.

use std::collections::BTreeMap;
use std::fs;

use capdex_agent_scan::Interval;
use capdex_dataset::escape;
use capdex_db::{Reader, UnitId};
use capdex_judge::agreement::Agreement;
use capdex_judge::answer::Reading;
use capdex_judge::prompt::{Ballot, PromptVersion};
use capdex_judge::unit::{JudgeUnit, UnitTool};
use capdex_judge::wire::JudgeModel;
use capdex_judge::{Check, Unanswered, key};
use serde::Deserialize;
use serde_json::json;

use super::super::list_output;
use super::{ask, now, settings};
use crate::advice;
use crate::cli::{JudgeAgreeArgs, JudgeBenchArgs};
use crate::exit::{Exit, usage};
use crate::jobs::run::runtime;
use crate::judge_runs::endpoint::JudgeEndpoint;
use crate::judge_runs::prepare::prepare;
use crate::judge_runs::run::{JudgeRun, JudgeScope, keep};
use crate::judge_runs::settings::JudgeSettings;
use crate::options::Global;
use crate::output::Out;
use crate::shutdown::ShutdownFlag;

/// The lower end of a precision from which on a check is trusted, and the labelled marks that it takes.
const TRUSTED: (f64, u32) = (0.8, 100);

pub(super) fn agree(global: &Global, options: &JudgeAgreeArgs, out: &mut Out) -> anyhow::Result<Exit> {
    if options.models.len() != 2 {
        return Err(usage("--models takes two names with a comma between them"));
    }
    let (settings, contact) = settings(&options.schedule)?;
    let endpoint = JudgeEndpoint::open(&settings, &contact)?;
    prepare(&global.db, &settings.kinds)?;
    let reader = super::super::reader(global)?;
    let units: Vec<UnitId> =
        reader.standing_units(&settings.kinds)?.into_iter().map(|unit| unit.id).take(options.sample as usize).collect();
    if units.is_empty() {
        return Err(usage("nothing that it could be asked about stands in the store"));
    }
    let mut sides: Vec<BTreeMap<UnitId, Reading>> = Vec::new();
    for name in &options.models {
        let of =
            JudgeSettings { model: JudgeModel { name: name.clone(), ..settings.model.clone() }, ..settings.clone() };
        let last = reader_last(&reader)?;
        let run = JudgeRun { path: &global.db, settings: &of, at: now(global), stop: ShutdownFlag::default() };
        let scope = JudgeScope { only: units.clone(), again: true, is_measured: true, max_calls: None };
        let report = runtime()?.block_on(run.ask(&endpoint, &scope))?;
        ask::told(&report, out)?;
        sides.push(readings_since(&reader, last)?);
    }
    let [one, other] = sides.as_slice() else { return Err(usage("give two models")) };
    let mut agreement = Agreement::default();
    let both = one.iter().filter_map(|(unit, one)| Some((one, other.get(unit)?)));
    let mut compared = 0_u64;
    for (one, other) in both {
        compared += 1;
        one.marks.iter().zip(&other.marks).for_each(|(one, other)| agreement.add(one, other));
    }
    let (flips, marks) = (agreement.flips(), agreement.marks());
    out.line(format_args!(
        "{} of {} answered by both; kappa {}; {flips} of {marks} marks turned{}",
        escape::count(compared, "unit"),
        units.len(),
        agreement.kappa().map_or_else(|| "n/a".to_owned(), |kappa| format!("{kappa:.3}")),
        Interval::of(flips, marks).map_or_else(String::new, |interval| format!(
            " ({:.1} to {:.1} %)",
            interval.low * 100.0,
            interval.high * 100.0
        ))
    ))?;
    Ok(Exit::of(false, compared < units.len() as u64))
}

/// The number of the newest request; 0 where there is none.
fn reader_last(reader: &Reader) -> anyhow::Result<i64> {
    let mut last = 0;
    reader.each_judgement(|stored| -> anyhow::Result<()> {
        last = stored.id;
        Ok(())
    })?;
    Ok(last)
}

/// Answers that count, of requests after a number, with the questions as they stand.
fn readings_since(reader: &Reader, last: i64) -> anyhow::Result<BTreeMap<UnitId, Reading>> {
    let mut readings = BTreeMap::new();
    reader.each_judgement(|stored| -> anyhow::Result<()> {
        let is_meant = stored.id > last && stored.call.ballot == Ballot::Questions;
        if let Some(reading) = stored.answer.filter(|_| is_meant).and_then(|answer| answer.outcome.ok()) {
            readings.insert(stored.call.unit, reading);
        }
        Ok(())
    })?;
    Ok(readings)
}

/// What is wrong with each tool, by its name.
type Labels = BTreeMap<String, Vec<Check>>;

/// A labelled unit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LabelledUnit {
    server: String,
    #[serde(default)]
    host: String,
    tools: Vec<UnitTool>,
    #[serde(default)]
    labels: Labels,
}

/// What a check said against the labels.
#[derive(Clone, Copy, Debug, Default)]
struct CheckCounts {
    hits: u32,
    false_alarms: u32,
    missed: u32,
    marks: u32,
}

pub(super) fn bench(global: &Global, options: &JudgeBenchArgs, out: &mut Out) -> anyhow::Result<Exit> {
    let (settings, contact) = settings(&options.schedule)?;
    let units = labelled(options)?;
    let reader = super::super::reader(global)?;
    let mut counts: BTreeMap<Check, CheckCounts> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    // The format of answers that the endpoint takes, as the last run found it.
    let mut model = settings.model.clone();
    if let Some(before) = reader.judge_use()?.filter(|before| before.model.name == model.name) {
        model.format = before.model.format;
    }
    if options.ask {
        let endpoint = JudgeEndpoint::open(&settings, &contact)?;
        let all: Vec<JudgeUnit> = units.iter().map(|(unit, _)| unit.clone()).collect();
        let only = keep(&global.db, move |decisions| decisions.put_judge_units(&all))?;
        let run = JudgeRun { path: &global.db, settings: &settings, at: now(global), stop: ShutdownFlag::default() };
        let scope = JudgeScope { only, is_measured: true, ..JudgeScope::default() };
        ask::told(&runtime()?.block_on(run.ask(&endpoint, &scope))?, out)?;
    }
    let mut answered = 0_u64;
    for (unit, labels) in &units {
        let key = key::key(unit, PromptVersion::CURRENT, Ballot::Questions, &model);
        let stored = reader.judgement(&key)?.and_then(|stored| stored.answer);
        let outcome = stored.map_or(Err(Unanswered::NotAsked), |answer| answer.outcome);
        match outcome {
            Err(why) => *reasons.entry(why.as_str()).or_default() += 1,
            Ok(reading) => {
                answered += 1;
                count(unit, labels, &reading, &mut counts);
            }
        }
    }
    let items: Vec<_> = Check::ALL
        .into_iter()
        .map(|check| {
            let of = counts.get(&check).copied().unwrap_or_default();
            let said = of.hits + of.false_alarms;
            let interval = Interval::of(of.hits, said);
            let is_trusted = of.marks >= TRUSTED.1 && interval.is_some_and(|interval| interval.low >= TRUSTED.0);
            json!({
                "schema": "capdex.judge_bench/1", "check": check, "marks": of.marks, "hits": of.hits, "false_alarms": of.false_alarms,
                "missed": of.missed, "precision": interval.map(|_| f64::from(of.hits) / f64::from(said)),
                "precision_low": interval.map(|interval| interval.low),
                "recall": (of.hits + of.missed > 0).then(|| f64::from(of.hits) / f64::from(of.hits + of.missed)), "trusted": is_trusted,
            })
        })
        .collect();
    list_output::print(options.format, "capdex.judge_bench/1", &items, out, |out| {
        out.line(format_args!("{} of {} answered", escape::count(answered, "unit"), units.len()))?;
        for (why, count) in &reasons {
            out.line(format_args!("  {count} without: {why}"))?;
        }
        for check in Check::ALL {
            let CheckCounts { hits, false_alarms, missed, marks } = counts.get(&check).copied().unwrap_or_default();
            let low =
                Interval::of(hits, hits + false_alarms).map_or_else(|| "n/a".to_owned(), |of| format!("{:.3}", of.low));
            out.line(format_args!(
                "{check}: {hits} right, {false_alarms} wrong, {missed} missed of {marks} marks; precision at least {low}"
            ))?;
        }
        Ok(())
    })?;
    Ok(Exit::of(false, !reasons.is_empty()))
}

fn labelled(options: &JudgeBenchArgs) -> anyhow::Result<Vec<(JudgeUnit, Labels)>> {
    let shown = options.file.display();
    let text = fs::read_to_string(&options.file)
        .map_err(|error| usage(format!("cannot read {shown}: {}", advice::told(&error))))?;
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let read = |(number, line): (u32, &str)| {
        let of: LabelledUnit = serde_json::from_str(line)
            .map_err(|error| usage(format!("{shown}:{number}: no labelled unit: {error}")))?;
        Ok((
            JudgeUnit {
                kind: capdex_model::capability::Kind::McpServer,
                server: of.server,
                host: of.host,
                tools: of.tools,
            },
            of.labels,
        ))
    };
    lines.map(read).collect()
}

fn count(unit: &JudgeUnit, labels: &Labels, reading: &Reading, counts: &mut BTreeMap<Check, CheckCounts>) {
    for (tool, marks) in unit.tools.iter().zip(&reading.marks) {
        let labelled = labels.get(&tool.name).map(Vec::as_slice).unwrap_or_default();
        for (check, mark) in Check::ALL.into_iter().zip(marks.chars()) {
            let of = counts.entry(check).or_default();
            of.marks += 1;
            match (mark == 'y', labelled.contains(&check)) {
                (true, true) => of.hits += 1,
                (true, false) => of.false_alarms += 1,
                (false, true) => of.missed += 1,
                (false, false) => {}
            }
        }
    }
}
