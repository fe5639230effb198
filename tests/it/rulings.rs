//! Rulings and votes: the operator's word beside the verdict, in every command, bound to content, out and in again as OpenVEX.

use serde_json::{Value, json};

use crate::nightly::night;
use crate::packages::{self, HOSTILE_SKILL};
use crate::rows::{rows, text};
use crate::seal::seal;
use crate::support::capdex::{Capdex, Run};
use crate::support::registry::Registry;

const KIT: &str = "npm:setup-kit#skill:";
const AUTHOR: [&str; 4] = ["--author", "ann", "--reason", "our own installer"];

fn publish(registry: &Registry, version: &str, skill: &str) {
    let manifest = json!({ "name": "setup-kit", "version": version, "description": "Prepares machines", "license": "MIT",
                           "repository": "https://git.example.test/acme/setup-kit" });
    let manifest = manifest.to_string();
    registry.npm_package(
        "setup-kit",
        version,
        &[("package.json", manifest.as_bytes()), ("SKILL.md", skill.as_bytes())],
    );
}

/// A store after a night with one bad package.
fn store(registry: &Registry) -> Capdex {
    publish(registry, "1.0.0", HOSTILE_SKILL);
    let capdex = Capdex::with(registry);
    capdex.write("schedule.toml", packages::schedule(&["setup-kit"], &[]));
    assert_eq!(night(&capdex, "2026-11-20T01:00:00Z").code, Some(0));
    capdex
}

fn run(capdex: &Capdex, arguments: &[&str]) -> Run {
    capdex.run(&[arguments, &["--as-of", "2026-11-20T02:00:00Z"]].concat())
}

fn done(capdex: &Capdex, arguments: &[&str]) -> String {
    let run = run(capdex, arguments);
    assert_eq!(run.code, Some(0), "{arguments:?}: {}{}", run.stdout, run.stderr);
    run.stdout
}

fn give(capdex: &Capdex, arguments: &[&str]) -> String {
    done(capdex, &[&["rulings", "give"], arguments, &AUTHOR].concat())
}

fn check(capdex: &Capdex) -> Run {
    run(capdex, &["check", "npm:setup-kit", "--offline", "--fail-on", "caution"])
}

/// The row of the skill in an export of now, which must verify.
fn exported(capdex: &Capdex, folder: &str) -> Value {
    exported_at(capdex, folder, "2026-11-20T02:00:00Z")
}

fn exported_at(capdex: &Capdex, folder: &str, at: &str) -> Value {
    for arguments in [&["export", folder, "--format", "jsonl"][..], &["verify", folder]] {
        let run = capdex.run(&[arguments, &["--as-of", at]].concat());
        assert_eq!(run.code, Some(0), "{arguments:?}: {}{}", run.stdout, run.stderr);
    }
    let rows = rows(&capdex.path().join(folder), "capabilities");
    rows.into_iter().find(|row| text(row, "kind") == "skill").expect("the skill")
}

#[test]
fn the_operators_word_stands_beside_the_verdict_everywhere() {
    let registry = Registry::start();
    let capdex = store(&registry);
    let before = exported(&capdex, "before");
    let band = text(&before, "band").to_owned();
    assert!(["caution", "block"].contains(&band.as_str()), "{before}");
    assert!(before["operator_band"].is_null(), "{before}");
    assert_eq!(check(&capdex).code, Some(1));

    let told = give(&capdex, &[KIT, "accepted", "--expires", "30"]);
    assert!(told.starts_with("1: verdict of npm:setup-kit#skill:: accepted, says ann on 2026-11-20"), "{told}");
    let explained = done(&capdex, &["explain", KIT]);
    assert!(explained.lines().next().is_some_and(|line| line.ends_with(&format!(": {band}"))), "{explained}");
    assert!(explained.contains("  operator  ok, because: accepted, says ann"), "{explained}");
    let checked = check(&capdex);
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    assert!(
        checked.stdout.starts_with("ok ") && checked.stdout.contains(&format!("capdex says {band}")),
        "{}",
        checked.stdout
    );
    let row = exported(&capdex, "accepted");
    for column in ["band", "reason", "rank", "trust", "saferskills_seed", "spiderrating_seed"] {
        assert_eq!(row[column], before[column], "{column} stays");
    }
    assert_eq!(text(&row, "operator_band"), "ok");
    assert!(text(&row, "operator_reason").contains("until 2026-12-20T02:00:00Z: our own installer"), "{row}");
    let package = rows(&capdex.path().join("accepted"), "packages").remove(0);
    assert_eq!((text(&package, "band"), text(&package, "operator_band")), (&*band, "ok"));
    assert_eq!(text(&package, "repository"), "https://git.example.test/acme/setup-kit");
    let rulings = rows(&capdex.path().join("accepted"), "rulings");
    assert_eq!(rulings.len(), 1);
    assert_eq!(text(&rulings[0], "status"), "accepted");

    // Who writes another word into the dataset and seals it again is found out.
    let folder = capdex.path().join("accepted");
    let table = folder.join("capabilities.jsonl");
    let honest = std::fs::read_to_string(&table).expect("the table");
    std::fs::write(&table, honest.replace("\"operator_band\":\"ok\"", "\"operator_band\":\"watch\"")).expect("written");
    seal(&folder, |_| {});
    let forged = run(&capdex, &["verify", "accepted"]);
    assert_eq!(forged.code, Some(1), "{}", forged.stdout);
    assert!(forged.stdout.contains("the operator's word on npm-setup-kit"), "{}", forged.stdout);

    // Blocked is stricter than whatever lifts a verdict, and is over when it is taken back.
    give(&capdex, &["npm:setup-kit#skill:", "blocked", "--package", "--any-content"]);
    assert_eq!(text(&exported(&capdex, "blocked"), "operator_band"), "block");
    let withdrawn = done(&capdex, &["rulings", "withdraw", "2", "--author", "ann"]);
    assert!(withdrawn.contains("2 on npm:setup-kit is taken back"), "{withdrawn}");
    assert_eq!(text(&exported(&capdex, "again"), "operator_band"), "ok");
    let listed = done(&capdex, &["rulings", "list", "--format", "jsonl"]);
    let standing: Vec<String> = listed
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .map(|item| text(&item, "standing").to_owned())
        .collect();
    assert_eq!(standing, ["stands", "replaced", "withdrawn"]);

    // Other content: nobody has looked at it.
    publish(&registry, "1.0.1", &HOSTILE_SKILL.replace("203.0.113.9", "203.0.113.10"));
    assert_eq!(night(&capdex, "2026-11-21T01:00:00Z").code, Some(0));
    let row = exported_at(&capdex, "changed", "2026-11-21T02:00:00Z");
    assert_eq!(text(&row, "version"), "1.0.1");
    assert!(row["operator_band"].is_null(), "{row}");
    assert_eq!(check(&capdex).code, Some(1));
}

#[test]
fn a_ruling_on_one_finding_leaves_the_others() {
    let registry = Registry::start();
    let capdex = store(&registry);
    let explained = done(&capdex, &["explain", KIT]);
    let prints: Vec<&str> = explained.lines().filter_map(|line| line.strip_prefix("  print ")).collect();
    assert!(!prints.is_empty(), "{explained}");
    for (number, print) in (1..).zip(&prints) {
        let told = give(&capdex, &[KIT, "false_positive", "--finding", &print[..12]]);
        assert!(told.starts_with(&format!("{number}: finding:{print} of ")), "{told}");
    }
    let explained = done(&capdex, &["explain", KIT]);
    assert_eq!(explained.matches("  aside false positive, says ann").count(), prints.len(), "{explained}");
    assert_eq!(text(&exported(&capdex, "all"), "operator_band"), "ok");
    let (first, code) = (prints[0], Some(2));
    for (wrong, said) in [
        (vec!["--finding", "ffffffffffff"], "no finding has a fingerprint"),
        (vec!["--finding", &first[..4]], "at least 8 digits"),
        (vec!["--rule", "no-such-rule"], "there is no rule"),
        (vec!["--any-content"], "needs --expires"),
        (vec!["--expires", "2020-01-01"], "nor a date to come"),
    ] {
        let refused = run(&capdex, &[&["rulings", "give", KIT, "accepted"], &AUTHOR[..], &wrong].concat());
        assert_eq!(refused.code, code, "{wrong:?}");
        assert!(refused.stderr.contains(said), "{}", refused.stderr);
    }
}

#[test]
fn rulings_go_out_as_openvex_and_come_in_again() {
    let registry = Registry::start();
    let capdex = store(&registry);
    give(&capdex, &[KIT, "not_affected", "--rule", "pipe-to-shell"]);
    let document = done(&capdex, &["rulings", "export", "--author", "ops"]);
    let read: Value = serde_json::from_str(&document).expect("JSON");
    assert_eq!(read["@context"], "https://openvex.dev/ns/v0.2.0");
    assert_eq!(read["statements"][0]["status"], "not_affected");
    assert_eq!(read["statements"][0]["products"][0]["identifiers"]["purl"], "pkg:npm/setup-kit");
    let other = store(&registry);
    other.write("rulings.json", &document);
    assert_eq!(done(&other, &["rulings", "import", "rulings.json"]), "1 ruling taken\n");
    assert_eq!(done(&other, &["rulings", "import", "rulings.json"]), "0 rulings taken\n", "one word is one");
    assert_eq!(exported(&other, "out")["operator_band"], exported(&capdex, "out")["operator_band"]);
    assert!(done(&other, &["rulings", "list"]).contains("not affected, says ann"));
    // Bound to nothing: refused unless somebody says so.
    let mut free = read.clone();
    free["statements"][0]["products"] = json!([{ "@id": "pkg:npm/setup-kit" }]);
    other.write("free.json", free.to_string());
    let refused = run(&other, &["rulings", "import", "free.json"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("bound to no content"), "{}", refused.stderr);
    assert_eq!(done(&other, &["rulings", "import", "free.json", "--any-content"]), "1 ruling taken\n");
}

#[test]
fn a_schedule_has_rulings_and_votes_and_they_end_with_it() {
    let registry = Registry::start();
    let capdex = store(&registry);
    give(&capdex, &[KIT, "accepted"]);
    let document = done(&capdex, &["rulings", "export", "--author", "ops"]);
    let other = store(&registry);
    let schedule = packages::schedule(&["setup-kit"], &[]);
    other.write("rulings.json", &document);
    other.write(
        "schedule.toml",
        format!("{schedule}[verdict]\nrulings = [\"rulings.json\"]\nvotes = [\"saferskills\"]\n"),
    );
    assert_eq!(night(&other, "2026-11-20T03:00:00Z").code, Some(0));
    let row = exported(&other, "out");
    assert_eq!(text(&row, "operator_band"), "ok", "his word on the whole comes after votes");
    let manifest = std::fs::read_to_string(other.path().join("out/manifest.json")).expect("a manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!(manifest["votes"], json!(["saferskills"]));
    other.write("schedule.toml", format!("{schedule}[verdict]\nvotes = [\"saferskills\"]\n"));
    assert_eq!(night(&other, "2026-11-20T04:00:00Z").code, Some(0));
    assert!(!exported(&other, "votes")["operator_band"].is_null(), "a vote is heard");
    other.write("schedule.toml", &schedule);
    assert_eq!(night(&other, "2026-11-20T05:00:00Z").code, Some(0));
    assert!(exported(&other, "none")["operator_band"].is_null());
    other.write("schedule.toml", format!("{schedule}[verdict]\nvotes = [\"capdex\"]\n"));
    let refused = other.run(&["nightly", "--config", "schedule.toml", "--out", "out"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("verdict.votes"), "{}", refused.stderr);
}

#[test]
fn who_ruled_on_this_content_is_not_told_of_it_and_its_count_stays() {
    let registry = Registry::start();
    publish(&registry, "1.0.0", HOSTILE_SKILL);
    let capdex = Capdex::with(&registry);
    let sink = "[[alerts.sinks]]\nname = \"file\"\nkind = \"jsonl\"\npath = \"told.jsonl\"\n";
    capdex.write("schedule.toml", format!("{}{sink}", packages::schedule(&["setup-kit"], &[])));
    let told = |capdex: &Capdex| {
        let text = std::fs::read_to_string(capdex.path().join("told.jsonl")).unwrap_or_default();
        text.lines().filter(|line| line.contains("setup-kit")).count()
    };
    assert_eq!(night(&capdex, "2026-11-20T01:00:00Z").code, Some(0));
    let first = told(&capdex);
    assert!(first > 0, "a watched name that stands at caution or block is told of");
    let open = done(&capdex, &["alerts", "list"]);
    assert!(open.contains("stands at"), "{open}");

    give(&capdex, &[KIT, "not_affected"]);
    let ruled = done(&capdex, &["alerts", "list"]);
    assert!(!ruled.contains("stands at") && ruled.contains("ruled"), "not told, and counted: {ruled}");
    let all = done(&capdex, &["alerts", "list", "--all", "--format", "jsonl"]);
    let states: Vec<Value> = all.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(states.iter().any(|alert| text(alert, "state") == "ruled"), "{all}");
    assert_eq!(night(&capdex, "2026-11-21T01:00:00Z").code, Some(0));
    assert_eq!(told(&capdex), first, "nobody is told again");

    // His word was on that content. Another one, as bad, is told of.
    publish(&registry, "1.0.1", &format!("{HOSTILE_SKILL}\nThen restart the machine.\n"));
    assert_eq!(night(&capdex, "2026-11-22T01:00:00Z").code, Some(0));
    assert!(told(&capdex) > first, "{}", done(&capdex, &["alerts", "list", "--all"]));
}

#[test]
fn a_scan_hears_the_rulings_that_are_named_and_no_others() {
    let capdex = Capdex::offline();
    capdex.write("kit/SKILL.md", HOSTILE_SKILL);
    let items = |options: &[&str]| -> Vec<Value> {
        let run = run(&capdex, &[&["scan", "kit", "--format", "jsonl"], options].concat());
        run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let scanned = items(&[]);
    let skill = scanned.iter().find(|item| text(item, "kind") == "skill").expect("the skill");
    let document = |content: &str| {
        json!({
            "@context": "https://openvex.dev/ns/v0.2.0", "@id": "https://vex.example.test/1", "author": "ann",
            "timestamp": "2026-11-01T00:00:00Z", "version": 1,
            "statements": [{
                "vulnerability": { "name": "capdex:rule:pipe-to-shell" }, "status": "not_affected",
                "impact_statement": "the address is ours",
                "products": [{ "@id": format!("capdex:folder:kit#skill:{}", text(skill, "path")),
                               "hashes": { "sha-256": content } }],
            }],
        })
        .to_string()
    };
    // One that the input brings is read by nobody.
    capdex.write("kit/rulings.json", document(text(skill, "content_sha256")));
    let fails =
        |options: &[&str]| run(&capdex, &[&["scan", "kit/SKILL.md", "--fail-on", "caution"], options].concat()).code;
    assert_eq!(fails(&[]), Some(1));
    std::fs::remove_file(capdex.path().join("kit/rulings.json")).expect("removed");
    let all: Vec<&str> = skill["findings"].as_array().expect("findings").iter().map(|one| text(one, "rule")).collect();
    capdex.write("rulings.json", document(text(skill, "content_sha256")));
    let heard = items(&["--rulings", "rulings.json"]);
    let skill = heard.iter().find(|item| text(item, "kind") == "skill").expect("the skill");
    let aside = skill["findings"].as_array().expect("findings").iter().filter(|one| !one["ruling"].is_null()).count();
    assert_eq!(aside, all.iter().filter(|rule| **rule == "pipe-to-shell").count(), "{skill}");
    assert!(aside > 0 && skill["verdict"]["operator"].is_object(), "{skill}");
    let schema = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema/capdex.scan-1.schema.json");
    let schema = serde_json::from_str(&std::fs::read_to_string(schema).expect("the schema")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for item in &heard {
        let errors: Vec<String> = validator.iter_errors(item).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?} in {item}");
    }
    let sarif = run(&capdex, &["scan", "kit", "--rulings", "rulings.json", "--format", "sarif"]).stdout;
    let sarif: Value = serde_json::from_str(&sarif).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    let suppressed = results.iter().filter(|result| result["suppressions"][0]["kind"] == "external").count();
    assert_eq!(suppressed, aside);
    // Another content is not the one that was looked at.
    capdex.write("rulings.json", document(&"0".repeat(64)));
    let other = items(&["--rulings", "rulings.json"]);
    assert!(other.iter().all(|item| item["verdict"]["operator"].is_null()), "{other:?}");
}

#[test]
fn a_ruling_that_ends_writes_the_tables_again_although_nothing_was_fetched() {
    let registry = Registry::start();
    let capdex = store(&registry);
    give(&capdex, &[KIT, "accepted", "--expires", "2026-11-20T04:30:00Z"]);
    let (mut told, stamp) = (Vec::new(), |at: &str, is_over: bool| (format!("2026-11-20T0{at}:00:00Z"), is_over));
    for at in ["3", "4", "5"] {
        assert_eq!(night(&capdex, &stamp(at, false).0).code, Some(0));
        let mut rows = rows(&capdex.path().join("out"), "capabilities").into_iter();
        let row = rows.find(|row| text(row, "kind") == "skill").expect("the skill");
        told.push((text(&row, "as_of").to_owned(), row["operator_band"].is_null()));
    }
    assert_eq!(told, [stamp("3", false), stamp("3", false), stamp("5", true)]);
}
