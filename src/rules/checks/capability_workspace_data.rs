//! capability-workspace-data: tools that read the user's files or stores.

use crate::FactSink;
use capdex_evidence::subject::Subject;

use super::tool_capabilities::{Tags, measure};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    measure(subject, facts, &[("W018", Tags::WORKSPACE)]);
}
