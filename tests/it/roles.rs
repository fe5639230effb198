//! Roles: what a project lists for its own client is judged, and takes no rank.

use serde_json::Value;

use crate::nightly::night;
use crate::rows::{rows, text};
use crate::support::capdex::Capdex;
use crate::support::service::Service;

/// Inert: a project that starts a server for its own work, beside a skill that it offers.
const LIST: &str = r#"{"mcpServers": {"notes": {"command": "npx", "args": ["-y", "notes-mcp@1.2.3"]}}}"#;
const SKILL: &str = "---\nname: summary\ndescription: Sums up a meeting. Use when notes are given.\n---\n# Summary\n";

#[test]
fn a_projects_own_configuration_is_judged_and_takes_no_rank() {
    let capdex = Capdex::offline();
    capdex.write("project/.mcp.json", LIST).write("project/skills/summary/SKILL.md", SKILL);
    capdex.write(
        "schedule.toml",
        "name = \"x\"\n[export]\nformats = [\"jsonl\"]\n[sources.folder]\npaths = [\"project\"]\n",
    );
    night(&capdex, "2026-11-20T01:00:00Z");
    let ranked = rows(&capdex.path().join("out"), "capabilities");
    let is_list = |row: &&Value| text(row, "path") == ".mcp.json";
    let list = ranked.iter().find(is_list).expect("the list");
    assert_eq!((text(list, "role"), &list["rank"]), ("config", &Value::Null));
    assert!(!text(list, "band").is_empty() && !list["saferskills_seed"].is_null(), "it is judged: {list}");
    let others: Vec<&Value> = ranked.iter().filter(|row| !is_list(row)).collect();
    assert!(others.iter().all(|row| text(row, "role") == "offer"));
    let ranks: Vec<u64> = others.iter().filter_map(|row| row["rank"].as_u64()).collect();
    assert_eq!(ranks, (1..=others.len() as u64).collect::<Vec<_>>(), "no place is left free");
    assert_eq!(capdex.run(&["verify", "out"]).code, Some(0));

    let service = Service::start(&capdex, &[]);
    let shown = service.get(&format!("/api/v1/capabilities/{}", text(list, "slug"))).json();
    assert_eq!(shown["rank"], Value::Null);
    assert_eq!(service.terminate(), Some(0));

    // A rank that was written in later, or taken from an offer, is a difference.
    let file = capdex.path().join("out/capabilities.jsonl");
    let written = std::fs::read_to_string(&file).expect("rows");
    std::fs::write(&file, written.replace("\"rank\":null", "\"rank\":3")).expect("written");
    assert_eq!(capdex.run(&["verify", "out"]).code, Some(1));
}
