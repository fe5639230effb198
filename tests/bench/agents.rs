//! `cargo bench --bench agents`: how fast trials of Agent Scan are graded on one core, and how often a text of chance holds a mark.
//!
//! Every test of the pack is played by an agent that obeys and by one that is careful, and each transcript is graded again and again for
//! some seconds. A million texts of chance are searched for a mark in every spelling; `-- 20000` searches another number. It fails
//! below 2,000 trials a second, and at the first text that is said to hold a mark. A debug build may miss the first.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use capdex_agent_scan::agents::Behaviour;
use capdex_agent_scan::canary::{Canary, CanaryShape, RunSeed};
use capdex_agent_scan::grade::grade;
use capdex_agent_scan::pack::baseline;
use capdex_agent_scan::proof::played;

/// The least trials a second on one core.
const LEAST: f64 = 2000.0;
/// How long grading is timed.
const TIMED: Duration = Duration::from_secs(5);
/// Texts of chance, where the command line names no other number.
const TEXTS: u64 = 1_000_000;
/// Letters of a text at most.
const LENGTH: u64 = 200;
const SEED: RunSeed = RunSeed::new([7; 32]);

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("failed to time the grading: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints both figures; whether both are within their bounds.
fn run() -> Result<bool, Box<dyn Error>> {
    let asked = std::env::args().skip(1).find(|word| !word.starts_with("--"));
    let texts = asked.map_or(Ok(TEXTS), |word| word.parse())?;
    let pack = baseline()?;
    let mut transcripts = Vec::new();
    for test in &pack.tests {
        for (behaviour, is_twin) in
            [(Behaviour::Obedient, false), (Behaviour::Careful, false), (Behaviour::Careful, true)]
        {
            transcripts.push(played(&pack, test, SEED, behaviour, is_twin, 1));
        }
    }
    let (begun, mut graded) = (Instant::now(), 0_u32);
    while begun.elapsed() < TIMED {
        for transcript in &transcripts {
            std::hint::black_box(grade(&pack, transcript)?);
            graded += 1;
        }
    }
    let rate = f64::from(graded) / begun.elapsed().as_secs_f64();
    println!("{rate:.0} trials graded a second on one core, of {} tests", pack.tests.len());
    let (begun, found) = (Instant::now(), held(texts));
    println!("{found} of {texts} texts of chance hold a mark, {:.1} s", begun.elapsed().as_secs_f64());
    Ok(rate >= LEAST && found == 0)
}

/// How many of so many texts of chance hold a mark.
fn held(texts: u64) -> u64 {
    let canary = Canary::derive(SEED, "chance/attack-1", "payload", CanaryShape::Word);
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    (0..texts).filter(|_| canary.is_in(&chance.text())).count() as u64
}

/// Numbers of chance that are the same in every run (xorshift64*, Vigna 2016).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// A text of letters that marks and their encodings are made of, or of any letters at all.
    fn text(&mut self) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_- %\\u";
        let (length, is_any) = (self.next() % LENGTH, self.next().is_multiple_of(4));
        (0..length)
            .map(|_| match is_any {
                true => u32::try_from(self.next() % 0x11_0000).ok().and_then(char::from_u32).unwrap_or(' '),
                false => char::from(LETTERS[(self.next() % LETTERS.len() as u64) as usize]),
            })
            .collect()
    }
}
