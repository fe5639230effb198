//! Values of `mcpbundles/judged`: each is computed again from facts and from what the model is said to have found.

use std::collections::BTreeMap;

use capdex_model::points::Points;
use capdex_rubrics::mcpbundles::judged::{self, JudgeSaid};

use super::recomputed::defaults_of;
use super::{Dataset, Verified};
use crate::export::tables::facts::{ReadFactsRow, WrittenFacts};
use crate::export::tables::judge::{ReadJudgeFindingRow, ReadJudgedScoreRow};

/// The findings that count in the rubric, as (code, name).
const FINDINGS: [(&str, &str); 5] = [
    ("E001", "judge:instruction-control"),
    ("W001", "judge:attention-control"),
    ("SAFE-T1501", "judge:schema-imperative"),
    ("SAFE-T1004", "judge:origin-mismatch"),
    ("SAFE-T1007", "judge:credential-setup"),
];

/// Computes every value again.
pub(super) fn check(dataset: &Dataset<'_>, verified: &mut Verified) -> anyhow::Result<()> {
    let (file, findings_file) = (dataset.file::<ReadJudgedScoreRow>(), dataset.file::<ReadJudgeFindingRow>());
    let mut rows: BTreeMap<String, Vec<ReadJudgedScoreRow>> = BTreeMap::new();
    dataset.each(|row: ReadJudgedScoreRow| {
        rows.entry(row.facts_sha256.as_text().to_owned()).or_default().push(row);
        Ok(())
    })?;
    let mut found: BTreeMap<String, Vec<(&'static str, &'static str)>> = BTreeMap::new();
    dataset.each(|row: ReadJudgeFindingRow| {
        let said = (row.code.as_text(), row.finding.as_text(), row.severity.as_text());
        let known = FINDINGS.into_iter().find(|(code, name)| (*code, *name) == (said.0, said.1));
        match known.filter(|(code, _)| judged::severity(code).as_str() == said.2) {
            Some(known) => found.entry(row.capability.as_text().to_owned()).or_default().push(known),
            None => verified.differs(format!("{findings_file}: {} with {} is no finding of the judge", said.1, said.0)),
        }
        Ok(())
    })?;
    // Skills and rules have findings and no value.
    if rows.is_empty() {
        return Ok(());
    }
    let defaults = defaults_of(dataset, &mut Verified::default())?;
    let mut failed = None;
    dataset.each(|row: ReadFactsRow| {
        let Some(rows) = rows.remove(row.facts_sha256.as_text()) else { return Ok(()) };
        let facts = match WrittenFacts::of(&row).facts(&defaults, dataset.rules) {
            Ok(facts) => facts,
            Err(error) => {
                failed = failed.take().or(Some(error));
                return Ok(());
            }
        };
        for row in rows {
            let findings = found.get(row.capability.as_text()).map(Vec::as_slice).unwrap_or_default();
            let (is_used, note) = (row.llm_judge_used.as_boolean() == Some(true), row.note.as_text());
            let score = judged::score(&facts, &JudgeSaid { is_used, note, findings });
            let value = row.value.as_number().map(Points::round_from);
            verified.scores += 1;
            if value != score.value || row.grade.as_text() != &*score.grade {
                verified.differs(format!(
                    "{file}: {} has another value than its facts and findings give",
                    row.slug.as_text()
                ));
            }
        }
        Ok(())
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    for row in rows.values().flatten() {
        verified.differs(format!("{file}: the facts of {} are missing", row.slug.as_text()));
    }
    Ok(())
}
