//! A program run to its end and what it took, read from `/proc` while it runs.

use std::error::Error;
use std::fmt;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How often the figures of a running program are read: what it uses in the last moment before its end is missed.
const EVERY: Duration = Duration::from_millis(20);
/// Of one second of CPU time in `/proc`, on every Linux.
const TICKS: u64 = 100;

/// What a program took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Took {
    wall: Duration,
    cpu: Duration,
    peak_mib: u64,
}

impl fmt::Display for Took {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wall, cpu, peak_mib } = self;
        write!(f, "{:.1} s, {:.1} s of CPU time, {peak_mib} MiB at most", wall.as_secs_f64(), cpu.as_secs_f64())
    }
}

/// Runs a program to its end.
pub(crate) fn timed(command: &mut Command) -> Result<Took, Box<dyn Error>> {
    let start = Instant::now();
    let mut child = command.spawn()?;
    let folder = format!("/proc/{}", child.id());
    let mut took = Took { wall: Duration::ZERO, cpu: Duration::ZERO, peak_mib: 0 };
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        took.peak_mib = peak_mib(&folder).unwrap_or(took.peak_mib);
        took.cpu = cpu(&folder).unwrap_or(took.cpu);
        sleep(EVERY);
    };
    took.wall = start.elapsed();
    if status.success() { Ok(took) } else { Err(format!("the program ended with {status}").into()) }
}

/// The most memory that it held so far (`VmHWM`).
fn peak_mib(folder: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("{folder}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? / 1024)
}

/// The CPU time of all its threads so far: fields 14 and 15 of `stat`, counted after the name in parentheses.
pub(crate) fn cpu(folder: &str) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("{folder}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 1000 / TICKS))
}
