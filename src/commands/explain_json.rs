//! `capdex explain --format json`: the same capability as an object of schema `capdex.explain/1`.

use capdex_dataset::export::ranked_capability;
use capdex_dataset::judged::{self, JudgeRecord};
use capdex_dataset::program::{Program, program};
use capdex_dataset::scan_record::ScanRecord;
use capdex_dataset::{annotations, finding};
use capdex_db::{CurrentCapability, Reader};
use capdex_model::time::AsOf;
use serde::Serialize;

use super::list_output;
use crate::cli::ListFormat;
use crate::output::Out;

/// One capability with everything that was found and computed, keys in the order of `docs/cli.md`.
#[derive(Serialize)]
struct ExplainRecord<'a> {
    schema: &'static str,
    #[serde(flatten)]
    program: &'static Program,
    /// The instant that ages are measured against.
    as_of: AsOf,
    version: Option<&'a str>,
    /// The rule set under which the facts were found (hex), and the digest of the facts (hex).
    ruleset_sha256: String,
    facts_sha256: String,
    /// As `scan` prints it.
    scan: ScanRecord<'a>,
    /// What a model said of it; no key where none was ever asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    judge: Option<JudgeRecord>,
}

pub(super) fn print(
    reader: &Reader,
    current: &CurrentCapability,
    as_of: AsOf,
    format: ListFormat,
    out: &mut Out,
) -> anyhow::Result<()> {
    let facts = ranked_capability::facts(reader, current)?;
    let (scores, verdict) = ranked_capability::scores(reader, current, as_of)?;
    let operator = ranked_capability::operator(reader, current, &facts, (&scores, &verdict), as_of)?;
    let annotations = annotations::of(reader, current)?;
    let (input, surfaces) = (current.listing.to_string(), reader.surfaces(&current.capability.id)?);
    let scan = ScanRecord::new(&input, &current.capability, &current.completeness, &facts, &scores, &verdict);
    // Without them it says null: a list of before is unknown and not empty.
    let mut scan = match &surfaces {
        Some(surfaces) => scan.with_surfaces(surfaces),
        None => scan,
    };
    scan.verdict.operator = operator.as_ref();
    scan.verdict.annotations = annotations::of_whole(&annotations).collect();
    finding::put_beside(&mut scan.findings, operator.as_ref(), &annotations);
    let word = judged::of(reader, &current.capability.id)?;
    let record = ExplainRecord {
        schema: "capdex.explain/1",
        program: program(),
        as_of,
        version: current.version.as_deref(),
        ruleset_sha256: current.ruleset.hex(),
        facts_sha256: current.facts.hex(),
        scan,
        judge: word.map(|word| JudgeRecord { score: word.score(current.capability.kind, &facts), word }),
    };
    list_output::print(format, "capdex.explain/1", &[record], out, |_| Ok(()))
}
