//! The table of what the four published pages state (`tests/seeds/sentences.tsv`): every line names a test that there is, and the
//! tests of those statements that no other test proves.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::capdex::Capdex;

const TABLE: &str = include_str!("../seeds/sentences.tsv");
/// The pages with the number of their statements in the table: a line that is taken out is noticed.
const PAGES: [(&str, usize); 4] = [
    ("saferskills-core-concepts", 24),
    ("spiderrating-methodology", 31),
    ("mcpbundles-security-rules", 27),
    ("agentscore-methodology", 35),
];

/// One statement.
struct Sentence<'a> {
    page: &'a str,
    number: usize,
    place: &'a str,
    said: &'a str,
    proof: &'a str,
}

fn sentences() -> Vec<Sentence<'static>> {
    let (mut page, mut sentences) = ("", Vec::new());
    for line in TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            page = name;
            continue;
        }
        let cells: Vec<&str> = line.split('\t').collect();
        let [number, place, said, proof] = cells[..] else { panic!("{line:?} has not four cells") };
        sentences.push(Sentence { page, number: number.parse().expect("a number"), place, said, proof });
    }
    sentences
}

/// True where a file of the repository has a test of that name.
fn is_test(proof: &str, files: &mut BTreeMap<String, String>) -> bool {
    let Some((file, test)) = proof.split_once("::") else { return false };
    let read = || {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        std::fs::read_to_string(path).unwrap_or_default()
    };
    let text = files.entry(file.to_owned()).or_insert_with(read);
    let head = format!("fn {test}(");
    // Between the mark and the name stand other attributes at most.
    text.match_indices(&head).any(|(at, _)| {
        let before = text[..at].trim_end();
        before.rsplit("\n\n").next().is_some_and(|lines| lines.contains("#[test]"))
    })
}

#[test]
fn every_statement_of_the_pages_has_a_test_that_there_is() {
    let (sentences, mut files) = (sentences(), BTreeMap::new());
    for (page, count) in PAGES {
        let numbers: Vec<usize> = sentences.iter().filter(|one| one.page == page).map(|one| one.number).collect();
        assert_eq!(numbers, (1..=count).collect::<Vec<_>>(), "{page}");
    }
    assert_eq!(sentences.len(), PAGES.iter().map(|(_, count)| count).sum::<usize>(), "no other page");
    let mut missing = Vec::new();
    for Sentence { page, number, place, said, proof } in &sentences {
        assert!(!place.is_empty() && !said.is_empty(), "{page} {number}");
        let proofs = proof.split(' ').filter(|proof| !is_test(proof, &mut files));
        missing.extend(proofs.map(|proof| format!("{page} {number}: {proof:?} is no test")));
        if proof.is_empty() {
            missing.push(format!("{page} {number} has no proof"));
        }
    }
    assert_eq!(missing, Vec::<String>::new());
    assert!(!is_test("tests/it/seed_sentences.rs::sentences", &mut files), "a function is no test");
}

/// The verdict's band and the findings above low of what `scan` prints of an input.
fn scanned(capdex: &Capdex, input: &str) -> Vec<Value> {
    let run = capdex.run(&["scan", input, "--format", "jsonl"]);
    assert_eq!(run.stderr, "");
    run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The page tells of three honest tools that a layer of patterns called poisoned or dangerous, and why it was removed.
#[test]
fn tools_that_a_removed_layer_called_bad_are_not() {
    let tool = |name: &str, description: &str| json!({ "name": name, "description": description, "inputSchema": { "type": "object" } });
    let tools = json!({ "tools": [
        tool("list_disks", "Lists the disk resources of a project in a zone, with the other resources that are attached to them."),
        tool("lookup_weather", "Executes a query against the forecast service and returns the weather of a place."),
        tool("search_threads", "Searches messages in all threads. Use the query to find messages by sender or words."),
    ] });
    let capdex = Capdex::offline();
    capdex.write("tools.json", tools.to_string());
    for item in scanned(&capdex, "tools.json") {
        let grave = |finding: &&Value| matches!(finding["severity"].as_str(), Some("high" | "critical"));
        let found: Vec<&Value> = item["findings"].as_array().expect("findings").iter().filter(grave).collect();
        assert!(found.is_empty(), "{found:?}");
    }
}

/// Each file would leave a mark if anything ran it: scripts of an installation, of a skill, of a hook, of a build.
#[test]
fn files_are_analysed_and_never_run() {
    let capdex = Capdex::offline();
    let mark = capdex.path().join("ran");
    let touch = format!("touch '{}'", mark.display());
    let manifest = json!({ "name": "a", "version": "1.0.0", "scripts": { "preinstall": touch, "prepare": touch } });
    capdex.write("package/package.json", manifest.to_string());
    capdex.write(
        "package/SKILL.md",
        format!("---\nname: a\ndescription: Runs a.\n---\nRun `{touch}` and `sh run.sh`.\n"),
    );
    capdex.write("package/run.sh", format!("#!/bin/sh\n{touch}\n"));
    capdex.write("package/setup.py", format!("import os\nos.system({touch:?})\n"));
    capdex.write("package/Makefile", format!("$(shell {touch})\nall:\n\t{touch}\n"));
    let hook =
        json!({ "hooks": { "PreToolUse": [{ "matcher": "*", "hooks": [{ "type": "command", "command": touch }] }] } });
    capdex.write("package/.claude/settings.json", hook.to_string());
    assert!(!scanned(&capdex, "package").is_empty());
    assert!(!mark.exists(), "something was run");
}
