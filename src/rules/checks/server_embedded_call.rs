//! Tool descriptions that hold a ready-made call of a tool.

use std::sync::LazyLock;

use regex::Regex;

use crate::FactSink;
use capdex_evidence::subject::Subject;

/// An object that names a tool and then gives it arguments.
static CALL: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"(?i)\{\s*"(?:tool|function|tool_name|action)"\s*:\s*"([^"{}]{1,80})"\s*,\s*"(?:arguments|args|parameters|params)"\s*:"#;
    capdex_evidence::expression::of(pattern)
});

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    for tool in subject.tools() {
        let Some(description) = tool.description.as_ref().filter(|text| text.contains('{')) else { continue };
        let called = CALL.captures(description).and_then(|found| found.get(1));
        // An example of a call of the tool itself is how one documents it.
        if let Some(called) = called.filter(|called| called.as_str() != tool.name) {
            facts.found(tool.place.clone(), &format!("{} holds a call of {}", tool.name, called.as_str()));
        }
    }
}
