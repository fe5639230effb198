//! The tables of the dataset, each with its columns and the origin of its rows.
//!
//! Columns are declared in the struct of each table ([`table_row!`](super::table_row)), and nowhere else.

use super::table::Table;
use super::table_row::TableRow;

pub mod agents;
mod alerts;
pub mod appeals;
mod campaigns;
pub mod capabilities;
pub mod changes;
mod collisions;
pub mod coverage;
mod dependencies;
pub mod drift;
mod entities;
pub mod facts;
pub mod families;
pub mod findings;
mod gaps;
pub mod history;
pub mod hosts;
mod identity_events;
pub mod judge;
mod listings;
pub mod packages;
pub mod permissions;
pub mod rule_defaults;
pub mod rulings;
pub mod score_breakdowns;
pub mod scores;
mod sources;
pub mod surfaces;
mod typosquats;

/// Every table, in the order of the manual.
pub const TABLES: &[Table] = &[
    capabilities::CapabilityRow::TABLE,
    packages::PackageRow::TABLE,
    scores::ScoreRow::TABLE,
    score_breakdowns::BreakdownRow::TABLE,
    findings::FindingRow::TABLE,
    surfaces::SurfaceRow::TABLE,
    hosts::HostRow::TABLE,
    permissions::PermissionRow::TABLE,
    facts::FactsRow::TABLE,
    rule_defaults::RuleDefaultRow::TABLE,
    rulings::RulingRow::TABLE,
    appeals::AppealRow::TABLE,
    appeals::AppealEventRow::TABLE,
    appeals::AnnotationRow::TABLE,
    judge::JudgementRow::TABLE,
    judge::JudgeFindingRow::TABLE,
    judge::JudgedScoreRow::TABLE,
    judge::JudgeTranscriptRow::TABLE,
    agents::AgentRunRow::TABLE,
    agents::AgentTestRow::TABLE,
    agents::AgentTrialRow::TABLE,
    changes::ChangeRow::TABLE,
    history::HistoryRow::TABLE,
    coverage::CoverageRow::TABLE,
    sources::SourceRow::TABLE,
    listings::ListingRow::TABLE,
    dependencies::DependencyRow::TABLE,
    gaps::GapRow::TABLE,
    drift::DriftRow::TABLE,
    families::FamilyRow::TABLE,
    campaigns::CampaignRow::TABLE,
    typosquats::TyposquatRow::TABLE,
    alerts::AlertRow::TABLE,
    entities::EntityRow::TABLE,
    identity_events::IdentityEventRow::TABLE,
    collisions::CollisionRow::TABLE,
];

/// The place of a table in [`TABLES`].
pub trait TablePlace: TableRow {
    /// The place. A table that is not listed does not compile.
    const NUMBER: usize = number(Self::TABLE.name);
}

impl<R: TableRow> TablePlace for R {}

/// The table whose key is the column of this name alone: what a column of that name in another table leads to.
pub fn key_of(column: &str) -> Option<&'static Table> {
    TABLES.iter().find(|table| table.has_key(column))
}

const fn number(name: &str) -> usize {
    // A loop, since iterators cannot be used at compile time.
    let mut at = 0;
    while at < TABLES.len() {
        if is_same(TABLES[at].name, name) {
            return at;
        }
        at += 1;
    }
    // At compile time: a table that no format writes cannot be declared.
    panic!("the table is missing in TABLES")
}

/// Compares texts at compile time, where `==` does not.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::cell::{Cell, Row};
    use crate::export::table::{ColumnRole, Layout};

    #[test]
    fn a_private_column_is_only_where_it_is_asked_for() {
        let private = TABLES.iter().filter(|table| {
            let public = Layout::of(table, false);
            let whole = Layout::of(table, true);
            let own = table.columns.iter().any(|column| column.name == "as_of");
            assert_eq!(whole.columns.len(), table.columns.len() + usize::from(!own), "{}", table.name);
            let numbers: Row = (0..table.columns.len()).map(|place| Cell::count(place as u64)).collect();
            let as_of = "2026-11-21T00:00:00Z".parse().expect("an instant");
            let kept = public.keep(numbers.clone(), as_of);
            assert_eq!(kept.len(), public.columns.len());
            for (column, cell) in public.columns.iter().zip(&kept) {
                if *cell == Cell::Timestamp(as_of.0) {
                    assert_eq!(column.name, "as_of");
                    continue;
                }
                let place = table.columns.iter().position(|each| each.name == column.name).expect("one of them");
                assert_eq!(*cell, Cell::count(place as u64), "{}.{}", table.name, column.name);
            }
            for ((column, cell), number) in table.columns.iter().zip(public.restore(kept)).zip(numbers) {
                let expected = if column.role == ColumnRole::Private { Cell::Null } else { number };
                assert_eq!(cell, expected, "{}.{}", table.name, column.name);
            }
            public.columns.len() < whole.columns.len()
        });
        assert!(private.count() > 0, "the test looks at something");
    }

    #[test]
    fn the_number_of_a_table_is_its_place() {
        assert_eq!(capabilities::CapabilityRow::NUMBER, 0);
        assert_eq!(TABLES[changes::ChangeRow::NUMBER].name, "changes");
        assert_eq!(collisions::CollisionRow::NUMBER + 1, TABLES.len());
    }

    #[test]
    fn a_meaning_is_one_line_without_blanks_around_it() {
        for (name, about) in TABLES.iter().flat_map(|table| {
            let columns = table.columns.iter().map(|column| (column.name, column.about));
            columns.chain([(table.name, table.about)])
        }) {
            assert!(!about.is_empty(), "{name}: {about:?}");
            assert!(about == about.trim(), "{name}: {about:?}");
            assert!(!about.contains("  "), "{name}: {about:?}");
            assert!(!about.contains('\n'), "{name}: {about:?}");
        }
    }

    #[test]
    fn no_two_columns_of_a_table_have_one_name() {
        for table in TABLES {
            let names: std::collections::BTreeSet<&str> = table.columns.iter().map(|column| column.name).collect();
            assert_eq!(names.len(), table.columns.len(), "{}", table.name);
        }
    }
}
