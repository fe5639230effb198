//! The table `findings`: what rules found, with the rule's words and codes.

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

/// The row of a finding, in the order of the columns.
///
/// # Errors
/// When a value cannot be written as JSON.
pub fn row(slug: &Cell, id: &Cell, finding: &Finding<'_>) -> anyhow::Result<Row> {
    Ok(vec![
        slug.clone(),
        id.clone(),
        Cell::text(finding.rule),
        Cell::text(finding.severity.as_str()),
        Cell::text(finding.confidence.as_str()),
        Cell::text(finding.title),
        Cell::text(finding.file),
        Cell::Integer(i64::from(finding.line)),
        Cell::Integer(i64::from(finding.column)),
        Cell::text(finding.pointer),
        Cell::text(finding.evidence),
        Cell::text(&finding.fingerprint),
        Cell::json(finding.citations)?,
        Cell::json(&finding.codes)?,
    ])
}
