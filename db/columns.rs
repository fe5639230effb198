//! Which columns may leave the store: `columns.toml`, the export contract.
//!
//! Every column of every table is declared; one that is not declared cannot be added (a test walks the schema).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// Whether what a column holds may be exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// It may leave the store, as it is or as part of what is computed from it.
    Public,
    /// It never leaves the store: row ids, clock values, cursors, validators, leases, texts of errors.
    Private,
}

static COLUMNS: LazyLock<BTreeMap<String, BTreeMap<String, Visibility>>> = LazyLock::new(|| {
    toml::from_str(include_str!("columns.toml")).expect("the declaration is compiled in and a test reads it")
});

/// Every table with its columns.
pub fn columns() -> &'static BTreeMap<String, BTreeMap<String, Visibility>> {
    &COLUMNS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::Folder;
    use crate::sql::{Cells, rows};
    use std::collections::BTreeSet;

    #[test]
    fn every_column_is_declared_and_every_declared_column_exists() {
        let folder = Folder::new();
        let sql = "SELECT t.name, c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c
                   WHERE t.schema = 'main' AND t.name NOT GLOB 'sqlite_*'";
        let exist = folder.store().write(|writer| {
            rows(writer.connection(), "read the columns", sql, (), |row| {
                Ok((row.cell::<String>(0)?, row.cell::<String>(1)?))
            })
        });
        let exist: BTreeSet<_> = exist.expect("read").into_iter().collect();
        let pairs = |(table, of): (&String, &BTreeMap<String, Visibility>)| {
            of.keys().map(|column| (table.clone(), column.clone())).collect::<Vec<_>>()
        };
        let declared: BTreeSet<_> = columns().iter().flat_map(pairs).collect();
        assert!(!declared.is_empty());
        assert_eq!(exist, declared);
    }

    #[test]
    fn row_ids_cursors_and_clock_values_are_private() {
        for (table, of) in columns() {
            for (column, visibility) in of {
                let inside = (column == "id" && table != "sources")
                    || ["cursor", "etag", "last_modified", "started", "finished", "fetched", "leased_until"]
                        .contains(&column.as_str())
                    || ["jobs", "runs"].contains(&table.as_str());
                assert!(!inside || *visibility == Visibility::Private, "{table}.{column}");
            }
        }
    }
}
