//! Rename: which removed tool came back under another name, so that a new name does not evade a pin.
//!
//! A renamed tool's parts are compared with those of the old one afterwards.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use capdex_evidence::tools::Tool;

/// The share of its words, in hundredths, that a description must keep.
const SIMILAR: usize = 90;
/// Descriptions of fewer words than this prove nothing.
const MIN_WORDS: usize = 4;
/// Removed and added tools that are matched by their words at most: more of each are another server.
const MAX_TOOLS: usize = 200;

/// Pairs of a removed and an added tool that are one, sorted by the old name. Each tool is in one pair at most; a schema
/// that several share decides nothing.
pub(super) fn renamed<'a>(removed: &[&'a Tool], added: &[&'a Tool]) -> Vec<(&'a Tool, &'a Tool)> {
    let mut pairs = by_schema(removed, added);
    let taken: BTreeSet<&str> = pairs.iter().flat_map(|(old, new)| [old.name.as_str(), new.name.as_str()]).collect();
    let is_open = |tool: &&&Tool| !taken.contains(tool.name.as_str());
    let (old, new): (Vec<&Tool>, Vec<&Tool>) = (
        removed.iter().filter(is_open).take(MAX_TOOLS).copied().collect(),
        added.iter().filter(is_open).take(MAX_TOOLS).copied().collect(),
    );
    pairs.extend(by_words(&old, &new));
    pairs.sort_by(|a, b| a.0.name.cmp(&b.0.name));
    pairs
}

/// Tools that alone have a schema with something in it, before and after.
fn by_schema<'a>(removed: &[&'a Tool], added: &[&'a Tool]) -> Vec<(&'a Tool, &'a Tool)> {
    let (old, new) = (with_schemas(removed), with_schemas(added));
    let only = |tools: &Vec<&'a Tool>| match tools.as_slice() {
        [tool] => Some(*tool),
        _ => None,
    };
    old.iter().filter_map(|(schema, tools)| Some((only(tools)?, only(new.get(schema)?)?))).collect()
}

fn with_schemas<'a>(tools: &[&'a Tool]) -> BTreeMap<String, Vec<&'a Tool>> {
    let mut by_schema: BTreeMap<String, Vec<&Tool>> = BTreeMap::new();
    for tool in tools {
        let schema = tool.input_schema.as_ref();
        let properties = schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
        if let (Some(schema), true) = (schema, properties.is_some_and(|properties| properties.len() > 1)) {
            by_schema.entry(schema.to_string()).or_default().push(tool);
        }
    }
    by_schema
}

/// The most alike first, ties by name.
fn by_words<'a>(removed: &[&'a Tool], added: &[&'a Tool]) -> Vec<(&'a Tool, &'a Tool)> {
    let words = |tool: &Tool| -> BTreeSet<String> {
        tool.description.as_deref().unwrap_or_default().split_whitespace().map(str::to_lowercase).collect()
    };
    let new: Vec<(&Tool, BTreeSet<String>)> = added.iter().map(|tool| (*tool, words(tool))).collect();
    let mut candidates = Vec::new();
    for old in removed {
        let before = words(old);
        for (tool, after) in new.iter().filter(|(_, after)| before.len().min(after.len()) >= MIN_WORDS) {
            let likeness = 200 * before.intersection(after).count() / (before.len() + after.len());
            if likeness >= SIMILAR {
                candidates.push((std::cmp::Reverse(likeness), *old, *tool));
            }
        }
    }
    candidates.sort_by(|a, b| (a.0, &a.1.name, &a.2.name).cmp(&(b.0, &b.1.name, &b.2.name)));
    let (mut pairs, mut taken) = (Vec::new(), BTreeSet::new());
    for (_, old, new) in candidates {
        if !taken.contains(&("old", &old.name)) && !taken.contains(&("new", &new.name)) {
            taken.insert(("old", &old.name));
            taken.insert(("new", &new.name));
            pairs.push((old, new));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_evidence::tools::ToolOrigin;
    use capdex_model::fact::Place;
    use serde_json::json;

    fn tool(name: &str, description: &str, properties: &[&str]) -> Tool {
        let properties: serde_json::Map<String, Value> =
            properties.iter().map(|name| ((*name).to_owned(), json!({"type": "string"}))).collect();
        Tool {
            name: name.into(),
            title: None,
            description: Some(description.into()),
            input_schema: Some(json!({"type": "object", "properties": properties}).into()),
            output_schema: None,
            annotations: None,
            extra: None,
            unread: Default::default(),
            origin: ToolOrigin::ToolsList,
            place: Place::default(),
        }
    }

    fn pairs(removed: &[Tool], added: &[Tool]) -> Vec<(String, String)> {
        let of = renamed(&removed.iter().collect::<Vec<_>>(), &added.iter().collect::<Vec<_>>());
        of.into_iter().map(|(old, new)| (old.name.clone(), new.name.clone())).collect()
    }

    #[test]
    fn a_schema_or_most_of_the_words_tell_a_renamed_tool() {
        let (read, move_) =
            (tool("read", "Reads one file of the folder.", &["path", "head"]), tool("move", "Moves.", &[]));
        let text = "Reads a file as text and gives it back whole, for the folders that are allowed here.";
        let other = tool("list", text, &[]);
        let same_schema = tool("read_file", "Gives what is in a file.", &["path", "head"]);
        let same_words = tool("list_all", &text.replace("whole", "as it is"), &["x"]);
        assert_eq!(
            pairs(&[read, move_, other], &[same_schema, same_words, tool("go", "Goes.", &[])]),
            [("list".to_owned(), "list_all".to_owned()), ("read".to_owned(), "read_file".to_owned())]
        );
    }

    #[test]
    fn a_schema_that_several_share_decides_nothing() {
        let two = [tool("a", "One.", &["x", "y"]), tool("b", "Two.", &["x", "y"])];
        assert!(pairs(&two, &[tool("c", "Three.", &["x", "y"])]).is_empty());
    }
}
