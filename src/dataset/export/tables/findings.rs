//! The table `findings`: what rules found, with the rule's words and codes.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use capdex_model::fact::{Confidence, Fact, Severity};
use capdex_model::rule::RuleIndex;

use crate::export::field::NestedCell;
use crate::export::table_row::table_row;
use crate::finding::{MethodCodes, RuleWords};

table_row! {
    /// one finding in one capability
    table findings: ranked;
    pub struct FindingRow<'a> {
        /// the capability
        public slug: Arc<str>,
        /// its id
        key capability: Arc<str>,
        /// the rule's id
        public rule: Arc<str>,
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
        key fingerprint: String,
        /// published entries that the rule rests on
        public citations: NestedCell<Vec<String>>,
        /// the rule's names in each method's catalogue
        public codes: NestedCell<MethodCodes<'static>>,
    }
}

/// The parts that the rows of one rule share.
struct OfRule {
    rule: Arc<str>,
    title: Arc<str>,
    citations: NestedCell<Vec<String>>,
    codes: NestedCell<MethodCodes<'static>>,
}

impl OfRule {
    fn of(rule: &str, rules: &'static RuleIndex) -> anyhow::Result<Self> {
        let RuleWords { title, citations, codes } = RuleWords::of(rule, rules);
        let (citations, codes) = (NestedCell::of(citations)?, NestedCell::of(&codes)?);
        Ok(Self { rule: rule.into(), title: title.into(), citations, codes })
    }
}

/// Makes rows of the findings in one capability after the other. The words of a rule are written once.
#[derive(Default)]
pub struct FindingRows {
    rules: RwLock<BTreeMap<String, Arc<OfRule>>>,
}

impl FindingRows {
    /// The row of a finding in a capability, with the finding's fingerprint.
    ///
    /// # Errors
    /// When a value cannot be written as JSON.
    pub fn row<'a>(
        &self,
        slug: Arc<str>,
        capability: Arc<str>,
        (finding, fingerprint): (&'a Fact, String),
        rules: &'static RuleIndex,
    ) -> anyhow::Result<FindingRow<'a>> {
        let of_rule = self.of_rule(finding.rule.as_str(), rules)?;
        Ok(FindingRow {
            slug,
            capability,
            rule: of_rule.rule.clone(),
            severity: finding.severity,
            confidence: finding.confidence,
            title: of_rule.title.clone(),
            file: &finding.place.file,
            line: finding.place.line,
            column: finding.place.column,
            pointer: &finding.place.pointer,
            evidence: &finding.evidence,
            fingerprint,
            citations: of_rule.citations.clone(),
            codes: of_rule.codes.clone(),
        })
    }

    fn of_rule(&self, rule: &str, rules: &'static RuleIndex) -> anyhow::Result<Arc<OfRule>> {
        // Reading first: nearly every finding is of a rule that was met before, and readers do not wait for one another.
        let known = self.rules.read().unwrap_or_else(PoisonError::into_inner).get(rule).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let made = Arc::new(OfRule::of(rule, rules)?);
        let mut known = self.rules.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been faster; the first entry stays, and both are equal.
        Ok(known.entry(rule.to_owned()).or_insert(made).clone())
    }
}
