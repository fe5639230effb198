//! capability-destructive-shared: tools that change what is shared, or run what they are given.

use crate::FactSink;
use capdex_evidence::subject::Subject;

use super::tool_capabilities::{Tags, measure};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    measure(subject, facts, &[("W019", Tags::SHARED)]);
}
