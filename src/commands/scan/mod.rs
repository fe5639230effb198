//! `capdex scan`: scores local input without a store.

use std::path::Path;

use capdex_core::bundle::Bundle;
use capdex_core::fact::Severity;
use capdex_core::score::{Band, Score, Verdict};
use capdex_core::snapshot::Completeness;
use capdex_core::time::AsOf;
use capdex_crawlers::folder;
use capdex_crawlers::unpack::Limits;
use capdex_db::Scanned;

use crate::cli::{FailOn, Global, Scan, ScanFormat};
use crate::exit::{Exit, usage};
use crate::item::Item;
use crate::output::Out;
use crate::progress::Progress;
use crate::{analysis, bulk, clock};

mod markdown;
mod sarif;
mod table;

/// One capability of one input, judged.
struct Judged {
    input: String,
    scanned: Scanned,
    scores: Vec<Score>,
    verdict: Verdict,
}

impl Judged {
    /// The scores that people are shown: a variant of a method only where it was asked for by name, and then alone.
    fn shown(&self) -> impl Iterator<Item = &Score> {
        self.scores.iter().filter(|score| score.rubric.is_seed() || self.scores.len() == 1)
    }

    fn item(&self) -> Item<'_> {
        Item::new(
            &self.input,
            &self.scanned.capability,
            &self.scanned.completeness,
            &self.scanned.facts,
            &self.scores,
            self.verdict,
        )
    }
}

/// Inputs read and scanned before their results are printed: bounds memory.
const BATCH: usize = 64;

pub(super) fn run(global: &Global, options: &Scan, out: &mut Out) -> anyhow::Result<Exit> {
    if let Some(id) = &options.rubric {
        super::known_rubric(id)?;
    }
    let paths: Vec<String> = options.paths.iter().map(|path| path.display().to_string()).collect();
    for path in &options.paths {
        if path.symlink_metadata().is_err() {
            return Err(usage(format!("there is nothing at {}", path.display())));
        }
    }
    let at = global.as_of.unwrap_or_else(|| AsOf(clock::now()));
    let pool = bulk::pool(global.threads)?;
    let progress = Progress::stage("scan", u64::try_from(paths.len()).ok(), global.quiet);
    let mut printer = Printer::new(options.format, out);
    let (mut met, mut incomplete) = (false, false);
    bulk::ordered(
        &pool,
        &paths,
        BATCH,
        |path| judge(path, options.rubric.as_deref(), at),
        |_, results| {
            for judged in results {
                for one in &judged? {
                    met |= options.fail_on.is_some_and(|threshold| meets(one, threshold));
                    incomplete |= one.scanned.completeness != Completeness::Analysed;
                    printer.add(one)?;
                }
                progress.advance(1);
            }
            Ok(())
        },
    )?;
    progress.finish();
    printer.finish()?;
    Ok(Exit::of(met, incomplete))
}

/// Reads, scans and scores one input.
fn judge(path: &str, rubric: Option<&str>, at: AsOf) -> anyhow::Result<Vec<Judged>> {
    let input = folder::read(Path::new(path), &Limits::default())?;
    let bundle = Bundle { gaps: input.gaps, ..Bundle::local(format!("folder:{}", input.name), input.files) };
    Ok(analysis::scan(&bundle)
        .into_iter()
        .map(|scanned| {
            let all = analysis::score(&scanned.facts, None, at);
            let verdict = analysis::judge(&all, &scanned.completeness);
            let scores = all.into_iter().filter(|score| rubric.is_none_or(|id| score.rubric.id == id)).collect();
            Judged { input: path.to_owned(), scanned, scores, verdict }
        })
        .collect())
}

fn meets(judged: &Judged, threshold: FailOn) -> bool {
    match threshold {
        FailOn::Severity(severity) => worst(judged).is_some_and(|worst| worst >= severity),
        FailOn::Band(band) => judged.verdict.band != Band::Unknown && judged.verdict.band >= band,
    }
}

/// The worst severity among the findings.
fn worst(judged: &Judged) -> Option<Severity> {
    judged.scanned.facts.findings().map(|fact| fact.severity).max()
}

/// Prints results as they come, in the format asked for.
struct Printer<'a> {
    format: ScanFormat,
    out: &'a mut Out,
    first: bool,
    sarif: sarif::Run,
}

impl<'a> Printer<'a> {
    fn new(format: ScanFormat, out: &'a mut Out) -> Self {
        Self { format, out, first: true, sarif: sarif::Run::default() }
    }

    fn add(&mut self, judged: &Judged) -> anyhow::Result<()> {
        match self.format {
            ScanFormat::Table => table::print(judged, self.first, self.out)?,
            ScanFormat::Json => {
                let lead = if self.first { "{\"schema\":\"capdex.scan/1\",\"items\":[\n" } else { ",\n" };
                self.out.raw(lead.as_bytes())?;
                self.out.raw(&serde_json::to_vec(&judged.item())?)?;
            }
            ScanFormat::Jsonl => self.out.line(serde_json::to_string(&judged.item())?)?,
            ScanFormat::Sarif => self.sarif.add(judged),
            ScanFormat::Markdown => markdown::print(judged, self.out)?,
        }
        self.first = false;
        Ok(())
    }

    fn finish(self) -> anyhow::Result<()> {
        match self.format {
            ScanFormat::Json => self.out.raw(b"\n]}\n")?,
            ScanFormat::Sarif => self.out.line(serde_json::to_string_pretty(&self.sarif.finish())?)?,
            ScanFormat::Table | ScanFormat::Jsonl | ScanFormat::Markdown => {}
        }
        Ok(())
    }
}
