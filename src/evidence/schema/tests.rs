//! Tests of the schema walker: schemas in, strings with pointers out.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn found(schema: &Value) -> Vec<(String, SchemaField, String)> {
    let SchemaWalk { texts, pointers, .. } = walk(schema);
    texts.into_iter().map(|text| (pointers[text.pointer].to_owned(), text.field, text.text.to_owned())).collect()
}

#[test]
fn every_position_is_reached_with_its_pointer() {
    let schema = json!({
        "properties": { "a/b": { "description": "d", "enum": ["x", 1], "default": { "k": ["deep"] } } },
        "anyOf": [{ "title": "t" }],
        "items": [{ "pattern": "p" }],
        "patternProperties": { "^s": { "$comment": "c" } },
        "if": { "const": "k" },
        "x-note": "n",
    });
    let expected = [
        ("/patternProperties/^s", SchemaField::Pattern, "^s"),
        ("/properties/a~1b", SchemaField::Name, "a/b"),
        ("/x-note", SchemaField::Extension, "n"),
        ("/anyOf/0/title", SchemaField::Title, "t"),
        ("/if/const", SchemaField::Const, "k"),
        ("/items/0/pattern", SchemaField::Pattern, "p"),
        ("/patternProperties/^s/$comment", SchemaField::Comment, "c"),
        ("/properties/a~1b/default/k/0", SchemaField::Default, "deep"),
        ("/properties/a~1b/description", SchemaField::Description, "d"),
        ("/properties/a~1b/enum/0", SchemaField::Enum, "x"),
    ];
    let expected: Vec<_> = expected.map(|(pointer, field, text)| (pointer.to_owned(), field, text.to_owned())).to_vec();
    assert_eq!(found(&schema), expected);
}

#[test]
fn references_inside_the_document_are_followed_once() {
    let schema = json!({
        "$ref": "#/hidden/a%20b",
        "properties": { "tree": { "$ref": "#" }, "named": { "$dynamicRef": "#node" }, "other": { "$ref": "https://host.test/s.json" } },
        "hidden": { "a b": { "description": "reached" }, "more": { "$anchor": "node", "description": "by anchor" } },
    });
    let walk = walk(&schema);
    let texts: Vec<&str> =
        walk.texts.iter().filter(|text| text.field == SchemaField::Description).map(|text| text.text).collect();
    assert_eq!(texts, ["reached", "by anchor"]);
    assert_eq!(walk.external, ["https://host.test/s.json"]);
    assert!(!walk.exhausted);
}

#[test]
fn references_by_id_and_escaped_pointers_are_followed() {
    let schema = json!({
        "$id": "https://host.test/s/root.json",
        "properties": {
            "a": { "$ref": "item.json" }, "b": { "$ref": "https://host.test/s/item.json#/$defs/in~1ner%7E0x" },
            "c": { "$ref": "root.json#/$defs/own" }, "d": { "$ref": "gone.json" },
        },
        "$defs": {
            "own": { "description": "own" },
            "item": { "$id": "https://host.test/s/item.json", "description": "item", "$defs": { "in/ner~x": { "description": "inner" } } },
        },
    });
    let walk = walk(&schema);
    let mut texts: Vec<&str> =
        walk.texts.iter().filter(|text| text.field == SchemaField::Description).map(|text| text.text).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["inner", "item", "own"]);
    assert_eq!(walk.external, ["gone.json"]);
}

#[test]
fn formats_that_nobody_knows_and_headers_are_text() {
    let schema = json!({ "format": "obey", "x-mcp-header": "X-A", "contentMediaType": "text/x",
        "properties": { "d": { "format": "date" } } });
    let fields: Vec<SchemaField> = walk(&schema).texts.iter().map(|text| text.field).collect();
    assert_eq!(fields, [SchemaField::Media, SchemaField::Format, SchemaField::Name, SchemaField::Header]);
}

#[test]
fn each_budget_ends_the_walk_and_says_so() {
    let mut deep = json!({ "description": "bottom" });
    for _ in 0..=MAX_DEPTH {
        deep = json!({ "not": deep });
    }
    assert!(walk(&deep).exhausted);
    let wide: Vec<Value> = (0..=MAX_NODES).map(|_| json!({})).collect();
    assert!(walk(&json!({ "anyOf": wide })).exhausted);
    assert!(walk(&json!({ "description": "x".repeat(MAX_TEXT_BYTES) })).exhausted);
    let references: Vec<Value> = (0..=MAX_REFERENCES).map(|_| json!({ "$ref": "#" })).collect();
    assert!(walk(&json!({ "anyOf": references })).exhausted);
    let name = "n".repeat(MAX_TEXT_BYTES / 4);
    let inner: Vec<Value> = (0..100).map(|_| json!({ "title": "t" })).collect();
    assert!(walk(&json!({ "properties": { name: { "anyOf": inner } } })).exhausted);
}

proptest! {
    #[test]
    fn no_reference_makes_it_panic(reference in "#?[/~%#a-z0-9]{0,12}") {
        let schema = json!({ "$id": "a", "$ref": reference, "properties": { "a": { "$anchor": "b" } } });
        prop_assert!(!walk(&schema).exhausted);
    }
}
