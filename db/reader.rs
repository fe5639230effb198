//! `Reader`: a connection that cannot write. Its questions stand in the file of their table group.
//!
//! Reading needs no lock and never waits for the writer.

use std::ops::Deref;
use std::path::Path;

use capdex_model::rule::RuleIndex;
use rusqlite::{Connection, Transaction};

use crate::StoreError;
use crate::connection::{StoreFileContent, inspect, open_to_read, open_to_read_anywhere};
use crate::migrate::{self, SCHEMA_VERSION, SchemaState};
use crate::sql::{Cells, failed, first, rows};

/// Reads a store on its own connection. Each question sees what was committed before it; for several that must agree,
/// take a [`Reader::snapshot_view`].
pub struct Reader {
    conn: Connection,
    rules: &'static RuleIndex,
}

impl Reader {
    /// Opens a store for a command that only reads; `rules` number the facts. Nothing is made or migrated, and its folder need not
    /// be one that can be written. Fails with [`StoreError::Missing`] where there is no file, with [`StoreError::LogUnreadable`]
    /// where its newest writes cannot be read in such a folder, and as [`crate::Store::open`] does for a file that is no store
    /// of this version.
    pub fn open(path: &Path, rules: &'static RuleIndex) -> Result<Self, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        // An empty file is a new store to who writes and nothing to who reads.
        if inspect(path)? == StoreFileContent::Nothing {
            return Err(StoreError::NotAStore { path: path.to_owned() });
        }
        let reader = Self { conn: open_to_read_anywhere(path)?, rules };
        let path = path.to_owned();
        // Before any table is read: statements of this version against another schema fail misleadingly.
        match migrate::schema_state(&reader.conn)? {
            SchemaState::Store(SCHEMA_VERSION) => migrate::check_schema(&reader.conn, &path)?,
            SchemaState::Store(found) if found > SCHEMA_VERSION => {
                return Err(StoreError::TooNew { path, found, known: SCHEMA_VERSION });
            }
            SchemaState::Store(found) => return Err(StoreError::TooOld { path, found, known: SCHEMA_VERSION }),
            SchemaState::Empty | SchemaState::Foreign => return Err(StoreError::NotAStore { path }),
        }
        Ok(reader)
    }

    /// Opens a connection to a file that is known to be a store.
    pub(crate) fn connect(path: &Path, rules: &'static RuleIndex) -> Result<Self, StoreError> {
        Ok(Self { conn: open_to_read(path)?, rules })
    }

    /// The rules that number the facts.
    pub const fn rules(&self) -> &'static RuleIndex {
        self.rules
    }

    /// The connection.
    pub(crate) fn connection(&self) -> &Connection {
        &self.conn
    }

    /// Begins one read transaction: until the view is dropped, all questions, to it or to this reader, see one state.
    /// Only one view of a reader can be open at a time. A view that is open for long lets the write-ahead log grow.
    pub fn snapshot_view(&self) -> Result<View<'_>, StoreError> {
        const WHAT: &str = "begin a reading";
        let transaction = self.conn.unchecked_transaction().map_err(failed(&self.conn, WHAT))?;
        // A deferred transaction begins with its first reading; take the state now.
        first(&self.conn, WHAT, "SELECT count(*) FROM sqlite_schema", (), |row| row.cell::<i64>(0))?;
        Ok(View { reader: self, _transaction: transaction })
    }

    /// Reads every page and index and checks that they fit together: what `PRAGMA integrity_check` finds, one line a
    /// fault, empty when the file is sound. Takes time in proportion to the file.
    pub fn faults(&self) -> Result<Vec<String>, StoreError> {
        faults(&self.conn)
    }
}

/// The same of a file that need not be of this version.
pub(crate) fn faults(conn: &Connection) -> Result<Vec<String>, StoreError> {
    let mut faults = rows(conn, "check the store", "PRAGMA integrity_check", (), |row| row.cell(0))?;
    // The one word by which SQLite says that it found nothing.
    faults.retain(|fault: &String| fault != "ok");
    // `integrity_check` does not follow references between tables.
    let broken = "SELECT \"table\", rowid FROM pragma_foreign_key_check";
    faults.extend(rows(conn, "check the store", broken, (), |row| {
        let (table, id): (String, Option<i64>) = (row.cell(0)?, row.cell(1)?);
        Ok(format!("row {} of {table} names a row that is not there", id.unwrap_or_default()))
    })?);
    Ok(faults)
}

/// One state of the store. Ends its transaction when dropped.
pub struct View<'a> {
    reader: &'a Reader,
    _transaction: Transaction<'a>,
}

impl Deref for View<'_> {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        self.reader
    }
}

#[cfg(test)]
mod tests {
    use crate::fixtures::{Folder, day, gap};

    #[test]
    fn a_view_sees_one_state_while_the_writer_goes_on() {
        let folder = Folder::new();
        let store = folder.store();
        let reader = store.reader().expect("opens");
        let view = reader.snapshot_view().expect("begins");
        store.write(|writer| writer.record_gap("fetch", "npm:a", &gap("a"), day(1))).expect("written");
        assert_eq!(view.gaps(false).expect("reads"), []);
        assert_eq!(reader.gaps(false).expect("reads"), [], "the reader is inside its view");
        drop(view);
        assert_eq!(reader.gaps(false).expect("reads").len(), 1);
        reader.snapshot_view().expect("another view can begin");
    }

    #[test]
    fn a_sound_store_has_no_faults() {
        let folder = Folder::new();
        assert_eq!(folder.store().reader().expect("opens").faults().expect("checks"), Vec::<String>::new());
    }
}
