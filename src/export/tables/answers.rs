//! The table `answers`: what each rule answers about a kind where it finds nothing, once for all capabilities.

use capdex_model::capability::Kind;
use serde_json::json;

use super::{Column, Emit, Integer, Rows, Table, Text, column};

pub(super) const TABLE: Table = Table {
    name: "answers",
    about: "what one rule answers about one kind where it finds nothing: a fact of all facts that do not name the rule",
    columns: COLUMNS,
    rows: Rows::Stored(|_, emit| rows(emit)),
};

const COLUMNS: &[Column] = &[
    column("kind", Text, "the kind of the capability"),
    column("rule", Text, "the rule's id"),
    column("version", Integer, "the rule's version"),
    column(
        "outcome",
        Text,
        "false where it looked, not_applicable where the question makes no sense; severity info, confidence high, and no \
         place, evidence or value",
    ),
];

fn rows(emit: Emit<'_>) -> anyhow::Result<()> {
    for kind in Kind::ALL {
        for fact in capdex_rules::defaults().of_kind(kind).facts() {
            emit(vec![json!(kind), json!(fact.rule), json!(fact.version), json!(fact.outcome)])?;
        }
    }
    Ok(())
}
