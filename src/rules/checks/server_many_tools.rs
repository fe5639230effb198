//! Servers with more tools than an agent can tell apart.

use std::collections::BTreeSet;

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_model::fact::Place;

/// More than this are too many, as agent-scan's generation B has it.
const MOST: usize = 100;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    // Counting is cheap; names are gathered only for the few that come near.
    if subject.tools().count() <= MOST {
        return;
    }
    let names: BTreeSet<&str> = subject.tools().map(|tool| tool.name.as_str()).collect();
    if names.len() > MOST {
        facts.found(Place::default(), &format!("{} tools", names.len()));
    }
}
