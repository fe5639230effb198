//! The tables of version 1 of the dataset, which `verify` and `--since` still read: other names, and fewer columns.

use super::table::{Layout, Table};

/// The tables that had another name: the name now, and then.
const TABLES: [(&str, &str); 3] =
    [("rule_defaults", "answers"), ("score_breakdowns", "breakdowns"), ("typosquats", "leads")];
/// The columns of `facts` that had another name: the name now, and then.
const COLUMNS_OF_FACTS: [(&str, &str); 3] =
    [("over_defaults", "usual"), ("exceptions", "told"), ("outcomes", "silent")];

/// The columns that were added since, in whatever table.
const ADDED: [&str; 7] = ["purl", "spdx", "lines_beyond", "role", "links", "operator_band", "operator_reason"];
/// Those that were added to one table, where others have columns of these names.
const ADDED_TO: [(&str, &[&str]); 2] = [
    ("capabilities", &["reason", "trust", "rank_kind", "users", "licence", "bytes", "repository"]),
    ("packages", &["band", "reason", "capability", "trust", "rank_kind", "users", "licence", "repository"]),
];

/// A table as version 1 had it.
pub(super) fn layout(table: &Table, with_private: bool) -> Layout {
    let to_it = ADDED_TO.iter().filter(|(to, _)| *to == table.name).flat_map(|(_, columns)| *columns);
    let to_it: Vec<&str> = to_it.copied().collect();
    let is_later = |name: &str| ADDED.contains(&name) || to_it.contains(&name);
    let mut layout = Layout::with(table, |column| column.is_in(with_private) && !is_later(column.name));
    layout.name = former(&TABLES, layout.name);
    if table.name == "facts" {
        for column in &mut layout.columns {
            column.name = former(&COLUMNS_OF_FACTS, column.name);
        }
    }
    layout
}

fn former(names: &[(&'static str, &'static str)], name: &'static str) -> &'static str {
    names.iter().find(|(now, _)| *now == name).map_or(name, |(_, then)| then)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::tables;

    #[test]
    fn every_name_is_one_that_a_table_or_a_column_has_now() {
        assert!(TABLES.iter().all(|(now, _)| tables::TABLES.iter().any(|table| table.name == *now)));
        let facts = tables::TABLES.iter().find(|table| table.name == "facts").expect("a table");
        assert!(COLUMNS_OF_FACTS.iter().all(|(now, _)| facts.columns.iter().any(|column| column.name == *now)));
        let then: Vec<&str> = layout(facts, false).columns.iter().map(|column| column.name).collect();
        let added = |name| tables::TABLES.iter().any(|table| table.columns.iter().any(|column| column.name == name));
        assert!(ADDED.iter().all(|name| added(*name)));
        assert_eq!(then, ["facts_sha256", "kind", "usual", "told", "silent"]);
    }
}
