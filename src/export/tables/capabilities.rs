//! The table `capabilities`: the ranked table.

use capdex_core::fact::Severity;
use capdex_core::purl::Purl;
use capdex_core::rubrics::why_they_differ;
use capdex_core::score::{Score, Verdict};

use super::{Column, Integer, Json, Number, Rows, Table, Text, column};
use crate::export::cell::{Cell, Row};
use crate::export::ranked::Ranked;

/// The ranked table.
pub const TABLE: Table =
    Table { name: "capabilities", about: "one capability, ranked", columns: COLUMNS, rows: Rows::Ranked };

const COLUMNS: &[Column] = &[
    column("rank", Integer, "place in the order, from 1: band, then the ranking rubric's value, coverage, slug, id"),
    column("slug", Text, "readable name: locator, kind and path in lower-case kebab"),
    column("id", Text, "SHA-256 (hex) of locator identity, kind and path: stays from night to night"),
    column("kind", Text, "skill, mcp_server, hook, plugin, rules, or package for what none of them claims"),
    column("name", Text, "the name that it gives itself; untrusted"),
    column("package", Text, "the locator's identity, such as npm:@scope/name"),
    column("path", Text, "the folder or file that anchors it inside the package"),
    column("version", Text, "the version listed"),
    column("listing", Text, "source and name there"),
    column("listing_state", Text, "active, gone or failed at the last visit"),
    column("content_sha256", Text, "SHA-256 (hex) over its files"),
    column("facts_sha256", Text, "key into the table facts"),
    column("completeness", Text, "analysed, partial or not_assessable"),
    column("incomplete_reasons", Json, "the gaps behind a completeness other than analysed"),
    column("band", Text, "strictest band over the four seed rubrics: ok, watch, caution, block or unknown"),
    column("disagreement", Number, "(strictest - mildest) / 3 over the known bands"),
    column("disagreement_reason", Text, "why the strictest and the mildest rubric differ; null where they do not"),
    column("findings_critical", Integer, "number of findings of this severity"),
    column("findings_high", Integer, "number of findings of this severity"),
    column("findings_medium", Integer, "number of findings of this severity"),
    column("findings_low", Integer, "number of findings of this severity"),
    column("findings_info", Integer, "number of findings of this severity"),
    column("capability_tags", Json, "capability codes such as W015: what it can do, not what is wrong with it"),
    column("spiderrating_seed", Number, "value of spiderrating/seed, 0 to 10"),
    column("saferskills_seed", Number, "value of saferskills/seed, 0 to 100"),
    column("mcpbundles_seed", Number, "value of mcpbundles/seed, 0 to 100"),
    column("agentscore_seed", Number, "value of agentscore/seed, 0 to 100"),
    column("first_seen", Text, "as_of of the night that saw it first"),
    column("revision_seen", Text, "as_of of the night that saw this content first"),
    column("purl", Text, "package URL of the package at its version; null where its ecosystem has none"),
];

/// The rubrics whose values have a column.
pub const SEEDS: [&str; 4] = ["spiderrating/seed", "saferskills/seed", "mcpbundles/seed", "agentscore/seed"];

/// The row of a ranked capability, in the order of the columns. `slug` and `id` are what other tables share.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn row(ranked: &Ranked, slug: &Cell, id: &Cell) -> anyhow::Result<Row> {
    let (current, capability) = (&ranked.current, &ranked.current.capability);
    let gaps: Vec<String> = current.completeness.gaps().iter().map(ToString::to_string).collect();
    let mut row = vec![
        Cell::count(ranked.rank),
        slug.clone(),
        id.clone(),
        Cell::text(capability.kind.as_str()),
        Cell::text(&capability.name),
        Cell::text(&current.identity),
        Cell::text(&capability.path),
        Cell::text_or_null(current.version.as_deref()),
        Cell::text(current.listing.to_string()),
        Cell::text(current.listing_state.as_str()),
        Cell::text(capability.content.hex()),
        Cell::text(current.facts.hex()),
        Cell::text(current.completeness.as_str()),
        Cell::json(&gaps)?,
    ];
    row.extend(verdict_cells(&ranked.scores, &ranked.verdict));
    row.extend(Severity::ALL.into_iter().rev().map(|severity| Cell::count(ranked.findings.count(severity))));
    row.push(Cell::json(&ranked.tags)?);
    row.extend(SEEDS.map(|rubric| seed(&ranked.scores, rubric)));
    row.extend([Cell::text(current.first_seen.to_string()), Cell::text(current.revision_as_of.to_string())]);
    let purl = Purl::of_identity(&current.identity, current.version.as_deref());
    row.push(purl.map_or(Cell::Null, |purl| Cell::text(purl.to_string())));
    Ok(row)
}

/// The value of a seed rubric.
fn seed(scores: &[Score], rubric: &str) -> Cell {
    let value = scores.iter().find(|score| score.rubric.id == rubric).and_then(|score| score.value);
    value.map_or(Cell::Null, |value| Cell::Number(value.as_f64()))
}

/// The columns that say what the rubrics come to together.
pub const VERDICT_COLUMNS: [&str; 3] = ["band", "disagreement", "disagreement_reason"];

/// The cells of [`VERDICT_COLUMNS`].
pub fn verdict_cells(scores: &[Score], verdict: &Verdict) -> [Cell; 3] {
    [
        Cell::text(verdict.band.as_str()),
        verdict.disagreement.map_or(Cell::Null, Cell::share),
        Cell::text_or_null(why_they_differ(scores)),
    ]
}
