//! Opening a file: the checks before SQLite sees it, and the settings of every connection.
//!
//! The file may be anything, also a hostile database: it is not changed before it is known to be a store.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::StoreError;
use crate::sql::failed;

/// The time that a statement waits for another process's lock.
const BUSY_TIMEOUT: Duration = Duration::from_secs(15);
/// The time that the writing thread waits: only an operator's decision can be in its way (`decisions.rs`), and a run must not
/// end because that one is large.
pub(crate) const WRITER_BUSY_TIMEOUT: Duration = Duration::from_secs(300);
/// The length of the header that every SQLite file begins with.
const HEADER_BYTES: usize = 100;
/// The first 16 bytes of that header.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// SQLite's number for the mode in which freed pages are given back when they are asked for.
pub(crate) const INCREMENTAL: i64 = 2;

/// The content of a path, by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StoreFileContent {
    /// Nothing, or an empty file.
    Nothing,
    /// The header of a SQLite file.
    Database,
}

/// Looks at the first bytes of a file. Anything but nothing and a whole SQLite header is an error.
pub(crate) fn inspect(path: &Path) -> Result<StoreFileContent, StoreError> {
    let io = |source| StoreError::Io { what: "read", path: path.to_owned(), source };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(StoreFileContent::Nothing),
        Err(error) => return Err(io(error)),
    };
    let about = file.metadata().map_err(io)?;
    // A pipe or a device could keep the reading waiting for ever.
    if !about.is_file() {
        return Err(StoreError::NotAStore { path: path.to_owned() });
    }
    let mut header = Vec::with_capacity(HEADER_BYTES);
    file.take(HEADER_BYTES as u64).read_to_end(&mut header).map_err(io)?;
    // SQLite itself makes an empty file for a new database.
    if header.is_empty() {
        return Ok(StoreFileContent::Nothing);
    }
    if !header.starts_with(MAGIC) {
        return Err(StoreError::NotAStore { path: path.to_owned() });
    }
    // While pages wait in the log the file may be shorter than its header says.
    match missing_bytes(&header, about.len()) {
        Some(missing) if wal_is_empty(path) => Err(StoreError::Damaged {
            path: path.to_owned(),
            detail: format!("it ends {missing} bytes before its own end"),
        }),
        _ => Ok(StoreFileContent::Database),
    }
}

/// The number of bytes that a file lacks by its own header; nothing where it lacks none. SQLite file format, section
/// 1.3: page size at 16, pages at 28. The page count holds only where the numbers at 24 and 92 agree.
fn missing_bytes(header: &[u8], length: u64) -> Option<u64> {
    let word = |at: usize| header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
    let (Some(pages), Some(changes), Some(valid_for)) = (word(28), word(24), word(92)) else {
        return Some((HEADER_BYTES - header.len()) as u64);
    };
    // Two bytes cannot hold 65536; the format writes 1 for it.
    let page_bytes = match (header.get(16), header.get(17)) {
        (Some(0), Some(1)) => 65_536,
        (Some(high), Some(low)) => u64::from(*high) * 256 + u64::from(*low),
        _ => 0,
    };
    let whole = u64::from(pages) * page_bytes;
    // Programs from before SQLite 3.7.0 leave the page count as it was; the two numbers differ then.
    (changes == valid_for && whole > length).then(|| whole - length)
}

/// True where no pages wait in the write-ahead log: only then must the file itself be whole.
fn wal_is_empty(path: &Path) -> bool {
    std::fs::metadata(wal_path(path)).map_or(true, |about| about.len() == 0)
}

/// The write-ahead log beside a store.
fn wal_path(path: &Path) -> PathBuf {
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    wal.into()
}

/// Makes an empty file that its owner alone may read: a store holds what listings and endpoints told the operator. SQLite
/// gives the log beside it the same rights. A file that is there keeps those that its owner gave it.
pub(crate) fn make_private(path: &Path) -> Result<(), StoreError> {
    make_new(path).map(drop)
}

/// [`make_private`], and false where a file was there already.
pub(crate) fn make_new(path: &Path) -> Result<bool, StoreError> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(source) => Err(StoreError::Io { what: "make", path: path.to_owned(), source }),
    }
}

/// Opens the connection of the writing thread. The file is made if there is none.
pub(crate) fn open_to_write(path: &Path) -> Result<Connection, StoreError> {
    make_private(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    open(path, flags)
}

/// Opens a connection that cannot write.
pub(crate) fn open_to_read(path: &Path) -> Result<Connection, StoreError> {
    open(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

/// The same where perhaps nothing can be written, as on a mounted copy. A store in the mode of the write-ahead log opens there
/// only as a file that nobody changes (<https://www.sqlite.org/wal.html>, "Read-Only Databases").
///
/// # Errors
/// [`StoreError::LogUnreadable`] where writes wait in a log that cannot be read there.
pub(crate) fn open_to_read_anywhere(path: &Path) -> Result<Connection, StoreError> {
    // The settings of a connection read the schema, so that what is in the way shows itself here and not at the first question.
    let refused = match open_to_read(path) {
        Err(StoreError::Sql { what, source }) if is_for_want_of_writing(&source) => StoreError::Sql { what, source },
        opened => return opened,
    };
    // What is in a log is newer than the file. Without it an alert, or the whole last night, would be missing in silence.
    if !wal_is_empty(path) {
        return Err(StoreError::LogUnreadable { path: wal_path(path) });
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    // Where that fails as well, another thing was in the way, and the first error tells it.
    open(Path::new(&immutable_uri(path)), flags).map_err(|_| refused)
}

/// True for the errors of a store whose files beside it cannot be made.
fn is_for_want_of_writing(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// The address by which SQLite opens a file as one that nobody changes. Everything but plain letters is written by its
/// number, so that nothing of the path is read as a part of the address.
fn immutable_uri(path: &Path) -> String {
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' => uri.push(char::from(*byte)),
            _ if byte.is_ascii_alphanumeric() => uri.push(char::from(*byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    uri
}

/// The pages that a connection keeps, in kibibytes. Who reads goes through tables once, and several read at a time: what they keep
/// the system keeps as well.
const READER_CACHE: i64 = 4 << 10;
const WRITER_CACHE: i64 = 32 << 10;

/// Without the flag for URIs, so that a path that begins with `file:` is a path.
fn open(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    const WHAT: &str = "open the store";
    let conn = Connection::open_with_flags(path, flags).map_err(|source| StoreError::Sql { what: WHAT, source })?;
    let cache = if flags.contains(OpenFlags::SQLITE_OPEN_READ_ONLY) { READER_CACHE } else { WRITER_CACHE };
    settle(&conn, cache).map_err(failed(&conn, WHAT))?;
    Ok(conn)
}

/// The settings of every connection. A file that someone else made must not be able to do anything by its schema. So
/// there are no triggers, no views, no functions from the schema, and no writing to the schema's own table.
fn settle(conn: &Connection, cache_kib: i64) -> rusqlite::Result<()> {
    conn.busy_timeout(BUSY_TIMEOUT)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // The schema has neither triggers nor views, so that forbidding them costs nothing.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    conn.pragma_update(None, "trusted_schema", false)?;
    // Makes SQLite report a damaged page when it is loaded, before a cell leads out of it.
    conn.pragma_update(None, "cell_size_check", true)?;
    // Off by default, and set for each connection.
    conn.pragma_update(None, "foreign_keys", true)?;
    // Kibibytes, as SQLite counts negative sizes.
    conn.pragma_update(None, "cache_size", -cache_kib)?;
    // rusqlite keeps 16; a night goes back and forth between more statements than that.
    conn.set_prepared_statement_cache_capacity(96);
    Ok(())
}

/// Makes a file that holds nothing yet one whose freed pages can be given back.
pub(crate) fn make_shrinkable(conn: &Connection) -> Result<(), StoreError> {
    conn.pragma_update(None, "auto_vacuum", INCREMENTAL).map_err(failed(conn, "prepare a new store"))
}

/// Turns on the write-ahead log. Done only once the file is known to be a store, because it is written into the file.
/// With it, `NORMAL` loses no committed write when a process dies; a power cut may lose the last ones, whole.
pub(crate) fn turn_on_wal(conn: &Connection) -> Result<(), StoreError> {
    const WHAT: &str = "turn on the write-ahead log";
    let mode: String =
        conn.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0)).map_err(failed(conn, WHAT))?;
    // SQLite keeps the old mode without an error where shared memory is lacking, as on network file systems.
    if mode != "wal" {
        let detail = format!("its file system allows only the journal mode {mode}");
        return Err(StoreError::Refused { what: "place for a store", detail });
    }
    conn.pragma_update(None, "synchronous", "NORMAL").map_err(failed(conn, WHAT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_path_is_read_as_a_part_of_the_address() {
        assert_eq!(immutable_uri(Path::new("/a b/c?d#%.db")), "file:/a%20b/c%3Fd%23%25.db?immutable=1");
        assert_eq!(immutable_uri(Path::new("é.db")), "file:%C3%A9.db?immutable=1");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a ?#%é.db");
        let conn = Connection::open(&path).expect("opens");
        conn.execute_batch("PRAGMA journal_mode = wal; CREATE TABLE t (a); INSERT INTO t VALUES (7)").expect("writes");
        drop(conn);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let conn = open(Path::new(&immutable_uri(&path)), flags).expect("opens");
        assert_eq!(conn.query_row("SELECT a FROM t", (), |row| row.get::<_, i64>(0)).expect("reads"), 7);
    }
}
