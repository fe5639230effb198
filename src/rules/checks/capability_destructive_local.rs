//! capability-destructive-local: tools that change what is the user's own.

use crate::FactSink;
use capdex_evidence::subject::Subject;

use super::tool_capabilities::{Tags, measure};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    measure(subject, facts, &[("W020", Tags::LOCAL)]);
}
