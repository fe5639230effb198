//! The doctor: says what is wrong and what to do, changes nothing, and never shows a key.

use serde_json::Value;

use crate::nightly::first_night;
use crate::packages;
use crate::rows::text;
use crate::support::capdex::{Capdex, Run};

const CANARY: &str = "ghp_canary0123456789";

fn items(run: &Run) -> Vec<Value> {
    let document: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(document["schema"], "capdex.doctor/1");
    document["items"].as_array().expect("items").clone()
}

fn one<'a>(items: &'a [Value], check: &str, subject: &str) -> &'a Value {
    let found = items.iter().find(|item| text(item, "check") == check && text(item, "subject") == subject);
    found.unwrap_or_else(|| panic!("no {check} {subject} in {items:#?}"))
}

#[test]
fn all_is_well_after_a_night() {
    let registry = packages::registry();
    let capdex = first_night(&registry);
    let run = capdex.run(&["doctor", "--config", "schedule.toml", "--deep", "--format", "json"]);
    let items = items(&run);
    assert!(items.iter().all(|item| text(item, "health") == "ok"), "{items:#?}");
    assert_eq!(run.code, Some(0));
    for (check, subject) in [("store", "capdex.db"), ("source", "npm"), ("source", "pypi"), ("clock", "this machine")] {
        one(&items, check, subject);
    }
    let table = capdex.run(&["doctor", "--config", "schedule.toml", "--color", "never"]);
    assert!(table.stdout.ends_with("Nothing stands in the way of a night.\n"), "{}", table.stdout);
}

#[test]
fn what_is_wrong_is_told_with_what_to_do() {
    let capdex = Capdex::offline();
    capdex
        .write("s/a.toml", "name = \"a\"\n[sources.npm]\nwatchlist = [\"x\"]\n[sources.github]\n")
        .write("s/b.toml", "name = \"b\"\n[daemon]\ncron = \"30 25 * * *\"\n[sources]\n")
        .write("capdex.db", "this is a letter");
    let run = capdex.run(&["doctor", "--schedules", "s", "--format", "json"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let items = items(&run);
    for (check, subject, health, found) in [
        ("schedule", "s/a.toml", "ok", "2 sources"),
        ("schedule", "s/b.toml", "fail", "daemon.cron"),
        ("store", "capdex.db", "fail", "not a capdex store"),
        ("source", "npm", "fail", "cannot be reached"),
        ("key", "CAPDEX_GITHUB_TOKEN", "warn", "not set"),
    ] {
        let item = one(&items, check, subject);
        assert!(text(item, "health") == health, "{item}");
        assert!(text(item, "found").contains(found), "{item}");
        assert!(health == "ok" || !text(item, "advice").is_empty(), "{item}");
    }
    assert_eq!(std::fs::read(capdex.path().join("capdex.db")).expect("reads"), b"this is a letter");
}

#[test]
fn a_key_is_checked_and_shown_nowhere() {
    let capdex = Capdex::offline();
    capdex.write("s.toml", "name = \"a\"\n[sources.github]\n");
    for (value, health) in [(CANARY.to_owned(), "ok"), (format!("{CANARY} x"), "fail")] {
        for format in ["json", "table"] {
            let mut command = capdex.command(&["doctor", "--config", "s.toml", "--offline", "--format", format]);
            let run = Run::of(&command.env("CAPDEX_GITHUB_TOKEN", &value).output().expect("starts"));
            assert!(!run.stdout.contains(CANARY), "{}", run.stdout);
            assert!(!run.stderr.contains(CANARY), "{}", run.stdout);
            if format == "json" {
                assert_eq!(text(one(&items(&run), "key", "CAPDEX_GITHUB_TOKEN"), "health"), health);
            }
        }
    }
}

/// A server that answers every request with 404 and a date.
fn server_at(seconds_ahead: i64) -> String {
    use std::io::{BufRead, BufReader, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("binds");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut lines = BufReader::new(&stream).lines();
            while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
            let date = chrono::Utc::now() + chrono::TimeDelta::seconds(seconds_ahead);
            let date = date.format("%a, %d %b %Y %H:%M:%S GMT");
            // Whoever asked may have gone.
            let _ = write!(
                &stream,
                "HTTP/1.1 404 Not Found\r\nDate: {date}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            );
        }
    });
    url
}

#[test]
fn a_clock_that_differs_from_every_server_is_told() {
    let clock_of = |ahead: &[i64]| {
        let capdex = Capdex::offline();
        let mut schedule = "name = \"a\"\n".to_owned();
        for (number, ahead) in ahead.iter().enumerate() {
            schedule.push_str(&format!("[sources.s{number}]\nkind = \"npm\"\nbase_url = {:?}\n", server_at(*ahead)));
        }
        capdex.write("s.toml", schedule);
        let run = capdex.run(&["doctor", "--config", "s.toml", "--format", "json"]);
        let item = one(&items(&run), "clock", "against servers").clone();
        (text(&item, "health").to_owned(), text(&item, "found").to_owned(), text(&item, "advice").to_owned())
    };
    let (health, found, advice) = clock_of(&[300]);
    assert_eq!(health, "warn", "{found}");
    assert!(found.contains(" s behind s0"), "{found}");
    assert!(advice.contains("time server"), "{found}");
    let (health, found, _) = clock_of(&[-300, -400]);
    assert_eq!(health, "warn", "{found}");
    assert!(found.contains(" s ahead of s0"), "{found}");
    assert_eq!(clock_of(&[900, 2]).0, "ok", "one server that is wrong by itself is no fault of this machine");
}
