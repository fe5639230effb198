//! What holds for every input: reading ends, gives the same twice, and each entry stands where its pointer says.

use proptest::prelude::*;
use serde_json::{Map, Value};

use super::{ReadingReason, RecordedLists, messages};
use crate::manifest::value_at;

/// Values with the words of recordings in any order and nesting.
fn values() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "tools",
        "result",
        "jsonrpc",
        "name",
        "description",
        "inputSchema",
        "parameters",
        "function",
        "servers",
        "mcpServers",
        "prompts",
        "resources",
        "uri",
        "uriTemplate",
        "instructions",
        "serverInfo",
        "functionDeclarations",
        "data",
        "a/b~c",
    ]);
    let leaf = prop_oneof![Just(Value::Null), word.clone().prop_map(Value::from), any::<bool>().prop_map(Value::from)];
    leaf.prop_recursive(6, 64, 6, move |inner| {
        let object = prop::collection::vec((word.clone(), inner.clone()), 0..6);
        let object = object.prop_map(|members| {
            let members: Map<String, Value> = members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            Value::Object(members)
        });
        prop_oneof![prop::collection::vec(inner, 0..4).prop_map(Value::Array), object]
    })
}

proptest! {
    #[test]
    fn every_entry_stands_where_its_pointer_says(value in values()) {
        for reason in [ReadingReason::Found, ReadingReason::Named] {
            let lists = RecordedLists::of(&value, "a.json", reason);
            prop_assert_eq!(&lists, &RecordedLists::of(&value, "a.json", reason));
            for entry in lists.lists.iter().flat_map(|list| list.entries(&value)) {
                prop_assert_eq!(value_at(&value, &entry.pointer), Some(entry.value));
            }
            for speaker in &lists.speakers {
                prop_assert!(value_at(&value, speaker).is_some_and(Value::is_object));
            }
        }
    }

    #[test]
    fn what_a_folder_shows_a_named_file_shows_too(value in values()) {
        let found = RecordedLists::of(&value, "a.json", ReadingReason::Found);
        let named = RecordedLists::of(&value, "a.json", ReadingReason::Named);
        prop_assert!(found.is_empty() || !named.is_empty());
    }

    #[test]
    fn messages_of_any_text_lie_apart_and_in_order(text in "([{}\\[\\]\":, a\n]|data: |\\{\"tools\": \\[\\]\\}|\u{feff}|é){0,40}") {
        let found = messages::read(&text);
        prop_assert_eq!(found.values.len(), found.ranges.len());
        let plain = messages::plain(&text);
        prop_assert_eq!(plain.len(), text.len());
        let mut end = 0;
        for (range, value) in found.ranges.iter().zip(&found.values) {
            prop_assert!(range.start >= end);
            end = range.end;
            let part = plain.get(range.clone()).expect("a range of letters");
            prop_assert_eq!(&serde_json::from_str::<Value>(part).expect("JSON"), value);
        }
    }
}
