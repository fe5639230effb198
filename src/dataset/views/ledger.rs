//! The ledger of walks and runs: the reports that jobs write into the store, and that the status reads from it.
//!
//! One struct for both sides, so that no key can be written under one name and read under another.

use std::borrow::Cow;

use capdex_db::WalkOutcome;
use capdex_model::time::Timestamp;
use serde::{Deserialize, Serialize};

/// The report of one source in one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SourceReport {
    /// The source was not asked.
    Skipped {
        /// The reason.
        detail: String,
    },
    /// The source was walked.
    Walked(WalkReport),
}

/// The report of one walk. A key that an earlier program did not write is 0, false or none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WalkReport {
    /// Body bytes received.
    pub bytes: u64,
    /// Entries that say something else than before.
    pub changed: u64,
    /// The error that ended the walk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Entries that could not be read.
    pub failed: u64,
    /// Entries that are gone or have another name, those inferred from absence among them.
    pub gone: u64,
    /// Entries that are missing and not taken as gone until somebody confirms it.
    pub held: u64,
    /// True where the source's own end was reached.
    pub is_complete: bool,
    /// Entries on all pages.
    pub listed: u64,
    /// `full` or `since`.
    pub mode: Cow<'static, str>,
    /// Entries never met before.
    pub new: u64,
    /// Answers that said "not modified".
    pub not_modified: u64,
    /// Pages saved.
    pub pages: u64,
    /// Requests sent.
    pub requests: u64,
    /// The reason why the walk stopped before its end without an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Cow<'static, str>>,
    /// Wall time in milliseconds.
    pub wall_ms: u64,
}

impl WalkReport {
    /// The outcome that the ledger has beside the report.
    pub const fn outcome(&self) -> WalkOutcome {
        match (self.is_complete, &self.error) {
            (true, _) => WalkOutcome::Complete,
            // An error explains more than the reason to stop, where both are there.
            (false, Some(_)) => WalkOutcome::Failed,
            (false, None) => WalkOutcome::Stopped,
        }
    }

    /// True where the source gave nothing at all.
    pub const fn is_unreachable(&self) -> bool {
        self.error.is_some() && self.pages == 0
    }
}

/// One stage of a run. A stage that ran twice stands twice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageTime {
    /// The instant at which it began, by the clock.
    pub began: Timestamp,
    /// Wall time in seconds.
    pub seconds: f64,
    /// The name of the stage.
    pub stage: Cow<'static, str>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::assert_sorted;

    #[test]
    fn a_report_is_read_as_it_was_written() {
        let skipped = SourceReport::Skipped { detail: "off".to_owned() };
        let stopped = Some(Cow::Borrowed("interrupted"));
        let walked =
            SourceReport::Walked(WalkReport { mode: "full".into(), listed: 3, stopped, ..WalkReport::default() });
        for report in [skipped, walked] {
            assert_sorted(&report);
            let text = serde_json::to_string(&report).expect("written");
            assert_eq!(serde_json::from_str::<SourceReport>(&text).expect("read"), report);
        }
    }

    #[test]
    fn a_report_of_an_earlier_program_is_read() {
        let read = serde_json::from_str::<SourceReport>(r#"{"pages":2,"mode":"full"}"#).expect("read");
        assert_eq!(read, SourceReport::Walked(WalkReport { pages: 2, mode: "full".into(), ..WalkReport::default() }));
    }
}
