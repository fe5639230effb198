//! The one clock of the program: everything else is handed instants and durations.
//!
//! Must not be used by anything that ends up in an export.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use capdex_model::time::Timestamp;

/// The present instant, to the second.
#[expect(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
pub fn now() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    Timestamp::from_unix_seconds(i64::try_from(since_epoch.as_secs()).unwrap_or(i64::MAX))
}

/// The most memory that this process has held at once, where the system tells.
pub fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
