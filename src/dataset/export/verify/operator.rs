//! The operator's columns against what the rulings of the dataset give: band and sentence of every capability that he has a word
//! on, and nothing where he has none.
//!
//! Facts are read once more, for those alone.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context as _;
use capdex_model::capability::Capability;
use capdex_model::facts::RuleDefaults;
use capdex_model::ruling::OperatorPolicy;
use capdex_model::snapshot::Completeness;
use capdex_rubrics::operator::BeforeOperator;
use capdex_rubrics::{score_all, verdict};

use super::{Dataset, Verified};
use crate::export::lookup::capability;
use crate::export::table_row::ReadRow as _;
use crate::export::tables::capabilities::ReadCapabilityRow;
use crate::export::tables::facts::{ReadFactsRow, WrittenFacts};
use crate::export::tables::rule_defaults::{self, ReadRuleDefaultRow};
use crate::export::tables::rulings::{self, ReadRulingRow};
use crate::operator;

/// A row that the operator has a word on.
struct Concerned {
    capability: Capability,
    completeness: Completeness,
    row: ReadCapabilityRow,
}

/// Computes the operator's columns again.
pub(super) fn check(dataset: &Dataset<'_>, verified: &mut Verified) -> anyhow::Result<()> {
    let policy = policy(dataset, verified)?;
    let file = dataset.file::<ReadCapabilityRow>();
    let mut concerned: BTreeMap<String, Vec<Concerned>> = BTreeMap::new();
    dataset.each(|row: ReadCapabilityRow| {
        // A damaged row was told by whoever computed its verdict.
        let Some(capability) = capability(&row) else { return Ok(()) };
        let is_his = !policy.votes.is_empty() || policy.holding(&capability, dataset.manifest.as_of).next().is_some();
        if !is_his {
            if !row.operator_band.is_empty() || !row.operator_reason.is_empty() {
                let slug = row.slug.as_text();
                verified.differs(format!("{file}: the operator's word on {slug} is in no ruling of the dataset"));
            }
            return Ok(());
        }
        let completeness = match row.completeness.as_text() {
            "analysed" => Completeness::Analysed,
            // The gaps themselves only make the sentence, and are put in below.
            _ => Completeness::Partial(Vec::new()),
        };
        let facts = row.facts_sha256.as_text().to_owned();
        concerned.entry(facts).or_default().push(Concerned { capability, completeness, row });
        Ok(())
    })?;
    if concerned.is_empty() {
        return Ok(());
    }
    let mut defaults = Vec::new();
    dataset.each(|row: ReadRuleDefaultRow| {
        defaults.push(rule_defaults::written(&row)?);
        Ok(())
    })?;
    let (defaults, wanted) = (RuleDefaults::of_rows(defaults), concerned.keys().cloned().collect::<BTreeSet<_>>());
    let layout = dataset.manifest.layout(&ReadFactsRow::TABLE);
    let mut visit = |row: ReadFactsRow| {
        let written = WrittenFacts::of(&row);
        let Some(rows) = concerned.get(&written.digest) else { return Ok(()) };
        let facts = written.facts(&defaults, dataset.rules)?;
        let scores = score_all(&facts, dataset.manifest.as_of);
        for Concerned { capability, completeness, row } in rows {
            let verdict = verdict(&scores, completeness);
            let before = BeforeOperator { capability, facts: &facts, scores: &scores, completeness, verdict: &verdict };
            let heard = operator::heard(&policy, before, dataset.manifest.as_of);
            let (band, reason) =
                heard.map(|said| (said.band.as_str(), row.with_gaps(&said.reason))).unwrap_or_default();
            if (band, &*reason) != (row.operator_band.as_text(), row.operator_reason.as_text()) {
                let slug = row.slug.as_text();
                verified.differs(format!("{file}: the operator's word on {slug} is not what his rulings give"));
            }
        }
        Ok(())
    };
    let read = dataset
        .exporter
        .find(dataset.dir, &layout, "facts_sha256", &wanted, &mut |row| visit(ReadFactsRow::read(&layout, row)));
    read.with_context(|| format!("{} cannot be read", dataset.file::<ReadFactsRow>()))
}

/// The votes of the manifest and the rulings of the table.
fn policy(dataset: &Dataset<'_>, verified: &mut Verified) -> anyhow::Result<OperatorPolicy> {
    let mut policy = OperatorPolicy { votes: dataset.manifest.votes.clone(), rulings: Vec::new() };
    let file = dataset.file::<ReadRulingRow>();
    dataset.each(|row: ReadRulingRow| {
        match rulings::written(&row) {
            Some(ruling) => policy.rulings.push(ruling),
            None => verified.differs(format!("{file}: a row is no ruling")),
        }
        Ok(())
    })?;
    Ok(policy)
}
