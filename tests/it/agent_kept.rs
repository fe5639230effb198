//! Kept runs of Agent Scan: in the store once, in exports only where published, and proved by `verify`.

use std::path::Path;

use capdex_agent_scan::agents::Behaviour;
use serde_json::{Value, json};

use crate::agent_scan::{SEED, model};
use crate::appeals::{done, refused, run};
use crate::rows::{bytes_of, rows, text};
use crate::seal::seal;
use crate::support::capdex::Capdex;

const AT: &str = "2026-11-20T01:00:00Z";

/// A store with a night, and the folder of a run whose agent obeys.
fn store() -> Capdex {
    let capdex = Capdex::offline();
    capdex.write("kit/SKILL.md", "---\nname: kit\ndescription: Sums numbers.\n---\nAdd them.\n");
    capdex.write(
        "schedule.toml",
        "name = \"a\"\n[sources.folder]\nwatchlist = [\"kit\"]\n[export]\nformats = [\"jsonl\"]\n",
    );
    done(&capdex, AT, &["nightly", "--config", "schedule.toml", "--out", "night"]);
    let model = model(&capdex, "obeys", Behaviour::Obedient);
    let url = model.url();
    let options = ["agent-scan", "run", "--endpoint", &url, "--model", "m", "--seed", SEED, "--out", "obeys"];
    let few = ["--tests", "9,12,18", "--trials", "2", "--twins", "1"];
    let ran = capdex.run(&[&options[..], &few].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    capdex
}

fn export(capdex: &Capdex, out: &str, more: &[&str]) {
    done(capdex, AT, &[&["export", out, "--format", "jsonl"], more].concat());
    let told = done(capdex, AT, &["verify", out]);
    assert!(told.contains("no difference"), "{told}");
}

#[test]
fn a_run_is_kept_once_and_exported_only_where_it_is_published() {
    let capdex = store();
    let kept = done(&capdex, AT, &["agent-scan", "keep", "obeys"]);
    let (name, rest) = kept.split_once(": kept with 9 trials").expect("it is new");
    assert!(rest.contains(&format!("agent-scan publish {name}")), "{kept}");
    assert!(done(&capdex, AT, &["agent-scan", "keep", "obeys"]).contains("was kept before"));
    // Graded again from what the store has, it is the report of the folder.
    let report = std::fs::read_to_string(capdex.path().join("obeys/report.json")).expect("a report");
    assert_eq!(done(&capdex, AT, &["agent-scan", "kept", name, "--format", "json"]), report);
    assert_eq!(run(&capdex, AT, &["agent-scan", "kept", name, "--fail-on", "severity:critical"]).code, Some(1));
    let list: Value =
        serde_json::from_str(&done(&capdex, AT, &["agent-scan", "kept", "--format", "json"])).expect("JSON");
    let one = &list["items"][0];
    assert_eq!((&one["run"], &one["is_published"], &one["observed"]), (&json!(name), &json!(false), &json!(3)));
    refused(&capdex, AT, &["agent-scan", "kept", "S-0000000000000000"], "there is no run");
    refused(&capdex, AT, &["agent-scan", "publish", "S-0000000000000000"], "there is no run");
    refused(&capdex, AT, &["agent-scan", "keep", "night"], "holds no run");

    export(&capdex, "before", &[]);
    let before = bytes_of(&capdex.path().join("before"));
    assert_eq!(rows(&capdex.path().join("before"), "agent_runs"), [Value::Null; 0], "what is kept is not published");
    done(&capdex, AT, &["agent-scan", "publish", name]);
    export(&capdex, "after", &[]);
    let folder = capdex.path().join("after");
    for (file, bytes) in bytes_of(&folder).iter().filter(|(file, _)| file.ends_with(".jsonl")) {
        assert_eq!(*bytes == before[file], !file.starts_with("agent_"), "{file}");
        // Verdicts and digests: neither what was said nor a mark, plain or masked.
        let written = String::from_utf8_lossy(bytes).to_uppercase();
        assert!(!written.contains("MAIL.INVALID") && !written.contains("K7***"), "{file}");
    }
    let said = &rows(&folder, "agent_runs")[0];
    assert_eq!((text(said, "run"), text(said, "agent"), text(said, "origin")), (name, "m", "mock_only"));
    assert_eq!((&said["score"], &said["exercised"]), (&json!(null), &json!(3)), "a part of a pack has no score");
    let tests = rows(&folder, "agent_tests");
    assert_eq!(tests.len(), 3);
    assert!(tests.iter().all(|test| text(test, "verdict") == "observed" && test["useful_twins"] == 1), "{tests:?}");
    let trials = rows(&folder, "agent_trials");
    assert_eq!(trials.len(), 9);
    assert!(trials.iter().all(|trial| trial.get("transcript").is_none()), "{trials:?}");

    done(&capdex, AT, &["agent-scan", "publish", name, "--withdraw"]);
    export(&capdex, "withdrawn", &[]);
    let withdrawn = bytes_of(&capdex.path().join("withdrawn"));
    assert!(before.iter().filter(|(file, _)| file.ends_with(".jsonl")).all(|(file, bytes)| withdrawn[file] == *bytes));
}

/// A copy of a dataset in which one text of one table is another, sealed anew; what verify says of it.
fn forged(capdex: &Capdex, (name, table): (&str, &str), from: &str, to: &str) -> (Option<i32>, String) {
    let (honest, folder) = (capdex.path().join("private"), capdex.path().join(name));
    std::fs::create_dir(&folder).expect("made");
    bytes_of(&honest).iter().for_each(|(file, bytes)| std::fs::write(folder.join(file), bytes).expect("written"));
    let path = folder.join(format!("{table}.jsonl"));
    let written = std::fs::read_to_string(&path).expect("a table");
    assert!(written.contains(from), "{from}: {written}");
    std::fs::write(&path, written.replacen(from, to, 1)).expect("written");
    seal(&folder, |_| ());
    let told = run(capdex, AT, &["verify", name]);
    (told.code, told.stdout)
}

#[test]
fn a_dataset_proves_its_runs_by_their_transcripts() {
    let capdex = store();
    let kept = done(&capdex, AT, &["agent-scan", "keep", "obeys"]);
    let name = kept.split(':').next().expect("a name");
    done(&capdex, AT, &["agent-scan", "publish", name]);
    export(&capdex, "private", &["--private"]);
    let trials = rows(&capdex.path().join("private"), "agent_trials");
    assert!(
        trials.iter().all(|trial| text(trial, "transcript").starts_with("{\"schema\":\"capdex.agent-transcript/1\""))
    );
    let cases = [
        (
            "verdict",
            "agent_tests",
            "\"verdict\":\"observed\"",
            "\"verdict\":\"not_observed\"",
            "is not what its trials give",
        ),
        ("count", "agent_tests", "\"observed\":2", "\"observed\":1", "is not what its trials give"),
        ("score", "agent_runs", "\"score\":null", "\"score\":100", "another score than its trials give"),
        ("agent", "agent_runs", "\"agent\":\"m\"", "\"agent\":\"other\"", "not the name of its agent"),
        (
            "outcome",
            "agent_trials",
            "\"outcome\":\"observed\"",
            "\"outcome\":\"not_observed\"",
            "another outcome than its transcript gives",
        ),
        ("words", "agent_trials", "Picnic", "Panics", "another digest than its transcript"),
    ];
    for (case, table, from, to, why) in cases {
        let told = forged(&capdex, (case, table), from, to);
        assert!(told.1.contains(why) && told.0 == Some(1), "{case}: {told:?}");
    }
    // Of a pack that this program does not have nothing can be said.
    let pack = capdex_agent_scan::pack::baseline().expect("the pack").digest.hex();
    let told = forged(&capdex, ("pack", "agent_runs"), &pack, &pack.replace(char::is_numeric, "0"));
    assert!(told.0 == Some(3) && told.1.contains("does not have"), "{told:?}");
}

#[test]
fn a_transcript_that_was_altered_before_it_is_kept_is_not_of_its_run() {
    let capdex = store();
    let trial = Path::new("obeys/trials/return-recipient/attack-1.jsonl");
    let written = std::fs::read_to_string(capdex.path().join(trial)).expect("a transcript");
    for (from, to, why) in
        [("return-recipient", "no-such-test", "cannot be graded"), ("\"n\":1,", "\"n\":2,", "is no transcript")]
    {
        capdex.write(trial.to_str().expect("text"), written.replacen(from, to, 1));
        refused(&capdex, AT, &["agent-scan", "keep", "obeys"], why);
    }
    // A test that the run was not asked for.
    capdex.write(trial.to_str().expect("text"), &written);
    let head = std::fs::read_to_string(capdex.path().join("obeys/run.json")).expect("a run");
    capdex.write("obeys/run.json", head.replace("\"return-recipient\",", ""));
    refused(&capdex, AT, &["agent-scan", "keep", "obeys"], "did not ask for");
}
