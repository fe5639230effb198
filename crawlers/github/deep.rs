//! What a repository's document does not say, for those changed repositories of a walk that the schedule allows it for.
//!
//! Must not fail a row: what is not answered stays unknown.

use capdex_model::listing::{Claim, Claims};
use serde_json::Value;

use super::repository::{Repository, name_of};
use super::visit::{DOCUMENT, Visitor};
use crate::claims::instant;
use crate::forge::{self, MAX_DOCUMENT_BYTES};
use crate::http::{Answer, Request};
use crate::{CrawlError, json};

/// Weeks in the quarter that is counted: 91 days.
const QUARTER_WEEKS: usize = 13;

/// An answer and how many pages it says there are.
struct Told {
    document: Value,
    pages: Option<u64>,
}

/// Four requests: contributors, commits by week, workflows, and the account.
///
/// # Errors
/// Only what concerns every further request too: that the server asks to be left alone, or is not there.
pub(super) async fn add(visitor: &Visitor, read: &Repository, claims: &mut Claims) -> Result<(), CrawlError> {
    let one = [("per_page", "1")];
    let contributors = ask(visitor, visitor.below(read, &["contributors"], &one)?).await?;
    let weeks = ask(visitor, visitor.below(read, &["stats", "participation"], &[])?).await?;
    let workflows = ask(visitor, visitor.below(read, &["actions", "workflows"], &one)?).await?;
    let (owner, _) = name_of(&read.full_name).unwrap_or_default();
    let account = ask(visitor, forge::address(&visitor.base_url, ["users", owner], &[])?).await?;
    let standing = &mut claims.standing;
    standing.contributors = contributors.map_or(Claim::Unknown, |told| count(&told));
    let weeks = weeks.map(|told| told.document).and_then(|document| commits_by_week(&document));
    if let Some(weeks) = weeks {
        standing.commits_year = Claim::Known(weeks.iter().sum());
        standing.commits_quarter = Claim::Known(weeks.iter().rev().take(QUARTER_WEEKS).sum());
    }
    let workflows = workflows.and_then(|told| told.document.get("total_count")?.as_u64());
    standing.workflows = workflows.map_or(Claim::Unknown, |count| Claim::Known(count > 0));
    standing.account_created = account.map_or(Claim::Unknown, |told| instant(told.document.get("created_at")));
    Ok(())
}

async fn ask(visitor: &Visitor, url: String) -> Result<Option<Told>, CrawlError> {
    let request = Request { url: &url, accept: Some(DOCUMENT), max_bytes: MAX_DOCUMENT_BYTES, ..Request::default() };
    match visitor.http.get(request).await {
        Ok(Answer::Body { bytes, headers, .. }) => {
            let pages = headers.link.as_deref().and_then(last_page);
            Ok(json::parse(&bytes, |_, _| false).ok().map(|document| Told { document, pages }))
        }
        Ok(Answer::NotModified) => Ok(None),
        Err(error) if error.is_transient() => Err(error),
        Err(_) => Ok(None),
    }
}

/// How many things a list has of which a page has one.
fn count(told: &Told) -> Claim<u64> {
    let here = told.document.as_array().and_then(|all| u64::try_from(all.len()).ok());
    here.map_or(Claim::Unknown, |here| Claim::Known(told.pages.unwrap_or(here)))
}

/// Commits in each of the last 52 weeks, the oldest first; none while GitHub still counts them.
fn commits_by_week(document: &Value) -> Option<Vec<u64>> {
    let weeks: Option<Vec<u64>> = document.get("all")?.as_array()?.iter().map(Value::as_u64).collect();
    weeks.filter(|weeks| weeks.len() == 52 && weeks.iter().all(|count| *count < 1 << 40))
}

/// The number of the last page that a `Link` header names.
fn last_page(link: &str) -> Option<u64> {
    let url = super::page::linked(link, "last")?;
    url.query_pairs().find(|(key, _)| key == "page")?.1.parse().ok()
}
