//! The ledger of walks: what each run asked of each source, and what it was told.
//!
//! The program writes the report; its numbers are kept as they come.

use capdex_model::time::AsOf;
use serde_json::Value;

use crate::sql::{Cells, execute, rows, seconds};
use crate::{Reader, RunId, StoreError, Writer};

/// The end of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WalkOutcome {
    /// At the source's own end.
    Complete,
    /// Before it, as it was meant to: a budget was spent, or somebody asked to stop. The next run goes on.
    Stopped,
    /// Before it, by an error. The next run goes on.
    Failed,
    /// Nothing was asked: the source is off, or lacks what it needs.
    Skipped,
}

impl WalkOutcome {
    const ALL: [Self; 4] = [Self::Complete, Self::Stopped, Self::Failed, Self::Skipped];

    /// The word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }

    fn of_word(word: &str) -> Result<Self, StoreError> {
        Self::ALL
            .into_iter()
            .find(|outcome| outcome.as_str() == word)
            .ok_or_else(|| StoreError::Corrupt { what: "walk", detail: format!("{word} is no outcome") })
    }
}

/// One walk of one run, as the ledger has it.
#[derive(Clone, Debug, PartialEq)]
pub struct WalkRow {
    /// The run.
    pub run: RunId,
    /// The source's id.
    pub source: String,
    /// Its end.
    pub outcome: WalkOutcome,
    /// Counts and reasons.
    pub report: Value,
    /// The as-of instant of the run.
    pub at: AsOf,
}

impl Writer<'_> {
    /// Enters a walk of the run that began last.
    pub fn record_walk(&self, source: &str, outcome: WalkOutcome, report: &Value, at: AsOf) -> Result<(), StoreError> {
        let sql = "INSERT INTO walks (run, source, outcome, report, at)
                   VALUES ((SELECT ifnull(max(id), 0) FROM runs), ?1, ?2, ?3, ?4)";
        let params = (source, outcome.as_str(), report.to_string(), seconds(at));
        execute(self.connection(), "enter a walk", sql, params).map(drop)
    }
}

impl Reader {
    /// The last walk of every source, sorted by source.
    pub fn last_walks(&self) -> Result<Vec<WalkRow>, StoreError> {
        // By the greatest id and not by the instant: two walks may have one as-of instant.
        let sql = "SELECT run, source, outcome, report, at FROM walks
                   WHERE id IN (SELECT max(id) FROM walks GROUP BY source) ORDER BY source";
        rows(self.connection(), "read the walks", sql, (), |row| {
            Ok(WalkRow {
                run: RunId(row.cell(0)?),
                source: row.cell(1)?,
                outcome: WalkOutcome::of_word(&row.cell::<String>(2)?)?,
                report: row.json(3, "report of a walk")?,
                at: row.as_of(4)?,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixtures::{Folder, day};

    #[test]
    fn the_last_walk_of_each_source_is_read() {
        let folder = Folder::new();
        let store = folder.store();
        for (number, outcome) in [(1, WalkOutcome::Failed), (2, WalkOutcome::Complete)] {
            let report = json!({ "pages": number });
            store.write(move |writer| writer.record_walk("npm", outcome, &report, day(number))).expect("written");
        }
        let walks = store.reader().expect("opens").last_walks().expect("reads");
        let [walk] = walks.as_slice() else { panic!("one source") };
        assert_eq!(walk.outcome, WalkOutcome::Complete);
        assert_eq!(&walk.report, &json!({"pages": 2}));
        assert_eq!(walk.at, day(2));
    }
}
