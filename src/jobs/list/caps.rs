//! The caps of a walk: pages, listings and growth. A directory that makes up entries without end stops at one of them.
//!
//! Entries that repeat themselves are the walk's own affair.

use capdex_crawlers::CrawlError;
use capdex_dataset::views::ledger::WalkReport;
use capdex_model::snapshot::GapReason;

use super::walk_context::WalkContext;
use crate::config::WalkCaps;

/// So many new listings in one run are never too much growth unless the schedule says so: a directory is new once.
const ALWAYS_TAKEN: u64 = 500_000;

/// The cap that a walk has met, as the error that ends it; none while it may go on. `before` is the number of listings that
/// the source had in the store when the run began.
pub(super) fn exceeded(walker: &WalkContext<'_>, before: u64, walked: &WalkReport) -> Option<CrawlError> {
    let detail = met(walker.run.caps, before, walked.pages, walked.new)?;
    Some(CrawlError::Malformed { subject: walker.id.to_owned(), reason: GapReason::BudgetExhausted, detail })
}

fn met(caps: WalkCaps, before: u64, pages: u64, new: u64) -> Option<String> {
    if pages >= caps.pages {
        let most = caps.pages;
        return Some(format!(
            "its pages do not end: {most} in one run, as many as `max_pages` allows; the next run goes on"
        ));
    }
    let rows = before.saturating_add(new);
    if rows >= caps.rows {
        return Some(format!("it has {rows} listings, and `max_rows` allows {}: nothing more is taken", caps.rows));
    }
    // What an operator wrote is taken to the letter, but for the run that brings everything.
    let always = if caps.is_growth_set && before > 0 { 0 } else { ALWAYS_TAKEN };
    let allowed = growth(before, caps.growth_percent).max(always);
    (new > allowed).then(|| {
        format!(
            "{new} new listings in one run beside {before} that were there, more than the {allowed} that \
             `max_growth_percent` allows; the next run goes on"
        )
    })
}

fn growth(before: u64, percent: u32) -> u64 {
    // Multiplied in the wider type: a percentage of millions of listings does not fit otherwise.
    u64::try_from(u128::from(before) * u128::from(percent) / 100).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAPS: WalkCaps = WalkCaps { pages: 10, rows: 4_000_000, growth_percent: 200, is_growth_set: false };

    #[test]
    fn a_walk_goes_on_below_each_cap_and_stops_at_it() {
        let met = |before, pages, new| met(CAPS, before, pages, new).unwrap_or_default();
        assert_eq!(met(0, 9, 0), "");
        assert!(met(0, 10, 0).contains("max_pages"));
        assert_eq!(met(3_999_998, 0, 1), "");
        assert!(met(3_999_998, 0, 2).contains("max_rows"));
        assert!(met(4_000_000, 0, 0).contains("max_rows"), "and on every later night");
        assert_eq!(met(0, 0, ALWAYS_TAKEN), "");
        assert!(met(0, 0, ALWAYS_TAKEN + 1).contains("max_growth_percent"));
        assert_eq!(met(1_000_000, 0, 2_000_000), "");
        assert!(met(1_000_000, 0, 2_000_001).contains("max_growth_percent"));
    }

    #[test]
    fn growth_that_an_operator_set_holds_for_small_sources_and_not_for_new_ones() {
        let set = WalkCaps { growth_percent: 50, is_growth_set: true, ..CAPS };
        assert_eq!(met(set, 0, 0, ALWAYS_TAKEN), None);
        assert_eq!(met(set, 600, 0, 300), None);
        assert!(met(set, 600, 0, 301).is_some_and(|said| said.contains("max_growth_percent")));
    }

    #[test]
    fn growth_of_any_numbers_is_a_number() {
        assert_eq!(growth(150, 50), 75);
        assert_eq!(growth(u64::MAX, u32::MAX), u64::MAX);
    }
}
