//! Facts that a repository's document does not say, for those changed repositories of a walk that the schedule allows
//! it for.
//!
//! A row never fails over them: a question without an answer stays unknown.

use capdex_model::listing::{Claim, Claims};
use octocrab::Page;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::interface::Interface;
use super::repository::{Repository, name_of};
use crate::CrawlError;
use crate::claims::instant;

/// Weeks in the quarter that is counted: 91 days.
const QUARTER_WEEKS: usize = 13;

/// Four requests: contributors, commits by week, workflows, and the account.
///
/// # Errors
/// Only what concerns every further request too: that the server asks to be left alone, or is not there.
pub(super) async fn add(github: &Interface, read: &Repository, claims: &mut Claims) -> Result<(), CrawlError> {
    let calls = github.calls();
    let (owner, name) = name_of(&read.full_name).unwrap_or_default();
    let repository = calls.repos(owner, name);
    // With one entry a page, the number of the last page in `Link` is the number of contributors.
    let contributors = heard(github.page(repository.list_contributors().per_page(1u8).send()).await)?;
    let weeks = heard(github.document(repository.stats().participation(), None).await)?.flatten();
    let workflows =
        heard(github.document(calls.workflows(owner, name).list().per_page(1u8).send(), None).await)?.flatten();
    let account = heard(github.document(calls.users(owner).profile(), None).await)?.flatten();
    let standing = &mut claims.repository_signals;
    standing.contributors = contributors.map_or(Claim::Unknown, |told| count(&told.document));
    let weeks = weeks.map(|told| told.document).and_then(|document| commits_by_week(&document));
    // GitHub answers 202 while it still counts; then the counts stay unknown this time.
    if let Some(weeks) = weeks {
        standing.commits_year = Claim::Known(weeks.iter().sum());
        standing.commits_quarter = Claim::Known(weeks.iter().rev().take(QUARTER_WEEKS).sum());
    }
    let workflows = workflows.and_then(|told| told.document.get("total_count")?.as_u64());
    standing.workflows = workflows.map_or(Claim::Unknown, |count| Claim::Known(count > 0));
    standing.account_created = account.map_or(Claim::Unknown, |told| instant(told.document.get("created_at")));
    Ok(())
}

/// An answer; none where the failure concerns this repository alone.
fn heard<T>(answer: Result<T, CrawlError>) -> Result<Option<T>, CrawlError> {
    match answer {
        Ok(told) => Ok(Some(told)),
        // A failure that passes concerns the server as a whole; a refusal concerns this repository.
        Err(error) if error.is_transient() => Err(error),
        Err(_) => Ok(None),
    }
}

/// The number of things in a list of which a page has one.
fn count(page: &Page<IgnoredAny>) -> Claim<u64> {
    let here = u64::try_from(page.items.len()).ok();
    page.number_of_pages().map(u64::from).or(here).map_or(Claim::Unknown, Claim::Known)
}

/// Commits in each of the last 52 weeks, the oldest first; none while GitHub still counts them.
fn commits_by_week(document: &Value) -> Option<Vec<u64>> {
    let weeks: Option<Vec<u64>> = document.get("all")?.as_array()?.iter().map(Value::as_u64).collect();
    // The bound keeps the sum of 52 such numbers from overflowing.
    weeks.filter(|weeks| weeks.len() == 52 && weeks.iter().all(|count| *count < 1 << 40))
}
