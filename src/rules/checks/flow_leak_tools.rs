//! flow-leak-tools: tools that read strangers' text stand beside private data and a way out.

use crate::FactSink;
use capdex_evidence::subject::Subject;

use super::flow_legs::{Legs, report};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report(Legs::of_tools(subject).leak(), facts);
}
