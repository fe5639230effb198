//! `agent-scan`: the real binary against scripted models on loopback, killed and gone on with, graded again, and as a server of MCP.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use capdex::agent_runs::run::trials;
use capdex_agent_scan::agents::{Behaviour, ScriptedAgent};
use capdex_agent_scan::chat::{ChatAnswer, ChatFault, ChatModel, ChatRequest};
use capdex_agent_scan::pack::{Pack, baseline};
use capdex_agent_scan::report::RunHead;
use capdex_agent_scan::score::AgentScore;
use capdex_agent_scan::trial::{Trial, TrialId};
use capdex_model::fact::Severity;
use serde_json::{Value, json};

use crate::hostile::watched;
use crate::support::capdex::{Capdex, Run};
use crate::support::directory::Directory;

/// The seed of every run here.
pub(crate) const SEED: &str = "0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20";

/// A scripted model that plays whatever trial the folder of the run lacks next.
struct Scripted {
    pack: Pack,
    out: PathBuf,
    behaviour: Behaviour,
    current: Option<(TrialId, ScriptedAgent)>,
}

impl Scripted {
    fn answer(&mut self, body: &Value) -> (u16, String) {
        let head: RunHead =
            serde_json::from_slice(&std::fs::read(self.out.join("run.json")).expect("a run")).expect("one");
        let is_there = |id: &TrialId| self.out.join(format!("trials/{id}.jsonl")).exists();
        let all = trials(&self.pack, &head);
        let (test, id) = all.into_iter().find(|(_, id)| !is_there(id)).expect("a trial is left");
        let messages = body["messages"].as_array().expect("messages");
        let trial = Trial::begin(test, head.trial_head(&id)).expect("a trial");
        // Its first request begins a trial, also one that was begun before.
        let begins = messages.len() == 2 && messages[1]["content"] == trial.task().1[0];
        if begins || self.current.as_ref().is_none_or(|(current, _)| *current != id) {
            self.current = Some((id, ScriptedAgent::new(self.behaviour, &trial)));
        }
        let (_, agent) = self.current.as_mut().expect("just made");
        let tools = body["tools"].as_array().expect("tools");
        match agent.answer(&ChatRequest { messages, tools }) {
            Ok(answer) => (200, completion(&answer)),
            Err(ChatFault::Transport(_)) => (500, "{}".to_owned()),
            Err(other) => panic!("a server cannot show {other:?}"),
        }
    }
}

fn completion(answer: &ChatAnswer) -> String {
    let call = |call: &capdex_agent_scan::chat::ToolCall| json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}});
    let calls: Vec<Value> = answer.calls.iter().map(call).collect();
    let finish = if answer.is_cut { "length" } else { "stop" };
    json!({"model": "scripted-1", "system_fingerprint": "fp", "usage": {"total_tokens": 7},
           "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": answer.text, "tool_calls": calls}}]})
    .to_string()
}

/// A model on loopback for the runs into a folder.
pub(crate) fn model(capdex: &Capdex, out: &str, behaviour: Behaviour) -> Directory {
    let scripted = scripted(capdex, out, behaviour);
    Directory::start(move |asked: &str| answered(&scripted, asked))
}

fn scripted(capdex: &Capdex, out: &str, behaviour: Behaviour) -> Arc<Mutex<Scripted>> {
    let (pack, out) = (baseline().expect("the pack"), capdex.path().join(out));
    Arc::new(Mutex::new(Scripted { pack, out, behaviour, current: None }))
}

fn answered(scripted: &Mutex<Scripted>, asked: &str) -> (u16, String) {
    let (path, body) = asked.split_once(' ').expect("something is posted");
    assert_eq!(path, "/v1/chat/completions");
    scripted.lock().expect("one at a time").answer(&serde_json::from_str(body).expect("JSON"))
}

fn run(capdex: &Capdex, model: &Directory, out: &str, options: &[&str]) -> Run {
    capdex.run(&arguments(&model.url(), out, options))
}

fn arguments<'a>(url: &'a str, out: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    let named = ["agent-scan", "run", "--endpoint", url, "--model", "m", "--seed", SEED, "--out", out];
    named.into_iter().chain(options.iter().copied()).collect()
}

fn report(capdex: &Capdex, out: &str) -> Value {
    serde_json::from_slice(&std::fs::read(capdex.path().join(out).join("report.json")).expect("a report"))
        .expect("JSON")
}

/// Every file below a folder but the lock, with its bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(files(&path).into_iter().map(|(name, bytes)| (Path::new(&entry.file_name()).join(name), bytes)));
        } else {
            all.insert(entry.file_name().into(), std::fs::read(path).expect("a file"));
        }
    }
    all
}

#[test]
fn a_model_that_obeys_is_observed_everywhere_and_its_twins_do_the_tasks() {
    let capdex = Capdex::offline();
    let model = model(&capdex, "out", Behaviour::Obedient);
    let run = run(&capdex, &model, "out", &["--trials", "1", "--twins", "1", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let report = report(&capdex, "out");
    let tests = report["tests"].as_array().expect("tests");
    assert_eq!(tests.len(), 31, "three of the 34 are of MCP alone");
    for test in tests {
        assert_eq!((&test["verdict"], &test["twin"]["useful"]), (&json!("observed"), &json!(1)), "{test}");
        assert_eq!((&test["twin"]["unsafe_trials"], &test["twin"]["played"]), (&json!(0), &json!(1)), "{test}");
        let extract = test["extract"].as_str().expect("an extract");
        assert!(extract.chars().count() <= 200 && !extract.is_empty(), "{test}");
    }
    assert_eq!((&report["score"]["value"], &report["score"]["grade"]), (&json!(0), &json!("Red")));
    assert_eq!(report["models"], json!([{"model": "scripted-1", "system_fingerprint": "fp"}]));
    // The whole is what was printed, and grading prints it again.
    let written = std::fs::read_to_string(capdex.path().join("out/report.json")).expect("a report");
    assert_eq!(run.stdout, written);
    let graded = capdex.run(&["agent-scan", "grade", "out", "--format", "json"]);
    assert_eq!((graded.code, graded.stdout), (Some(0), written));
    every_format_says_what_was_seen_and_no_more(&capdex);
    thresholds_and_comparison(&capdex);
    handed_in_is_graded_and_never_scored(&capdex);
}

fn every_format_says_what_was_seen_and_no_more(capdex: &Capdex) {
    for format in ["table", "json", "markdown", "junit", "sarif"] {
        let run = capdex.run(&["agent-scan", "grade", "out", "--format", format]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let said = run.stdout.to_lowercase();
        assert!(said.contains("observed"), "{format}");
        for word in ["secure", "passed", "certified"] {
            assert!(!said.contains(word), "{format} says {word}");
        }
    }
    let Some(schema) = crate::support::rig::needed("CAPDEX_SARIF_SCHEMA") else { return };
    let sarif = capdex.run(&["agent-scan", "grade", "out", "--format", "sarif"]).stdout;
    let sarif: Value = serde_json::from_str(&sarif).expect("JSON");
    assert_eq!(crate::formats::errors(Path::new(&schema), &sarif), [""; 0]);
    let junit = capdex.run(&["agent-scan", "grade", "out", "--format", "junit"]).stdout;
    assert_eq!(
        roxmltree::Document::parse(&junit)
            .expect("XML")
            .descendants()
            .filter(|node| node.has_tag_name("failure"))
            .count(),
        31
    );
}

fn thresholds_and_comparison(capdex: &Capdex) {
    let code = |threshold: &str| capdex.run(&["agent-scan", "grade", "out", "--fail-on", threshold]).code;
    assert_eq!((code("severity:critical"), code("score:1"), code("score:0")), (Some(1), Some(1), Some(0)));
    assert_eq!(
        (code("regression:out/report.json"), code("regression:none.json"), code("high")),
        (Some(0), Some(2), Some(2))
    );
    let compare = |after: &str| capdex.run(&["agent-scan", "compare", "out/report.json", after, "--format", "json"]);
    let same: Value = serde_json::from_str(&compare("out/report.json").stdout).expect("JSON");
    assert!(same["tests"].as_array().expect("tests").iter().all(|test| test["is_changed"] == false));
    let mut other = report(capdex, "out");
    other["run"]["pack_sha256"] = json!(format!("sha256:{}", "0".repeat(64)));
    capdex.write("other.json", other.to_string());
    let refused = compare("other.json");
    assert_eq!(refused.code, Some(2), "{}{}", refused.stdout, refused.stderr);
}

fn handed_in_is_graded_and_never_scored(capdex: &Capdex) {
    let all: Vec<u8> = files(&capdex.path().join("out/trials")).into_values().flatten().collect();
    capdex.write("handed-in.jsonl", all);
    let run = capdex.run(&["agent-scan", "grade", "--transcript", "handed-in.jsonl", "--format", "json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{}", run.stderr));
    assert_eq!((&report["score"]["value"], &report["run"]["origin"]), (&json!(null), &json!("submitted")));
    assert!(report["tests"].as_array().expect("tests").iter().all(|test| test["verdict"] == "observed"));
}

#[test]
fn a_model_that_is_careful_has_the_full_score_and_one_that_refuses_has_none() {
    let capdex = Capdex::offline();
    let careful = model(&capdex, "careful", Behaviour::Careful);
    let done = run(&capdex, &careful, "careful", &["--trials", "5", "--twins", "1"]);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    let report_of = report(&capdex, "careful");
    assert_eq!((&report_of["score"]["value"], &report_of["score"]["grade"]), (&json!(100), &json!("Green")));
    let first = &report_of["tests"][0];
    assert_eq!((&first["verdict"], &first["interval"]["high"]), (&json!("not_observed"), &json!(0.434)), "{first}");
    let refusing = model(&capdex, "refusing", Behaviour::Refusing);
    let refused = run(&capdex, &refusing, "refusing", &["--trials", "5", "--twins", "1"]);
    assert_eq!(refused.code, Some(3), "{}", refused.stderr);
    let report_of = report(&capdex, "refusing");
    assert_eq!((&report_of["score"]["value"], &report_of["useful_twins"]), (&json!(null), &json!(0)));
    assert!(refused.stdout.contains("This agent did not do the tasks: 0 of 31"), "{}", refused.stdout);
    let worse = capdex.run(&["agent-scan", "grade", "careful", "--fail-on", "regression:refusing/report.json"]);
    assert_eq!(worse.code, Some(0), "what was not exercised before is no regression");
}

/// The options of a short run.
const SHORT: [&str; 6] = ["--tests", "25,9,return-record,34", "--trials", "3", "--twins", "1"];

/// A model that hangs at one of its requests, and tells so.
fn hanging(capdex: &Capdex, out: &str, at: usize) -> (Directory, Receiver<()>, Sender<()>) {
    let scripted = scripted(capdex, out, Behaviour::Obedient);
    let ((reached, is_reached), (go_on, may_go_on)) = (channel(), channel::<()>());
    let state = Mutex::new((0, may_go_on));
    let model = Directory::start(move |asked: &str| {
        let mut state = state.lock().expect("one at a time");
        state.0 += 1;
        if state.0 == at {
            reached.send(()).expect("the test waits");
            // Until the test has killed who asked.
            let _ = state.1.recv();
            return (503, "{}".to_owned());
        }
        drop(state);
        answered(&scripted, asked)
    });
    (model, is_reached, go_on)
}

#[test]
fn a_run_that_is_killed_goes_on_and_no_trial_is_played_twice() {
    let capdex = Capdex::offline();
    let whole = model(&capdex, "whole", Behaviour::Obedient);
    let done = run(&capdex, &whole, "whole", &SHORT);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    let expected = files(&capdex.path().join("whole"));
    assert_eq!(expected.len(), 2 + 4 * 4, "run, report and sixteen trials");
    let trials = capdex.path().join("killed/trials");
    let written = |path: &PathBuf| std::fs::metadata(trials.join(path)).expect("there").modified().expect("a time");
    // The number of the request in which each run is killed. Few enough for trials to be left at the end.
    for at in [1, 2, 3, 1, 5, 4, 7, 2, 9, 6, 3, 8, 11, 5, 13, 10, 4, 15, 12, 21] {
        let before: Vec<_> = if trials.exists() { files(&trials).into_keys().collect() } else { Vec::new() };
        let times: Vec<_> = before.iter().map(written).collect();
        let (model, is_reached, go_on) = hanging(&capdex, "killed", at);
        let url = model.url();
        let running = capdex.spawn(&arguments(&url, "killed", &SHORT));
        is_reached.recv_timeout(Duration::from_secs(60)).expect("the run is in the middle of a trial");
        running.kill();
        drop(go_on);
        assert_eq!(before.iter().map(written).collect::<Vec<_>>(), times, "what was played is left alone");
    }
    let rest = model(&capdex, "killed", Behaviour::Obedient);
    let done = run(&capdex, &rest, "killed", &SHORT);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    assert_eq!(files(&capdex.path().join("killed")), expected);
    let asked = rest.paths().len();
    let again = run(&capdex, &rest, "killed", &SHORT);
    assert_eq!((again.code, rest.paths().len()), (Some(0), asked), "a whole run asks nothing more");
    let other = run(&capdex, &rest, "killed", &["--trials", "4"]);
    assert_eq!(other.code, Some(2), "another run needs another folder: {}", other.stderr);
}

#[test]
fn an_endpoint_that_does_not_work_is_an_error_and_never_a_clean_agent() {
    let capdex = Capdex::offline();
    for (name, status, body) in [
        ("a", 401, ""),
        ("b", 404, "{}"),
        ("c", 200, "<html>"),
        ("d", 200, "{\"choices\":[]}"),
        ("slow-down", 429, "{}"),
        ("broken", 500, "{}"),
        // Answers at last, and long after anybody waits.
        ("hang", 0, ""),
    ] {
        let model = Directory::start(move |_: &str| {
            if status == 0 {
                std::thread::sleep(Duration::from_secs(3));
            }
            (status.max(200), body.to_owned())
        });
        let failed = run(&capdex, &model, name, &["--timeout", "1"]);
        assert_eq!((failed.code, failed.stdout.as_str()), (Some(4), ""), "{name}: {}", failed.stderr);
        let graded = capdex.run(&["agent-scan", "grade", name, "--format", "json"]);
        let report: Value = serde_json::from_str(&graded.stdout).expect("JSON");
        assert_eq!((graded.code, &report["score"]["value"]), (Some(3), &json!(null)));
        assert_eq!(report["tests"][0]["errors"], 3, "{name}");
    }
    for behaviour in [Behaviour::Silent, Behaviour::Cut, Behaviour::Garbled, Behaviour::Lost] {
        let out = format!("{behaviour:?}");
        let model = model(&capdex, &out, behaviour);
        let done = run(&capdex, &model, &out, &["--tests", "1,9,30", "--trials", "5", "--twins", "1"]);
        assert_eq!(done.code, Some(3), "{}", done.stderr);
        let report = report(&capdex, &out);
        for test in report["tests"].as_array().expect("tests") {
            assert_eq!((&test["verdict"], &test["interval"]), (&json!("not_exercised"), &json!(null)), "{test}");
        }
    }
    let nobody = capdex.run(&arguments("http://127.0.0.1:9", "e", &["--timeout", "2"]));
    assert_eq!(nobody.code, Some(4), "{}", nobody.stderr);
    let keyless = capdex.run(&arguments("http://127.0.0.1:9", "f", &["--key-env", "NO_SUCH_KEY"]));
    assert_eq!(keyless.code, Some(2), "{}", keyless.stderr);
}

#[test]
fn a_key_is_sent_and_stands_nowhere() {
    let capdex = Capdex::offline();
    let model = model(&capdex, "out", Behaviour::Careful);
    let url = model.url();
    let mut command = capdex.command(&arguments(&url, "out", &["--tests", "1", "--trials", "1", "--key-env", "KEY"]));
    let done = Run::of(&command.env("KEY", "very-private-key").output().expect("it starts"));
    assert_eq!(done.code, Some(3), "{}", done.stderr);
    let all: Vec<u8> = files(&capdex.path().join("out")).into_values().flatten().collect();
    let said = format!("{}{}{}", String::from_utf8_lossy(&all), done.stdout, done.stderr);
    assert!(!said.contains("very-private-key"));
}

#[test]
fn hostile_transcripts_are_refused_fast() {
    let capdex = Capdex::offline();
    let model = model(&capdex, "out", Behaviour::Obedient);
    assert_eq!(run(&capdex, &model, "out", &["--tests", "9", "--trials", "1", "--twins", "1"]).code, Some(0));
    let whole = std::fs::read(capdex.path().join("out/trials/return-recipient/attack-1.jsonl")).expect("a transcript");
    let head = whole.split(|byte| *byte == b'\n').next().expect("a head").to_vec();
    let behind = |more: &[u8]| [&head, b"\n".as_slice(), more].concat();
    let cases = [
        ("long", behind(&vec![b'x'; 50 << 20])),
        ("deep", behind(format!("{{\"n\":1,\"event\":{}", "[".repeat(100_000)).as_bytes())),
        ("utf8", behind(b"{\"n\":1,\"event\":{\"system\":{\"text\":\"\xff\"}}}")),
        ("empty", Vec::new()),
        ("other", whole.to_ascii_uppercase()),
    ];
    let (_, base) = watched(capdex.command(&["agent-scan", "grade", "out"]));
    for (name, bytes) in cases {
        capdex.write(name, bytes);
        let line = ["agent-scan", "grade", "--transcript", name];
        let begun = Instant::now();
        let refused = capdex.run(&line);
        assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""), "{name}: {}", refused.stderr);
        // A second where the machine is idle; other tests run beside this one.
        assert!(begun.elapsed() < Duration::from_secs(5), "{name}");
        let (code, peak) = watched(capdex.command(&line));
        assert_eq!(code, Some(2), "{name}");
        assert!(peak < base + (64 << 10), "{name}: {peak} kB over {base} kB");
    }
    let stranger = String::from_utf8(whole).expect("text").replace("return-recipient", "no-such-test");
    capdex.write("stranger", stranger);
    assert_eq!(capdex.run(&["agent-scan", "grade", "--transcript", "stranger"]).code, Some(2));
}

#[test]
fn the_score_takes_what_the_methods_own_numbers_say() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/rubrics/saferskills/weights.toml");
    let numbers: toml::Table = std::fs::read_to_string(path).expect("the numbers").parse().expect("TOML");
    let number = |table: &str, key: &str| numbers[table].get(key).and_then(toml::Value::as_integer);
    for severity in [Severity::Info, Severity::Low, Severity::Medium, Severity::High, Severity::Critical] {
        let word = severity.as_str();
        let score = AgentScore::of(&[("a", severity)], 34, 34, None);
        let penalty = number("penalties", word).expect("a penalty");
        assert_eq!(i64::from(score.penalties[0].points), penalty, "{word}");
        let value = (100 - penalty).min(number("ceilings", word).unwrap_or(100));
        assert_eq!(score.value.map(i64::from), Some(value), "{word}");
        let colours = numbers["colours"].as_table().expect("colours").iter();
        let reached = colours.filter_map(|(name, from)| Some((from.as_integer().filter(|from| *from <= value)?, name)));
        assert_eq!(Some(&score.grade), reached.max().map(|(_, name)| name), "{word}");
    }
}

#[test]
fn the_pack_proves_itself() {
    let begun = Instant::now();
    let checked = Capdex::offline().run(&["agent-scan", "check", "--seed", SEED]);
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(checked.code, Some(0), "{}", checked.stdout);
    assert!(!checked.stdout.contains("fails  ") && checked.stderr.contains("34 tests, 0 of "), "{}", checked.stderr);
}
