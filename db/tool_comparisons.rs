//! What the texts of two tools of one name said when they were compared, so that no two are read for it twice.
//!
//! The pass `collision` compares them; nothing here is judged.

use std::collections::BTreeMap;

use crate::sql::{Cells, canonical, execute, rows};
use crate::{Reader, SnapshotId, StoreError, Writer};

/// Two tools by the snapshots that hold them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ToolPair {
    /// The snapshot of the later server.
    pub later: SnapshotId,
    /// Its tool.
    pub tool: String,
    /// The snapshot of the earlier server.
    pub earlier: SnapshotId,
    /// Its tool.
    pub earlier_tool: String,
}

/// What the later tool of each pair can do more, one a line; none where either text was missing.
pub type ToolComparisons = BTreeMap<ToolPair, Option<Vec<String>>>;

impl Writer<'_> {
    /// Keeps the comparisons of a version, and drops all others.
    pub fn replace_tool_comparisons(&self, version: &str, found: &ToolComparisons) -> Result<(), StoreError> {
        const WHAT: &str = "keep what tools can do more";
        let conn = self.connection();
        let sql = "SELECT later, tool, earlier, earlier_tool, version FROM tool_comparisons";
        let known = rows(conn, WHAT, sql, (), |row| Ok((pair(row)?, row.cell::<String>(4)?)))?;
        let known: BTreeMap<ToolPair, String> = known.into_iter().collect();
        let sql = "DELETE FROM tool_comparisons
                   WHERE later = ?1 AND tool = ?2 AND earlier = ?3 AND earlier_tool = ?4";
        for ToolPair { later, tool, earlier, earlier_tool } in known.keys().filter(|pair| !found.contains_key(*pair)) {
            execute(conn, WHAT, sql, (later.0, tool, earlier.0, earlier_tool))?;
        }
        let sql = "INSERT OR REPLACE INTO tool_comparisons (later, tool, earlier, earlier_tool, version, body)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        // Only what is new, so that a night writes what changed.
        let is_new = |pair: &ToolPair| known.get(pair).is_none_or(|of| of != version);
        for (pair, more) in found.iter().filter(|(pair, _)| is_new(pair)) {
            let ToolPair { later, tool, earlier, earlier_tool } = pair;
            execute(conn, WHAT, sql, (later.0, tool, earlier.0, earlier_tool, version, canonical(more)?))?;
        }
        Ok(())
    }
}

impl Reader {
    /// The comparisons of a version.
    pub fn tool_comparisons(&self, version: &str) -> Result<ToolComparisons, StoreError> {
        let sql = "SELECT later, tool, earlier, earlier_tool, body FROM tool_comparisons WHERE version = ?1";
        let found = rows(self.connection(), "read what tools can do more", sql, (version,), |row| {
            Ok((pair(row)?, row.json(4, "comparison of two tools")?))
        })?;
        Ok(found.into_iter().collect())
    }
}

fn pair(row: &rusqlite::Row<'_>) -> Result<ToolPair, StoreError> {
    Ok(ToolPair {
        later: SnapshotId(row.cell(0)?),
        tool: row.cell(1)?,
        earlier: SnapshotId(row.cell(2)?),
        earlier_tool: row.cell(3)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{Folder, record, snapshot};

    #[test]
    fn what_is_kept_is_of_the_last_replacement_and_of_its_version() {
        let folder = Folder::new();
        let store = folder.store();
        let [earlier, later] = ["a", "b"].map(|name| record(&store, name, &snapshot(name, "1", &[("a.md", name)]), 1));
        let pair = |tool: &str| ToolPair { later, tool: tool.into(), earlier, earlier_tool: tool.into() };
        let more = Some(vec!["it destroys".to_owned()]);
        let first: ToolComparisons = [(pair("x"), more.clone()), (pair("y"), None)].into();
        let second: ToolComparisons = [(pair("y"), more), (pair("z"), Some(Vec::new()))].into();
        let kept = |version: &'static str| store.reader().expect("opens").tool_comparisons(version).expect("reads");
        let replace = |version: &'static str, found: &ToolComparisons| {
            let found = found.clone();
            store.write(move |writer| writer.replace_tool_comparisons(version, &found)).expect("kept");
        };
        replace("1", &first);
        assert_eq!(kept("1"), first);
        assert_eq!(kept("2"), ToolComparisons::new());
        replace("2", &second);
        assert_eq!(kept("1"), ToolComparisons::new());
        assert_eq!(kept("2"), second);
    }
}
