//! Servers taken apart: every text, splits between tools, the host.

use capdex_evidence::Evidence;
use capdex_evidence::decompose::decompose_counted;
use capdex_model::bundle::{Bundle, BundleFile};
use serde_json::json;

use super::*;

/// The parts of the server in some files.
fn parts_of(identity: &str, files: &[(&str, String)]) -> Vec<JudgePart> {
    parts_of_kind(Kind::McpServer, identity, files)
}

/// The parts of the first capability of a kind in some files.
fn parts_of_kind(kind: Kind, identity: &str, files: &[(&str, String)]) -> Vec<JudgePart> {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), BundleFile::new(text.as_bytes())));
    let bundle = Bundle::local(identity, files.collect());
    let evidence = Evidence::gather(&bundle);
    let (capabilities, _) = decompose_counted(&bundle, &evidence);
    let capability = capabilities.iter().find(|capability| capability.kind == kind).expect("one");
    let subject = Subject { capability, evidence: &evidence, claims: &bundle.claims, gaps: &[] };
    parts(&subject, identity)
}

fn list(tools: &[(&str, &str)]) -> String {
    let tool = |(name, description): &(&str, &str)| {
        json!({ "name": name, "title": "A title", "description": description, "annotations": { "title": "Shown" },
                "inputSchema": { "type": "object", "properties": { "a b": { "type": "string", "description": "The value." } } } })
    };
    json!({ "tools": tools.iter().map(tool).collect::<Vec<_>>() }).to_string()
}

fn units(parts: &[JudgePart]) -> Vec<&JudgeUnit> {
    let units = parts.iter().filter_map(|part| match part {
        JudgePart::Unit(unit, _) => Some(unit),
        JudgePart::TooLong(_) => None,
    });
    units.collect()
}

#[test]
fn every_text_of_a_tool_is_there_and_no_order_of_the_file_is() {
    let one = parts_of("folder:a", &[("tools.json", list(&[("b", "Reads."), ("a", "Writes.")]))]);
    let other = parts_of("folder:a", &[("tools.json", list(&[("a", "Writes."), ("b", "Reads.")]))]);
    let unit = units(&one)[0];
    assert_eq!(unit.digest(), units(&other)[0].digest());
    let pointers: Vec<&str> = unit.tools[0].fields.iter().map(|field| field.pointer.as_str()).collect();
    let schema = "/inputSchema/properties/a b/description";
    assert_eq!(pointers, ["/title", "/annotations/title", "/description", schema]);
    assert_eq!((unit.tools[0].text_at("/name"), unit.tools[0].text_at(schema)), (Some("a"), Some("The value.")));
    let JudgePart::Unit(_, places) = &one[0] else { panic!("{one:?}") };
    assert!(places.len() == 2 && places.iter().all(|place| place.file == "tools.json"));
}

#[test]
fn splits_lie_between_tools_and_no_text_is_cut() {
    let long = "word ".repeat(2000);
    let tools: Vec<(String, &str)> = (0..6).map(|number| (format!("t{number}"), long.as_str())).collect();
    let tools: Vec<(&str, &str)> = tools.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let parts = parts_of("folder:a", &[("tools.json", list(&tools))]);
    assert_eq!(units(&parts).iter().map(|unit| unit.tools.len()).collect::<Vec<_>>(), [2, 2, 2]);
    assert!(units(&parts).iter().all(|unit| unit.bytes() <= MAX_INPUT_BYTES));
    let too_long = "word ".repeat(5000);
    let parts = parts_of("folder:a", &[("tools.json", list(&[("a", &too_long), ("b", "Reads.")]))]);
    assert_eq!(units(&parts).len(), 1);
    assert!(parts.iter().any(|part| matches!(part, JudgePart::TooLong(place) if place.file == "tools.json")));
    let many: Vec<String> = (0..50).map(|number| format!("t{number:02}")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "Reads.")).collect();
    let parts = parts_of("folder:a", &[("tools.json", list(&many))]);
    assert_eq!(units(&parts).iter().map(|unit| unit.tools.len()).collect::<Vec<_>>(), [24, 24, 2]);
}

#[test]
fn the_host_is_that_of_the_endpoint_or_of_the_first_remote() {
    let tools = list(&[("a", "Reads.")]);
    let host = |identity: &str, files: &[(&str, String)]| units(&parts_of(identity, files))[0].host.clone();
    assert_eq!(host("mcp:https://mcp.acme.example/sse", &[("tools.json", tools.clone())]), "mcp.acme.example");
    assert_eq!(host("npm:a", &[("tools.json", tools)]), "");
}

#[test]
fn a_skill_is_the_texts_that_are_loaded_and_its_package_stands_for_a_server() {
    let skill = "---\nname: notes\ndescription: Takes notes.\n---\n\n# Notes\n\nWrite short lines.\n".to_owned();
    let files = [("skills/notes/SKILL.md", skill.clone()), ("skills/notes/run.py", "print(1)\n".to_owned())];
    let parts = parts_of_kind(Kind::Skill, "npm:acme", &files);
    let [JudgePart::Unit(unit, places)] = parts.as_slice() else { panic!("one unit: {parts:?}") };
    assert_eq!((unit.kind, unit.server.as_str(), unit.host.as_str()), (Kind::Skill, "npm:acme", ""));
    let texts: Vec<(&str, Option<&str>)> =
        unit.tools.iter().map(|tool| (tool.name.as_str(), tool.text_at("/text"))).collect();
    assert_eq!(texts, [("notes", Some(skill.as_str()))]);
    assert_eq!(places[0].file, "skills/notes/SKILL.md");
    let long = format!("{skill}{}", "word ".repeat(5000));
    let parts = parts_of_kind(Kind::Skill, "npm:acme", &[("skills/notes/SKILL.md", long)]);
    assert!(matches!(parts.as_slice(), [JudgePart::TooLong(place)] if place.file == "skills/notes/SKILL.md"));
    // A server's unit is the bytes that it was when nothing else was asked about.
    let server = parts_of("folder:a", &[("tools.json", list(&[("a", "Reads.")]))]);
    let text = serde_json::to_string(units(&server)[0]).expect("JSON");
    assert!(!text.contains("kind"), "{text}");
    assert_eq!(serde_json::from_str::<JudgeUnit>(&text).expect("a unit"), *units(&server)[0]);
}

#[test]
fn texts_are_named_as_planted_ones_are() {
    let of = |path| text_name(path, "acme");
    assert_eq!([of("SKILL.md"), of("skills/notes/SKILL.md"), of("a/skill.md")], ["acme", "notes", "a"]);
    assert_eq!([of(".cursorrules"), of("commands/deploy.md"), of("..")], ["cursorrules", "deploy", "acme"]);
}
