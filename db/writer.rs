//! `Writer`: what can be done inside one write. Its operations stand in the file of their table group.
//!
//! Must not know threads or channels: it is a borrowed transaction.

use rusqlite::Connection;

/// An open write transaction, given to the work of [`crate::Store::write`].
pub struct Writer<'a> {
    conn: &'a Connection,
}

impl<'a> Writer<'a> {
    /// Wraps the connection of a transaction that is open.
    pub(crate) fn new(conn: &'a Connection) -> Self {
        Self { conn }
    }

    /// The transaction's connection.
    pub(crate) fn connection(&self) -> &'a Connection {
        self.conn
    }
}
