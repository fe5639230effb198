//! Transcripts of agents: lines of strangers, and the grading of what they hold.
//!
//! Holds for every input: it ends, what was read is read again from its own text, and grading gives the same twice.
#![no_main]

use capdex_agent_scan::grade::grade;
use capdex_agent_scan::pack::baseline;
use capdex_agent_scan::transcript::read;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(trials) = read(bytes) else { return };
    let mut pack = baseline().expect("the pack is compiled in");
    for trial in &trials {
        assert_eq!(read(trial.to_text().as_bytes()).as_deref(), Ok(std::slice::from_ref(trial)), "read in another way");
        // The digest stands in the head, which nobody would guess.
        pack.digest = trial.head.pack_sha256;
        assert_eq!(grade(&pack, trial), grade(&pack, trial), "graded in another way");
    }
});
