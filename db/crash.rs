//! The crash test: a child process writes in a loop and is killed with no warning, again and again.
//!
//! The child is this test binary, started on the one ignored test below. It says on its standard output what was
//! committed; whatever it said must be in the store afterwards, once, and nothing may be there by halves.

#![expect(clippy::disallowed_types, reason = "the process that is killed is one of ours")]

use std::env;
use std::io::{BufRead, BufReader, Write, stdout};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use capdex_model::digest::Digest;
use serde_json::json;

use crate::fixtures::{Folder, at, day, gap, rules};
use crate::{ClaimRequest, Reader, Store, StoreError, Writer};

/// Where the child finds its store.
const STORE: &str = "CAPDEX_DB_CRASH_STORE";
/// What stands before the number of a committed write.
const SAID: &str = "committed ";
/// How many writes are heard of before each kill. The last kills hit a store that is some checkpoints old.
const KILLS_AFTER: [usize; 8] = [1, 2, 5, 13, 40, 90, 7, 160];

/// Some bytes of up to 40 kB that do not pack well, so that a write is many pages.
fn bytes_of(number: u64) -> Vec<u8> {
    let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let length = 1 + (state >> 20) % 40_000;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..length).map(next).collect()
}

/// One write over many tables, with the cursor last: it tells which write was the last that took hold.
fn write_one(writer: &Writer<'_>, number: u64) -> Result<(), StoreError> {
    let (bytes, name) = (bytes_of(number), number.to_string());
    writer.put_blob(&Digest::of(&bytes), &bytes)?;
    writer.record_gap("crash", &name, &gap(&name), day(1))?;
    if !writer.enqueue("crash", &name, &json!(number), None, at(0))? {
        return Err(StoreError::Abandoned(format!("{name} was there")));
    }
    writer.begin_walk("crash", crate::WalkMode::Full)?;
    writer.save_cursor("crash", &name)
}

/// The number of the last write that took hold; none in a new store.
fn last_of(reader: &Reader) -> Option<u64> {
    let cursor = reader.source_state("crash").expect("the cursor is read")?.cursor?;
    Some(cursor.parse().expect("the cursor is a number"))
}

#[test]
#[ignore = "run by the test below, in a process of its own"]
fn crash_child() {
    let Some(path) = env::var_os(STORE) else { return };
    let store = Store::open(Path::new(&path), rules()).expect("the store opens after a crash");
    let first = last_of(&store.reader().expect("opens")).map_or(0, |last| last + 1);
    for number in first.. {
        store.write(move |writer| write_one(writer, number)).expect("written");
        // Straight to the descriptor: what the test harness captures would be lost with the process.
        let mut out = stdout().lock();
        writeln!(out, "\n{SAID}{number}").and_then(|()| out.flush()).expect("the parent listens");
    }
}

fn start_child(path: &Path) -> Child {
    Command::new(env::current_exe().expect("this binary"))
        .args(["crash::crash_child", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env(STORE, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the child starts")
}

/// Kills a child after it has said `count` numbers; the last number that it said.
fn kill_after(path: &Path, count: usize) -> u64 {
    let mut child = start_child(path);
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let mut heard = || {
        let number = |line: Result<String, _>| line.ok()?.strip_prefix(SAID)?.parse::<u64>().ok();
        lines.find_map(number)
    };
    let mut last = None;
    for _ in 0..count {
        last = Some(heard().expect("the child writes until it is killed"));
    }
    // A different while each time, so that the kill falls into different parts of a write.
    for _ in 0..count * 400 {
        std::thread::yield_now();
    }
    child.kill().expect("killed");
    while let Some(number) = heard() {
        last = Some(number);
    }
    child.wait().expect("it has ended");
    last.expect("it said at least one")
}

#[test]
fn a_killed_writer_loses_nothing_that_it_said_and_leaves_nothing_by_halves() {
    let folder = Folder::new();
    for count in KILLS_AFTER {
        let said = kill_after(&folder.path(), count);
        let store = folder.store();
        let reader = store.reader().expect("opens");
        assert_eq!(reader.faults().expect("checks"), Vec::<String>::new());
        let last = last_of(&reader).expect("something was written");
        assert!(last == said || last == said + 1, "said {said}, found {last}");
        let expected: Vec<u64> = (0..=last).collect();
        let all = usize::MAX;
        let request = ClaimRequest { kind: "crash", limit: all, per_host: all, now: at(0), lease_s: 1, except: &[] };
        let jobs = store.write(move |writer| writer.claim(&request)).expect("claimed");
        let found: Vec<u64> = jobs.iter().filter_map(|job| job.payload.as_u64()).collect();
        assert_eq!(found, expected, "every write is there once, in its order");
        assert_eq!(reader.gaps(true).expect("reads").len(), expected.len());
        assert_eq!(reader.totals().expect("counts").blobs, expected.len() as u64);
        for number in expected {
            let bytes = bytes_of(number);
            assert_eq!(reader.blob(&Digest::of(&bytes)).expect("reads"), Some(bytes));
        }
    }
}
