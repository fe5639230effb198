//! The few ways in which statements are run and columns are read.
//!
//! Statements are `&'static str`, so that none can be put together from data: values are bound, always.

use capdex_model::digest::Digest;
use capdex_model::time::{AsOf, Timestamp};
use rusqlite::types::FromSql;
use rusqlite::{Connection, ErrorCode, Params, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::StoreError;
use crate::packed::{parse, unpack};

/// Names what was tried; SQLite's two words for a destroyed file become [`StoreError::Damaged`].
pub(crate) fn failed<'a>(conn: &'a Connection, what: &'static str) -> impl Fn(rusqlite::Error) -> StoreError + 'a {
    move |source| match source.sqlite_error_code() {
        // Only these ask for a backup; any other error may be gone at the next try.
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Damaged { path: conn.path().unwrap_or_default().into(), detail: source.to_string() }
        }
        _ => StoreError::Sql { what, source },
    }
}

/// Runs a statement that gives no rows; how many rows it changed.
pub(crate) fn execute(
    conn: &Connection,
    what: &'static str,
    sql: &'static str,
    params: impl Params,
) -> Result<usize, StoreError> {
    let mut statement = conn.prepare_cached(sql).map_err(failed(conn, what))?;
    let changed = statement.execute(params).map_err(failed(conn, what));
    #[cfg(test)]
    {
        full_scans::note(&statement, sql);
        statement_steps::note(&statement);
    }
    changed
}

/// Runs an insertion; the id of the new row.
pub(crate) fn insert(
    conn: &Connection,
    what: &'static str,
    sql: &'static str,
    params: impl Params,
) -> Result<i64, StoreError> {
    execute(conn, what, sql, params)?;
    Ok(conn.last_insert_rowid())
}

/// Every row of a query, decoded, in the query's order.
pub(crate) fn rows<T>(
    conn: &Connection,
    what: &'static str,
    sql: &'static str,
    params: impl Params,
    mut decode: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let mut statement = conn.prepare_cached(sql).map_err(failed(conn, what))?;
    let mut rows = statement.query(params).map_err(failed(conn, what))?;
    let mut decoded = Vec::new();
    while let Some(row) = rows.next().map_err(failed(conn, what))? {
        decoded.push(decode(row)?);
    }
    drop(rows);
    #[cfg(test)]
    statement_steps::note(&statement);
    Ok(decoded)
}

/// Hands every row of a query on, decoded, in the query's order, and keeps nothing. An error of `visit` ends it.
pub(crate) fn each<T, E: From<StoreError>>(
    conn: &Connection,
    what: &'static str,
    sql: &'static str,
    params: impl Params,
    mut decode: impl FnMut(&Row<'_>) -> Result<T, StoreError>,
    mut visit: impl FnMut(T) -> Result<(), E>,
) -> Result<(), E> {
    let mut statement = conn.prepare_cached(sql).map_err(failed(conn, what))?;
    let mut rows = statement.query(params).map_err(failed(conn, what))?;
    while let Some(row) = rows.next().map_err(failed(conn, what))? {
        visit(decode(row)?)?;
    }
    Ok(())
}

/// The first row of a query, decoded, if there is one.
pub(crate) fn first<T>(
    conn: &Connection,
    what: &'static str,
    sql: &'static str,
    params: impl Params,
    decode: impl FnOnce(&Row<'_>) -> Result<T, StoreError>,
) -> Result<Option<T>, StoreError> {
    let mut statement = conn.prepare_cached(sql).map_err(failed(conn, what))?;
    let mut rows = statement.query(params).map_err(failed(conn, what))?;
    let decoded = rows.next().map_err(failed(conn, what))?.map(decode).transpose();
    drop(rows);
    #[cfg(test)]
    {
        full_scans::note(&statement, sql);
        statement_steps::note(&statement);
    }
    decoded
}

/// The id in the first row of a query, if there is one.
pub(crate) fn id_of(
    conn: &Connection,
    what: &'static str,
    sql: &'static str,
    params: impl Params,
) -> Result<Option<i64>, StoreError> {
    first(conn, what, sql, params, |row| row.cell(0))
}

/// Reading columns as the types that they stand for. A value of another type is [`StoreError::Corrupt`].
pub(crate) trait Cells {
    /// The column as SQLite keeps it.
    fn cell<T: FromSql>(&self, column: usize) -> Result<T, StoreError>;

    /// A column that counts something.
    fn count(&self, column: usize) -> Result<u64, StoreError> {
        let count: i64 = self.cell(column)?;
        u64::try_from(count).map_err(|error| StoreError::Corrupt { what: "column", detail: error.to_string() })
    }

    /// A column of 32 bytes.
    fn digest(&self, column: usize) -> Result<Digest, StoreError> {
        self.cell(column).map(Digest::from_bytes)
    }

    /// A column of seconds that stands for an as-of instant.
    fn as_of(&self, column: usize) -> Result<AsOf, StoreError> {
        self.timestamp(column).map(AsOf)
    }

    /// A column of seconds.
    fn timestamp(&self, column: usize) -> Result<Timestamp, StoreError> {
        self.cell(column).map(Timestamp::from_unix_seconds)
    }

    /// A column of JSON text.
    fn json<T: DeserializeOwned>(&self, column: usize, what: &'static str) -> Result<T, StoreError> {
        parse(&self.cell::<String>(column)?, what)
    }

    /// A column of JSON text or null.
    fn json_if_any<T: DeserializeOwned>(&self, column: usize, what: &'static str) -> Result<Option<T>, StoreError> {
        self.cell::<Option<String>>(column)?.map(|text| parse(&text, what)).transpose()
    }

    /// A column of packed JSON.
    fn packed<T: DeserializeOwned>(&self, column: usize, what: &'static str) -> Result<T, StoreError> {
        unpack(&self.cell::<Vec<u8>>(column)?, what)
    }
}

impl Cells for Row<'_> {
    fn cell<T: FromSql>(&self, column: usize) -> Result<T, StoreError> {
        self.get(column).map_err(|error| StoreError::Corrupt { what: "column", detail: error.to_string() })
    }
}

/// The JSON text of a value as the store keeps it: object keys sorted, no white space, and numbers to the last digit.
/// [`Digest::of_json`] hashes another text: RFC 8785 rounds integers beyond 2^53.
pub(crate) fn canonical<T: Serialize>(value: &T) -> Result<String, StoreError> {
    // Through a `Value`, whose keys are sorted: a struct alone would be written in the order of its fields.
    let value = serde_json::to_value(value)
        .map_err(|error| StoreError::Refused { what: "value", detail: error.to_string() })?;
    Ok(value.to_string())
}

/// An instant as a column holds it.
pub(crate) fn seconds(at: AsOf) -> i64 {
    at.0.unix_seconds()
}

/// The single-row statements that walked a whole table, so that a test can forbid it. Such a statement is quick on the
/// first night and takes hours on the hundredth.
#[cfg(test)]
pub(crate) mod full_scans {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    use rusqlite::{Statement, StatementStatus};

    thread_local! {
        static SEEN: RefCell<BTreeSet<&'static str>> = const { RefCell::new(BTreeSet::new()) };
    }

    pub(crate) fn note(statement: &Statement<'_>, sql: &'static str) {
        if statement.reset_status(StatementStatus::FullscanStep) > 0 {
            SEEN.with_borrow_mut(|seen| seen.insert(sql));
        }
    }

    /// What was noted on this thread since the last call.
    pub(crate) fn take() -> BTreeSet<&'static str> {
        SEEN.take()
    }
}

/// The steps of SQLite's machine that statements took on this thread, so that a test can hold what something costs without
/// a clock.
#[cfg(test)]
pub(crate) mod statement_steps {
    use std::cell::Cell;

    use rusqlite::{Statement, StatementStatus};

    thread_local! {
        static TAKEN: Cell<i64> = const { Cell::new(0) };
    }

    pub(crate) fn note(statement: &Statement<'_>) {
        TAKEN.set(TAKEN.get() + i64::from(statement.reset_status(StatementStatus::VmStep)));
    }

    /// What was noted on this thread since the last call.
    pub(crate) fn take() -> i64 {
        TAKEN.take()
    }
}
