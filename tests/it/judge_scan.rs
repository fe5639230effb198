//! `scan --judge`: a model on loopback is asked about the servers of a scan where somebody asks for it, and never else.

use serde_json::{Value, json};

use crate::judge::{AT, ORDER, done, run, store};
use crate::support::capdex::Capdex;
use crate::support::judge::{JudgeManner, JudgeServer};

/// What a scan prints, an object a line.
fn scanned(capdex: &Capdex, more: &[&str]) -> (Option<i32>, Vec<Value>) {
    let run = run(capdex, AT, &[&["scan", "mail", "plain", "--format", "jsonl"], more].concat());
    (run.code, run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect())
}

/// The judge's part of the server of a folder.
fn word<'a>(items: &'a [Value], folder: &str) -> &'a Value {
    let of = |item: &&Value| item["input"] == folder && item["kind"] == "mcp_server";
    &items.iter().find(of).expect("a server")["judge"]
}

/// The same without what the model says.
fn without(items: &[Value]) -> Vec<Value> {
    let mut items = items.to_vec();
    items.iter_mut().filter_map(Value::as_object_mut).for_each(|item| {
        item.remove("judge");
    });
    items
}

#[test]
fn a_scan_sends_nothing_unless_it_is_told_to_and_the_model_adds_without_changing_anything() {
    let server = JudgeServer::start(JudgeManner::Good);
    let capdex = store(&server, "enabled = true", &[("mail", ORDER), ("plain", "Sends a mail.")]);
    server.behave(JudgeManner::Good);
    let plain = scanned(&capdex, &[]);
    assert_eq!(server.seen().len(), 0, "a schedule with a judge lies in the folder, and nobody named it");
    assert!(plain.1.iter().all(|item| item.get("judge").is_none()), "{plain:?}");
    let judged = scanned(&capdex, &["--judge", "judge.toml"]);
    assert_eq!(server.seen().len(), 2, "one request for each server");
    assert_eq!((judged.0, without(&judged.1)), plain, "everything else is the same");
    let mail = word(&judged.1, "mail");
    assert_eq!((&mail["word"]["llm_judge_used"], &mail["word"]["model"]), (&json!(true), &json!("m")), "{mail}");
    let finding = &mail["word"]["findings"][0];
    assert_eq!(
        (&finding["finding"], &finding["code"], &finding["tool"]),
        (&json!("judge:instruction-control"), &json!("E001"), &json!("send_mail"))
    );
    assert_eq!(mail["score"]["grade"], "critical");
    assert_eq!(word(&judged.1, "plain")["word"]["findings"], json!([]));
    // No threshold hears it.
    for threshold in ["info", "critical", "watch"] {
        let with = scanned(&capdex, &["--fail-on", threshold, "--judge", "judge.toml"]).0;
        assert_eq!(with, scanned(&capdex, &["--fail-on", threshold]).0, "{threshold}");
    }
    let table = run(&capdex, AT, &["scan", "mail", "--judge", "judge.toml"]).stdout;
    assert!(table.contains("llm_judge_used: true; model m") && table.contains("judge says"), "{table}");
    let sarif = |more: &[&str]| {
        let run = run(&capdex, AT, &[&["scan", "mail", "--format", "sarif"], more].concat());
        serde_json::from_str::<Value>(&run.stdout).expect("JSON")["runs"][0].clone()
    };
    let (asked, unasked) = (sarif(&["--judge", "judge.toml"]), sarif(&[]));
    assert_eq!(asked["properties"]["llm_judge_used"], true);
    assert_eq!(unasked["properties"]["llm_judge_used"], false);
    assert_eq!(asked["results"], unasked["results"], "rules alone find");
    // Nothing of it is kept: the store's judge was never asked.
    assert!(done(&capdex, AT, &["judge", "status"]).contains("No judge was ever asked"));
}

#[test]
fn a_model_that_fails_leaves_a_reason_and_the_scan_as_it_is() {
    let server = JudgeServer::start(JudgeManner::Good);
    let capdex = store(&server, "retries = 0", &[("mail", ORDER), ("plain", "Sends a mail.")]);
    let plain = scanned(&capdex, &[]);
    let failing = |manner: JudgeManner, schedule: &str| {
        server.behave(manner);
        let judged = scanned(&capdex, &["--judge", schedule]);
        assert_eq!((judged.0, without(&judged.1)), plain);
        let said = word(&judged.1, "mail")["word"].clone();
        assert_eq!((&said["llm_judge_used"], &said["findings"]), (&json!(false), &json!([])), "{said}");
        (said["reason"].as_str().expect("a reason").to_owned(), server.seen().len())
    };
    assert_eq!(failing(JudgeManner::Status(500, ""), "judge.toml"), ("server_fault".to_owned(), 2));
    assert_eq!(failing(JudgeManner::Text(|text| text.replace('y', "n")), "judge.toml"), ("controls".to_owned(), 2));
    let schedule = std::fs::read_to_string(capdex.path().join("judge.toml")).expect("a schedule");
    capdex.write("spent.toml", format!("{schedule}max_calls = 0\n"));
    assert_eq!(failing(JudgeManner::Good, "spent.toml"), ("budget".to_owned(), 0));
    capdex.write("broken.toml", format!("{schedule}breaker = 1\n"));
    assert_eq!(failing(JudgeManner::Status(503, ""), "broken.toml"), ("server_fault".to_owned(), 1), "the other waits");
    server.behave(JudgeManner::NoSchema);
    let judged = scanned(&capdex, &["--judge", "judge.toml"]);
    assert_eq!(word(&judged.1, "mail")["word"]["llm_judge_used"], true);
    assert_eq!(server.seen().len(), 3, "a schema that is rejected is tried once");
    // Wrong usage is told before anything is read or sent.
    server.behave(JudgeManner::Good);
    let keyless = capdex.run(&["scan", "mail", "--judge", "judge.toml"]);
    assert!(keyless.code == Some(2) && keyless.stderr.contains("JUDGE_KEY is not set"), "{keyless:?}");
    let nameless = run(&capdex, AT, &["scan", "mail", "--judge", "without.toml"]);
    assert!(nameless.code == Some(2) && nameless.stderr.contains("names no judge"), "{nameless:?}");
    assert_eq!(server.seen().len(), 0);
}

#[test]
fn the_doctor_asks_about_planted_tools_and_nothing_of_anybodys() {
    let server = JudgeServer::start(JudgeManner::Good);
    let capdex = store(&server, "retries = 0", &[("mail", ORDER)]);
    let found = |more: &[&str]| {
        let run = run(&capdex, AT, &[&["doctor", "--config", "judge.toml", "--format", "jsonl"], more].concat());
        let all = run.stdout.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        all.filter(|one| one["check"] == "judge").collect::<Vec<_>>()
    };
    server.behave(JudgeManner::Good);
    assert_eq!((found(&["--offline"]), server.seen().len()), (Vec::new(), 0));
    let well = found(&[]);
    assert_eq!((&well[0]["health"], &well[0]["subject"]), (&json!("ok"), &json!("m")), "{well:?}");
    let (_, body) = server.seen().remove(0);
    let asked = body["messages"][1]["content"].as_str().expect("a text");
    assert_eq!(asked.matches("\"tool\":").count(), 2, "{asked}");
    assert!(!asked.contains("send_mail") && !asked.contains("copies"), "{asked}");
    for (manner, why) in
        [(JudgeManner::Status(401, ""), "denied"), (JudgeManner::Text(|text| text.replace('y', "n")), "controls")]
    {
        server.behave(manner);
        let ill = found(&[]);
        assert_eq!(ill[0]["health"], "warn", "{ill:?}");
        assert!(ill[0]["found"].to_string().contains(why), "{ill:?}");
    }
    server.behave(JudgeManner::NoSchema);
    assert_eq!(found(&[])[0]["health"], "ok", "an endpoint without schemas is asked for any object");
}
