//! Servers with more tools than an agent can tell apart.

use std::collections::BTreeSet;

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

use super::card_rule::card_rule;

/// More than this are too many, as agent-scan's generation B has it.
const MOST: usize = 100;

card_rule!(
    /// Servers with more tools than an agent can tell apart.
    ServerManyTools,
    include_str!("server_many_tools/meta.toml"),
    check
);

fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if subject.tools().count() <= MOST {
        return;
    }
    let names: BTreeSet<&str> = subject.tools().map(|tool| tool.name.as_str()).collect();
    if names.len() > MOST {
        facts.found(Place::default(), &format!("{} tools", names.len()));
    }
}
