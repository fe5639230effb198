//! The additional power of one tool over another of the same name and description.
//!
//! The collision `widening` rests on it; whether the tool should have that power is not asked.

use std::collections::BTreeSet;

use serde_json::Value;

use capdex_evidence::tools::Tool;

/// Words in the name of an argument through which anything can be asked for or run.
const FREE: [&str; 12] =
    ["url", "uri", "endpoint", "webhook", "host", "command", "cmd", "script", "code", "shell", "callback", "exec"];

/// Words in the values of an argument that say what is done.
const ACTS: [&str; 14] = [
    "write", "delete", "remove", "drop", "exec", "execute", "run", "send", "update", "create", "put", "post", "patch",
    "transfer",
];

/// The things that `tool` can do more than `target`, one a line, sorted; empty where nothing of what counts.
pub fn widened(target: &Tool, tool: &Tool) -> Vec<String> {
    let mut more = BTreeSet::new();
    let hint = |tool: &Tool, name: &str| tool.annotations.as_ref().and_then(|it| it.get(name)).and_then(Value::as_bool);
    // A client may run a tool that only reads without asking; a missing hint takes that promise back too.
    if hint(target, "readOnlyHint") == Some(true) && hint(tool, "readOnlyHint") != Some(true) {
        more.insert("it no longer says that it only reads".to_owned());
    }
    if hint(target, "destructiveHint") == Some(false) && hint(tool, "destructiveHint") == Some(true) {
        more.insert("it destroys".to_owned());
    }
    if let (Some(before), Some(after)) = (properties(target), properties(tool)) {
        for (name, schema) in after {
            match before.get(name) {
                // Any other new argument is a feature; one that takes an address or a command can be anything.
                None if is_free(name, schema) => drop(more.insert(format!("a new free argument {name:?}"))),
                Some(known) => more.extend(wider_values(name, known, schema)),
                None => {}
            }
        }
    }
    more.into_iter().collect()
}

fn properties(tool: &Tool) -> Option<&serde_json::Map<String, Value>> {
    tool.input_schema.as_ref()?.get("properties")?.as_object()
}

fn is_free(name: &str, schema: &Value) -> bool {
    let words = super::names::words(name);
    // An enumeration bounds what can be asked for, whatever the argument is called.
    let is_text = schema.get("type").is_none_or(|kind| kind == "string") && schema.get("enum").is_none();
    is_text && words.iter().any(|word| FREE.contains(&word.as_str()))
}

/// An enumeration that takes more, or that became free text.
fn wider_values(name: &str, known: &Value, now: &Value) -> Option<String> {
    let values = |schema: &Value| Some(schema.get("enum")?.as_array()?.clone());
    let before = values(known)?;
    match values(now) {
        None => Some(format!("{name:?} takes any value")),
        Some(after) => {
            // New values that name no act (formats, languages) let a tool do nothing more.
            let new = after.iter().filter(|value| !before.contains(value)).filter_map(Value::as_str);
            let acts = |value: &&str| super::names::words(value).iter().any(|word| ACTS.contains(&word.as_str()));
            // The least one, so that the order of the schema does not change the reason.
            new.filter(acts).min().map(|value| format!("{name:?} also takes {value:?}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use capdex_evidence::tools::ToolOrigin;
    use capdex_model::fact::Place;

    fn tool(schema: Value, annotations: Value) -> Tool {
        Tool {
            name: "t".into(),
            title: None,
            description: None,
            input_schema: Some(schema.into()),
            output_schema: None,
            annotations: Some(annotations.into()),
            extra: None,
            unread: Default::default(),
            origin: ToolOrigin::ToolsList,
            place: Place::default(),
        }
    }

    #[test]
    fn what_a_tool_can_do_more_is_told() {
        let before = tool(
            json!({"properties": {"op": {"enum": ["read"]}, "id": {"type": "string"}}}),
            json!({"readOnlyHint": true}),
        );
        let after = tool(
            json!({"properties": {"op": {"enum": ["read", "write"]}, "id": {"type": "string"}, "callbackUrl": {"type": "string"}, "limit": {"type": "integer"}}}),
            json!({}),
        );
        assert_eq!(
            widened(&before, &after),
            [
                "\"op\" also takes \"write\"",
                "a new free argument \"callbackUrl\"",
                "it no longer says that it only reads",
            ]
        );
        assert_eq!(widened(&after, &before), Vec::<String>::new());
        assert_eq!(widened(&before, &before), Vec::<String>::new());
        let colours = |all: Value| tool(json!({"properties": {"op": {"enum": all}}}), json!({}));
        let more = widened(&colours(json!(["red"])), &colours(json!(["red", "green"])));
        assert_eq!(more, Vec::<String>::new(), "one more value of the same sort");
        let free = tool(json!({"properties": {"op": {"type": "string"}}}), json!({"readOnlyHint": true}));
        assert_eq!(widened(&before, &free), ["\"op\" takes any value"]);
    }
}
