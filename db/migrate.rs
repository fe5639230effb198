//! Migrations: a store's schema comes to its newest version, and a foreign or altered one is told.
//!
//! Each step is one file under `migrations/`, run once in a transaction of its own. A published step is never edited.

use std::path::Path;

use capdex_model::digest::Digest;
use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

use crate::StoreError;
use crate::sql::{Cells, failed, first, rows};

/// "CAPD", which the first migration writes into the file's header.
const APPLICATION_ID: i64 = 0x4341_5044;
/// The steps that are SQL alone, in their order, up to the one that asks first.
const STEPS: &[M<'_>] = &[
    M::up(include_str!("migrations/0001_init.sql")),
    M::up(include_str!("migrations/0002_abuse_lists.sql")),
    M::up(include_str!("migrations/0003_walks.sql")),
    M::up(include_str!("migrations/0004_watch.sql")),
    M::up(include_str!("migrations/0005_drift.sql")),
    M::up(include_str!("migrations/0006_leads.sql")),
    M::up(include_str!("migrations/0007_identity.sql")),
    M::up(include_str!("migrations/0008_families.sql")),
    M::up(include_str!("migrations/0009_alert_queue.sql")),
    M::up(include_str!("migrations/0010_sightings.sql")),
    M::up(include_str!("migrations/0011_daemon.sql")),
    M::up(include_str!("migrations/0012_pruned.sql")),
    M::up(include_str!("migrations/0013_usual_answers.sql")),
    M::up(include_str!("migrations/0014_source_kinds.sql")),
    M::up(include_str!("migrations/0015_names.sql")),
    M::up(include_str!("migrations/0016_slugs.sql")),
    M::up(include_str!("migrations/0017_release_lines.sql")),
    M::up(include_str!("migrations/0018_pypi_lines.sql")),
    M::up(include_str!("migrations/0019_surfaces.sql")),
    M::up(include_str!("migrations/0020_signals.sql")),
    M::up(include_str!("migrations/0021_job_hosts.sql")),
    M::up(include_str!("migrations/0022_tool_comparisons.sql")),
    M::up(include_str!("migrations/0023_rulings.sql")),
    M::up(include_str!("migrations/0030_appeals.sql")),
    M::up(include_str!("migrations/0031_judge.sql")),
];
/// The steps behind the one that asks.
const LATER: &[M<'_>] = &[
    M::up(include_str!("migrations/0033_campaign_words.sql")),
    M::up(include_str!("migrations/0034_agent_runs.sql")),
    M::up(include_str!("migrations/0035_appeal_standing.sql")),
];

/// Every step in its order.
fn steps() -> Migrations<'static> {
    let asks = M::up_with_hook("", add_scored_days);
    Migrations::new(STEPS.iter().cloned().chain([asks]).chain(LATER.iter().cloned()).collect())
}

/// Adds the column unless it is there: a store whose header was set back has it already, and SQLite has no word for that.
fn add_scored_days(transaction: &rusqlite::Transaction<'_>) -> rusqlite_migration::HookResult {
    let is_there = "SELECT count(*) FROM pragma_table_info('scores') WHERE name = 'until'";
    if transaction.query_row(is_there, [], |row| row.get::<_, i64>(0))? == 0 {
        transaction.execute_batch(include_str!("migrations/0032_scored_days.sql"))?;
    }
    Ok(())
}

/// The newest schema version that this program knows: the number of its migrations.
pub const SCHEMA_VERSION: i64 = (STEPS.len() + 1 + LATER.len()) as i64;

/// The standing of a database: ours, nobody's, or another program's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaState {
    /// It has no tables and belongs to nobody.
    Empty,
    /// It is a capdex store of this schema version.
    Store(i64),
    /// It belongs to another program.
    Foreign,
}

/// Looks at the marks in the header and whether there are tables.
pub(crate) fn schema_state(conn: &Connection) -> Result<SchemaState, StoreError> {
    const WHAT: &str = "read the store's header";
    let number = |name| conn.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map_err(failed(conn, WHAT));
    let (application, version) = (number("application_id")?, number("user_version")?);
    let tables: i64 =
        first(conn, WHAT, "SELECT count(*) FROM sqlite_schema", (), |row| row.cell(0))?.unwrap_or_default();
    // All three marks together: a copied mark alone makes nobody's database ours.
    Ok(match (application, version, tables) {
        (APPLICATION_ID, 1.., 1..) => SchemaState::Store(version),
        (0, 0, 0) => SchemaState::Empty,
        _ => SchemaState::Foreign,
    })
}

/// Brings the schema to the newest version. The standing must have been looked at.
pub(crate) fn to_latest(conn: &mut Connection, path: &Path) -> Result<(), StoreError> {
    match steps().to_latest(conn) {
        Ok(()) => Ok(()),
        Err(rusqlite_migration::Error::RusqliteError { err, .. }) => Err(failed(conn, "migrate the store")(err)),
        Err(error) => Err(StoreError::Damaged { path: path.to_owned(), detail: error.to_string() }),
    }
}

/// The digest of the schema of an empty store. Where it is not that of the steps, opening a store takes longer, and a test fails.
const SCHEMA_SHA256: &str = include_str!("migrations/schema.sha256");

/// Compares every table and index with those of an empty store, by their text. So a file that someone else prepared has
/// no say in what our statements do.
pub(crate) fn check_schema(conn: &Connection, path: &Path) -> Result<(), StoreError> {
    let found = schema_of(conn)?;
    // Nearly every store: all steps for an empty one take longer than most questions.
    if digest_of(&found).hex() == SCHEMA_SHA256.trim_ascii() {
        return Ok(());
    }
    let expected = empty_schema(path)?;
    // Both ways: an added trigger is as bad as an index that is gone.
    let odd = expected.iter().find(|item| !found.contains(item)).or(found.iter().find(|item| !expected.contains(item)));
    match odd {
        None => Ok(()),
        Some((kind, name, _)) => Err(StoreError::Damaged {
            path: path.to_owned(),
            detail: format!("{kind} {name} is not as version {SCHEMA_VERSION} has it"),
        }),
    }
}

/// The schema of an empty store, made by the same steps, so that no second list of tables has to be kept.
fn empty_schema(path: &Path) -> Result<Vec<SchemaItem>, StoreError> {
    let mut model = Connection::open_in_memory()
        .map_err(|source| StoreError::Sql { what: "make an empty store to compare with", source })?;
    to_latest(&mut model, path)?;
    schema_of(&model)
}

/// Kind, name and text of a part of a schema.
type SchemaItem = (String, String, String);

fn digest_of(schema: &[SchemaItem]) -> Digest {
    Digest::of_fields(schema.iter().flat_map(|(kind, name, text)| [kind, name, text]).map(|field| field.as_bytes()))
}

/// Everything that is in a schema but SQLite's own tables.
fn schema_of(conn: &Connection) -> Result<Vec<SchemaItem>, StoreError> {
    // GLOB, because an underscore in LIKE stands for any character.
    let sql = "SELECT type, name, ifnull(sql, '') FROM sqlite_schema
               WHERE name NOT GLOB 'sqlite_*' ORDER BY type, name";
    rows(conn, "read the schema", sql, (), |row| Ok((row.cell(0)?, row.cell(1)?, row.cell(2)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, capability_id, listing, rules, scan_of};
    use crate::{Reader, Store};
    use capdex_model::listing::Validators;
    use capdex_model::surface::SurfaceInventory;

    #[test]
    fn the_digest_that_is_kept_is_that_of_the_steps() {
        let digest = digest_of(&empty_schema(Path::new("model")).expect("the migrations run"));
        assert_eq!(digest.hex(), SCHEMA_SHA256.trim_ascii(), "put the left one into db/migrations/schema.sha256");
    }

    #[test]
    fn every_step_is_sound_sql() {
        steps().validate().expect("the migrations run");
    }

    #[test]
    fn a_store_opens_again_with_what_it_held() {
        let folder = Folder::new();
        let listed = listing("a", "1");
        let kept = listed.clone();
        let store = folder.store();
        store
            .write(move |writer| writer.upsert_listing(&listed, &Validators::default(), folder_as_of()))
            .expect("written");
        drop(store);
        let store = folder.store();
        let listings = store.reader().expect("opens").listings(None).expect("reads");
        assert_eq!(listings.into_iter().map(|stored| stored.listing).collect::<Vec<_>>(), [Some(kept)]);
    }

    fn folder_as_of() -> capdex_model::time::AsOf {
        crate::fixtures::day(1)
    }

    #[test]
    fn an_empty_file_becomes_a_store_but_is_none_to_a_reader() {
        let folder = Folder::new();
        std::fs::write(folder.path(), b"").expect("written");
        assert!(matches!(Reader::open(&folder.path(), rules()), Err(StoreError::NotAStore { .. })));
        folder.store();
        Reader::open(&folder.path(), rules()).expect("a store now");
    }

    #[test]
    fn a_newer_schema_is_refused_and_left_alone() {
        let folder = Folder::new();
        drop(folder.store());
        folder.sql("PRAGMA user_version = 99");
        for error in [folder.open_error(), Reader::open(&folder.path(), rules()).err().expect("refused")] {
            assert!(matches!(error, StoreError::TooNew { found: 99, known: SCHEMA_VERSION, .. }), "{error}");
        }
    }

    #[test]
    fn another_programs_database_is_refused_and_left_alone() {
        let folder = Folder::new();
        folder.sql("CREATE TABLE theirs (x)");
        let before = std::fs::read(folder.path()).expect("reads");
        assert!(matches!(folder.open_error(), StoreError::NotAStore { .. }));
        assert!(matches!(Reader::open(&folder.path(), rules()), Err(StoreError::NotAStore { .. })));
        assert_eq!(std::fs::read(folder.path()).expect("reads"), before);
    }

    #[test]
    fn slugs_of_before_that_were_one_are_told_apart() {
        let conn = Connection::open_in_memory().expect("opens");
        conn.execute_batch(
            "CREATE TABLE capabilities (id INTEGER PRIMARY KEY, digest BLOB, slug TEXT, first_seen INTEGER);
             INSERT INTO capabilities VALUES (1, x'aaaaaaaaaaaaaaaaaa', 'a', 2), (2, x'bbbbbbbbbbbbbbbbbb', 'a', 1),
                                             (3, x'cccccccccccccccccc', 'b', 1);",
        )
        .expect("a store of before, as far as it matters");
        conn.execute_batch(include_str!("migrations/0016_slugs.sql")).expect("migrates");
        let slugs = rows(&conn, "read", "SELECT slug FROM capabilities ORDER BY id", (), |row| row.cell::<String>(0));
        assert_eq!(slugs.expect("reads"), ["a--aaaaaaaaaaaaaaaa", "a", "b"]);
    }

    #[test]
    fn a_store_of_before_surfaces_were_listed_says_so_and_lists_them_from_now_on() {
        let folder = Folder::new();
        let store = folder.store();
        scan_of(&store, "old", "1", 1);
        drop(store);
        folder.sql(
            "DROP TABLE scan_surfaces; DROP TABLE entity_signals; DROP TABLE source_answers; PRAGMA user_version = 18",
        );
        let store = folder.store();
        scan_of(&store, "new", "1", 2);
        let reader = store.reader().expect("opens");
        let surfaces = |identity: &str| reader.surfaces(&capability_id(identity, "")).expect("reads");
        assert_eq!(surfaces("npm:old"), None);
        assert_eq!(surfaces("npm:new"), Some(SurfaceInventory::default()));
        assert_eq!(reader.current().expect("reads").len(), 2);
    }

    #[test]
    fn a_schema_that_someone_altered_is_refused() {
        for sql in [
            "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END",
            "CREATE VIEW v AS SELECT 1",
            "DROP INDEX jobs_ready",
            "ALTER TABLE alerts ADD COLUMN more TEXT",
        ] {
            let folder = Folder::new();
            drop(folder.store());
            folder.sql(sql);
            assert!(matches!(folder.open_error(), StoreError::Damaged { .. }), "{sql}");
            assert!(matches!(Reader::open(&folder.path(), rules()), Err(StoreError::Damaged { .. })), "{sql}");
        }
    }

    #[test]
    fn garbage_is_not_a_store() {
        let folder = Folder::new();
        std::fs::write(folder.path(), b"this is a letter, not a database").expect("written");
        assert!(matches!(folder.open_error(), StoreError::NotAStore { .. }));
        assert!(matches!(Reader::open(&folder.path(), rules()), Err(StoreError::NotAStore { .. })));
        assert!(!folder.path().with_extension("db.lock").exists(), "nothing is put beside a foreign file");
    }

    #[test]
    fn a_truncated_store_is_damaged() {
        let folder = Folder::new();
        drop(folder.store());
        let bytes = std::fs::read(folder.path()).expect("reads");
        for length in [bytes.len() - 1, bytes.len() / 2, 4096, 99, 50] {
            std::fs::write(folder.path(), &bytes[..length]).expect("written");
            assert!(matches!(folder.open_error(), StoreError::Damaged { .. }), "{length} bytes");
            assert!(matches!(Reader::open(&folder.path(), rules()), Err(StoreError::Damaged { .. })), "{length} bytes");
        }
    }

    #[test]
    fn a_store_with_overwritten_pages_is_damaged() {
        let folder = Folder::new();
        drop(folder.store());
        let mut bytes = std::fs::read(folder.path()).expect("reads");
        bytes[100..4096].fill(0xA5);
        std::fs::write(folder.path(), &bytes).expect("written");
        assert!(matches!(folder.open_error(), StoreError::Damaged { .. }));
        assert!(matches!(Reader::open(&folder.path(), rules()), Err(StoreError::Damaged { .. })));
    }

    #[test]
    fn a_reader_needs_a_store() {
        let folder = Folder::new();
        assert!(matches!(Reader::open(&folder.path(), rules()), Err(StoreError::Missing { .. })));
        assert!(!folder.path().exists(), "reading makes no file");
        let store: Store = folder.store();
        store.reader().expect("opens");
    }
}
