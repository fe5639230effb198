//! Two nights over packages in verdaccio, a real npm registry: what the second one costs, in which nothing changed.
//!
//! `tests/run` installs verdaccio and says where; `CAPDEX_VERDACCIO` names its command.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use serde_json::{Value, json};

use super::verdaccio::Verdaccio;
use super::{Cost, capdex, rig};

/// Packages that are published at the same time.
const AT_ONCE: usize = 8;

/// Publishes so many packages, crawls them twice and prints what that took.
pub(super) fn run(count: usize) {
    let Some(command) = rig::needed("CAPDEX_VERDACCIO") else {
        println!(
            "npm: set CAPDEX_VERDACCIO to the command of verdaccio; tests/run installs it into target/tools/verdaccio"
        );
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let registry = Verdaccio::start(&command, folder.path());
    let names: Vec<String> = (0..count).map(|number| format!("bench-{number:06}")).collect();
    let begun = Instant::now();
    publish(&registry, &names);
    println!("npm: {count} packages, published in {:.0} s", begun.elapsed().as_secs_f64());
    let schedule = format!(
        "name = \"bench\"\n[http]\nrequests_per_second = 100000\n[sources.npm]\nbase_url = \"{}\"\nwatchlist = {names:?}\n",
        registry.url()
    );
    std::fs::write(folder.path().join("schedule.toml"), schedule).unwrap();
    for (night, as_of) in [("first", "2026-10-10T00:00:00Z"), ("second", "2026-10-11T00:00:00Z")] {
        let arguments = ["nightly", "--config", "schedule.toml", "--out", "out", "--quiet", "--as-of", as_of];
        let cost = capdex(folder.path(), &arguments);
        println!("  {night} night: {}", told(folder.path(), &cost));
    }
}

fn publish(registry: &Verdaccio, names: &[String]) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let manifest = json!({"name": name, "version": "1.0.0", "description": "A small package",
                                          "license": "MIT", "keywords": ["mcp"]})
                    .to_string();
                    let rules = format!("# For agents\n\nRun the tests of {name} before you commit.\n");
                    let files: [(&str, &[u8]); 2] =
                        [("package.json", manifest.as_bytes()), ("AGENTS.md", rules.as_bytes())];
                    registry.publish(name, "1.0.0", &files);
                }
            });
        }
    });
}

/// The last night in numbers, from the program's own status.
fn told(folder: &Path, cost: &Cost) -> String {
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_capdex"))
        .args(["status", "--format", "json"])
        .current_dir(folder)
        .output()
        .unwrap();
    let status: Value = serde_json::from_slice(&status.stdout).unwrap();
    let (source, run) = (&status["sources"][0], &status["runs"][0]);
    format!(
        "{} requests, {} of them not modified, {} for tarballs; {} of {} packages active; {:.1} s, {:.1} s of CPU, {} MiB at most",
        source["last_walk"]["requests"],
        source["last_walk"]["not_modified"],
        run["summary"]["fetch"]["requests"],
        source["active"],
        source["listings"],
        cost.wall.as_secs_f64(),
        cost.cpu_s,
        cost.peak_kb / 1_024
    )
}
