//! `kill -9` at any moment loses nothing and does nothing twice.

use std::time::{Duration, Instant};

use crate::packages;
use crate::rows::bytes_of;
use crate::support::capdex::Capdex;
use crate::support::registry::Registry;

const NIGHT: &[&str] = &["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", "2026-11-20T01:00:00Z"];
const KILLS: u32 = 10;

fn ready(registry: &Registry) -> Capdex {
    let capdex = Capdex::with(registry);
    capdex.write("schedule.toml", packages::everything());
    capdex
}

/// Ten moments spread over the length of an undisturbed run, each in its own tenth, by a small generator.
fn moments(whole: Duration) -> impl Iterator<Item = Duration> {
    let mut state: u32 = 2_463_534_242;
    (0..KILLS).map(move |tenth| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        whole * (tenth * 1000 + state % 1000) / (KILLS * 1000)
    })
}

#[test]
fn a_resumed_run_exports_the_bytes_of_an_undisturbed_one() {
    let registry = packages::registry();
    let undisturbed = ready(&registry);
    let begun = Instant::now();
    let run = undisturbed.run(NIGHT);
    let whole = begun.elapsed();
    assert_eq!(run.code, Some(0), "{} {}", run.stdout, run.stderr);
    let expected = bytes_of(&undisturbed.path().join("out"));
    let mut killed_early = 0;
    for moment in moments(whole) {
        let capdex = ready(&registry);
        let running = capdex.spawn(NIGHT);
        std::thread::sleep(moment);
        if running.kill().code.is_none() {
            killed_early += 1;
        }
        let resumed = capdex.run(NIGHT);
        assert_eq!(resumed.code, Some(0), "after {moment:?}: {} {}", resumed.stdout, resumed.stderr);
        let found = bytes_of(&capdex.path().join("out"));
        let names = |files: &std::collections::BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&found), names(&expected));
        for (name, bytes) in &expected {
            assert!(found.get(name) == Some(bytes), "{name} differs after a kill at {moment:?}");
        }
    }
    assert!(killed_early >= KILLS / 2, "only {killed_early} kills came before the end");
}
