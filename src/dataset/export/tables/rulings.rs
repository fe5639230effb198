//! The table `rulings`: the operator's word, as it counts on the day of the dataset.

use capdex_db::Reader;
use capdex_model::digest::{Digest, bytes_of_hex};
use capdex_model::ruling::{Ruling, RulingStatus};
use capdex_model::time::{AsOf, Timestamp};

use crate::export::cell::Cell;
use crate::export::table::Emit;
use crate::export::table_row::table_row;

table_row! {
    /// one ruling of the operator on a finding, a rule or a verdict; of several about the same the newest
    table rulings: stored(rows);
    pub struct RulingRow read as ReadRulingRow {
        /// the package's identity such as npm:@scope/name, with #kind:path for one capability
        key subject: String,
        /// verdict, rule:ID or finding:FINGERPRINT
        key scope: String,
        /// content of the capability that was looked at (hex); null where the ruling holds for any content
        key content_sha256: Option<Digest>,
        /// accepted, not_affected, false_positive, blocked or withdrawn
        public status: &'static str,
        /// who gave it
        public author: String,
        /// why, in the author's words
        public reason: String,
        /// when it was given
        public given: AsOf,
        /// from when on it holds no more; null where it holds as long as the content stays
        public expires: Option<Timestamp>,
    }
}

fn rows(reader: &Reader, emit: Emit<'_, RulingRow>) -> anyhow::Result<()> {
    for ruling in reader.operator_policy()?.rulings {
        emit(RulingRow {
            subject: ruling.subject.to_string(),
            scope: ruling.scope.to_string(),
            content_sha256: ruling.content,
            status: ruling.status.as_str(),
            author: ruling.author,
            reason: ruling.reason,
            given: ruling.at,
            expires: ruling.expires,
        })?;
    }
    Ok(())
}

/// The ruling of a row; none where it is no ruling.
pub fn written(row: &ReadRulingRow) -> Option<Ruling> {
    let content = match row.content_sha256.as_text() {
        "" => None,
        hex => Some(Digest::from_bytes(bytes_of_hex(hex)?.try_into().ok()?)),
    };
    let expires = match &row.expires {
        Cell::Null => None,
        cell => Some(cell.as_timestamp()?),
    };
    let status: RulingStatus = row.status.as_text().parse().ok()?;
    Some(Ruling {
        subject: row.subject.as_text().parse().ok()?,
        scope: row.scope.as_text().parse().ok()?,
        content,
        status,
        author: row.author.as_text().to_owned(),
        reason: row.reason.as_text().to_owned(),
        at: AsOf(row.given.as_timestamp()?),
        expires,
    })
}
