//! Copies of a whole store: made while others read and write, and put back in a store's place.
//!
//! A copy is one plain file with nothing beside it. Both ways it is checked page by page before it counts.

use std::fs::{self, File};
use std::hash::{BuildHasher as _, Hasher as _};
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use crate::connection::{StoreFileContent, inspect, make_new, open_to_read, open_to_write};
use crate::lock::Lock;
use crate::migrate::{self, SCHEMA_VERSION, SchemaState};
use crate::reader::faults;
use crate::sql::failed;
use crate::{Reader, StoreError};

/// Pages copied between two words about how far it is: 4 MiB at SQLite's usual size.
const PAGES_A_STEP: i32 = 1024;

impl Reader {
    /// Copies the store as it is now into `file`, which must not be there: written beside it, checked, then named. Takes no
    /// lock; who writes meanwhile is not held up, and what he writes is not in the copy. `told` hears how many pages are
    /// copied, and of how many. Gives the copy's size in bytes.
    pub fn backup(&self, file: &Path, mut told: impl FnMut(u64, u64)) -> Result<u64, StoreError> {
        const WHAT: &str = "copy the store";
        // It may be the only sound copy that there is: none is overwritten.
        if file.exists() {
            let detail = format!("{} is there already", file.display());
            return Err(StoreError::Refused { what: "place for a copy", detail });
        }
        let beside = make_beside(file)?;
        let unfinished = Unfinished(Some(beside.clone()));
        // One reading from beginning to end, so that the copy is one state however long it takes.
        let view = self.snapshot_view()?;
        let mut copy = Connection::open(&beside).map_err(|source| StoreError::Sql { what: WHAT, source })?;
        {
            let backup = Backup::new(view.connection(), &mut copy).map_err(failed(view.connection(), WHAT))?;
            loop {
                let step = backup.step(PAGES_A_STEP).map_err(failed(view.connection(), WHAT))?;
                let (whole, left) = (backup.progress().pagecount, backup.progress().remaining);
                told(u64::try_from(whole - left).unwrap_or(0), u64::try_from(whole).unwrap_or(0));
                match step {
                    StepResult::Done => break,
                    StepResult::More => (),
                    // Only another writer to the copy could be in the way, and nobody knows of it.
                    _ => return Err(StoreError::Locked { path: beside }),
                }
            }
        }
        drop(view);
        // Without a log of its own the copy is one file.
        copy.pragma_update(None, "journal_mode", "delete").map_err(failed(&copy, WHAT))?;
        copy.close().map_err(|(copy, source)| failed(&copy, WHAT)(source))?;
        // A copy that cannot be read back fails here and not at the restore.
        check(&beside)?;
        let bytes = settle(&beside, file)?;
        unfinished.finish();
        Ok(bytes)
    }
}

/// A file that is not finished: it goes when the work fails, because on a full disk it would keep it full.
struct Unfinished(Option<PathBuf>);

impl Unfinished {
    /// It has its name.
    fn finish(mut self) {
        self.0 = None;
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let Some(path) = &self.0 else { return };
        for ending in ["", "-journal", "-wal", "-shm"] {
            // The error that is on its way says more than one of cleaning up.
            let _ = remove(&with_ending(path, ending));
        }
    }
}

/// Puts a copy in the place of a store. A store that is there is kept beside it, under the name that is given back.
///
/// [`StoreError::Locked`] while anybody writes to the store or reads it. [`StoreError::TooNew`] where the copy or the store
/// is of a newer program. [`StoreError::NotAStore`] and [`StoreError::Damaged`] for a file that is none. Nothing was
/// changed then.
pub fn restore(copy: &Path, store: &Path) -> Result<Option<PathBuf>, StoreError> {
    let store = &fs::canonicalize(store).unwrap_or_else(|_| store.to_owned());
    if !copy.exists() {
        return Err(StoreError::Missing { path: copy.to_owned() });
    }
    // Before the lock and before anything moves, so that a bad copy leaves the store as it is.
    let before = check(copy)?;
    let lock = Lock::take(store)?;
    let kept = with_ending(store, ".before-restore");
    let is_there = inspect(store)? == StoreFileContent::Database;
    if is_there {
        // A second restore would else overwrite the store of before the first.
        if kept.exists() {
            let detail = format!("{} is there from an earlier restore; move it away first", kept.display());
            return Err(StoreError::Refused { what: "place for the store that is replaced", detail });
        }
        close_log(store)?;
    }
    let beside = make_beside(store)?;
    let unfinished = Unfinished(Some(beside.clone()));
    fs::copy(copy, &beside).map_err(io("copy", copy))?;
    // The disk may have said one thing and kept another.
    check(&beside)?;
    // From here on it is the store to be, and can be put in place by hand where a later step fails.
    unfinished.finish();
    if is_there {
        // Until `settle` no file has the store's name; the earlier store is whole under the other name.
        fs::rename(store, &kept).map_err(io("move away", store))?;
        // SQLite would replay a log of the earlier file into the restored one.
        remove(&with_ending(store, "-wal"))?;
        remove(&with_ending(store, "-shm"))?;
    }
    settle(&beside, store)?;
    tracing::info!(schema = before, "restored");
    drop(lock);
    Ok(is_there.then_some(kept))
}

/// Checks that a file is a whole store that this program can read, of whatever version; returns the version.
fn check(path: &Path) -> Result<i64, StoreError> {
    if inspect(path)? == StoreFileContent::Nothing {
        return Err(StoreError::NotAStore { path: path.to_owned() });
    }
    let conn = open_to_read(path)?;
    let version = version(&conn, path)?;
    match faults(&conn)?.first() {
        None => Ok(version),
        Some(fault) => Err(StoreError::Damaged { path: path.to_owned(), detail: fault.clone() }),
    }
}

fn version(conn: &Connection, path: &Path) -> Result<i64, StoreError> {
    match migrate::schema_state(conn)? {
        SchemaState::Store(found) if found > SCHEMA_VERSION => {
            Err(StoreError::TooNew { path: path.to_owned(), found, known: SCHEMA_VERSION })
        }
        SchemaState::Store(found) => Ok(found),
        SchemaState::Empty | SchemaState::Foreign => Err(StoreError::NotAStore { path: path.to_owned() }),
    }
}

/// Writes the log of a store back into its file, so that it is whole without it. Whoever reads the store holds that up.
fn close_log(store: &Path) -> Result<(), StoreError> {
    const WHAT: &str = "write the log back";
    let conn = open_to_write(store)?;
    version(&conn, store)?;
    let busy: i64 =
        conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get(0)).map_err(failed(&conn, WHAT))?;
    // A reader holds the log open: part of the content would stay in it, and a rename leaves it behind.
    if busy != 0 {
        return Err(StoreError::Locked { path: store.to_owned() });
    }
    conn.close().map_err(|(conn, source)| failed(&conn, WHAT)(source))
}

/// Puts a finished file in place so that it is there after a power cut; its size in bytes.
fn settle(beside: &Path, file: &Path) -> Result<u64, StoreError> {
    let opened = File::open(beside).map_err(io("open", beside))?;
    opened.sync_all().map_err(io("write to the disk", beside))?;
    let bytes = opened.metadata().map_err(io("read", beside))?.len();
    // The content is on the disk before the name: after a power cut the name never stands for half a file.
    fs::rename(beside, file).map_err(io("put in place", file))?;
    if let Some(Ok(folder)) = file.parent().filter(|folder| !folder.as_os_str().is_empty()).map(File::open) {
        // Not every file system can.
        let _ = folder.sync_all();
    }
    Ok(bytes)
}

/// Tries to find a name that nobody has; a second try is needed once in 2^64.
const TRIES: usize = 4;

/// Makes an empty file of this user's beside another, under a random name: whatever is there already is somebody's.
fn make_beside(file: &Path) -> Result<PathBuf, StoreError> {
    for _ in 0..TRIES {
        // The keys of the standard library's hasher are random for each process, and counted on for each hasher.
        let random = std::hash::RandomState::new().build_hasher().finish();
        let beside = with_ending(file, &format!(".{random:016x}.new"));
        if make_new(&beside)? {
            return Ok(beside);
        }
    }
    Err(StoreError::Refused { what: "place for a copy", detail: format!("no free name beside {}", file.display()) })
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn remove(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io("remove", path)(error)),
        _ => Ok(()),
    }
}

fn io(what: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io { what, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use crate::fixtures::{Folder, at, day, gap, rules};

    fn gaps(path: &Path) -> usize {
        Reader::open(path, rules()).expect("opens").gaps(false).expect("reads").len()
    }

    fn add(store: &Store, subject: &'static str) {
        store.write(move |writer| writer.record_gap("fetch", subject, &gap(subject), day(1))).expect("written");
    }

    #[test]
    fn a_copy_holds_what_was_there_when_it_began_and_comes_back() {
        let (folder, elsewhere) = (Folder::new(), Folder::new());
        let (store, copy) = (folder.store(), elsewhere.path());
        add(&store, "npm:a");
        let mut steps = Vec::new();
        let reader = store.reader().expect("opens");
        reader.backup(&copy, |done, whole| steps.push((done, whole))).expect("copied while the store is open");
        assert!(steps.last().is_some_and(|(done, whole)| done == whole && *whole > 0));
        add(&store, "npm:b");
        assert_eq!(gaps(&copy), 1);
        assert_eq!(gaps(&folder.path()), 2);
        assert!(matches!(reader.backup(&copy, |_, _| ()), Err(StoreError::Refused { .. })), "no copy is overwritten");
        drop(reader);
        assert!(matches!(restore(&copy, &folder.path()), Err(StoreError::Locked { .. })), "it is in use");
        drop(store);
        let kept = restore(&copy, &folder.path()).expect("restored").expect("one was there");
        assert_eq!(gaps(&folder.path()), 1);
        assert_eq!(gaps(&kept), 2);
        assert!(matches!(restore(&copy, &folder.path()), Err(StoreError::Refused { .. })), "what is kept is not lost");
        add(&folder.store(), "npm:c");
    }

    #[test]
    fn what_lies_beside_is_somebodys_and_nothing_of_ours_stays_there() {
        let (folder, elsewhere) = (Folder::new(), Folder::new());
        let (store, copy) = (folder.store(), elsewhere.path());
        add(&store, "npm:a");
        let letters = [with_ending(&copy, ".new"), with_ending(&folder.path(), ".new")];
        letters.iter().for_each(|letter| fs::write(letter, "a letter").expect("written"));
        let reader = store.reader().expect("opens");
        reader.backup(&copy, |_, _| ()).expect("copied");
        drop((reader, store));
        restore(&copy, &folder.path()).expect("restored");
        for letter in letters {
            assert_eq!(fs::read(&letter).expect("still there"), b"a letter");
            let files = fs::read_dir(letter.parent().expect("a folder")).expect("lists");
            let new = files
                .map(|file| file.expect("listed").path())
                .filter(|path| path.extension().is_some_and(|of| of == "new"));
            assert_eq!(new.collect::<Vec<_>>(), [letter]);
        }
    }

    #[test]
    fn a_store_that_is_read_is_in_use_and_one_that_is_not_there_is_made() {
        let (folder, elsewhere) = (Folder::new(), Folder::new());
        let store = folder.store();
        add(&store, "npm:a");
        store.reader().expect("opens").backup(&elsewhere.path(), |_, _| ()).expect("copied");
        drop(store);
        std::fs::remove_file(folder.path()).expect("removed");
        assert_eq!(restore(&elsewhere.path(), &folder.path()).expect("restored"), None);
        assert_eq!(gaps(&folder.path()), 1);
    }

    #[test]
    fn what_is_no_whole_store_of_ours_is_put_nowhere() {
        let (folder, elsewhere) = (Folder::new(), Folder::new());
        let store = folder.store();
        add(&store, "npm:a");
        store.write(|writer| writer.enter_schedule("n", "* * * * *", at(1)).map(drop)).expect("written");
        store.reader().expect("opens").backup(&elsewhere.path(), |_, _| ()).expect("copied");
        drop(store);
        let bytes = std::fs::read(elsewhere.path()).expect("reads");
        let refused = |bytes: &[u8]| {
            std::fs::write(elsewhere.path(), bytes).expect("written");
            restore(&elsewhere.path(), &folder.path()).expect_err("refused")
        };
        assert!(matches!(refused(b"a letter"), StoreError::NotAStore { .. }));
        assert!(matches!(refused(&bytes[..bytes.len() / 2]), StoreError::Damaged { .. }));
        let mut scratched = bytes.clone();
        let middle = scratched.len() / 2;
        scratched[middle..middle + 4096].fill(0xA5);
        assert!(matches!(refused(&scratched), StoreError::Damaged { .. }));
        let mut newer = bytes;
        // The version of the schema, in the header at 60.
        newer[60..64].copy_from_slice(&99_u32.to_be_bytes());
        assert!(matches!(refused(&newer), StoreError::TooNew { found: 99, .. }));
        assert_eq!(gaps(&folder.path()), 1, "the store is as it was");
    }
}
