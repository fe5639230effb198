//! flow-destroy-tools: tools that read strangers' text stand beside tools that destroy.

use crate::FactSink;
use capdex_evidence::subject::Subject;

use super::flow_legs::{Legs, report};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    report(Legs::of_tools(subject).destroy(), facts);
}
