//! The operator's own list of what may be used, where it is asked before an install: `check`, `hook`, `init --hook` and `mcp`. Answers of
//! the store, of a registry and of this machine's files are told by the same list, and a list clears nothing.

use serde_json::{Value, json};

use crate::check::{check, items, registry};
use crate::hook::{ask, decision, shell, stored};
use crate::mcp::Server;
use crate::rows::text;
use crate::support::capdex::{Capdex, Run};

/// The targets of a check that have a finding with TS-W011, each with the severities.
fn told(run: &Run) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for item in items(run) {
        for finding in item["findings"].as_array().expect("findings") {
            if finding["codes"]["spiderrating"].as_array().expect("codes").contains(&"TS-W011".into()) {
                found.push((text(&item["target"], "name").to_owned(), text(finding, "severity").to_owned()));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

fn low(name: &str) -> (String, String) {
    (name.to_owned(), "low".to_owned())
}

#[test]
fn check_tells_what_the_list_does_not_name_whoever_answers() {
    let capdex = Capdex::with(&registry());
    let targets = ["npm:@acme/notes@1.0.0", "pypi:fetch-server", "npm:nobody"];
    let checked =
        |capdex: &Capdex, more: &[&str]| check(capdex, &[&targets, ["--format", "jsonl"].as_slice(), more].concat());
    assert_eq!(told(&checked(&capdex, &[])), [], "without a list nothing is forbidden");
    for list in ["npm:@acme/notes", "npm:@acme/*", "npm:@acme/notes,npm:other"] {
        let found = told(&checked(&capdex, &["--approved", list]));
        assert_eq!(
            found,
            [low("npm:nobody"), low("pypi:fetch-server")],
            "{list}: what nobody knows is on no list either"
        );
    }
    assert_eq!(told(&checked(&capdex, &["--approved", "*"])), []);
    // The list of a schedule counts too, and one that is named here takes its place.
    capdex.write("own.toml", "name = \"own\"\n[approved]\nnames = [\"pypi:*\"]\n[sources.npm]\n");
    let by_file =
        check(&capdex, &["pypi:fetch-server", "npm:weather-mcp", "--config", "own.toml", "--format", "jsonl"]);
    assert!(told(&by_file).iter().all(|(name, _)| name == "npm:weather-mcp"), "{:?}", told(&by_file));
    assert!(!told(&by_file).is_empty());
    let named = ["pypi:fetch-server", "--config", "own.toml", "--approved", "npm:x", "--format", "jsonl"];
    assert_eq!(told(&check(&capdex, &named)), [low("pypi:fetch-server")]);
    // For people, one word on the line of the target.
    let table = check(&capdex, &["npm:weather-mcp", "pypi:fetch-server", "--approved", "npm:weather-mcp"]).stdout;
    let line = |name: &str| table.lines().find(|line| line.contains(name)).expect("a line").to_owned();
    assert!(line("pypi:fetch-server").contains("(not on your own list)"), "{table}");
    assert!(!line("npm:weather-mcp").contains("own list"), "{table}");
    let wrong = check(&capdex, &["npm:weather-mcp", "--approved", "weather-mcp"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("names no source"), "{}", wrong.stderr);
}

#[test]
fn an_answer_of_the_store_is_told_by_the_list_of_now() {
    let capdex = stored();
    let asked = |more: &[&str]| {
        let of_day = ["npm:notes-kit", "--offline", "--as-of", "2026-11-20T02:00:00Z", "--format", "jsonl"];
        let run = check(&capdex, &[of_day.as_slice(), more].concat());
        let bands: Vec<String> = items(&run).iter().map(|item| text(&item["verdict"], "band").to_owned()).collect();
        (told(&run), bands)
    };
    let (none, bands) = asked(&[]);
    assert_eq!(none, []);
    assert_eq!(asked(&["--approved", "npm:other"]), (vec![low("npm:notes-kit")], bands.clone()), "no verdict moves");
    assert_eq!(asked(&["--approved", "npm:notes-kit"]), (vec![], bands));
}

#[test]
fn skills_of_this_machine_are_looked_up_by_their_manifest_or_folder() {
    let capdex = Capdex::offline();
    let skill = "---\nname: tides\ndescription: Tells the tides. Use when asked for tides.\n---\nRead the table.\n";
    capdex
        .write("home/.claude/skills/tides/SKILL.md", skill)
        .write("home/.claude/skills/tides/package.json", r#"{"name": "@acme/tides", "version": "1.0.0"}"#)
        .write("home/.claude/CLAUDE.md", "Use tabs.\n");
    let asked = |list: &str| {
        let arguments = ["check", "--offline", "--format", "jsonl", "--approved", list];
        let run = capdex.command(&arguments).env("HOME", capdex.path().join("home")).output().expect("runs");
        told(&Run::of(&run))
    };
    assert_eq!(asked("npm:other"), [low("~/.claude/skills/tides")], "own words to an agent are no package");
    for list in ["npm:@acme/tides", "folder:tides"] {
        assert_eq!(asked(list), [], "{list}");
    }
}

#[test]
fn a_hook_asks_about_what_the_list_does_not_name_and_lets_nothing_bad_through() {
    let capdex = stored();
    let word =
        |options: &[&str], command: &str| decision(&ask(&capdex, options, &shell(command))).map(|(word, _)| word);
    let calm = "npx -y notes-kit@1.0.0";
    assert_eq!(word(&[], calm), None);
    assert_eq!(word(&["--approved", "npm:notes-kit"], calm), None);
    let (asked, reason) = decision(&ask(&capdex, &["--approved", "npm:other"], &shell(calm))).expect("a decision");
    assert_eq!(asked, "ask");
    assert!(reason.contains("the operator's own list does not name it"), "{reason}");
    let deny = ["--approved", "npm:other", "--not-approved", "deny"];
    assert_eq!(word(&deny, calm).as_deref(), Some("deny"));
    assert_eq!(word(&["--approved", "npm:other", "--not-approved", "pass"], calm), None);
    // A list says who may be used, and nothing of what they publish.
    assert_eq!(word(&["--approved", "npm:setup-kit"], "npx setup-kit@1.0.0").as_deref(), Some("deny"));
    let written = capdex.run(&[
        "init",
        "--hook",
        "claude",
        "--print",
        "--approved",
        "npm:@acme/*,pypi:x",
        "--not-approved",
        "deny",
    ]);
    let settings: Value = serde_json::from_str(&written.stdout).expect("settings");
    let command = text(&settings["hooks"]["PreToolUse"][0]["hooks"][0], "command");
    assert!(
        command.contains("--not-approved deny") && command.contains("--approved 'npm:@acme/*,pypi:x'"),
        "{command}"
    );
}

#[test]
fn the_server_for_agents_names_what_is_not_on_the_list() {
    let capdex = stored();
    let verdict = |options: &[&str]| {
        let (said, structured) =
            Server::start(&capdex, options).call("check", &json!({"targets": ["npm:notes-kit@1.0.0"]}));
        (said, structured["items"][0]["verdict"].clone())
    };
    let (said, none) = verdict(&[]);
    assert_eq!(none["approved"], Value::Null, "{said}");
    let (said, listed) = verdict(&["--approved", "npm:notes-*"]);
    assert_eq!((&listed["approved"], &listed["advice"]), (&json!(true), &none["advice"]), "{said}");
    let (said, other) = verdict(&["--approved", "pypi:*"]);
    assert_eq!((&other["approved"], &other["band"]), (&json!(false), &none["band"]), "{said}");
    assert!(said.contains("the operator's own list does not name it"), "{said}");
    assert!(text(&other, "advice").contains("not approved here"), "{said}");
}
