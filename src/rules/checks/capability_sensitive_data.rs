//! capability-sensitive-data: tools of a server for mail, messages, money or secrets.

use crate::FactSink;
use capdex_evidence::subject::Subject;

use super::tool_capabilities::{Tags, measure};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    measure(subject, facts, &[("W017", Tags::SENSITIVE)]);
}
