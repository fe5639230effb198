//! The table `findings`: what rules found, with the rule's words and codes.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use capdex_model::fact::{Confidence, Severity};

use crate::export::field::NestedCell;
use crate::export::table_row::table_row;
use crate::finding::{Finding, MethodCodes};

table_row! {
    /// one finding in one capability
    table findings: ranked;
    pub struct FindingRow<'a> {
        /// the capability
        public slug: Arc<str>,
        /// its id
        key capability: Arc<str>,
        /// the rule's id
        public rule: &'a str,
        /// info, low, medium, high or critical
        public severity: Severity,
        /// low, medium or high
        public confidence: Confidence,
        /// the rule's one line
        public title: Arc<str>,
        /// path inside the package; untrusted
        public file: &'a str,
        /// from 1; 0 where no line is meant
        public line: u32,
        /// in code points, from 1
        public column: u32,
        /// JSON Pointer, for schema text
        public pointer: &'a str,
        /// quoted, masked where secret; untrusted
        public evidence: &'a str,
        /// stable when lines move
        key fingerprint: &'a str,
        /// published entries that the rule rests on
        public citations: NestedCell<Vec<String>>,
        /// the rule's names in each method's catalogue
        public codes: NestedCell<MethodCodes<'static>>,
    }
}

/// The parts that the rows of one rule share.
struct OfRule {
    title: Arc<str>,
    citations: NestedCell<Vec<String>>,
    codes: NestedCell<MethodCodes<'static>>,
}

impl OfRule {
    fn of(finding: &Finding<'_>) -> anyhow::Result<Self> {
        let citations = NestedCell::of(finding.citations)?;
        Ok(Self { title: finding.title.into(), citations, codes: NestedCell::of(&finding.codes)? })
    }
}

/// Makes rows of the findings in one capability after the other. The words of a rule are written once.
#[derive(Default)]
pub struct FindingRows {
    rules: RwLock<BTreeMap<String, Arc<OfRule>>>,
}

impl FindingRows {
    /// The row of a finding in a capability.
    ///
    /// # Errors
    /// When a value cannot be written as JSON.
    pub fn row<'a>(
        &self,
        slug: Arc<str>,
        capability: Arc<str>,
        finding: &'a Finding<'_>,
    ) -> anyhow::Result<FindingRow<'a>> {
        let of_rule = self.of_rule(finding)?;
        Ok(FindingRow {
            slug,
            capability,
            rule: finding.rule,
            severity: finding.severity,
            confidence: finding.confidence,
            title: of_rule.title.clone(),
            file: finding.file,
            line: finding.line,
            column: finding.column,
            pointer: finding.pointer,
            evidence: finding.evidence,
            fingerprint: &finding.fingerprint,
            citations: of_rule.citations.clone(),
            codes: of_rule.codes.clone(),
        })
    }

    fn of_rule(&self, finding: &Finding<'_>) -> anyhow::Result<Arc<OfRule>> {
        // Reading first: nearly every finding is of a rule that was met before, and readers do not wait for one another.
        let known = self.rules.read().unwrap_or_else(PoisonError::into_inner).get(finding.rule).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let made = Arc::new(OfRule::of(finding)?);
        let mut rules = self.rules.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been faster; the first entry stays, and both are equal.
        Ok(rules.entry(finding.rule.to_owned()).or_insert(made).clone())
    }
}
