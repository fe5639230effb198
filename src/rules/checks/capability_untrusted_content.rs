//! capability-untrusted-content: tools that return what strangers wrote.

use crate::FactSink;
use capdex_evidence::subject::Subject;

use super::tool_capabilities::{Tags, measure};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    measure(subject, facts, &[("W015", Tags::UNTRUSTED), ("W016", Tags::STRUCTURED)]);
}
