//! `cargo bench --bench crawl`: what crawling costs, on loopback.
//!
//! `registry`: the official registry's API over 139,896 rows, listed from its beginning and then again with nothing
//! changed: requests, wall time, CPU time and the most memory that the program held.
//! `hosts`: two hundred hosts with mixed limits, twelve files each, fetched in one run: whether any host saw more than its
//! limit, and the time against that of an ideal schedule, which is the time that the slowest host takes alone.
//!
//! `npm`: two nights over 5,000 packages in verdaccio, a real npm registry: what the second one costs, in which nothing
//! changed. It needs `CAPDEX_VERDACCIO`, and runs only when it is named.
//!
//! `cargo bench --bench crawl -- registry 20000`, `-- hosts 50` and `-- npm 1000` run one of them with other numbers. Nights
//! over a generated registry are measured by `tests/nights.py`.

#![expect(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used, reason = "a benchmark prints and may stop")]

#[path = "../it/support/archives/mod.rs"]
mod archives;
#[expect(dead_code, reason = "the suites speak TLS to a directory, a crawl that is measured does not")]
#[path = "../it/support/directory.rs"]
mod directory;
#[path = "../../crawlers/official_registry/fake.rs"]
mod fake;
mod hosts;
mod npm;
#[path = "../it/support/rig.rs"]
mod rig;
#[path = "../it/support/verdaccio.rs"]
mod verdaccio;

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use directory::Directory;
use fake::{Fake, synthetic};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let number = |default: usize| words.get(1).and_then(|word| word.parse().ok()).unwrap_or(default);
    match words.first().map(String::as_str) {
        None => {
            registry(139_896);
            hosts::run(200);
        }
        Some("registry") => registry(number(139_896)),
        Some("hosts") => hosts::run(number(200)),
        Some("npm") => npm::run(number(5_000)),
        Some(other) => eprintln!("there is no benchmark {other}; there are registry, hosts and npm"),
    }
}

fn registry(rows: usize) {
    let fake = Arc::new(Fake::of(synthetic(rows)));
    let script = |fake: &Arc<Fake>| {
        let fake = Arc::clone(fake);
        move |path: &str| fake.answer(path)
    };
    let directory = Directory::start(script(&fake));
    let folder = tempfile::tempdir().unwrap();
    let schedule = format!(
        "name = \"bench\"\n[sources.official-registry]\nbase_url = \"{}\"\nrequests_per_minute = 1000000\n",
        directory.url()
    );
    std::fs::write(folder.path().join("schedule.toml"), schedule).unwrap();
    println!("registry: {rows} rows");
    for (night, as_of) in [("first", "2026-10-10T00:00:00Z"), ("second", "2026-10-11T00:00:00Z")] {
        directory.change(script(&fake));
        let arguments =
            ["backfill", "official-registry", "--config", "schedule.toml", "--list-only", "--quiet", "--as-of", as_of];
        let cost = capdex(folder.path(), &arguments);
        println!(
            "  {night} night: {} requests, {:.1} s, {:.1} s of CPU, {} MiB at most",
            directory.paths().len(),
            cost.wall.as_secs_f64(),
            cost.cpu_s,
            cost.peak_kb / 1_024
        );
    }
}

struct Cost {
    wall: Duration,
    cpu_s: f64,
    peak_kb: u64,
}

/// Runs the program itself.
fn capdex(folder: &Path, arguments: &[&str]) -> Cost {
    let begun = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_capdex"));
    let mut child = command.args(arguments).current_dir(folder).stdout(Stdio::null()).spawn().unwrap();
    let mut cost = Cost { wall: Duration::ZERO, cpu_s: 0.0, peak_kb: 0 };
    while child.try_wait().unwrap().is_none() {
        let of_process = format!("/proc/{}", child.id());
        let peak = std::fs::read_to_string(format!("{of_process}/status")).ok().and_then(|text| peak_kb(&text));
        cost.peak_kb = cost.peak_kb.max(peak.unwrap_or(0));
        let cpu = std::fs::read_to_string(format!("{of_process}/stat")).ok().and_then(|text| cpu_s(&text));
        cost.cpu_s = cost.cpu_s.max(cpu.unwrap_or(0.0));
        std::thread::sleep(Duration::from_millis(20));
    }
    cost.wall = begun.elapsed();
    cost
}

fn peak_kb(status: &str) -> Option<u64> {
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix(" kB")?.trim().parse().ok()
}

/// User and system time, in hundredths of a second in the fields after the command's name.
fn cpu_s(stat: &str) -> Option<f64> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}
