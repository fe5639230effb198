//! The table `findings`: what rules found, with the rule's words and codes.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::{Column, Integer, Json, Rows, Table, Text, column};
use crate::export::cell::{Cell, Row};
use crate::finding::Finding;

pub(super) const TABLE: Table =
    Table { name: "findings", about: "one finding in one capability", columns: COLUMNS, rows: Rows::Ranked };

const COLUMNS: &[Column] = &[
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

/// What the rows of one rule share.
struct OfRule {
    title: Cell,
    citations: Cell,
    codes: Cell,
}

impl OfRule {
    fn of(finding: &Finding<'_>) -> anyhow::Result<Self> {
        let (citations, codes) = (Cell::json(finding.citations)?, Cell::json(&finding.codes)?);
        Ok(Self { title: Cell::text(finding.title), citations, codes })
    }
}

/// Makes rows of the findings in one capability after the other. The words of a rule are written once.
#[derive(Default)]
pub struct FindingRows {
    rules: RwLock<BTreeMap<String, Arc<OfRule>>>,
}

impl FindingRows {
    /// The row of a finding, in the order of the columns.
    ///
    /// # Errors
    /// When a value cannot be written as JSON.
    pub fn row(&self, slug: &Cell, id: &Cell, finding: &Finding<'_>) -> anyhow::Result<Row> {
        let of_rule = self.of_rule(finding)?;
        Ok(row(slug, id, finding, &of_rule))
    }

    fn of_rule(&self, finding: &Finding<'_>) -> anyhow::Result<Arc<OfRule>> {
        let known = self.rules.read().unwrap_or_else(PoisonError::into_inner).get(finding.rule).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let made = Arc::new(OfRule::of(finding)?);
        let mut rules = self.rules.write().unwrap_or_else(PoisonError::into_inner);
        Ok(rules.entry(finding.rule.to_owned()).or_insert(made).clone())
    }
}

fn row(slug: &Cell, id: &Cell, finding: &Finding<'_>, of_rule: &OfRule) -> Row {
    vec![
        slug.clone(),
        id.clone(),
        Cell::text(finding.rule),
        Cell::text(finding.severity.as_str()),
        Cell::text(finding.confidence.as_str()),
        of_rule.title.clone(),
        Cell::text(finding.file),
        Cell::Integer(i64::from(finding.line)),
        Cell::Integer(i64::from(finding.column)),
        Cell::text(finding.pointer),
        Cell::text(finding.evidence),
        Cell::text(&finding.fingerprint),
        of_rule.citations.clone(),
        of_rule.codes.clone(),
    ]
}
