//! Tests of what a run does when its time for requests is over.

use super::*;
use crate::options::{Colour, LogFormat};

const SKILL: &str = "---\nname: notes\ndescription: Writes notes. Use when asked.\n---\n\n# Notes\n";

/// A run over one folder with one skill, in a store of its own.
fn context(folder: &std::path::Path) -> JobContext {
    std::fs::create_dir_all(folder.join("skill")).expect("made");
    std::fs::write(folder.join("skill/SKILL.md"), SKILL).expect("written");
    context_of(folder, &format!("name = \"n\"\n[sources.folder]\nwatchlist = [{:?}]\n", folder.join("skill")))
}

/// A run of a schedule, in a store of its own in a folder.
pub(in crate::jobs) fn context_of(folder: &std::path::Path, schedule: &str) -> JobContext {
    std::fs::write(folder.join("s.toml"), schedule).expect("written");
    let global = Global {
        db: folder.join("capdex.db"),
        threads: Some(1),
        as_of: Some("2026-11-20T01:00:00Z".parse().expect("an instant")),
        verbose: 0,
        quiet: true,
        log_format: LogFormat::Text,
        color: Colour::Never,
    };
    let schedule = Schedule::load(Some(&folder.join("s.toml"))).expect("a schedule");
    open(&global, &schedule, &RecordingArgs::default()).expect("opens")
}

#[test]
fn what_was_fetched_is_scored_watched_and_exported_when_the_time_for_requests_is_over() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let context = context(folder.path());
    let fetched = runtime().expect("a runtime").block_on(async {
        list::run(&context).await?;
        fetch::run(&context).await
    });
    assert_eq!(fetched.expect("fetched").done, 1);
    context.requests.ask();
    let out = folder.path().join("out");
    let report = whole(&context, "n", Last::Export(out.clone())).expect("a run");
    assert_eq!(report.list.requests, 0, "nobody is asked any more");
    assert_eq!(report.fetch.items, 0, "nobody is asked any more");
    assert_eq!(report.scan.done, 1, "{report:?}");
    assert!(report.score.done > 0, "{report:?}");
    assert!(report.watch.items > 0, "{report:?}");
    assert!(out.join("manifest.json").is_file(), "the dataset is written");
    assert!(report.over_budget);
    assert!(!report.interrupted);
    assert!(report.is_incomplete());
    let run = context.store.reader().expect("opens").runs(1).expect("reads").remove(0);
    assert_eq!(run.status, Some(RunStatus::Incomplete));
    let stages = run.summary["stages"].as_array().expect("stages");
    let names: Vec<_> = stages.iter().filter_map(|stage| stage["stage"].as_str()).collect();
    for name in ["list", "fetch", "rehash", "signals", "join", "scan", "score", "watch", "export", "alerts"] {
        assert!(names.contains(&name), "no {name} in {names:?}");
    }
}

#[test]
fn who_asks_a_run_to_stop_stops_all_of_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let context = context(folder.path());
    context.ask_to_stop();
    let report = whole(&context, "n", Last::Export(folder.path().join("out"))).expect("a run");
    assert!(report.interrupted);
    assert!(!report.over_budget);
    assert_eq!(report.scan.done, 0);
    assert!(report.written.is_none());
}

#[test]
fn hashing_again_has_its_stages_in_the_ledger() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let context = context(folder.path());
    rehash(&context).expect("a run");
    let run = context.store.reader().expect("opens").runs(1).expect("reads").remove(0);
    let stages = run.summary["stages"].as_array().expect("stages");
    let names: Vec<_> = stages.iter().filter_map(|stage| stage["stage"].as_str()).collect();
    assert!(names.starts_with(&["list", "fetch", "rehash", "join", "scan", "score", "watch"]), "{names:?}");
}
