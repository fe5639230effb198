//! Plans, jobs and packs of a store of work, which anybody may have written who can write there.
//!
//! Holds for every input: it ends, and what is read is what its digest names: written again it has the same digest.
#![no_main]

use capdex_model::digest::Digest;
use capdex_spread::packed::{Packer, Unpacked};
use capdex_spread::{Job, PlanHead, ResultPack, Task, input};
use libfuzzer_sys::fuzz_target;

/// The most that an unpacked pack may hold here.
const MOST_BYTES: u64 = 16 << 20;

fuzz_target!(|bytes: &[u8]| {
    // A job whose digest fits, in front of a pack: a line of JSON, then the rest.
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
    let (text, rest) = bytes.split_at(end);
    let pack = rest.get(1..).unwrap_or_default();
    if let Ok(read) = serde_json::from_slice::<Job>(text)
        && let Ok(job) = Job::read(text, &read.digest())
    {
        assert_eq!(Job::read(&job.to_bytes(), &job.digest()), Ok(job.clone()), "read in another way");
        assert_eq!(job.split().count(), job.keys.len());
        if let Ok(bundles) = input::read(pack, &job) {
            assert_eq!(bundles.iter().map(capdex_spread::Key::of).collect::<Vec<_>>(), job.keys);
        }
        if let Ok(result) = ResultPack::read(pack, &job) {
            let again = ResultPack::write(&job, &result.rows).expect("as many rows as keys");
            assert_eq!(ResultPack::read(&again, &job).expect("ours").rows, result.rows);
        }
    }
    if let Ok(head) = serde_json::from_slice::<PlanHead>(text) {
        let _ = PlanHead::read(text, &head.id());
    }
    let _ = Task::read(text);
    let _ = Job::read(text, &Digest::of(text));
    for pack in [bytes, pack] {
        let Ok(unpacked) = Unpacked::read(pack, MOST_BYTES) else { continue };
        let (mut records, mut packer) = (unpacked.records(), Packer::new().expect("a packer"));
        while let Ok(record) = records.record() {
            packer.add(record).expect("it was one");
        }
        if records.end().is_ok() {
            assert_eq!(packer.finish().expect("finishes").1, unpacked.digest(), "written in another way");
        }
    }
});
