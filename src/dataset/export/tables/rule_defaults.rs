//! The table `rule_defaults`: what each rule answers about a kind where it finds nothing, once for all capabilities.

use anyhow::Context as _;
use capdex_db::Reader;
use capdex_model::capability::Kind;
use capdex_model::fact::Outcome;
use capdex_model::facts::DefaultRow;
use capdex_model::ids::RuleId;

use crate::export::table::Emit;
use crate::export::table_row::table_row;

table_row! {
    /// what one rule answers about one kind where it finds nothing: a fact of all facts that do not name the rule
    table rule_defaults: stored(rows);
    pub struct RuleDefaultRow read as ReadRuleDefaultRow {
        /// the kind of the capability
        key kind: Kind,
        /// the rule's id
        key rule: RuleId,
        /// the rule's version
        public version: u32,
        /// false where it looked, not_applicable where the question makes no sense; severity info, confidence high, and
        /// no place, evidence or value
        public outcome: Outcome,
    }
}

fn rows(reader: &Reader, emit: Emit<'_, RuleDefaultRow>) -> anyhow::Result<()> {
    for kind in Kind::ALL {
        for fact in reader.rules().defaults().of_kind(kind).facts() {
            emit(RuleDefaultRow { kind, rule: fact.rule.clone(), version: fact.version, outcome: fact.outcome })?;
        }
    }
    Ok(())
}

/// A row that was read, as a set of defaults is made of them.
///
/// # Errors
/// Cells that are no answer of a rule.
pub fn written(row: &ReadRuleDefaultRow) -> anyhow::Result<(Kind, DefaultRow<'static>)> {
    let kind: Kind = row.kind.as_text().parse()?;
    let outcome: Outcome = serde_json::from_value(row.outcome.as_text().into()).context("an outcome is none")?;
    let version = row.version.as_integer().and_then(|version| u32::try_from(version).ok());
    let rule = row.rule.as_text().to_owned().into();
    Ok((kind, (rule, version.context("a version is none")?, outcome)))
}
