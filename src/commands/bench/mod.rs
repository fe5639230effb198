//! `capdex bench`: recall, false-positive rate and throughput on a labelled set.
//!
//! The set is read and parsed before the clock starts; what is timed is scanning and scoring from memory.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use capdex_core::bundle::{Bundle, BundleFile};
use capdex_core::fact::Severity;
use capdex_core::time::AsOf;
use capdex_crawlers::unpack;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cli::{Bench, Global};
use crate::exit::{Exit, usage};
use crate::output::{self, Out};
use crate::{analysis, bulk, clock};

mod rates;

/// One labelled case as the file holds it; other keys are ignored.
#[derive(Debug, Deserialize)]
struct Line {
    case: String,
    label: String,
    #[serde(default)]
    subset: String,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    doc: Value,
}

/// One labelled case, ready to scan.
struct Case {
    id: String,
    label: String,
    subset: String,
    bundle: Bundle,
}

/// What was found in one case.
#[derive(Clone, Debug, Default)]
struct Verdict {
    worst: Option<Severity>,
    rules: BTreeMap<String, Severity>,
}

pub(super) fn run(global: &Global, options: &Bench, out: &mut Out) -> anyhow::Result<Exit> {
    let cases = read(&options.file)?;
    if cases.is_empty() {
        return Err(usage(format!("{} holds no case", options.file.display())));
    }
    let pool = bulk::pool(global.threads)?;
    let at = global.as_of.unwrap_or_else(|| AsOf(clock::now()));
    let mut best = Duration::MAX;
    let mut verdicts = Vec::new();
    for _ in 0..options.rounds {
        let watch = clock::Stopwatch::start();
        verdicts.clear();
        bulk::ordered(
            &pool,
            &cases,
            cases.len(),
            |case| judge(&case.bundle, at),
            |_, results| {
                verdicts.extend(results);
                Ok(())
            },
        )?;
        best = best.min(watch.elapsed());
    }
    print_throughput(&cases, best, &pool, options.rounds, out)?;
    rates::print(&cases, &verdicts, out)?;
    if let Some(path) = &options.verdicts {
        write_verdicts(path, &cases, &verdicts)?;
    }
    Ok(Exit::Done)
}

fn judge(bundle: &Bundle, at: AsOf) -> Verdict {
    let mut verdict = Verdict::default();
    for scanned in analysis::scan(bundle) {
        // The scores count toward the time, as in a real night.
        std::hint::black_box(analysis::score(&scanned.facts, None, at));
        for fact in scanned.facts.findings() {
            verdict.worst = verdict.worst.max(Some(fact.severity));
            let worst = verdict.rules.entry(fact.rule.to_string()).or_insert(fact.severity);
            *worst = (*worst).max(fact.severity);
        }
    }
    verdict
}

fn read(path: &Path) -> anyhow::Result<Vec<Case>> {
    let file = File::open(path).map_err(|error| usage(format!("cannot read {}: {error}", path.display())))?;
    let is_gzip = path.extension().is_some_and(|extension| extension == "gz");
    let reader: Box<dyn BufRead> =
        if is_gzip { Box::new(unpack::gunzip_lines(file)) } else { Box::new(BufReader::new(file)) };
    reader
        .lines()
        .enumerate()
        .map(|(index, line)| {
            let line = line.with_context(|| format!("failed to read {}", path.display()))?;
            let line: Line = serde_json::from_str(&line)
                .map_err(|error| usage(format!("{} line {}: {error}", path.display(), index + 1)))?;
            Ok(case(line))
        })
        .collect()
}

fn case(line: Line) -> Case {
    let mut files: BTreeMap<String, BundleFile> =
        line.files.into_iter().map(|(path, text)| (path, BundleFile::new(text.into_bytes()))).collect();
    if !line.doc.is_null() {
        files.insert("tools.json".into(), BundleFile::new(line.doc.to_string().into_bytes()));
    }
    let bundle = Bundle::local(format!("folder:{}", line.case), files);
    Case { id: line.case, label: line.label, subset: line.subset, bundle }
}

fn print_throughput(
    cases: &[Case],
    best: Duration,
    pool: &rayon::ThreadPool,
    rounds: u32,
    out: &mut Out,
) -> anyhow::Result<()> {
    let bytes: u64 = cases.iter().flat_map(|case| case.bundle.files.values()).map(|file| file.bytes.len() as u64).sum();
    let seconds = best.as_secs_f64().max(1e-9);
    out.line(format_args!(
        "{} ({}) in {seconds:.2} s on {}, best of {rounds}: {:.0} cases/s, {:.1} MB/s",
        output::count(cases.len() as u64, "case"),
        output::bytes(bytes),
        output::count(pool.current_num_threads() as u64, "thread"),
        cases.len() as f64 / seconds,
        bytes as f64 / 1e6 / seconds
    ))?;
    if let Some(peak) = clock::peak_memory_bytes() {
        out.line(format_args!("peak memory {}", output::bytes(peak)))?;
    }
    Ok(())
}

fn write_verdicts(path: &Path, cases: &[Case], verdicts: &[Verdict]) -> anyhow::Result<()> {
    let mut file = std::io::BufWriter::new(File::create(path)?);
    for (case, verdict) in cases.iter().zip(verdicts) {
        let findings: Vec<Value> =
            verdict.rules.iter().map(|(rule, severity)| json!({ "rule": rule, "severity": severity })).collect();
        let severity = verdict.worst.map_or("none", Severity::as_str);
        writeln!(file, "{}", json!({ "case": case.id, "severity": severity, "findings": findings }))?;
    }
    file.flush()?;
    Ok(())
}
