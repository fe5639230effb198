//! `capdex bench`: recall, false-positive rate and throughput on labelled sets.
//!
//! A set is read and parsed before the clock starts; what is timed is scanning and scoring from memory.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use capdex_dataset::bulk;
use capdex_dataset::escape;
use capdex_dataset::stopwatch::Stopwatch;
use capdex_db::Scanned;
use capdex_model::bundle::Bundle;
use capdex_model::fact::Severity;
use capdex_model::facts::SparseFacts;
use capdex_model::rule::detection::{self, Detection, DetectionSet};
use capdex_model::rule::measured::{self, MeasuredSet};
use capdex_model::time::AsOf;
use serde_json::{Value, json};

use crate::cli::BenchArgs;
use crate::exit::Exit;
use crate::options::Global;
use crate::output::Out;
use crate::{analysis, clock};

mod rates;
mod set;

use set::{BenchCase, BenchSet};

/// The findings of one case.
#[derive(Clone, Debug, Default)]
struct CaseFindings {
    worst: Option<Severity>,
    rules: BTreeMap<String, Severity>,
    capabilities: usize,
    tools: usize,
}

pub(super) fn run(global: &Global, options: &BenchArgs, out: &mut Out) -> anyhow::Result<Exit> {
    // All sets are read before the first is timed, so that no disk is measured.
    let sets = options.files.iter().map(|path| BenchSet::read(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let pool = bulk::pool(global.threads)?;
    let at = global.as_of.unwrap_or_else(|| AsOf(clock::now()));
    let (mut figures, mut detected) = (BTreeMap::new(), BTreeMap::new());
    let mut lines = Vec::new();
    for set in &sets {
        let (verdicts, best) = time(set, &pool, options.rounds, at);
        print_throughput(set, &verdicts, best, &pool, options.rounds, out)?;
        let flagged = rates::detection(set, &verdicts, at);
        if options.rates_only {
            rates::print_groups(&flagged, out)?;
        } else {
            rates::print(set, &verdicts, out)?;
        }
        detected.insert(set.name.clone(), flagged);
        lines.extend(set.cases.iter().zip(&verdicts).map(|(case, verdict)| verdict_line(case, verdict)));
        figures.insert(set.name.clone(), rates::measured(set, &verdicts));
    }
    // Files last: an error while writing must not lose the printed figures.
    if let Some(path) = &options.verdicts {
        write_verdicts(path, &lines)?;
    }
    if let Some(path) = &options.measure {
        write_figures(path, figures)?;
    }
    if let Some(path) = &options.detection {
        write_detection(path, detected)?;
    }
    Ok(Exit::Done)
}

/// Scans a whole set so many times; gives the verdicts of the last round, and the shortest time.
fn time(set: &BenchSet, pool: &rayon::ThreadPool, rounds: u32, at: AsOf) -> (Vec<CaseFindings>, Duration) {
    let mut best = Duration::MAX;
    let mut verdicts = Vec::new();
    // The same steps as in a night, so that throughput is that of the program.
    let steps = analysis::steps(&set.cases, pool.current_num_threads(), |case| &case.bundle);
    for _ in 0..rounds {
        let watch = Stopwatch::start();
        verdicts = bulk::mapped(pool, steps.clone(), |step| judge(step, at)).into_iter().flatten().collect();
        // The shortest, because other work on the machine only ever adds time.
        best = best.min(watch.elapsed());
    }
    (verdicts, best)
}

fn judge(step: &[BenchCase], at: AsOf) -> Vec<CaseFindings> {
    let bundles: Vec<&Bundle> = step.iter().map(|case| &case.bundle).collect();
    let scanned = analysis::scan_all(&bundles);
    // The scores count toward the time, as in a real night.
    let facts: Vec<&SparseFacts> = scanned.iter().flatten().map(|scanned| &scanned.facts).collect();
    // Without it the compiler could leave out scores that nobody reads.
    std::hint::black_box(analysis::score_all(&facts, at));
    scanned.iter().map(|scanned| verdict(scanned)).collect()
}

fn verdict(scanned: &[Scanned]) -> CaseFindings {
    let mut verdict = CaseFindings::default();
    for scanned in scanned {
        verdict.capabilities += 1;
        verdict.tools += scanned.pins.tools.len();
        for fact in scanned.facts.findings() {
            verdict.worst = verdict.worst.max(Some(fact.severity));
            let worst = verdict.rules.entry(fact.rule.to_string()).or_insert(fact.severity);
            *worst = (*worst).max(fact.severity);
        }
    }
    verdict
}

fn print_throughput(
    set: &BenchSet,
    verdicts: &[CaseFindings],
    best: Duration,
    pool: &rayon::ThreadPool,
    rounds: u32,
    out: &mut Out,
) -> anyhow::Result<()> {
    // A set of a few cases may take less than the clock can tell.
    let seconds = best.as_secs_f64().max(1e-9);
    let a_second = |count: usize| count as f64 / seconds;
    out.line(format_args!(
        "{}: {} ({}) in {seconds:.2} s on {}, best of {rounds}: {:.0} cases/s, {:.0} capabilities/s, {:.0} tools/s, {:.1} MB/s",
        escape::escape(&set.name),
        escape::count(set.cases.len() as u64, "case"),
        escape::bytes(set.bytes()),
        escape::count(pool.current_num_threads() as u64, "thread"),
        a_second(set.cases.len()),
        a_second(verdicts.iter().map(|verdict| verdict.capabilities).sum()),
        a_second(verdicts.iter().map(|verdict| verdict.tools).sum()),
        set.bytes() as f64 / 1e6 / seconds
    ))?;
    if let Some(peak) = clock::peak_memory_bytes() {
        out.line(format_args!("peak memory {}", escape::bytes(peak)))?;
    }
    Ok(())
}

fn verdict_line(case: &BenchCase, verdict: &CaseFindings) -> Value {
    let findings: Vec<Value> =
        verdict.rules.iter().map(|(rule, severity)| json!({ "rule": rule, "severity": severity })).collect();
    let severity = verdict.worst.map_or("none", Severity::as_str);
    json!({ "case": case.id, "severity": severity, "findings": findings })
}

fn write_verdicts(path: &Path, lines: &[Value]) -> anyhow::Result<()> {
    let failed = || format!("failed to write {}", path.display());
    let mut file = std::io::BufWriter::new(File::create(path).with_context(failed)?);
    for line in lines {
        writeln!(file, "{line}").with_context(failed)?;
    }
    file.flush().with_context(failed)
}

/// Puts the figures of these sets into a file of figures and keeps those of other sets.
fn write_figures(path: &Path, figures: BTreeMap<String, MeasuredSet>) -> anyhow::Result<()> {
    let mut all: BTreeMap<String, MeasuredSet> = read_figures(path)?;
    // Sets that were not measured now keep their figures.
    all.extend(figures);
    fs::write(path, measured::render(&all)).with_context(|| format!("failed to write {}", path.display()))
}

/// The same for how many cases are flagged.
fn write_detection(path: &Path, sets: BTreeMap<String, DetectionSet>) -> anyhow::Result<()> {
    let mut all: Detection = read_figures(path)?;
    all.sets.extend(sets);
    fs::write(path, detection::render(&all)).with_context(|| format!("failed to write {}", path.display()))
}

/// A file of figures; none yet where there is no file.
fn read_figures<T: Default + serde::de::DeserializeOwned>(path: &Path) -> anyhow::Result<T> {
    match fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).with_context(|| format!("{} is no such file", path.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(T::default()),
        Err(error) => Err(error).with_context(|| format!("failed to read {}", path.display())),
    }
}
