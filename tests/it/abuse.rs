//! Local lists of abuse: imported, met by the next night, replaced, and refused where they are no use.

use serde_json::{Value, json};

use crate::nightly::{first_night, night};
use crate::packages;
use crate::rows::{rows, text};
use crate::support::capdex::Capdex;

const SERVER: &str = "npm-weather-mcp-mcp-server";

fn write_list(capdex: &Capdex, version: u32, names: &[&str]) {
    let entries: Vec<Value> = names
        .iter()
        .map(|name| json!({ "registry": "npm", "name": name, "reason": "sends tokens", "first_seen": "2026-11-01" }))
        .collect();
    let list = json!({ "list": "team", "version": version, "source": "https://list.example/team", "date": "2026-11-20",
                       "entries": entries });
    capdex.write("list.json", list.to_string());
}

/// The band of capdex's own verdict on the server.
fn band(capdex: &Capdex) -> String {
    let capabilities = rows(&capdex.path().join("out"), "capabilities");
    let row = capabilities.iter().find(|row| text(row, "slug") == SERVER).expect("a row");
    text(row, "band").to_owned()
}

/// What `agentscore/seed` decides about the server, and the evidence of its reports.
fn judged(capdex: &Capdex) -> (String, String, Vec<String>) {
    let out = capdex.path().join("out");
    let is_it = |row: &&Value| text(row, "slug") == SERVER;
    let scores = rows(&out, "scores");
    let score = scores.iter().filter(is_it).find(|row| text(row, "rubric") == "agentscore/seed").expect("a score");
    let breakdowns = rows(&out, "score_breakdowns");
    let breakdown = breakdowns.iter().find(|row| row["breakdown"] == score["breakdown"]).expect("its breakdown");
    let parts = breakdown["parts"].as_array().expect("parts");
    let abuse = parts.iter().find(|part| part["name"] == "abuse").expect("the check");
    let findings = rows(&out, "findings");
    let reports = findings.iter().filter(is_it).filter(|row| text(row, "rule") == "name-reported");
    let reports = reports.map(|row| text(row, "evidence").to_owned()).collect();
    (text(score, "grade").to_owned(), abuse["note"].as_str().unwrap_or_default().to_owned(), reports)
}

#[test]
fn a_reported_package_is_blocked_until_the_list_lets_go_of_it() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let (before, note, reports) = judged(&capdex);
    assert!(note.starts_with("not_determinable"), "{before} {note}");
    assert!(reports.is_empty(), "{before} {note}");
    assert_ne!(before, "BLOCK", "{before} {note}");

    write_list(&capdex, 1, &["weather-mcp", "never-listed"]);
    let imported = capdex.run(&["abuse", "import", "list.json", "--as-of", "2026-11-20T12:00:00Z"]);
    assert_eq!(imported.code, Some(0));
    assert_eq!(imported.stderr.as_str(), "");
    assert!(imported.stdout.contains("2 entries; the next night scans 3 listings again"), "{}", imported.stdout);
    let again = capdex.run(&["abuse", "import", "list.json"]);
    assert_eq!(again.code, Some(0), "{}", again.stdout);
    assert!(again.stdout.contains("nothing changed"), "{}", again.stdout);
    let run = night(&capdex, "2026-11-21T01:00:00Z");
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert!(run.stdout.contains("3 snapshots scanned"), "{}", run.stdout);
    let (grade, note, reports) = judged(&capdex);
    assert_eq!(grade.as_str(), "BLOCK");
    assert_eq!(band(&capdex), "caution", "somebody says so");
    assert_eq!(
        reports,
        vec!["list team version 1 of 2026-11-20 reports: sends tokens, first seen 2026-11-01".to_owned()]
    );
    assert!(note.starts_with("completed, risk CRITICAL"), "{note}");
    for target in ["out", SERVER] {
        let verified = capdex.run(&["verify", target]);
        assert_eq!(verified.code, Some(0), "{}", verified.stdout);
    }

    let confirmed = capdex.run(&["abuse", "import", "list.json", "--confirmed"]);
    assert!(confirmed.stdout.contains("scans 1 listing again"), "{} {}", confirmed.stdout, confirmed.stderr);
    assert_eq!(night(&capdex, "2026-11-21T03:00:00Z").code, Some(0));
    assert_eq!(band(&capdex), "block", "the operator confirms it");

    write_list(&capdex, 2, &["never-listed"]);
    let replaced = capdex.run(&["abuse", "import", "list.json"]);
    assert!(replaced.stdout.contains("scans 1 listing again"), "{}", replaced.stdout);
    let run = night(&capdex, "2026-11-22T01:00:00Z");
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    assert!(run.stdout.contains("1 snapshot scanned"), "{}", run.stdout);
    let (grade, note, reports) = judged(&capdex);
    assert_ne!(grade, "BLOCK", "{grade} {note}");
    assert!(reports.is_empty(), "{grade} {note}");
    // That a list does not name it proves nothing.
    assert!(note.starts_with("not_determinable"), "{grade} {note}");
}

#[test]
fn lists_are_shown_and_bad_or_older_ones_refused() {
    let capdex = Capdex::offline();
    write_list(&capdex, 2, &["weather-mcp"]);
    assert_eq!(capdex.run(&["abuse", "import", "list.json", "--as-of", "2026-11-20T12:00:00Z"]).code, Some(0));
    let shown = capdex.run(&["abuse", "list", "--format", "json"]);
    let shown: Value = serde_json::from_str(&shown.stdout).expect("JSON");
    let list = &shown["items"][0];
    let head = ["list", "version", "date", "imported", "source"].map(|field| list[field].to_string());
    assert_eq!(head.join(" "), r#""team" 2 "2026-11-20" "2026-11-20T12:00:00Z" "https://list.example/team""#);
    assert_eq!(list["entries"][0]["name"], "weather-mcp");
    let table = capdex.run(&["abuse", "list"]);
    assert!(table.stdout.contains("team"), "{}", table.stdout);
    assert!(table.stdout.contains("https://list.example/team"), "{}", table.stdout);

    write_list(&capdex, 1, &[]);
    let older = capdex.run(&["abuse", "import", "list.json"]);
    assert_eq!(older.code, Some(2), "{}", older.stderr);
    assert!(older.stderr.contains("older than version 2"), "{}", older.stderr);
    write_list(&capdex, 3, &["good", " "]);
    let bad = capdex.run(&["abuse", "import", "list.json"]);
    assert_eq!(bad.code, Some(2), "{}", bad.stderr);
    assert!(bad.stderr.contains("entry 2 (npm: ): name is empty"), "{}", bad.stderr);
    assert_eq!(capdex.run(&["abuse", "import", "missing.json"]).code, Some(2));
}

#[test]
fn only_the_operator_confirms_a_list() {
    let capdex = Capdex::offline();
    let list = json!({ "list": "team", "version": 1, "source": "us", "date": "2026-11-20", "confirmed": true,
                       "entries": [{ "registry": "npm", "name": "a", "reason": "sends tokens" }] });
    capdex.write("list.json", list.to_string());
    let is_confirmed = |import: &[&str]| {
        assert_eq!(capdex.run(import).code, Some(0));
        let shown: Value =
            serde_json::from_str(&capdex.run(&["abuse", "list", "--format", "json"]).stdout).expect("JSON");
        shown["items"][0]["confirmed"].clone()
    };
    assert_eq!(is_confirmed(&["abuse", "import", "list.json"]), false, "a file cannot vouch for itself");
    assert_eq!(is_confirmed(&["abuse", "import", "list.json", "--confirmed"]), true);
    assert_eq!(is_confirmed(&["abuse", "import", "list.json"]), false, "the word is taken back");
}

fn records(capdex: &Capdex) -> Vec<Value> {
    let mut paths: Vec<_> = std::fs::read_dir(capdex.path().join("osv"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths.iter().map(|path| serde_json::from_slice(&std::fs::read(path).expect("reads")).expect("JSON")).collect()
}

#[test]
fn what_an_operator_confirms_becomes_records_that_fit_the_published_schema() {
    let capdex = Capdex::offline();
    write_list(&capdex, 1, &["@evil/weather", "second"]);
    capdex.run(&["abuse", "import", "list.json"]);
    let unconfirmed = capdex.run(&["abuse", "export-osv", "osv"]);
    assert_eq!(unconfirmed.code, Some(2), "a list is named or nothing is written: {}", unconfirmed.stderr);
    let unknown = capdex.run(&["abuse", "export-osv", "osv", "--list", "other"]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.stderr);
    assert!(unknown.stderr.contains("team"), "{}", unknown.stderr);
    let run = capdex.run(&["abuse", "export-osv", "osv", "--list", "team"]);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    assert!(run.stdout.contains("2 records, 0 withdrawn"), "{}{}", run.stdout, run.stderr);
    let written = records(&capdex);
    let names: Vec<&str> = written.iter().map(|one| text(&one["affected"][0]["package"], "name")).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(names.contains(&"@evil/weather"), "{names:?}");
    if let Some(path) = crate::support::rig::needed("CAPDEX_OSV_SCHEMA") {
        let schema: Value = serde_json::from_slice(&std::fs::read(path).expect("a schema")).expect("JSON");
        let validator = jsonschema::validator_for(&schema).expect("a schema");
        for record in &written {
            assert!(validator.is_valid(record), "{record}");
        }
        assert!(!validator.is_valid(&json!({ "id": "TEAM-1", "modified": "2026-11-20T00:00:00Z" })));
    }
    write_list(&capdex, 2, &["second"]);
    capdex.run(&["abuse", "import", "list.json"]);
    let run = capdex.run(&["abuse", "export-osv", "osv", "--list", "team"]);
    assert!(run.stdout.contains("1 record, 1 withdrawn"), "{}", run.stdout);
    let withdrawn: Vec<Value> = records(&capdex).into_iter().filter(|one| one.get("withdrawn").is_some()).collect();
    assert_eq!(
        withdrawn.iter().map(|one| text(&one["affected"][0]["package"], "name")).collect::<Vec<_>>(),
        ["@evil/weather"]
    );
}

#[test]
fn records_of_malicious_packages_are_a_list_and_a_bad_release_is_not_the_package() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let record = |id: &str, events: Value, versions: Value| {
        let affected = json!({"package": {"ecosystem": "npm", "name": "weather-mcp"}, "versions": versions,
            "ranges": [{"type": "SEMVER", "events": events}]});
        json!({"schema_version": "1.7.3", "id": id, "modified": "2026-11-20T03:04:05Z", "published": "2026-11-19T00:00:00Z",
            "summary": "Malicious code in weather-mcp (npm)", "affected": [affected]})
        .to_string()
    };
    // Another release than the one that is listed, and a flaw that is no malice.
    let (some, all) = (json!([{"introduced": "0.9.0"}, {"fixed": "1.0.0"}]), json!([{"introduced": "0"}]));
    capdex.write("malicious/npm/weather-mcp/MAL-2026-1.json", record("MAL-2026-1", some, json!(["0.9.0"])));
    capdex.write("malicious/npm/weather-mcp/GHSA-1.json", record("GHSA-1", all.clone(), json!([])));
    let imported = capdex.run(&["abuse", "import", "malicious"]);
    assert_eq!(imported.code, Some(0), "{}", imported.stderr);
    assert!(imported.stdout.contains("1 no report of malice or withdrawn"), "{}", imported.stdout);
    assert_eq!(night(&capdex, "2026-11-21T01:00:00Z").code, Some(0));
    let (grade, _, reports) = judged(&capdex);
    assert!(reports.is_empty() && grade != "BLOCK", "{grade} {reports:?}");

    let later = record("MAL-2026-2", all, json!([])).replace("2026-11-20T03", "2026-11-21T03");
    capdex.write("malicious/npm/weather-mcp/MAL-2026-2.json", later);
    let imported = capdex.run(&["abuse", "import", "malicious"]);
    assert_eq!(imported.code, Some(0), "{}", imported.stderr);
    assert_eq!(night(&capdex, "2026-11-22T01:00:00Z").code, Some(0));
    let (grade, _, reports) = judged(&capdex);
    assert_eq!(grade, "BLOCK");
    assert_eq!(band(&capdex), "block", "records of malicious packages are confirmed");
    assert!(reports.len() == 1 && reports[0].contains("MAL-2026-2: Malicious code in weather-mcp"), "{reports:?}");
}
