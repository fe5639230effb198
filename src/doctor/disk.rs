//! The disk under the store: room for a night, and a folder that can be written.

use capdex_dataset::escape;
use std::path::{Path, PathBuf};

use super::{DoctorContext, Health, HealthFinding};

/// Less free space than this fails a night soon.
const LEAST_BYTES: u64 = 1 << 30;
/// An export and the log of a long write want room beside the store: this many times its size.
const TIMES_THE_STORE: u64 = 2;

pub(super) fn check(patient: &DoctorContext<'_>) -> Vec<HealthFinding> {
    let folder = folder_of(patient.store());
    let shown = folder.display().to_string();
    let say = |health, found: String, advice: &str| HealthFinding::new("disk", &shown, (health, found), advice);
    // Everything else would fail for the same reason.
    if let Err(error) = std::fs::metadata(&folder) {
        return vec![say(Health::Fail, error.to_string(), "make the folder, or name another store with --db")];
    }
    // Tried rather than read from permissions, which network file systems and containers overrule.
    let writable = match tempfile_in(&folder) {
        Ok(()) => say(Health::Ok, "can be written".to_owned(), ""),
        Err(error) => say(Health::Fail, format!("cannot be written: {error}"), "let this user write there"),
    };
    let store_bytes = std::fs::metadata(patient.store()).map_or(0, |about| about.len());
    // An absolute least for small stores, and a multiple for large ones.
    let wanted = LEAST_BYTES.max(store_bytes.saturating_mul(TIMES_THE_STORE));
    let room = match free_bytes(&folder) {
        None => say(Health::Warn, "the system does not say how much is free".to_owned(), "look yourself"),
        Some(free) if free < LEAST_BYTES => {
            say(Health::Fail, format!("{} free", escape::bytes(free)), "make room: a night needs more than this")
        }
        Some(free) if free < wanted => {
            let found = format!("{} free, the store has {}", escape::bytes(free), escape::bytes(store_bytes));
            say(Health::Warn, found, "make room: an export and a backup each want as much as the store")
        }
        Some(free) => say(Health::Ok, format!("{} free", escape::bytes(free)), ""),
    };
    vec![writable, room]
}

fn folder_of(store: &Path) -> PathBuf {
    match store.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Makes a file and takes it away again.
fn tempfile_in(folder: &Path) -> std::io::Result<()> {
    // The process id keeps two doctors apart.
    let path = folder.join(format!(".capdex-doctor-{}", std::process::id()));
    // Never over a file that is there.
    std::fs::File::create_new(&path)?;
    std::fs::remove_file(path)
}

#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(folder).ok()?;
    // The blocks that an ordinary user may have, not those reserved for root.
    Some(about.f_bavail.saturating_mul(about.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}
