//! Why a run that ended counts as incomplete: a source or a stage failed, or too many of a source's items have gaps.
//!
//! Items that were read and not understood are `unknown` by their verdict, and no failure of the run. Items with gaps up to that share are counted and are no failure: of some thousand packages a few can never be read. The
//! ledger of gaps has each one with its reason.

use std::collections::{BTreeMap, BTreeSet};

use capdex_dataset::escape;
use capdex_db::{LedgerGap, ListingState, Reader, SourceCounts, StoreError};
use capdex_model::ids::ListingKey;
use capdex_model::snapshot::GapReason;

use super::RunReport;
use crate::config::GapTolerance;
use crate::jobs::{list, scan};

/// Columns of the one gap that stands for all of a source.
const EXAMPLE: usize = 160;

/// The items of one source that have gaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SourceGaps {
    /// Why the source itself failed.
    failure: Option<String>,
    items: BTreeSet<String>,
    /// One of them with its gap, in words: the first by name.
    example: Option<(String, String)>,
}

/// The reasons why a run over these sources counts as incomplete, one phrase each, sources first and sorted by name. Empty where
/// it is complete. Phrases may hold text of strangers.
///
/// # Errors
/// Errors of the store.
pub fn of_run<'a>(
    reader: &Reader,
    sources: impl IntoIterator<Item = &'a String>,
    tolerance: GapTolerance,
    report: &RunReport,
) -> Result<Vec<String>, StoreError> {
    let mut by_source: BTreeMap<&str, SourceGaps> =
        sources.into_iter().map(|id| (id.as_str(), SourceGaps::default())).collect();
    reader.each_gap(true, |gap| {
        add(&mut by_source, gap);
        Ok::<(), StoreError>(())
    })?;
    let counts: BTreeMap<String, SourceCounts> =
        reader.source_counts()?.into_iter().map(|counts| (counts.source.clone(), counts)).collect();
    let mut found = Vec::new();
    for (id, gaps) in by_source {
        let mut items = counts.get(id).map_or(0, |counts| counts.active + counts.failed);
        for item in &gaps.items {
            // A name that nobody has is an item as well: it was asked for, and counts as gone.
            let name = item.get(id.len() + 1..).unwrap_or_default();
            let stored = reader.listing(&ListingKey::new(id, name))?;
            let is_counted =
                stored.is_some_and(|stored| matches!(stored.state, ListingState::Active | ListingState::Failed));
            items += u64::from(!is_counted);
        }
        found.extend(of_source(id, &gaps, items, tolerance.max_percent));
    }
    // A strict run needs no other reason, but the others say more.
    if tolerance.is_strict && report.open_gaps > 0 && found.is_empty() {
        found.push(format!("{} open, and --strict allows none", counted(report.open_gaps, "gap")));
    }
    if report.over_budget {
        found.push("the time for requests was over; the next run goes on".to_owned());
    }
    if report.alerts.waiting() > 0 {
        found.push(format!("alerts: {} could not be told and wait", counted(report.alerts.waiting(), "message")));
    }
    if report.prune.failed > 0 {
        found.push("prune: old things could not be deleted".to_owned());
    }
    Ok(found)
}

fn add(by_source: &mut BTreeMap<&str, SourceGaps>, gap: LedgerGap) {
    // A gap of the source itself has its bare name; keys of listings begin with it and a colon.
    let source = gap.subject.split_once(':').map_or(gap.subject.as_str(), |(source, _)| source);
    let Some(gaps) = by_source.get_mut(source) else { return };
    // What a text says but nobody can tell is a matter of its verdict, which is `unknown`: no run would do better.
    let is_of_the_verdict =
        gap.stage == scan::STAGE && matches!(gap.gap.reason, GapReason::Unresolved | GapReason::BudgetExhausted);
    if gap.subject.len() > source.len() && !is_of_the_verdict {
        let why = format!("{} ({})", gap.gap.reason.as_str(), gap.gap.detail);
        if gaps.example.as_ref().is_none_or(|(item, _)| *item > gap.subject) {
            gaps.example = Some((gap.subject.clone(), why));
        }
        gaps.items.insert(gap.subject);
    } else if gap.stage == list::STAGE {
        gaps.failure = Some(gap.gap.detail);
    }
}

/// What is wrong with one source of so many items.
fn of_source(id: &str, gaps: &SourceGaps, items: u64, max_percent: u32) -> Option<String> {
    if let Some(failure) = &gaps.failure {
        return Some(format!("source {id}: {failure}"));
    }
    let with_gaps = u64::try_from(gaps.items.len()).unwrap_or(u64::MAX);
    // Whole numbers, and no allowance for small sources: scripts rely on the share alone.
    let is_above = with_gaps.saturating_mul(100) > u64::from(max_percent).saturating_mul(items);
    is_above.then(|| {
        let of = counted(items, "item");
        let example = gaps.example.as_ref().map_or_else(String::new, |(item, why)| format!("; {item}: {why}"));
        let example = escape::shorten(&example, EXAMPLE);
        format!("source {id}: {with_gaps} of {of} with gaps, and {max_percent} % may have some{example}")
    })
}

fn counted(number: u64, noun: &str) -> String {
    escape::count(number, noun)
}

#[cfg(test)]
mod tests {
    use super::*;
    use capdex_model::snapshot::{Gap, GapReason};

    fn gap(stage: &str, subject: &str) -> LedgerGap {
        let at = "2026-11-20T01:00:00Z".parse().expect("an instant");
        let gap = Gap::new("x", GapReason::NotFound, "it answered 500");
        LedgerGap { stage: stage.into(), subject: subject.into(), gap, first_seen: at, resolved: None }
    }

    fn told(gaps: &[(&str, &str)], items: u64, max_percent: u32) -> Option<String> {
        let mut by_source = BTreeMap::from([("npm", SourceGaps::default()), ("pypi", SourceGaps::default())]);
        gaps.iter().for_each(|(stage, subject)| add(&mut by_source, gap(stage, subject)));
        assert_eq!(by_source["pypi"], SourceGaps::default());
        of_source("npm", &by_source["npm"], items, max_percent)
    }

    #[test]
    fn a_source_that_failed_is_told_with_its_error() {
        assert_eq!(told(&[("list", "npm")], 100, 2).as_deref(), Some("source npm: it answered 500"));
        assert_eq!(
            told(&[("list", "npm"), ("fetch", "npm:a")], 1, 100).as_deref(),
            Some("source npm: it answered 500")
        );
        assert_eq!(told(&[("list", "other"), ("list", "npmjs:a"), ("scan", "npm")], 1, 2), None);
    }

    #[test]
    fn items_count_once_and_only_above_the_share() {
        let two = [("fetch", "npm:a"), ("scan", "npm:a"), ("scan", "npm:b")];
        assert_eq!(told(&two, 100, 2), None, "two of a hundred are not above two percent");
        let said = told(&two, 99, 2);
        assert_eq!(
            said.as_deref(),
            Some("source npm: 2 of 99 items with gaps, and 2 % may have some; npm:a: not_found (it answered 500)")
        );
        assert_eq!(told(&two, 3, 67), None);
        assert!(told(&two, 3, 66).is_some());
        assert_eq!(told(&two, 2, 100), None);
    }

    #[test]
    fn what_was_read_and_not_understood_is_no_failure_of_the_run() {
        let unread = |stage: &str, reason: GapReason| {
            let mut by_source = BTreeMap::from([("npm", SourceGaps::default())]);
            let gap = LedgerGap { gap: Gap::new("x", reason, "line 3"), ..gap(stage, "npm:a") };
            add(&mut by_source, gap);
            of_source("npm", &by_source["npm"], 1, 2).is_some()
        };
        assert!(!unread("scan", GapReason::Unresolved) && !unread("scan", GapReason::BudgetExhausted));
        assert!(unread("fetch", GapReason::BudgetExhausted) && unread("scan", GapReason::DigestMismatch));
    }

    #[test]
    fn one_item_counts_as_any_share_does() {
        let one = [("fetch", "npm:a")];
        for (items, max_percent, is_told) in [
            (1, 2, true),
            (30, 2, true),
            (49, 2, true),
            (50, 2, false),
            (51, 2, false),
            (1000, 0, true),
            (1, 100, false),
        ] {
            assert_eq!(told(&one, items, max_percent).is_some(), is_told, "1 of {items}, {max_percent} %");
        }
        assert_eq!(told(&[], 0, 0), None);
    }
}
