//! Alerts about what is bad whatever changed: a watched name that stands at caution, a package that a list of abuse reports.

use serde_json::{Value, json};

use crate::nightly::{first_night, night};
use crate::packages::{self, HOSTILE_SKILL};
use crate::support::capdex::Capdex;

const REPORTED: &str = "abuse:team:npm:weather-mcp";

/// The alerts about a package, by key, with the words for a person.
fn raised(capdex: &Capdex, package: &str) -> Vec<(String, String)> {
    let run = capdex.run(&["alerts", "list", "--format", "jsonl"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let rows = run.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
    let mut found: Vec<(String, String)> = rows.map(|row| (text(&row, "key"), text(&row, "title"))).collect();
    found.retain(|(key, _)| key.ends_with(package));
    found.sort();
    found
}

fn report(capdex: &Capdex) {
    let entry = json!({ "registry": "npm", "name": "weather-mcp", "reason": "sends tokens" });
    let list = json!({ "list": "team", "version": 1, "source": "https://list.example/team", "date": "2026-11-20",
                       "entries": [entry] });
    capdex.write("list.json", list.to_string());
    let imported = capdex.run(&["abuse", "import", "list.json", "--as-of", "2026-11-20T12:00:00Z"]);
    assert_eq!(imported.code, Some(0), "{}", imported.stderr);
}

#[test]
fn a_report_and_the_verdict_that_follows_from_it_are_told_once() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    assert_eq!(raised(&capdex, "npm:weather-mcp"), []);
    report(&capdex);
    for night_of in ["2026-11-21T01:00:00Z", "2026-11-22T01:00:00Z"] {
        assert_eq!(night(&capdex, night_of).code, Some(0));
        let raised = raised(&capdex, "npm:weather-mcp");
        let keys: Vec<&str> = raised.iter().map(|(key, _)| key.as_str()).collect();
        // The report is as grave as the verdict that it makes, and says more.
        assert_eq!(keys, [REPORTED]);
        assert!(raised[0].1.contains("is reported by the list team: sends tokens"), "{}", raised[0].1);
    }
}

#[test]
fn a_watched_name_at_block_or_caution_is_told_unless_its_table_says_no() {
    let registry = packages::registry();
    let manifest: &[u8] = br#"{"name":"setup-kit","version":"1.0.0","license":"MIT"}"#;
    registry.npm_package("setup-kit", "1.0.0", &[("package.json", manifest), ("SKILL.md", HOSTILE_SKILL.as_bytes())]);
    for (setting, expected) in [("", 1), ("tell_verdicts = true\n", 1), ("tell_verdicts = false\n", 0)] {
        let capdex = Capdex::with(&registry);
        let schedule = packages::schedule(&["setup-kit", "weather-mcp"], &[]);
        capdex.write("schedule.toml", schedule.replace("[sources.pypi]", &format!("{setting}[sources.pypi]")));
        for night_of in ["2026-11-21T01:00:00Z", "2026-11-22T01:00:00Z"] {
            assert_eq!(night(&capdex, night_of).code, Some(0));
            let told = raised(&capdex, "npm:setup-kit");
            assert_eq!(told.len(), expected, "{setting:?}: {told:?}");
            for (key, title) in told {
                assert!(key.starts_with("verdicts:"), "{key}");
                assert!(title.contains(" stands at "), "{title}");
            }
            assert_eq!(raised(&capdex, "npm:weather-mcp"), []);
        }
    }
}
