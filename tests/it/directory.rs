//! Directories: backfill, resumption, what a night costs when nothing changed, what is gone and when, and sources that
//! lie. The directory is the official registry's API over rows recorded in 2025 (`official-registry/full-json` of
//! `CAPDEX_DATA`) and over rows made for the test.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::support::capdex::{Capdex, Run};
use crate::support::directory::Directory;

#[path = "../../crawlers/official_registry/fake.rs"]
pub(crate) mod fake;

use fake::{Fake, synthetic};

const KIND: &str = "official-registry";

fn schedule(directory: &Directory, more: &str) -> String {
    format!(
        "name = \"directory\"\n[http]\nmax_tries = 2\nbackoff_ms = 10\n[sources.official-registry]\n\
         base_url = \"{}\"\nrequests_per_minute = 100000\n{more}\n",
        directory.url()
    )
}

/// What a directory over these rows answers.
pub(crate) fn serve(rows: Vec<Value>) -> impl Fn(&str) -> (u16, String) + Send + Sync + 'static {
    let fake = Fake::of(rows);
    move |path: &str| fake.answer(path)
}

/// Lists the directory and nothing more.
pub(crate) fn list(capdex: &Capdex, as_of: &str) -> Run {
    capdex.run(&["backfill", KIND, "--config", "schedule.toml", "--list-only", "--as-of", as_of])
}

/// What is known of the first source.
pub(crate) fn source(capdex: &Capdex) -> Value {
    let status = capdex.run(&["status", "--format", "json"]);
    let status: Value = serde_json::from_str(&status.stdout).expect("JSON");
    status["sources"][0].clone()
}

/// New, changed and gone of the last walk.
fn counts(capdex: &Capdex) -> (u64, u64, u64) {
    let walk = &source(capdex)["last_walk"];
    let number = |key: &str| walk[key].as_u64().expect("a number");
    (number("new"), number("changed"), number("gone"))
}

#[test]
fn a_backfill_takes_every_row_and_the_next_night_asks_for_almost_nothing() {
    const ROWS: usize = 1_234;
    let directory = Directory::start(serve(synthetic(ROWS).collect()));
    let capdex = Capdex::offline();
    capdex.write("schedule.toml", schedule(&directory, ""));
    assert_eq!(list(&capdex, "2026-11-20T00:00:00Z").code, Some(0));
    let first = source(&capdex);
    assert_eq!(first["listings"].as_u64(), Some(1_234));
    assert_eq!(first["last_outcome"].as_str(), Some("complete"));
    assert!(directory.paths().len() <= ROWS.div_ceil(100) + 1, "{} requests", directory.paths().len());
    directory.change(serve(synthetic(ROWS).collect()));
    assert_eq!(list(&capdex, "2026-11-21T00:00:00Z").code, Some(0));
    assert!(directory.paths().len() <= 3, "{:?}", directory.paths());
    assert!(directory.paths().iter().all(|path| path.contains("updated_since=")));
    assert_eq!(counts(&capdex), (0, 0, 0));
    directory.change(serve(synthetic(ROWS).collect()));
    list(&capdex, "2026-11-29T00:00:00Z");
    assert!(!directory.paths().iter().any(|path| path.contains("updated_since=")), "a week later everything is walked");
}

#[test]
fn a_walk_that_is_cut_goes_on_from_its_last_page() {
    let fake = Arc::new(Fake::of(synthetic(950)));
    let count = AtomicUsize::new(0);
    let broken = Arc::clone(&fake);
    let directory = Directory::start(move |path| match count.fetch_add(1, Ordering::SeqCst) {
        0..4 => broken.answer(path),
        _ => (500, String::new()),
    });
    let capdex = Capdex::offline();
    capdex.write("schedule.toml", schedule(&directory, ""));
    assert_eq!(list(&capdex, "2026-11-20T00:00:00Z").code, Some(3));
    let cut = source(&capdex);
    assert_eq!(cut["listings"].as_u64(), Some(400));
    assert_eq!(cut["last_outcome"].as_str(), Some("failed"));
    directory.change(move |path| fake.answer(path));
    assert_eq!(list(&capdex, "2026-11-20T00:00:00Z").code, Some(0));
    assert_eq!(directory.paths().len(), 6, "the rest and nothing else");
    assert_eq!(source(&capdex)["listings"].as_u64(), Some(950));
}

#[test]
fn a_budget_stops_a_walk_and_the_next_run_goes_on() {
    let directory = Directory::start(serve(synthetic(950).collect()));
    let capdex = Capdex::offline();
    capdex.write("schedule.toml", schedule(&directory, "max_requests = 4"));
    for (listings, outcome) in [(400, "stopped"), (800, "stopped"), (950, "complete")] {
        assert_eq!(list(&capdex, "2026-11-20T00:00:00Z").code, Some(0));
        let now = source(&capdex);
        assert_eq!(now["listings"].as_u64(), Some(listings));
        assert_eq!(now["last_outcome"].as_str(), Some(outcome));
    }
    assert_eq!(directory.paths().len(), 10);
}

#[test]
fn nothing_is_gone_before_two_whole_walks_and_a_mass_deletion_waits_for_an_operator() {
    let directory = Directory::start(serve(synthetic(300).collect()));
    let capdex = Capdex::offline();
    capdex.write("schedule.toml", schedule(&directory, "full_walk_days = 0"));
    list(&capdex, "2026-11-20T00:00:00Z");
    // A handful vanishes: gone after the second walk that does not see them.
    let few = || synthetic(300).filter(|row| row["server"]["name"] != "io.test.publisher-0007/server-000007").collect();
    directory.change(serve(few()));
    list(&capdex, "2026-11-21T00:00:00Z");
    assert_eq!(source(&capdex)["active"].as_u64(), Some(300));
    list(&capdex, "2026-11-22T00:00:00Z");
    assert_eq!(counts(&capdex).2, 3);
    assert_eq!(source(&capdex)["active"].as_u64(), Some(297));
    // Half of the universe vanishes, and what was gone is back: nothing is gone until somebody says so.
    directory.change(serve(synthetic(150).collect()));
    list(&capdex, "2026-11-23T00:00:00Z");
    let run = list(&capdex, "2026-11-24T00:00:00Z");
    assert_eq!(run.code, Some(3), "{}", run.stdout);
    let held = source(&capdex);
    assert_eq!(held["active"].as_u64(), Some(300));
    assert_eq!(held["held"].as_u64(), Some(150));
    let status = capdex.run(&["status"]);
    assert!(status.stdout.contains("capdex sources accept-removals official-registry"), "{}", status.stdout);
    assert_eq!(capdex.run(&["sources", "accept-removals", KIND]).code, Some(0));
    let confirmed = source(&capdex);
    assert_eq!(confirmed["active"].as_u64(), Some(150));
    assert_eq!(confirmed["held"].as_u64(), Some(0));
    assert_eq!(capdex.run(&["confirm", "nobody"]).code, Some(2));
}

/// Every lie about pages ends the walk with an error, keeps what was listed, and deletes nothing.
#[test]
fn a_directory_that_lies_about_its_pages_is_an_error_and_deletes_nothing() {
    type Lie = fn(&Fake, &str, usize) -> (u16, String);
    let lies: [(&str, Lie); 5] = [
        ("a cursor in a circle", |fake, path, _| {
            let (status, body) = fake.answer(path);
            let mut body: Value = serde_json::from_str(&body).expect("JSON");
            body["metadata"]["nextCursor"] = "io.test.publisher-0000/server-000000:1.0.0".into();
            (status, body.to_string())
        }),
        ("empty pages without end", |_, _, number| {
            (200, json!({"servers": [], "metadata": {"nextCursor": format!("a/b:{number}"), "count": 0}}).to_string())
        }),
        ("another shape from the second page on", |fake, path, number| match number {
            0 => fake.answer(path),
            _ => (200, json!({"items": [], "next": null}).to_string()),
        }),
        ("a page without rows where a full one was", |fake, path, number| match number {
            0 => fake.answer(path),
            _ => (200, "{}".to_owned()),
        }),
        ("a page cut in the middle", |fake, path, number| match number {
            0 => fake.answer(path),
            _ => (200, fake.answer(path).1.split_at(500).0.to_owned()),
        }),
    ];
    for (lie, script) in lies {
        let directory = Directory::start(serve(synthetic(300).collect()));
        let capdex = Capdex::offline();
        capdex.write("schedule.toml", schedule(&directory, "full_walk_days = 0"));
        list(&capdex, "2026-11-20T00:00:00Z");
        for night in ["2026-11-21T00:00:00Z", "2026-11-22T00:00:00Z", "2026-11-23T00:00:00Z"] {
            let (fake, number) = (Fake::of(synthetic(300)), AtomicUsize::new(0));
            directory.change(move |path| script(&fake, path, number.fetch_add(1, Ordering::SeqCst)));
            let run = list(&capdex, night);
            assert_eq!(run.code, Some(3), "{lie}: {}", run.stdout);
            assert!(directory.paths().len() <= 220, "{lie}: {} requests", directory.paths().len());
        }
        let after = source(&capdex);
        assert_eq!(after["active"].as_u64(), Some(300), "{lie}");
        assert_eq!(after["last_outcome"].as_str(), Some("failed"), "{lie}");
    }
}

/// The rows recorded on a day.
pub(crate) fn recorded(data: &str, day: &str) -> Vec<Value> {
    lines(&std::path::Path::new(data).join(format!("official-registry/full-json/{day}.jsonl.gz")))
}

/// The lines of a recorded file.
pub(crate) fn lines(path: &std::path::Path) -> Vec<Value> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = std::io::BufRead::lines(capdex_crawlers::unpack::gunzip_lines(bytes.as_slice()));
    lines.map(|line| serde_json::from_str(&line.expect("text")).expect("JSON")).collect()
}

/// Rows by (name, version) without what says when and by which schema: written apart from the source's own canonical form.
fn by_hand(rows: &[Value]) -> std::collections::BTreeMap<String, Value> {
    let plain = |row: &Value| {
        let text = row.to_string().replace("/v3/index.json\"", "\"");
        let mut row: Value = serde_json::from_str(&text).expect("JSON");
        row["server"].as_object_mut().expect("an object").remove("$schema");
        let facts = row["_meta"]["io.modelcontextprotocol.registry/official"].as_object_mut().expect("an object");
        facts.retain(|name, _| name == "status" || name == "isLatest");
        (format!("{}@{}", row["server"]["name"], row["server"]["version"]), row)
    };
    rows.iter().map(plain).collect()
}

#[test]
fn two_recorded_days_as_nights_give_the_counts_of_an_independent_comparison() {
    let Ok(data) = std::env::var("CAPDEX_DATA") else { return println!("skipped: no CAPDEX_DATA") };
    let (before, after) = (recorded(&data, "2025-11-01"), recorded(&data, "2025-12-18"));
    let (old, new) = (by_hand(&before), by_hand(&after));
    let count = |number: usize| u64::try_from(number).expect("few");
    let appeared = count(new.keys().filter(|key| !old.contains_key(*key)).count());
    let changed = count(new.iter().filter(|(key, row)| old.get(*key).is_some_and(|before| before != *row)).count());
    let directory = Directory::start(serve(before.clone()));
    let capdex = Capdex::offline();
    capdex.write("schedule.toml", schedule(&directory, "full_walk_days = 0\nmax_gone_percent = 100"));
    list(&capdex, "2025-11-01T00:00:00Z");
    assert_eq!(counts(&capdex), (1_506, 0, 0));
    assert!(directory.paths().len() <= 1_506_usize.div_ceil(100) + 1);
    directory.change(serve(after));
    list(&capdex, "2025-12-18T00:00:00Z");
    assert_eq!(counts(&capdex), (appeared, changed, 0));
    // Back again: what appeared is gone after two walks that do not see it.
    directory.change(serve(before));
    list(&capdex, "2025-12-19T00:00:00Z");
    assert_eq!(counts(&capdex), (0, changed, 0));
    list(&capdex, "2025-12-20T00:00:00Z");
    assert_eq!(counts(&capdex), (0, 0, appeared));
}
