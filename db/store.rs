//! `Store`: the handle that a program keeps, with the one thread that writes behind it.
//!
//! Work waits in a bounded channel, so that whoever produces faster than the disk writes is slowed down.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use capdex_model::rule::RuleIndex;
use rusqlite::{Connection, TransactionBehavior};

use crate::connection::{WRITER_BUSY_TIMEOUT, inspect, make_shrinkable, open_to_write, turn_on_wal};
use crate::lock::Lock;
use crate::migrate::{self, SCHEMA_VERSION, SchemaState};
use crate::sql::failed;
use crate::{Reader, StoreError, Writer};

/// The number of writes that may wait before the next caller is held back.
const WAITING_WRITES: usize = 64;

type WriteTask = Box<dyn FnOnce(&mut Connection) + Send>;

/// The store of one file. Clones share the writing thread; dropping the last one ends it after all writes are done
/// and frees the lock.
#[derive(Clone)]
pub struct Store {
    inner: Arc<StoreInner>,
}

struct StoreInner {
    path: PathBuf,
    rules: &'static RuleIndex,
    /// None only while the store is being dropped.
    sender: Option<SyncSender<WriteTask>>,
    thread: Option<JoinHandle<()>>,
}

impl Store {
    /// Opens the store at `path`, or makes it; `rules` number the facts that it reads. Takes the lock, brings the
    /// schema up to date and starts the writer. Gives the leased jobs of a dead process back to the queue and marks its
    /// unfinished runs as interrupted.
    ///
    /// Fails with [`StoreError::Locked`] while another handle has it open, also in this process. Fails with
    /// [`StoreError::NotAStore`], [`StoreError::TooNew`] or [`StoreError::Damaged`] for a file, which is left as it is.
    pub fn open(path: &Path, rules: &'static RuleIndex) -> Result<Self, StoreError> {
        // A link and its target are one store, and must meet at one lock.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        // Before the lock is taken: nothing is put beside a file that is no store.
        inspect(&path)?;
        let lock = Lock::take(&path)?;
        let mut conn = open_to_write(&path)?;
        let standing = migrate::schema_state(&conn)?;
        match standing {
            SchemaState::Empty => (),
            SchemaState::Store(version) if version <= SCHEMA_VERSION => (),
            SchemaState::Store(found) => return Err(StoreError::TooNew { path, found, known: SCHEMA_VERSION }),
            SchemaState::Foreign => return Err(StoreError::NotAStore { path }),
        }
        if standing == SchemaState::Empty {
            // Only before there is any page.
            make_shrinkable(&conn)?;
        }
        // Only now, since it writes into the file.
        turn_on_wal(&conn)?;
        migrate::to_latest(&mut conn, &path)?;
        // After the steps: the model that it compares with is of the newest version.
        migrate::check_schema(&conn, &path)?;
        // The lock is held, so that whoever had leased a job or begun a run is dead.
        transact(&mut conn, |writer| {
            writer.free_leases()?;
            writer.interrupt_runs()
        })?;
        conn.busy_timeout(WRITER_BUSY_TIMEOUT).map_err(failed(&conn, "open the store"))?;
        let (sender, receiver) = sync_channel(WAITING_WRITES);
        let thread = thread::Builder::new()
            .name("capdex-db-writer".to_owned())
            .spawn(move || write_until_dropped(conn, lock, receiver))
            .map_err(|source| StoreError::Io { what: "start the writing thread of", path: path.clone(), source })?;
        Ok(Self { inner: Arc::new(StoreInner { path, rules, sender: Some(sender), thread: Some(thread) }) })
    }

    /// Runs `work` in one immediate transaction on the writing thread and waits until it is committed. An error, also
    /// one of the commit itself, rolls everything back; so does a panic, which gives [`StoreError::CutShort`].
    pub fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Writer<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.on_writing_thread(|conn| transact(conn, work))
    }

    /// The same for what SQLite does in no transaction of ours: `work` must be whole by itself.
    pub(crate) fn outside_a_write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.on_writing_thread(|conn| work(conn))
    }

    fn on_writing_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        // The thread that would answer is the one that asks.
        if self.inner.is_writing_thread() {
            return Err(StoreError::WriteInsideWrite);
        }
        let (answer, answered) = sync_channel(1);
        let work: WriteTask = Box::new(move |conn| {
            // A panic must not end the thread and with it every later write; unwinding rolls the transaction back.
            let result = catch_unwind(AssertUnwindSafe(|| work(conn))).unwrap_or(Err(StoreError::CutShort));
            // Nobody waits any more only where the caller's thread has died; the write stands all the same.
            drop(answer.send(result));
        });
        let sender = self.inner.sender.as_ref().ok_or(StoreError::CutShort)?;
        sender.send(work).map_err(|_| StoreError::CutShort)?;
        answered.recv().map_err(|_| StoreError::CutShort)?
    }

    /// Opens a connection for reading beside the writer. It sees what is committed.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        Reader::connect(&self.inner.path, self.inner.rules)
    }

    /// The store's file.
    pub fn path(&self) -> &Path {
        &self.inner.path
    }
}

/// One immediate transaction: the write lock is taken at its beginning, so that nothing fails half-way for want of it.
fn transact<T>(
    conn: &mut Connection,
    work: impl FnOnce(&Writer<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let transaction = conn
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(|source| StoreError::Sql { what: "begin a write", source })?;
    // An error drops the transaction, which rolls it back.
    let result = work(&Writer::new(&transaction))?;
    let committed = transaction.commit();
    committed.map_err(failed(conn, "commit a write"))?;
    Ok(result)
}

/// The writing thread. It holds the lock until its connection is closed.
fn write_until_dropped(mut conn: Connection, lock: Lock, receiver: Receiver<WriteTask>) {
    // Ends once the last sender is dropped and all that waits is written.
    for work in receiver {
        work(&mut conn);
    }
    if let Err((_, error)) = conn.close() {
        tracing::warn!(%error, "the store was not closed cleanly; its log is replayed at the next opening");
    }
    // Last, so that no other process opens the file before this connection is closed.
    drop(lock);
}

impl StoreInner {
    fn is_writing_thread(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| thread.thread().id() == thread::current().id())
    }
}

impl Drop for StoreInner {
    fn drop(&mut self) {
        // Without a sender the thread's loop comes to its end.
        drop(self.sender.take());
        if self.is_writing_thread() {
            // The last clone was moved into a write: the thread ends by itself right after it.
            return;
        }
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the writing thread of the store panicked");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, day, gap, rules};

    #[test]
    fn a_second_handle_is_told_that_the_store_is_locked() {
        let folder = Folder::new();
        let store = folder.store();
        let error = folder.open_error();
        assert!(matches!(&error, StoreError::Locked { .. }), "{error}");
        assert!(error.to_string().starts_with("store locked"));
        let clone = store.clone();
        drop(store);
        assert!(matches!(folder.open_error(), StoreError::Locked { .. }), "a clone still holds it");
        drop(clone);
        folder.store();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_the_store_meets_the_same_lock() {
        let folder = Folder::new();
        let _store = folder.store();
        let link = folder.path().with_file_name("link.db");
        std::os::unix::fs::symlink(folder.path(), &link).expect("links");
        assert!(matches!(Store::open(&link, rules()), Err(StoreError::Locked { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn a_new_store_and_its_copies_are_for_their_owner_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let rights = |path: &Path| {
            std::fs::metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).permissions()
        };
        let of_owner = |path: &Path| rights(path).mode() & 0o777 == 0o600;
        let (folder, elsewhere) = (Folder::new(), Folder::new());
        let store = folder.store();
        store.write(|writer| writer.record_gap("fetch", "npm:a", &gap("a"), day(1))).expect("written");
        assert!(of_owner(&folder.path()));
        let mut log = folder.path().into_os_string();
        log.push("-wal");
        assert!(of_owner(Path::new(&log)), "what is committed lies there first");
        store.reader().expect("opens").backup(&elsewhere.path(), |_, _| ()).expect("copied");
        assert!(of_owner(&elsewhere.path()));
        drop(store);
        // An operator who lets a group read it has said so.
        let mut shared = rights(&folder.path());
        shared.set_mode(0o640);
        std::fs::set_permissions(folder.path(), shared).expect("set");
        folder.store();
        assert_eq!(rights(&folder.path()).mode() & 0o777, 0o640);
    }

    #[test]
    fn a_write_that_errs_leaves_nothing() {
        let folder = Folder::new();
        let store = folder.store();
        let result: Result<(), _> = store.write(|writer| {
            writer.record_gap("fetch", "npm:a", &gap("a"), day(1))?;
            Err(StoreError::Abandoned("changed my mind".into()))
        });
        assert!(matches!(result, Err(StoreError::Abandoned(_))));
        assert_eq!(store.reader().expect("opens").gaps(false).expect("reads"), []);
    }

    #[test]
    fn a_write_that_panics_leaves_nothing_and_the_writer_alive() {
        let folder = Folder::new();
        let store = folder.store();
        let result: Result<(), _> = store.write(|writer| {
            writer.record_gap("fetch", "npm:a", &gap("a"), day(1))?;
            std::panic::panic_any("a fault of the caller");
        });
        assert!(matches!(result, Err(StoreError::CutShort)));
        store.write(|writer| writer.record_gap("fetch", "npm:b", &gap("b"), day(1))).expect("written");
        let gaps = store.reader().expect("opens").gaps(false).expect("reads");
        assert_eq!(gaps.iter().map(|gap| gap.subject.as_str()).collect::<Vec<_>>(), ["npm:b"]);
    }

    #[test]
    fn a_write_inside_a_write_is_refused_rather_than_waiting_for_ever() {
        let folder = Folder::new();
        let store = folder.store();
        let inner = store.clone();
        let result = store.write(move |_| inner.write(|_| Ok(())));
        assert!(matches!(result, Err(StoreError::WriteInsideWrite)));
    }

    #[test]
    fn many_threads_write_through_one_thread() {
        let folder = Folder::new();
        let store = folder.store();
        thread::scope(|scope| {
            for worker in 0..8 {
                let store = store.clone();
                scope.spawn(move || {
                    for item in 0..20 {
                        let subject = format!("npm:{worker}-{item}");
                        store
                            .write(move |writer| writer.record_gap("fetch", &subject, &gap("x"), day(1)))
                            .expect("written");
                    }
                });
            }
        });
        assert_eq!(store.reader().expect("opens").gaps(false).expect("reads").len(), 160);
    }

    #[test]
    fn every_connection_has_its_settings() {
        let folder = Folder::new();
        let store = folder.store();
        let settings = store.write(|writer| Ok(settings(writer.connection()))).expect("written");
        // Journal, synchronous NORMAL, foreign keys, trusted schema, cell size check, busy timeout.
        assert_eq!(settings, ["wal", "1", "1", "0", "1", "300000"]);
        let reader = store.reader().expect("opens");
        let [journal, _, keys, trusted, cells, busy] = self::settings(reader.connection());
        assert_eq!([journal, keys, trusted, cells, busy], ["wal", "1", "0", "1", "15000"]);
    }

    fn settings(conn: &Connection) -> [String; 6] {
        ["journal_mode", "synchronous", "foreign_keys", "trusted_schema", "cell_size_check", "busy_timeout"].map(
            |name| {
                let value = |row: &rusqlite::Row<'_>| row.get::<_, rusqlite::types::Value>(0);
                match conn.pragma_query_value(None, name, value).expect("reads") {
                    rusqlite::types::Value::Integer(number) => number.to_string(),
                    rusqlite::types::Value::Text(text) => text,
                    _ => String::new(),
                }
            },
        )
    }

    #[test]
    fn a_reader_cannot_write() {
        let folder = Folder::new();
        let store = folder.store();
        let reader = store.reader().expect("opens");
        reader.connection().execute("DELETE FROM runs", ()).expect_err("read-only");
    }
}
