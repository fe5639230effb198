//! The table that keeps each document once, packed (`packed.rs`), by the digest of its canonical text.

use capdex_model::digest::Digest;
use rusqlite::Connection;
use serde::Serialize;

use crate::StoreError;
use crate::packed::pack;
use crate::sql::{canonical, id_of, insert};

/// Stores a document unless it is there; its id.
pub(crate) fn put<T: Serialize>(conn: &Connection, value: &T) -> Result<i64, StoreError> {
    let text = canonical(value)?;
    let digest = Digest::of(text.as_bytes());
    // Looked up before it is packed: what did not change since the last night is not packed again.
    let known = "SELECT id FROM json_documents WHERE digest = ?1";
    if let Some(id) = id_of(conn, "look up a document", known, (digest.as_bytes(),))? {
        return Ok(id);
    }
    let body = pack(text)?;
    let sql = "INSERT INTO json_documents (digest, body) VALUES (?1, ?2)";
    insert(conn, "store a document", sql, (digest.as_bytes(), body))
}
