//! A dataset that is published at an address: fetched once, refreshed by its validators, and never replaced by half of one.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use capdex_model::digest::Digest;
use serde_json::{Value, json};

use crate::nightly::night;
use crate::packages::{self, PACK};
use crate::support::capdex::{Capdex, Run};

/// What the server was asked: paths, and whether it said that nothing changed.
type Asked = Arc<Mutex<Vec<(String, bool)>>>;

/// A server for the files of a folder, with ETags.
struct Publisher {
    url: String,
    asked: Asked,
    is_down: Arc<AtomicBool>,
}

impl Publisher {
    fn start(folder: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}/data", listener.local_addr().expect("an address"));
        let (asked, folder, is_down) = (Asked::default(), folder.to_owned(), Arc::new(AtomicBool::new(false)));
        let (heard, down) = (asked.clone(), is_down.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(stream, &folder, &heard, down.load(Ordering::Relaxed));
            }
        });
        Self { url, asked, is_down }
    }

    /// What was asked since the last time.
    fn asked(&self) -> Vec<(String, bool)> {
        std::mem::take(&mut self.asked.lock().expect("no panic"))
    }
}

fn serve(mut stream: TcpStream, folder: &Path, asked: &Asked, is_down: bool) {
    let mut lines = BufReader::new(stream.try_clone().expect("a stream")).lines().map_while(Result::ok);
    let Some(request) = lines.next() else { return };
    let headers: BTreeMap<String, String> = lines
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned())))
        .collect();
    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
    let name = path.strip_prefix("/data/").unwrap_or("none");
    let (status, etag, body) = match std::fs::read(folder.join(name)) {
        _ if is_down => ("503 Service Unavailable", String::new(), Vec::new()),
        Err(_) => ("404 Not Found", String::new(), Vec::new()),
        Ok(bytes) => {
            let etag = format!("\"{}\"", Digest::of(&bytes).hex());
            let is_known = headers.get("if-none-match") == Some(&etag);
            if is_known { ("304 Not Modified", etag, Vec::new()) } else { ("200 OK", etag, bytes) }
        }
    };
    asked.lock().expect("no panic").push((name.to_owned(), status.starts_with("304")));
    let head =
        format!("HTTP/1.1 {status}\r\netag: {etag}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
}

/// A machine without a store, which asks a dataset.
struct Machine {
    capdex: Capdex,
    cache: PathBuf,
}

impl Machine {
    fn new() -> Self {
        let capdex = Capdex::offline();
        let cache = capdex.path().join("cache");
        Self { capdex, cache }
    }

    fn run(&self, arguments: &[&str], input: &str) -> Run {
        let mut command = self.capdex.command(arguments);
        command.env("XDG_CACHE_HOME", &self.cache).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("capdex starts");
        // One that reads no input may be gone by now.
        let _ = child.stdin.take().expect("an input").write_all(input.as_bytes());
        Run::of(&child.wait_with_output().expect("capdex ends"))
    }

    fn check(&self, url: &str, more: &[&str]) -> Run {
        self.check_at("npm:agent-pack@2.0.0", "2026-11-20T02:00:00Z", url, more)
    }

    fn check_at(&self, target: &str, as_of: &str, url: &str, more: &[&str]) -> Run {
        let asked = ["check", target, "--db", "none.db", "--format", "jsonl", "--dataset", url, "--as-of", as_of];
        self.run(&[&asked[..], more].concat(), "")
    }

    /// The files of the cache, by their path below it.
    fn cached(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.cache.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() { folders.push(path) } else { found.push(path.display().to_string()) }
            }
        }
        found.sort();
        found
    }
}

fn is_answered(run: &Run) -> bool {
    let lines: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    !lines.is_empty() && lines.iter().all(|line| line["target"]["answered_by"] == "dataset")
}

const NEEDED: [&str; 6] = [
    "manifest.json",
    "capabilities.parquet",
    "drift.parquet",
    "facts.parquet",
    "hosts.parquet",
    "rule_defaults.parquet",
];

#[test]
fn a_published_dataset_is_fetched_once_refreshed_by_its_validators_and_answers_offline() {
    let registry = packages::registry();
    let origin = Capdex::with(&registry);
    origin.write("schedule.toml", packages::everything());
    assert_eq!(night(&origin, "2026-11-20T01:00:00Z").code, Some(0));
    let out = origin.path().join("out");
    let (publisher, machine) = (Publisher::start(&out), Machine::new());
    let url = publisher.url.clone();

    let before = machine.check(&url, &["--offline"]);
    assert_eq!(before.code, Some(4), "{}", before.stdout);
    assert!(before.stderr.contains("was never fetched: ask once without --offline"), "{}", before.stderr);
    assert!(publisher.asked().is_empty());

    let first = machine.check(&url, &[]);
    assert!(is_answered(&first), "{}{}", first.stdout, first.stderr);
    let asked: Vec<String> = publisher.asked().into_iter().map(|(name, _)| name).collect();
    assert_eq!(asked, NEEDED, "what answers need, once");
    let second = machine.check(&url, &[]);
    assert_eq!(second.stdout, first.stdout);
    assert_eq!(publisher.asked(), [("manifest.json".to_owned(), true)]);
    let offline = machine.check(&url, &["--offline"]);
    assert_eq!(offline.stdout, first.stdout);
    assert!(publisher.asked().is_empty());

    // The hook of an agent asks nobody within hours.
    let event = json!({ "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": "npx -y agent-pack@2.0.0" } });
    let hook = machine.run(
        &["hook", "claude", "--db", "none.db", "--dataset", &url, "--as-of", "2026-11-20T03:00:00Z"],
        &event.to_string(),
    );
    assert_eq!(hook.code, Some(0), "{}", hook.stderr);
    assert!(!hook.stdout.contains("could not be read"), "{}{}", hook.stdout, hook.stderr);
    assert!(publisher.asked().is_empty());

    // Another night: the manifest and what changed.
    let mut changed = PACK.to_vec();
    changed.retain(|(path, _)| *path != "AGENTS.md");
    registry.npm_package("agent-pack", "2.1.0", &changed);
    assert_eq!(night(&origin, "2026-11-21T01:00:00Z").code, Some(0));
    let third = machine.check_at("npm:agent-pack@2.0.0", "2026-11-21T02:00:00Z", &url, &[]);
    let asked = publisher.asked();
    assert!(asked.contains(&("manifest.json".to_owned(), false)), "{asked:?}");
    assert!(asked.contains(&("capabilities.parquet".to_owned(), false)), "{asked:?}");
    assert!(!asked.iter().any(|(name, _)| !NEEDED.contains(&&**name)), "{asked:?}");
    assert!(!is_answered(&third), "of another version it says nothing: {}", third.stdout);
    let latest = machine.check_at("npm:agent-pack@2.1.0", "2026-11-21T02:00:00Z", &url, &["--offline"]);
    assert!(is_answered(&latest), "{}{}", latest.stdout, latest.stderr);
    assert!(machine.cached().iter().all(|path| !path.contains(".filling-")), "{:?}", machine.cached());
}

#[test]
fn a_damaged_older_or_foreign_dataset_takes_nothings_place() {
    let registry = packages::registry();
    let origin = Capdex::with(&registry);
    origin.write("schedule.toml", packages::everything());
    assert_eq!(night(&origin, "2026-11-20T01:00:00Z").code, Some(0));
    let out = origin.path().join("out");
    let served = origin.path().join("served");
    std::fs::create_dir(&served).expect("a folder");
    let publish = || {
        for name in NEEDED {
            std::fs::copy(out.join(name), served.join(name)).expect("copies");
        }
    };
    publish();
    let (publisher, machine) = (Publisher::start(&served), Machine::new());
    let url = publisher.url.clone();

    // One that is damaged from the first: nothing stays.
    let facts = std::fs::read(served.join("facts.parquet")).expect("a file");
    std::fs::write(served.join("facts.parquet"), vec![0; facts.len()]).expect("writes");
    let damaged = machine.check(&url, &[]);
    assert_eq!(damaged.code, Some(4), "{}", damaged.stdout);
    assert!(damaged.stderr.contains("facts.parquet has other bytes than the manifest says"), "{}", damaged.stderr);
    assert_eq!(machine.cached(), Vec::<String>::new());
    std::fs::write(served.join("facts.parquet"), [&facts[..], b"more"].concat()).expect("writes");
    let longer = machine.check(&url, &[]);
    assert_eq!(longer.code, Some(4), "more than the manifest says is not read: {}", longer.stdout);

    publish();
    let whole = machine.check(&url, &[]);
    assert!(is_answered(&whole), "{}{}", whole.stdout, whole.stderr);
    let kept = machine.cached();

    // A page of a portal, and a manifest without its files.
    std::fs::write(served.join("manifest.json"), "<html>").expect("writes");
    let page = machine.check(&url, &[]);
    assert_eq!(page.code, Some(4), "{}", page.stdout);
    assert!(page.stderr.contains("manifest.json is damaged"), "{}", page.stderr);
    assert_eq!(night(&origin, "2026-11-21T01:00:00Z").code, Some(0));
    publish();
    std::fs::remove_file(served.join("capabilities.parquet")).expect("removes");
    let partly = machine.check(&url, &[]);
    assert_eq!(partly.code, Some(4), "{}", partly.stdout);
    assert!(partly.stderr.contains("capabilities.parquet does not exist"), "{}", partly.stderr);
    assert_eq!(machine.cached(), kept, "the dataset of before is as it was");
    assert_eq!(machine.check(&url, &["--offline"]).stdout, whole.stdout);

    // An older one, whose verdicts were those of before a finding.
    publish();
    assert!(is_answered(&machine.check(&url, &[])));
    assert_eq!(origin.run(&["export", "older", "--as-of", "2026-11-19T01:00:00Z"]).code, Some(0));
    for name in NEEDED {
        std::fs::copy(origin.path().join("older").join(name), served.join(name)).expect("copies");
    }
    let older = machine.check(&url, &[]);
    assert_eq!(older.code, Some(4), "{}", older.stdout);
    assert!(older.stderr.contains("it is of 2026-11-19T01:00:00Z, older than that of"), "{}", older.stderr);

    // Nobody there: what was fetched answers, and says so.
    publisher.is_down.store(true, Ordering::Relaxed);
    let known = machine.check_at("npm:agent-pack@2.0.0", "2026-11-21T02:00:00Z", &url, &[]);
    assert!(is_answered(&known), "{}{}", known.stdout, known.stderr);
    assert!(known.stderr.contains("the dataset is that of 2026-11-21T01:00:00Z, since"), "{}", known.stderr);
    let nobody = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let away = machine.check(&format!("http://{nobody}/data"), &[]);
    assert_eq!(away.code, Some(4), "{}", away.stdout);
    assert!(away.stderr.contains("failed to fetch the dataset at"), "{}", away.stderr);
}

#[test]
fn a_published_dataset_is_asked_only_where_the_key_has_signed_it() {
    let registry = packages::registry();
    let origin = Capdex::with(&registry);
    origin.write("schedule.toml", packages::everything());
    for name in ["our.key", "other.key"] {
        assert_eq!(origin.run(&["keys", "new", name]).code, Some(0));
    }
    let key = |name: &str| origin.path().join(name).display().to_string();
    let (ours, other) = (key("our.key.pub"), key("other.key.pub"));
    assert_eq!(night(&origin, "2026-11-20T01:00:00Z").code, Some(0));
    let out = origin.path().join("out");
    let (publisher, machine) = (Publisher::start(&out), Machine::new());
    let url = publisher.url.clone();
    let refused = |run: &Run, why: &str| {
        assert_eq!((run.code, run.stdout.as_str()), (Some(4), ""), "{}", run.stderr);
        assert!(run.stderr.contains(why), "{}", run.stderr);
    };

    // Not signed: nothing but the manifest and its signature is asked for, and nothing is kept.
    refused(&machine.check(&url, &["--key", &ours]), "its manifest.json is not signed");
    let asked: Vec<String> = publisher.asked().into_iter().map(|(name, _)| name).collect();
    assert_eq!(asked, ["manifest.json", "manifest.json.minisig"]);
    assert_eq!(machine.cached(), Vec::<String>::new());

    // Without a key it is fetched, and a key that is asked for later wants its signature.
    assert!(is_answered(&machine.check(&url, &[])));
    refused(&machine.check(&url, &["--key", &ours, "--offline"]), "fetched without its signature");
    assert_eq!(origin.run(&["export", "out", "--sign", "our.key"]).code, Some(0));
    let signed = machine.check(&url, &["--key", &ours]);
    assert!(is_answered(&signed), "{}{}", signed.stdout, signed.stderr);
    assert!(is_answered(&machine.check(&url, &["--key", &ours, "--offline"])));
    refused(&machine.check(&url, &["--key", &other]), "is signed by the key");
    refused(&machine.check(&url, &["--key", &other, "--offline"]), "is signed by the key");
    assert!(is_answered(&machine.check(&url, &["--key", &ours])), "a foreign key spoils nothing");

    // Whoever can answer for the address and has no key brings nothing in, and neither does one who reaches the cache.
    let manifest = std::fs::read_to_string(out.join("manifest.json")).expect("a manifest");
    std::fs::write(out.join("manifest.json"), manifest.replace("capdex.export", "capdex-export")).expect("writes");
    refused(&machine.check(&url, &["--key", &ours]), "does not fit its signature");
    std::fs::write(out.join("manifest.json"), &manifest).expect("writes");
    let kept = machine.cached().into_iter().find(|path| path.ends_with(".minisig")).expect("a signature");
    std::fs::write(kept, "forged").expect("writes");
    refused(&machine.check(&url, &["--key", &ours, "--offline"]), "is no signature of minisign");
    assert!(is_answered(&machine.check(&url, &["--key", &ours])), "it is fetched again");

    // The hook of an agent holds to the key too.
    let event = json!({ "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": "npx -y agent-pack@2.0.0" } });
    let hook = |key: &str| {
        let asked =
            ["hook", "claude", "--db", "none.db", "--dataset", &url, "--key", key, "--as-of", "2026-11-20T03:00:00Z"];
        machine.run(&asked, &event.to_string()).stdout
    };
    assert!(hook(&other).contains("could not be read"), "{}", hook(&other));
    assert!(!hook(&ours).contains("could not be read"), "{}", hook(&ours));
    // So does the one that `init` writes down: the key itself, which nobody changes in a file.
    let written = machine.run(&["init", "--hook", "claude", "--print", "--dataset", &url, "--key", &ours], "").stdout;
    let text = std::fs::read_to_string(&ours).expect("a public key");
    let line = text.lines().last().expect("a line");
    assert!(written.contains(&format!("--dataset {url}")) && written.contains(&format!("--key {line}")), "{written}");
}
