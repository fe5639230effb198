//! Sources: where each walk stands, and what whole walks saw. A cursor is saved in the write that stores the page it
//! follows.
//!
//! Cursors and watermarks are words of the source, kept as they come.

use crate::listings::ListingState;
use crate::sql::{Cells, execute, first, rows, seconds};
use crate::{Reader, StoreError, Writer};
use capdex_model::ids::ListingKey;
use capdex_model::snapshot::Gap;
use capdex_model::time::{AsOf, Timestamp};
use std::collections::BTreeMap;

/// The part of a source that a walk is to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WalkMode {
    /// Every entry.
    Full,
    /// Entries that changed since the watermark.
    Since,
}

impl WalkMode {
    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Since => "since",
        }
    }

    fn of_word(word: &str) -> Result<Self, StoreError> {
        match word {
            "full" => Ok(Self::Full),
            "since" => Ok(Self::Since),
            _ => Err(StoreError::Corrupt { what: "source", detail: format!("{word} is no mode of a walk") }),
        }
    }
}

/// The state of the walk of one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceState {
    /// The source's id.
    pub id: String,
    /// The cursor to go on from; none when the next walk starts at the beginning.
    pub cursor: Option<String>,
    /// The mode of the walk under way; none when none is.
    pub mode: Option<WalkMode>,
    /// From where the next walk may ask for what changed; none before a walk left one.
    pub watermark: Option<String>,
    /// The as-of instant of the last walk that came to its end, of either kind; none before that.
    pub last_completed: Option<AsOf>,
    /// The as-of instant of the last full walk that came to its end; none before that.
    pub last_whole: Option<AsOf>,
    /// The number of the full walk that began last.
    pub walk: i64,
    /// Listings that are missing and not taken as gone until somebody confirms it.
    pub held: u64,
}

impl Writer<'_> {
    /// Begins a walk. A full one gets the next number.
    pub fn begin_walk(&self, source: &str, mode: WalkMode) -> Result<(), StoreError> {
        let sql = "INSERT INTO sources (id, mode, walk) VALUES (?1, ?2, ?3)
                   ON CONFLICT (id) DO UPDATE SET cursor = NULL, mode = excluded.mode, walk = walk + excluded.walk";
        // Only full walks are numbered: nothing follows from what a walk since a watermark does not name.
        let step = i64::from(mode == WalkMode::Full);
        execute(self.connection(), "begin a walk", sql, (source, mode.as_str(), step)).map(drop)
    }

    /// Notes which source it is that an operator keeps under this name. Does nothing before the first walk.
    pub fn keep_source_kind(&self, source: &str, kind: &str) -> Result<(), StoreError> {
        let sql = "UPDATE sources SET kind = ?2 WHERE id = ?1";
        execute(self.connection(), "keep the kind of a source", sql, (source, kind)).map(drop)
    }

    /// Saves where the walk under way stands.
    pub fn save_cursor(&self, source: &str, cursor: &str) -> Result<(), StoreError> {
        let sql = "UPDATE sources SET cursor = ?2 WHERE id = ?1";
        execute(self.connection(), "save a cursor", sql, (source, cursor)).map(drop)
    }

    /// Ends the walk under way at the source's own end. A watermark replaces the last one; without one the last stands.
    pub fn complete_walk(&self, source: &str, watermark: Option<&str>, at: AsOf) -> Result<(), StoreError> {
        // A listing is missing after two whole walks: one page that a source left out for a night deletes nothing.
        let sql = "UPDATE sources
                   SET whole_before = CASE mode WHEN 'full' THEN whole_walk ELSE whole_before END,
                       whole_walk = CASE mode WHEN 'full' THEN walk ELSE whole_walk END,
                       whole_at = CASE mode WHEN 'full' THEN ?3 ELSE whole_at END,
                       cursor = NULL, mode = NULL, completed = ?3, watermark = ifnull(?2, watermark)
                   WHERE id = ?1";
        execute(self.connection(), "end a walk", sql, (source, watermark, seconds(at))).map(drop)
    }

    /// Notes that the source named a listing; true the first time in the full walk that began last.
    pub fn mark_seen(&self, key: &ListingKey) -> Result<bool, StoreError> {
        // A page that is asked for again after a crash counts nothing twice.
        let sql = "UPDATE listings SET seen = (SELECT walk FROM sources WHERE id = ?1)
                   WHERE source = ?1 AND name = ?2 AND seen < (SELECT walk FROM sources WHERE id = ?1)";
        Ok(execute(self.connection(), "note a sighting", sql, (&key.source, &key.name))? > 0)
    }

    /// Notes how many missing listings are not taken as gone until somebody confirms it.
    pub fn hold_missing(&self, source: &str, held: u64) -> Result<(), StoreError> {
        let sql = "UPDATE sources SET held = ?2 WHERE id = ?1";
        let held = i64::try_from(held).unwrap_or(i64::MAX);
        execute(self.connection(), "hold deletions back", sql, (source, held)).map(drop)
    }

    /// Takes every missing listing of a source as gone (see [`Reader::missing`]); how many there were. Nothing is held
    /// back any more.
    pub fn drop_missing(&self, source: &str, gap: &Gap, at: AsOf) -> Result<u64, StoreError> {
        let names = missing(self.connection(), source)?;
        for name in &names {
            // Open gaps of what is gone would be told as work for ever.
            for stage in ["list", "fetch"] {
                self.resolve_gaps(stage, &ListingKey::new(source, name).to_string(), at)?;
            }
            self.mark_listing(&ListingKey::new(source, name), ListingState::Gone, Some(gap), at)?;
        }
        self.hold_missing(source, 0)?;
        Ok(names.len() as u64)
    }
}

/// Listings that are not gone and that neither of the last two whole walks saw. A listing that failed is among them: what
/// its source does not list any more cannot be mended.
fn missing(conn: &rusqlite::Connection, source: &str) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT name FROM listings
               WHERE source = ?1 AND state IN ('active', 'failed')
                     AND seen < (SELECT whole_before FROM sources WHERE id = ?1)
               ORDER BY name";
    rows(conn, "look for missing listings", sql, (source,), |row| row.cell(0))
}

impl Reader {
    /// The state of a source's walk; none for one that was never walked.
    pub fn source_state(&self, source: &str) -> Result<Option<SourceState>, StoreError> {
        let sql = "SELECT id, cursor, mode, watermark, completed, whole_at, walk, held FROM sources WHERE id = ?1";
        first(self.connection(), "read a source", sql, (source,), state)
    }

    /// Every source that was ever walked, sorted by id.
    pub fn source_states(&self) -> Result<Vec<SourceState>, StoreError> {
        let sql = "SELECT id, cursor, mode, watermark, completed, whole_at, walk, held FROM sources ORDER BY id";
        rows(self.connection(), "read the sources", sql, (), state)
    }

    /// The kinds of the sources whose kind is known, by name.
    pub fn source_kinds(&self) -> Result<BTreeMap<String, String>, StoreError> {
        let sql = "SELECT id, kind FROM sources WHERE kind IS NOT NULL ORDER BY id";
        let kinds =
            rows(self.connection(), "read the kinds of sources", sql, (), |row| Ok((row.cell(0)?, row.cell(1)?)))?;
        Ok(kinds.into_iter().collect())
    }

    /// Listings of a source that are not gone and that neither of its last two whole walks saw, sorted by name.
    pub fn missing(&self, source: &str) -> Result<Vec<String>, StoreError> {
        missing(self.connection(), source)
    }

    /// The numbers of listings of a source: active, and in any state.
    pub fn listing_counts(&self, source: &str) -> Result<(u64, u64), StoreError> {
        let sql = "SELECT count(*) FILTER (WHERE state = 'active'), count(*) FROM listings WHERE source = ?1";
        let counts = first(self.connection(), "count the listings of a source", sql, (source,), |row| {
            Ok((row.count(0)?, row.count(1)?))
        })?;
        Ok(counts.unwrap_or_default())
    }
}

fn state(row: &rusqlite::Row<'_>) -> Result<SourceState, StoreError> {
    let instant = |column| -> Result<Option<AsOf>, StoreError> {
        let at: Option<i64> = row.cell(column)?;
        Ok(at.map(|at| AsOf(Timestamp::from_unix_seconds(at))))
    };
    let mode: Option<String> = row.cell(2)?;
    Ok(SourceState {
        id: row.cell(0)?,
        cursor: row.cell(1)?,
        mode: mode.as_deref().map(WalkMode::of_word).transpose()?,
        watermark: row.cell(3)?,
        last_completed: instant(4)?,
        last_whole: instant(5)?,
        walk: row.cell(6)?,
        held: row.count(7)?,
    })
}

#[cfg(test)]
mod tests;
