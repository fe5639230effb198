//! tool-duplicate-name: two tools of one list share a name and differ.

use std::collections::BTreeMap;

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_evidence::tools::{Tool, ToolOrigin};

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    // One tool alone can share no name.
    if subject.tools().nth(1).is_none() {
        return;
    }
    let server = |tool: &Tool| {
        let manifest = subject.evidence.manifests.get(&tool.place.file);
        manifest.and_then(|manifest| manifest.recorded.server_at(&tool.place.pointer))
    };
    let mut seen: BTreeMap<(&str, &str), &Tool> = BTreeMap::new();
    // Only within a list: source and list naturally define the same tool twice.
    for tool in subject.tools().filter(|tool| tool.origin == ToolOrigin::ToolsList) {
        match seen.get(&(tool.place.file.as_str(), tool.name.as_str())) {
            // A recording of several servers may have one name in each.
            Some(first) if words_of(first) != words_of(tool) && server(first) == server(tool) => {
                facts.found(tool.place.clone(), &format!("{} is described in two ways", tool.name));
            }
            Some(_) => {}
            None => {
                seen.insert((&tool.place.file, &tool.name), tool);
            }
        }
    }
}

/// The words of a description: white space makes no difference.
fn words_of(tool: &Tool) -> Vec<&str> {
    tool.description.as_deref().unwrap_or_default().split_whitespace().collect()
}
