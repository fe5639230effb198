//! The table `rule_defaults`: what each rule answers about a kind where it finds nothing, once for all capabilities.

use capdex_db::Reader;
use capdex_model::capability::Kind;
use capdex_model::fact::Outcome;
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
