//! tool-duplicate-title: two tools of one server have one display name.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization;

use crate::FactSink;
use capdex_evidence::subject::Subject;
use capdex_evidence::tools::Tool;

pub(super) fn check(subject: &Subject<'_>, facts: &mut FactSink<'_>) {
    if subject.tools().nth(1).is_none() {
        return;
    }
    let mut titles: BTreeMap<(&str, String), &Tool> = BTreeMap::new();
    for tool in subject.tools() {
        let shown = display_name(tool);
        let folded = if shown.is_ascii() {
            shown.to_ascii_lowercase()
        } else {
            // Full-width and ligature forms look the same to the user who approves a call.
            shown.nfkc().flat_map(char::to_lowercase).collect()
        };
        let key = (tool.place.file.as_str(), folded.split_whitespace().collect::<Vec<_>>().join(" "));
        match titles.get(&key) {
            // The same tool from two places is no second one.
            Some(other) if other.name != tool.name => {
                facts.found(tool.place.clone(), &format!("{} and {} are both shown as {shown}", other.name, tool.name));
            }
            Some(_) => {}
            None => {
                titles.insert(key, tool);
            }
        }
    }
}

/// The name that a client shows: the title, else that of the annotations, else the name.
fn display_name(tool: &Tool) -> &str {
    let annotated =
        || tool.annotations.as_ref().and_then(|hints| hints.get("title")).and_then(serde_json::Value::as_str);
    tool.title.as_deref().or_else(annotated).unwrap_or(&tool.name)
}
