//! `ShownFinding`: a finding with the words of its text, for people.

use crate::check::Check;
use crate::finding::JudgeFinding;
use crate::unit::JudgeUnit;

/// A finding with what it is about, all of it from our own bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownFinding<'a> {
    /// The question.
    pub check: Check,
    /// The name of the tool. Untrusted.
    pub tool: &'a str,
    /// The JSON Pointer to the text.
    pub field: &'a str,
    /// The words of the text. Untrusted.
    pub quote: &'a str,
}

/// The finding with its words; none where it is not of this unit.
pub fn shown<'a>(unit: &'a JudgeUnit, finding: &'a JudgeFinding) -> Option<ShownFinding<'a>> {
    let tool = unit.tools.get(finding.tool)?;
    let quote = tool.text_at(&finding.field)?.get(finding.start..finding.end)?;
    Some(ShownFinding { check: finding.check, tool: &tool.name, field: &finding.field, quote })
}
