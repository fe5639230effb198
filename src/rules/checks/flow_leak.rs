//! flow-leak: a skill reads strangers' text and private data, and sends.

use crate::FactSink;
use capdex_evidence::subject::Subject;

use super::flow_legs::{Legs, report};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for legs in Legs::of_leaking_skills(subject) {
        report(legs.leak(), facts);
    }
}
