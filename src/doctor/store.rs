//! The store: there, of this version, whole, and free.

use capdex_dataset::escape;
use capdex_db::{Reader, StoreError, is_locked};

use super::{DoctorContext, Health, HealthFinding};

pub(super) fn check(patient: &DoctorContext<'_>) -> Vec<HealthFinding> {
    let path = patient.store();
    let shown = path.display().to_string();
    let say = |health, found: String, advice: &str| HealthFinding::new("store", &shown, (health, found), advice);
    let reader = match Reader::open(path, &capdex_rules::INDEX) {
        Ok(reader) => reader,
        Err(StoreError::Missing { .. }) => {
            return vec![say(Health::Warn, "there is none yet".to_owned(), "run `capdex nightly`; it is made then")];
        }
        Err(error @ StoreError::TooOld { .. }) => {
            return vec![say(
                Health::Warn,
                error.to_string(),
                "copy the file away, then run any night: it is migrated then",
            )];
        }
        Err(error @ StoreError::TooNew { .. }) => {
            return vec![say(Health::Fail, error.to_string(), "use the program that wrote it, or another --db")];
        }
        Err(error @ StoreError::Damaged { .. }) => {
            return vec![say(Health::Fail, error.to_string(), "put a copy back: `capdex restore FILE`")];
        }
        Err(error) => return vec![say(Health::Fail, error.to_string(), "name the store with --db or CAPDEX_DB")],
    };
    let mut found = vec![contents(&reader, &say)];
    // Reads every page, which takes minutes for a large store and is asked for by name.
    if patient.is_deep {
        found.push(match reader.faults() {
            Ok(faults) if faults.is_empty() => say(Health::Ok, "every page and reference is sound".to_owned(), ""),
            Ok(faults) => {
                let first = faults.first().map_or("", String::as_str);
                let what = format!("{}, such as: {first}", escape::count(faults.len() as u64, "fault"));
                say(Health::Fail, what, "put a copy back: `capdex restore FILE`")
            }
            Err(error) => say(Health::Fail, error.to_string(), "put a copy back: `capdex restore FILE`"),
        });
    }
    // Last and on its own: another process that writes is no fault of the store.
    found.push(match is_locked(path) {
        Ok(false) => say(Health::Ok, "nobody is writing to it".to_owned(), ""),
        Ok(true) => say(Health::Warn, "another process is writing to it".to_owned(), "wait for that run to end"),
        Err(error) => say(
            Health::Warn,
            format!("{error}: commands that read work, and those that write do not"),
            "let this user write beside the store where nights run",
        ),
    });
    found
}

fn contents(reader: &Reader, say: &impl Fn(Health, String, &str) -> HealthFinding) -> HealthFinding {
    match reader.totals() {
        Ok(totals) => {
            let (size, listings) = (escape::bytes(totals.stored_bytes), escape::count(totals.listings, "listing"));
            say(Health::Ok, format!("{size}, {listings}, schema version {}", capdex_db::SCHEMA_VERSION), "")
        }
        Err(error) => say(Health::Fail, error.to_string(), "put a copy back: `capdex restore FILE`"),
    }
}
