//! The table `facts`: every outcome of every rule, from which scores are computed again.
//!
//! Nearly all of two hundred answers about a capability say that nothing was found. Those stand once in the table
//! `rule_defaults`; a row here holds the exceptions, and gives all facts back, to the digest.

use std::borrow::Cow;

use capdex_db::ExceptionTexts;
use capdex_model::capability::Kind;
use capdex_model::digest::Digest;
use capdex_model::fact::Fact;
use capdex_model::facts::{Exceptions, OutcomeRow, RuleDefaults, SparseFacts};
use capdex_model::rule::RuleIndex;

use crate::export::cell::Cell;
use crate::export::field::JsonText;
use crate::export::table_row::table_row;

table_row! {
    /// every fact about one content, from which scores are recomputed
    table facts: ranked;
    pub struct FactsRow read as ReadFactsRow {
        /// SHA-256 (hex) over the canonical JSON of all facts
        key facts_sha256: Digest,
        /// the kind of the capability that they are about
        public kind: Kind,
        /// true: rules that neither `exceptions` nor `outcomes` names gave their answer in `rule_defaults` for this kind;
        /// false: the row has every rule's answer
        public over_defaults: bool,
        /// facts that say more than a default: what is there, with place, evidence or value
        public exceptions: JsonText<String>,
        /// answers without any of it that are not the default: `[rule, version, outcome, evidence]`
        public outcomes: JsonText<String>,
    }
}

impl FactsRow {
    /// The row of facts. `texts` are theirs where the store holds them.
    ///
    /// # Errors
    /// When a value cannot be written as JSON.
    pub fn of(digest: Digest, facts: &SparseFacts, texts: Option<ExceptionTexts>) -> anyhow::Result<Self> {
        // Texts that the store holds already need not be parsed and written again.
        let (over_defaults, ExceptionTexts { facts: exceptions, outcomes }) = match texts {
            Some(texts) => (true, texts),
            None => {
                let written = facts.exceptions();
                let outcomes = serde_json::to_string(&written.outcomes)?;
                // Facts over other defaults are written whole, because the table `rule_defaults` cannot complete them.
                (written.over_defaults, ExceptionTexts { facts: serde_json::to_string(&written.facts)?, outcomes })
            }
        };
        let (exceptions, outcomes) = (JsonText(exceptions), JsonText(outcomes));
        Ok(Self { facts_sha256: digest, kind: facts.kind, over_defaults, exceptions, outcomes })
    }
}

/// The texts of a row that was read.
pub struct WrittenFacts {
    /// The digest that stands beside them.
    pub digest: String,
    kind: String,
    over_defaults: bool,
    exceptions: String,
    outcomes: String,
}

impl WrittenFacts {
    /// The texts of a row.
    pub fn of(row: &ReadFactsRow) -> Self {
        let text = |cell: &Cell| cell.as_text().to_owned();
        Self {
            digest: text(&row.facts_sha256),
            kind: text(&row.kind),
            over_defaults: row.over_defaults.as_boolean() == Some(true),
            exceptions: text(&row.exceptions),
            outcomes: text(&row.outcomes),
        }
    }

    /// The facts, over the defaults that are written beside them.
    ///
    /// # Errors
    /// Texts that are none of facts.
    pub fn facts(&self, written: &RuleDefaults, rules: &'static RuleIndex) -> anyhow::Result<SparseFacts> {
        let facts: Vec<Fact> = serde_json::from_str(&self.exceptions)?;
        let outcomes: Vec<OutcomeRow<'_>> = serde_json::from_str(&self.outcomes)?;
        let kind: Kind = self.kind.parse()?;
        let facts = facts.into_iter().map(Cow::Owned).collect();
        let exceptions = Exceptions { kind, over_defaults: self.over_defaults, facts, outcomes };
        Ok(SparseFacts::restore(exceptions, written, rules))
    }
}
