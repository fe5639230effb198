//! Sources: where each walk stands. A cursor is saved in the write that stores the page it follows.
//!
//! Must not know what a cursor means.

use capdex_core::time::{AsOf, Timestamp};

use crate::sql::{Cells, execute, first, rows, seconds};
use crate::{Reader, StoreError, Writer};

/// Where the walk of one source stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceState {
    /// The source's id.
    pub id: String,
    /// Where to go on; none when the next walk starts at the beginning.
    pub cursor: Option<String>,
    /// The as-of instant of the last walk that came to its end; none before that.
    pub last_completed: Option<AsOf>,
}

impl Writer<'_> {
    /// Saves where a walk stands. No cursor: the next walk starts at the beginning. `completed` is given when the walk
    /// came to its end; without it the last completion stands.
    pub fn save_cursor(&self, source: &str, cursor: Option<&str>, completed: Option<AsOf>) -> Result<(), StoreError> {
        let sql = "INSERT INTO sources (id, cursor, completed) VALUES (?1, ?2, ?3)
                   ON CONFLICT (id) DO UPDATE
                   SET cursor = excluded.cursor, completed = ifnull(excluded.completed, completed)";
        execute(self.connection(), "save a cursor", sql, (source, cursor, completed.map(seconds))).map(drop)
    }
}

impl Reader {
    /// Where the walk of a source goes on; none where it starts at the beginning.
    pub fn cursor(&self, source: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT cursor FROM sources WHERE id = ?1";
        first(self.connection(), "read a cursor", sql, (source,), |row| row.cell(0)).map(Option::flatten)
    }

    /// Every source that was ever walked, sorted by id.
    pub fn source_states(&self) -> Result<Vec<SourceState>, StoreError> {
        let sql = "SELECT id, cursor, completed FROM sources ORDER BY id";
        rows(self.connection(), "read the sources", sql, (), |row| {
            let completed: Option<i64> = row.cell(2)?;
            Ok(SourceState {
                id: row.cell(0)?,
                cursor: row.cell(1)?,
                last_completed: completed.map(|at| AsOf(Timestamp::from_unix_seconds(at))),
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::fixtures::{Folder, day};

    #[test]
    fn a_walk_goes_on_where_it_stopped_and_begins_again_when_complete() {
        let folder = Folder::new();
        let store = folder.store();
        let reader = store.reader().expect("opens");
        let save = |cursor: Option<&'static str>, completed| {
            store.write(move |writer| writer.save_cursor("npm", cursor, completed)).expect("saved");
            (reader.cursor("npm").expect("reads"), reader.source_states().expect("reads").remove(0).last_completed)
        };
        assert_eq!(save(Some("page-2"), None), (Some("page-2".into()), None));
        assert_eq!(save(None, Some(day(1))), (None, Some(day(1))));
        assert_eq!(save(Some("page-1"), None), (Some("page-1".into()), Some(day(1))), "the completion stands");
        assert_eq!(reader.cursor("pypi").expect("reads"), None);
    }

    #[test]
    fn sources_are_sorted() {
        let folder = Folder::new();
        let store = folder.store();
        store
            .write(|writer| {
                writer.save_cursor("pypi", None, None)?;
                writer.save_cursor("npm", None, None)
            })
            .expect("saved");
        let states = store.reader().expect("opens").source_states().expect("reads");
        assert_eq!(states.iter().map(|state| state.id.as_str()).collect::<Vec<_>>(), ["npm", "pypi"]);
    }
}
