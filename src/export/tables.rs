//! The tables of the dataset: their columns, once, and their rows.
//!
//! The data dictionary in the manual is written from here; nothing else may name a column.

use capdex_core::fact::Severity;
use capdex_core::listing::Claim;
use capdex_core::rubrics::saferskills::{self, Member};
use capdex_core::rubrics::why_they_differ;
use capdex_core::score::{Score, Verdict};
use capdex_core::time::AsOf;
use capdex_db::Reader;
use serde_json::{Value, json};

mod alerts;
mod campaigns;
mod collisions;
mod drift;
mod entities;
mod families;
mod gaps;
mod identity_events;
mod leads;

use super::ExportOptions;
use super::ranked::{self, Ranked};
use crate::finding::findings;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// A whole number.
    Integer,
    /// A number with at most three decimals.
    Number,
    /// Text.
    Text,
    /// A JSON value; text in CSV and SQLite.
    Json,
}

/// One column.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: ColumnType,
    /// What it means, for the data dictionary.
    pub about: &'static str,
}

/// One table.
pub struct Table {
    /// Its name, which is also that of its files.
    pub name: &'static str,
    /// What a row is, for the data dictionary.
    pub about: &'static str,
    /// Its columns.
    pub columns: &'static [Column],
    /// Its rows, sorted.
    pub rows: fn(&Contents<'_>) -> anyhow::Result<Vec<Row>>,
}

/// What the rows of an export are made from; the ranking, which several tables follow, is made once.
pub struct Contents<'a> {
    reader: &'a Reader,
    ranked: Vec<Ranked>,
    as_of: AsOf,
}

impl<'a> Contents<'a> {
    /// Ranks what the store holds.
    ///
    /// # Errors
    /// What the store says.
    pub fn of(reader: &'a Reader, options: &ExportOptions) -> anyhow::Result<Self> {
        Ok(Self { reader, ranked: ranked::rank(reader, options)?, as_of: options.as_of })
    }

    /// How many capabilities there are.
    pub fn capabilities(&self) -> usize {
        self.ranked.len()
    }
}

/// One row: a value for each column, `null` where there is none.
pub type Row = Vec<Value>;

const fn column(name: &'static str, kind: ColumnType, about: &'static str) -> Column {
    Column { name, kind, about }
}

use ColumnType::{Integer, Json, Number, Text};

/// Every table, in the order of the manual.
pub const TABLES: &[Table] = &[
    Table { name: "capabilities", about: "one capability, ranked", columns: CAPABILITIES, rows: capabilities },
    Table {
        name: "packages",
        about: "one package with the number that SaferSkills gives a repository",
        columns: PACKAGES,
        rows: packages,
    },
    Table { name: "scores", about: "one rubric's score of one capability", columns: SCORES, rows: scores },
    Table { name: "findings", about: "one finding in one capability", columns: FINDINGS, rows: finding_rows },
    Table {
        name: "facts",
        about: "every fact about one content, from which scores are recomputed",
        columns: FACTS,
        rows: facts,
    },
    Table { name: "listings", about: "what one directory says about one package", columns: LISTINGS, rows: listings },
    gaps::TABLE,
    drift::TABLE,
    families::TABLE,
    campaigns::TABLE,
    leads::TABLE,
    alerts::TABLE,
    entities::TABLE,
    identity_events::TABLE,
    collisions::TABLE,
];

/// The table of a name.
pub fn table(name: &str) -> Option<&'static Table> {
    TABLES.iter().find(|table| table.name == name)
}

const CAPABILITIES: &[Column] = &[
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
];

fn capabilities(contents: &Contents<'_>) -> anyhow::Result<Vec<Row>> {
    Ok(contents.ranked.iter().map(capability_row).collect())
}

/// The row of a ranked capability, in the order of the columns.
pub fn capability_row(ranked: &Ranked) -> Row {
    let (current, capability) = (&ranked.current, &ranked.current.capability);
    let mut row = vec![
        json!(ranked.rank),
        json!(capability.slug),
        json!(capability.id.to_string()),
        json!(capability.kind),
        json!(capability.name),
        json!(current.identity),
        json!(capability.path),
        json!(current.version),
        json!(current.listing),
        json!(current.listing_state.as_str()),
        json!(capability.content.hex()),
        json!(current.facts.hex()),
        json!(current.completeness.as_str()),
        json!(current.completeness.gaps().iter().map(ToString::to_string).collect::<Vec<_>>()),
    ];
    row.extend(verdict_cells(&ranked.scores, &ranked.verdict));
    row.extend(Severity::ALL.into_iter().rev().map(|severity| json!(ranked.findings.count(severity))));
    row.push(json!(ranked.tags));
    for rubric in ["spiderrating/seed", "saferskills/seed", "mcpbundles/seed", "agentscore/seed"] {
        let score = ranked.scores.iter().find(|score| score.rubric.id == rubric);
        row.push(json!(score.and_then(|score| score.value)));
    }
    row.extend([json!(current.first_seen), json!(current.revision_as_of)]);
    row
}

/// The columns that say what the rubrics come to together.
pub const VERDICT_COLUMNS: [&str; 3] = ["band", "disagreement", "disagreement_reason"];

/// The cells of [`VERDICT_COLUMNS`].
pub fn verdict_cells(scores: &[Score], verdict: &Verdict) -> [Value; 3] {
    [
        json!(verdict.band.as_str()),
        verdict.disagreement.map_or(Value::Null, |share| share.to_json()),
        json!(why_they_differ(scores)),
    ]
}

const PACKAGES: &[Column] = &[
    column("package", Text, "the locator's identity, such as npm:@scope/name"),
    column(
        "capabilities",
        Integer,
        "how many of its capabilities have a value; the rest of a package only where it is all",
    ),
    column("saferskills_seed", Number, "mean of saferskills/seed over them, under the ceiling; null without any"),
    column("grade", Text, "its colour, or n/a"),
    column("ceiling", Text, "severity of the worst active finding, where its ceiling cut the mean"),
];

fn packages(contents: &Contents<'_>) -> anyhow::Result<Vec<Row>> {
    let mut members: std::collections::BTreeMap<&str, Vec<Member>> = std::collections::BTreeMap::new();
    for ranked in &contents.ranked {
        members.entry(&ranked.current.identity).or_default().extend(ranked.member);
    }
    Ok(members.into_iter().map(|(package, members)| package_cells(package, &members).to_vec()).collect())
}

/// The row of a package, in the order of the columns.
pub fn package_cells(package: &str, members: &[Member]) -> [Value; 5] {
    let rolled = saferskills::roll_up(members);
    let of = |rolled: Option<&saferskills::RollUp>| rolled.map_or(0, |rolled| rolled.capabilities);
    [
        json!(package),
        json!(of(rolled.as_ref())),
        json!(rolled.as_ref().map(|rolled| rolled.value)),
        json!(rolled.as_ref().map_or("n/a", |rolled| rolled.grade.as_str())),
        json!(rolled.as_ref().and_then(|rolled| rolled.ceiling).map(Severity::as_str)),
    ]
}

const SCORES: &[Column] = &[
    column("slug", Text, "the capability"),
    column("capability", Text, "its id"),
    column("content_sha256", Text, "SHA-256 (hex) over the capability's files"),
    column("facts_sha256", Text, "the facts that were scored: key into the table facts"),
    column("ruleset_sha256", Text, "SHA-256 (hex) over the rule set that found them"),
    column("as_of", Text, "the instant that ages were measured against"),
    column("rubric", Text, "the rubric's id"),
    column("version", Text, "the version of our reading of it"),
    column("text_sha256", Text, "SHA-256 (hex) over the rubric's numbers and page"),
    column("value", Number, "on the rubric's own scale; null where it has none"),
    column("grade", Text, "as the rubric names it, or n/a"),
    column("coverage", Number, "share of what the rubric asks that could be answered"),
    column("terms", Json, "the arithmetic; the points add up to the value"),
    column("parts", Json, "sub-scores, layers or checks on their own scales"),
    column("caps", Json, "hard constraints that took hold"),
    column("reason", Text, "why there is no value"),
];

fn scores(contents: &Contents<'_>) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for ranked in &contents.ranked {
        rows.extend(ranked.scores.iter().map(|score| score_row(ranked, score, contents.as_of)));
    }
    Ok(rows)
}

/// The row of one score, in the order of the columns.
pub fn score_row(ranked: &Ranked, score: &Score, as_of: AsOf) -> Row {
    let (current, capability) = (&ranked.current, &ranked.current.capability);
    let mut row = vec![
        json!(capability.slug),
        json!(capability.id.to_string()),
        json!(capability.content.hex()),
        json!(current.facts.hex()),
        json!(current.ruleset.hex()),
        json!(as_of),
    ];
    row.extend(score_cells(score));
    row
}

/// The cells of a score that a recomputation must give again.
pub fn score_cells(score: &Score) -> [Value; 10] {
    [
        json!(score.rubric.id),
        json!(score.rubric.version),
        json!(score.rubric.text.hex()),
        json!(score.value),
        json!(score.grade),
        score.coverage.to_json(),
        json!(score.terms),
        json!(score.parts),
        json!(score.caps),
        json!(score.reason),
    ]
}

const FINDINGS: &[Column] = &[
    column("slug", Text, "the capability"),
    column("capability", Text, "its id"),
    column("rule", Text, "the rule's id"),
    column("severity", Text, "info, low, medium, high or critical"),
    column("confidence", Text, "low, medium or high"),
    column("title", Text, "the rule's one line"),
    column("file", Text, "path inside the package; untrusted"),
    column("line", Integer, "from 1; 0 where no line is meant"),
    column("column", Integer, "in code points, from 1"),
    column("pointer", Text, "JSON Pointer, for schema text"),
    column("evidence", Text, "quoted, masked where secret; untrusted"),
    column("fingerprint", Text, "stable when lines move"),
    column("citations", Json, "published entries that the rule rests on"),
    column("codes", Json, "the rule's names in each method's catalogue"),
];

fn finding_rows(contents: &Contents<'_>) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for ranked in &contents.ranked {
        let capability = &ranked.current.capability;
        let facts = ranked::facts(contents.reader, &ranked.current)?;
        for finding in findings(&facts) {
            rows.push(vec![
                json!(capability.slug),
                json!(capability.id.to_string()),
                json!(finding.rule),
                json!(finding.severity),
                json!(finding.confidence),
                json!(finding.title),
                json!(finding.file),
                json!(finding.line),
                json!(finding.column),
                json!(finding.pointer),
                json!(finding.evidence),
                json!(finding.fingerprint),
                json!(finding.citations),
                json!(finding.codes),
            ]);
        }
    }
    Ok(rows)
}

const FACTS: &[Column] = &[
    column("facts_sha256", Text, "SHA-256 (hex) over the canonical JSON of `facts`"),
    column("facts", Json, "kind and every outcome of every rule, `False`, `NotApplicable` and `Unavailable` included"),
];

fn facts(contents: &Contents<'_>) -> anyhow::Result<Vec<Row>> {
    let digests: std::collections::BTreeSet<_> =
        contents.reader.current()?.into_iter().map(|current| current.facts).collect();
    digests
        .into_iter()
        .filter_map(|digest| match contents.reader.facts(&digest) {
            Ok(facts) => facts.map(|facts| Ok(vec![json!(digest.hex()), json!(facts)])),
            Err(error) => Some(Err(error.into())),
        })
        .collect()
}

const LISTINGS: &[Column] = &[
    column("listing", Text, "source and name there"),
    column("state", Text, "active, gone or failed at the last visit"),
    column("why", Text, "the gap behind a state other than active"),
    column("version", Text, "the version listed"),
    column("description", Text, "claimed; untrusted"),
    column("license", Text, "claimed; untrusted"),
    column("repository", Text, "claimed; untrusted"),
    column("created", Text, "when the package first appeared, as claimed"),
    column("published", Text, "when the version was published, as claimed"),
    column("version_count", Integer, "versions ever published, as claimed"),
    column("deprecated", Text, "deprecation message, as claimed"),
    column("first_seen", Text, "as_of of the night that saw it first"),
    column("changed", Text, "as_of of the night that saw it in this form first"),
];

fn listings(contents: &Contents<'_>) -> anyhow::Result<Vec<Row>> {
    Ok(contents
        .reader
        .listings(None)?
        .into_iter()
        .map(|stored| {
            let claims = stored.listing.as_ref().map(|listing| listing.claims.clone()).unwrap_or_default();
            let version =
                stored.listing.as_ref().and_then(|listing| listing.locators.first()?.version().map(ToOwned::to_owned));
            let text = |claim: &Claim<String>| json!(claim.known());
            vec![
                json!(stored.key),
                json!(stored.state.as_str()),
                json!(stored.gap.map(|gap| gap.to_string())),
                json!(version),
                text(&claims.description),
                text(&claims.license),
                text(&claims.repository),
                json!(claims.created.known()),
                json!(claims.published.known()),
                json!(claims.version_count.known()),
                text(&claims.deprecated),
                json!(stored.first_seen),
                json!(stored.changed),
            ]
        })
        .collect())
}
