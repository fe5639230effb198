//! Servers of one input that offer a tool of the same name.

use std::collections::BTreeSet;

use crate::FactSink;
use capdex_evidence::file_role::FileRole;
use capdex_evidence::manifest::is_foreign;
use capdex_evidence::subject::Subject;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    let evidence = subject.evidence;
    let own = |file: &String| subject.capability.files.binary_search(file).is_ok();
    // Servers of dependencies and of tests are installed by nobody beside this one.
    let counts = |file: &String| {
        !is_foreign(file) && evidence.documents.get(file).is_some_and(|document| document.role != FileRole::Test)
    };
    let others: BTreeSet<&str> = evidence
        .tools
        .iter()
        .filter(|tool| !own(&tool.place.file) && counts(&tool.place.file))
        .map(|tool| tool.name.as_str())
        .collect();
    let mut told = BTreeSet::new();
    for tool in subject.tools().filter(|tool| others.contains(tool.name.as_str())) {
        // A tools list and the source may both define one tool.
        if told.insert(tool.name.as_str()) {
            facts.found(tool.place.clone(), &format!("another server here has {} too", tool.name));
        }
    }
}
