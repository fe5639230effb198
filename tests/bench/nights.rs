//! Nights over a generated npm registry on loopback: the first one, one in which nothing changed, and one in which every
//! hundredth package has a new version.
//!
//! Each package holds one of the labelled skills of `CAPDEX_DATA` (without it, of the rules' own examples), with a line of
//! its own, so that no two packages hold the same bytes. The registry answers conditional requests. Its threads are no part
//! of what is measured: the program runs as a process of its own.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::Command;

use capdex_model::bundle::Bundle;
use serde_json::Value;

use super::registry::Registry;
use super::{Cost, capdex, stored};

/// Of so many packages one is published anew for the last night.
const CHANGED: usize = 100;

/// Publishes so many packages, runs the nights and prints what each took.
pub(super) fn run(count: usize) {
    let bundles = stored::bundles().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let registry = Registry::start();
    let names: Vec<String> = (0..count).map(|number| format!("bench-{number:06}")).collect();
    for (number, name) in names.iter().enumerate() {
        publish(&registry, name, "1.0.0", &bundles[number % bundles.len()]);
    }
    let schedule = format!(
        "name = \"bench\"\n[http]\nrequests_per_second = 100000\n[sources.npm]\nbase_url = \"{}\"\npackages = {names:?}\n",
        registry.url()
    );
    std::fs::write(folder.path().join("schedule.toml"), schedule).unwrap();
    println!("nights: {count} packages, {} skills to vary", bundles.len());
    let mut before = Files::default();
    for (night, as_of) in [
        ("first", "2026-10-10T00:00:00Z"),
        ("unchanged", "2026-10-11T00:00:00Z"),
        ("changed by 1 %", "2026-10-12T00:00:00Z"),
    ] {
        if night == "changed by 1 %" {
            for (number, name) in names.iter().enumerate().step_by(CHANGED) {
                publish(&registry, name, "1.0.1", &bundles[number % bundles.len()]);
            }
        }
        registry.clear_requests();
        let arguments = ["nightly", "--config", "schedule.toml", "--out", "out", "--quiet", "--as-of", as_of];
        let cost = capdex(folder.path(), &arguments);
        let after = Files::of(&folder.path().join("out"));
        print(night, &cost, registry.requests().len(), &after, &before);
        stages(folder.path());
        before = after;
    }
}

/// Publishes a package with the files of a bundle and a line that no other package and version has.
fn publish(registry: &Registry, name: &str, version: &str, bundle: &Bundle) {
    let own = format!("# Changes\n\n{version} of {name}.\n");
    let mut files: Vec<(&str, &[u8])> = vec![("CHANGELOG.md", own.as_bytes())];
    files.extend(
        bundle
            .files
            .iter()
            .map(|(path, file)| (path.as_str(), file.bytes.as_ref()))
            .filter(|(path, _)| *path != "CHANGELOG.md"),
    );
    registry.npm_package(name, version, &files);
}

/// The files of a dataset: size and the number by which the file system knows each.
#[derive(Default)]
struct Files(BTreeMap<String, (u64, u64)>);

impl Files {
    fn of(folder: &Path) -> Self {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        let of = |entry: std::fs::DirEntry| {
            let about = entry.metadata().unwrap();
            (entry.file_name().to_string_lossy().into_owned(), (about.len(), about.ino()))
        };
        Self(entries.map(of).collect())
    }

    fn bytes(&self) -> u64 {
        self.0.values().map(|(bytes, _)| bytes).sum()
    }

    /// The bytes of files that are not those of `before`.
    fn replaced(&self, before: &Self) -> u64 {
        self.0.iter().filter(|(name, about)| before.0.get(*name) != Some(about)).map(|(_, (bytes, _))| bytes).sum()
    }
}

fn print(night: &str, cost: &Cost, requests: usize, after: &Files, before: &Files) {
    println!(
        "  {night}: {:.1} s, {:.1} s of CPU, {} MiB at most; {requests} requests; dataset {:.1} MB, {:.1} MB of it replaced; \
         {:.1} MB written in all",
        cost.wall.as_secs_f64(),
        cost.cpu_s,
        cost.peak_kb / 1_024,
        after.bytes() as f64 / 1e6,
        after.replaced(before) as f64 / 1e6,
        cost.written_bytes as f64 / 1e6
    );
}

/// Prints the seconds of each stage of the last night, from the program's own status.
fn stages(folder: &Path) {
    let status = Command::new(env!("CARGO_BIN_EXE_capdex"))
        .args(["status", "--format", "json"])
        .current_dir(folder)
        .output()
        .unwrap();
    let status: Value = serde_json::from_slice(&status.stdout).unwrap();
    println!("    {}", status["runs"][0]["summary"]["stages"]);
}
