//! Small inputs that were once judged wrongly by their numbers (`cases/precision` beside the data that `CAPDEX_DATA` names), and
//! what is right of each: the verdict is by findings, whatever a method's number, and what nobody could read is no clean thing.

use std::path::PathBuf;

use serde_json::Value;

use crate::support::capdex::Capdex;

/// The folder of the cases; none where there is no data.
fn cases() -> Option<PathBuf> {
    let data = PathBuf::from(std::env::var_os("CAPDEX_DATA")?);
    Some(data.join("../cases/precision"))
}

/// What `scan` says of one case: a line for each capability, the package's last.
fn scanned(folder: &str) -> Vec<Value> {
    let path = cases().expect("asked before").join(folder);
    let run = Capdex::offline().run(&["scan", path.to_str().expect("a path"), "--format", "jsonl"]);
    assert_eq!(run.stderr, "", "{folder}");
    let lines: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.last().map(|line| line["kind"].clone()), Some("package".into()), "{folder}");
    lines
}

/// Every finding of a case, as rule and severity.
fn found(lines: &[Value]) -> Vec<(String, String)> {
    let all = lines.iter().flat_map(|line| line["findings"].as_array().expect("findings"));
    let text = |finding: &Value, key: &str| finding[key].as_str().expect("text").to_owned();
    all.map(|finding| (text(finding, "rule"), text(finding, "severity"))).collect()
}

/// The server of a case.
fn server(lines: &[Value]) -> &Value {
    lines.iter().find(|line| line["kind"] == "mcp_server").expect("a server")
}

#[test]
fn what_was_bad_by_a_number_alone_is_ok() {
    if cases().is_none() {
        return println!("skipped: no CAPDEX_DATA");
    }
    for folder in [
        "score-echo-counted-per-file/py",
        "score-format-verb-is-destroy/tools",
        "score-global-install-in-docs/js",
        "score-long-description-is-critical/tools",
        "score-public-telemetry-key/js",
        "home-url-not-repository/sdist-of-a-pypi-listing",
    ] {
        let lines = scanned(folder);
        for line in &lines {
            assert_eq!(line["verdict"]["band"], "ok", "{folder}: {}", line["verdict"]);
        }
        let graver: Vec<_> =
            found(&lines).into_iter().filter(|(_, severity)| !matches!(&**severity, "info" | "low")).collect();
        assert_eq!(graver, [], "{folder}");
    }
}

#[test]
fn a_server_that_nobody_could_read_is_unknown() {
    if cases().is_none() {
        return println!("skipped: no CAPDEX_DATA");
    }
    for line in scanned("tools-missed/nothing-read-scores-best") {
        assert_eq!(line["verdict"]["band"], "unknown", "{}: {}", line["kind"], line["verdict"]);
    }
}

#[test]
fn a_method_says_what_it_publishes_and_no_more() {
    if cases().is_none() {
        return println!("skipped: no CAPDEX_DATA");
    }
    let formats = scanned("score-format-verb-is-destroy/tools");
    assert_ne!(server(&formats)["scores"]["agentscore/seed"]["grade"], "BLOCK", "`format_table` destroys nothing");
    let telemetry = scanned("score-public-telemetry-key/js");
    assert!(
        found(&telemetry).iter().all(|(_, severity)| severity == "low" || severity == "info"),
        "{:?}",
        found(&telemetry)
    );
    assert_ne!(server(&telemetry)["scores"]["agentscore/seed"]["grade"], "CAUTION", "the key is there to be published");
    // Critical by its own page: the method's number follows the method, and the rule's card says so.
    let long = scanned("score-long-description-is-critical/tools");
    let told: Vec<_> = found(&long).into_iter().filter(|(_, severity)| severity != "info").collect();
    assert_eq!(told, [("tool-description-oversized".to_owned(), "low".to_owned())]);
    assert_eq!(server(&long)["scores"]["saferskills/seed"]["grade"], "Red");
    let card = Capdex::offline().run(&["rules", "show", "tool-description-oversized"]).stdout;
    let words = card.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("SaferSkills publishes this as critical"), "{card}");
}
