//! flow-destroy: a skill reads strangers' text and destroys.

use crate::FactSink;
use capdex_evidence::subject::Subject;

use super::flow_legs::{Legs, report};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for legs in Legs::of_destroying_skills(subject) {
        report(legs.destroy(), facts);
    }
}
