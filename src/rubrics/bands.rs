//! Bands: the meaning of each rubric's grades in the one vocabulary of the verdict.
//!
//! The table is `bands.toml`, the reasons are `verdict.md`. A band follows from grade and caps, however they were
//! computed.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use capdex_model::fact::Severity;
use capdex_model::facts::SparseFacts;
use capdex_model::score::{Band, Coverage, Score, Verdict};
use capdex_model::snapshot::Completeness;

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

/// The cap that a rubric notes when its strictest grade rests on nothing that the rules themselves call high.
pub(super) const MILD_CAUSE: &str = "no finding that the rules rate high or critical: caution at most";

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
    let family = score.rubric.id.split('/').next().unwrap_or_default();
    // The family, not the id, so that a variant of a method keeps its grades' meaning.
    let Some(table) = TABLES.get(family).filter(|_| score.value.is_some()) else { return Band::Unknown };
    // Several caps may hold at once: the strictest decides.
    let by_cap = score.caps.iter().filter_map(|cap| table.caps.get(&**cap)).copied().max_by_key(|band| rank(*band));
    let band = by_cap.or_else(|| table.grades.get(&*score.grade).copied()).unwrap_or(Band::Unknown);
    // An artifact that is blocked is no mild cause, whatever the row's own findings are.
    let is_noted = |noted: &str| score.caps.iter().any(|cap| *cap == *noted);
    let mild = is_noted(MILD_CAUSE) && !is_noted(ARTIFACTS[0].0);
    // A method may call severe what no rule of ours does: that asks for a review and does not block.
    if mild && band == Band::Block { Band::Caution } else { band }
}

/// The caps of rows whose artifact is dangerous by itself, with the severities under which the rule [`ARTIFACT`] says so.
const ARTIFACTS: [(&str, Severity, Band); 2] = [
    ("the artifact that it hands out is block", Severity::Critical, Band::Block),
    ("the artifact that it hands out is caution", Severity::High, Band::Caution),
];

/// The rule that says so.
const ARTIFACT: &str = "sighted-artifact";

/// Notes on a score that the artifact which the capability hands out is judged more strictly. No method looks behind a row:
/// value and grade stay its own, and the band is the artifact's.
pub(super) fn note_artifact(score: &mut Score, facts: &SparseFacts) {
    let said = facts.found().filter(|(_, fact)| fact.rule.as_str() == ARTIFACT).map(|(_, fact)| fact.severity).max();
    let noted = ARTIFACTS.iter().find(|(_, severity, _)| Some(*severity) == said);
    if let Some((cap, _, band)) = noted
        && score.value.is_some()
        && rank(band_of(score)) < rank(*band)
    {
        score.caps.push((*cap).into());
    }
}

/// Notes on a score that would be blocked that no counted finding is one that the rules rate high or worse.
pub(super) fn note_mild_cause(score: &mut Score, worst: Option<Severity>) {
    // Noted on the score itself, since its band is derived from the score alone.
    if worst.is_none_or(|severity| severity < Severity::High) && band_of(score) == Band::Block {
        score.caps.push(MILD_CAUSE.into());
    }
}

/// The strictest of the known bands, and how far they lie apart. Short of a full analysis nothing milder than
/// caution is said.
pub(super) fn verdict_over(known: impl Iterator<Item = Band>, completeness: &Completeness) -> Verdict {
    let ranks: Vec<usize> = known.map(rank).collect();
    let strictest = ranks.iter().max().copied();
    let mildest = ranks.iter().min().copied();
    let disagreement = match (strictest, mildest) {
        // One opinion cannot disagree with itself.
        (Some(strictest), Some(mildest)) if ranks.len() > 1 => Some(Coverage::of(strictest - mildest, 3)),
        _ => None,
    };
    let band = match strictest {
        Some(3) => Band::Block,
        Some(2) => Band::Caution,
        // What was not looked at may hold anything: mild bands need a full analysis, strict ones do not.
        Some(1) if *completeness == Completeness::Analysed => Band::Watch,
        Some(0) if *completeness == Completeness::Analysed => Band::Ok,
        _ => Band::Unknown,
    };
    Verdict { band, disagreement }
}

/// Ok 0, watch 1, caution 2, block 3; unknown stands beside the scale and sorts first, so that it never wins.
fn rank(band: Band) -> usize {
    // `Unknown` is filtered out before; its place here only keeps the function total.
    match band {
        Band::Ok | Band::Unknown => 0,
        Band::Watch => 1,
        Band::Caution => 2,
        Band::Block => 3,
    }
}
