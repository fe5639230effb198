//! `kill -9` at any moment loses nothing and does nothing twice.

use std::time::{Duration, Instant};

use crate::packages;
use crate::rows::bytes_of;
use crate::support::capdex::Capdex;
use crate::support::registry::Registry;

const NIGHT: &[&str] = &["nightly", "--config", "schedule.toml", "--out", "out", "--as-of", "2026-11-20T01:00:00Z"];
/// Runs that are killed, and the most that are tried until half as many were killed before their end.
const KILLS: u32 = 10;
const MOST: u32 = 40;

fn ready(registry: &Registry) -> Capdex {
    let capdex = Capdex::with(registry);
    capdex.write("schedule.toml", packages::everything());
    capdex
}

/// Moments spread over the length of a run, one in each tenth in turn, by a small generator.
struct Moments {
    whole: Duration,
    taken: u32,
    state: u32,
}

impl Moments {
    const fn over(whole: Duration) -> Self {
        Self { whole, taken: 0, state: 2_463_534_242 }
    }

    fn next(&mut self) -> Duration {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 17;
        self.state ^= self.state << 5;
        let tenth = self.taken % KILLS;
        self.taken += 1;
        self.whole * (tenth * 1000 + self.state % 1000) / (KILLS * 1000)
    }

    /// A run was over before its moment: it takes less time than was thought, because the machine has less to do now.
    fn shorten(&mut self) {
        self.whole = self.whole * 3 / 4;
    }
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
    let (mut moments, mut killed_early) = (Moments::over(whole), 0);
    while moments.taken < KILLS || (killed_early < KILLS / 2 && moments.taken < MOST) {
        let (capdex, moment) = (ready(&registry), moments.next());
        let running = capdex.spawn(NIGHT);
        std::thread::sleep(moment);
        if running.kill().code.is_none() {
            killed_early += 1;
        } else {
            moments.shorten();
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
