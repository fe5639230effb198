//! Bands: the meaning of each rubric's grades in the one vocabulary of the verdict.
//!
//! The table is `bands.toml`, the reasons are `verdict/page.md`. A band follows from grade and caps, however they were
//! computed. Bands of the methods are compared with each other; they are no part of the verdict.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use capdex_model::score::{Band, Score};

/// The table of one family.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BandTable {
    /// Grade to band.
    grades: BTreeMap<String, Band>,
    /// Cap to band: a cap that took hold decides instead of the grade.
    #[serde(default)]
    caps: BTreeMap<String, Band>,
}

static TABLES: LazyLock<BTreeMap<String, BandTable>> =
    LazyLock::new(|| toml::from_str(include_str!("bands.toml")).expect("the compiled-in table parses, as tested"));

/// Every entry: by method the constraints, then the grades.
pub(super) fn table() -> Vec<(&'static str, &'static str, Band)> {
    let entries = TABLES.iter().flat_map(|(method, table)| {
        let both = table.caps.iter().chain(&table.grades);
        both.map(move |(said, band)| (method.as_str(), said.as_str(), *band))
    });
    entries.collect()
}

/// The band of a score: by a cap that the table names, else by the grade; `Unknown` without a value or an entry.
pub(super) fn band_of(score: &Score) -> Band {
    // The family, not the id, so that a variant of a method keeps its grades' meaning.
    let Some(table) = TABLES.get(family(score)).filter(|_| score.value.is_some()) else { return Band::Unknown };
    // Several caps may hold at once: the strictest decides.
    let by_cap = score.caps.iter().filter_map(|cap| table.caps.get(&**cap)).copied().max();
    by_cap.or_else(|| table.grades.get(&*score.grade).copied()).unwrap_or(Band::Unknown)
}

/// The method that a score is of, or that it is a variant of.
pub(super) fn family(score: &Score) -> &str {
    score.rubric.id.split('/').next().unwrap_or_default()
}
