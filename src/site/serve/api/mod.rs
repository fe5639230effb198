//! The functions of the API, and the pages in which lists are given.
//!
//! They say what the commands say with `--format json`, in the same words.

use super::query::HttpQuery;
use super::reply::RouteReply;
use crate::report::site::Site;
use capdex_dataset::views;
use capdex_model::fact::Severity;
use serde::Serialize;

pub(super) mod capabilities;
pub(super) mod catalogue;
pub(super) mod lists;

/// Items of a page where nothing else is asked for, and at most.
const USUAL: u64 = 50;
const MOST: u64 = 500;

/// The part of a list that is asked for.
struct ApiPage {
    limit: usize,
    after: usize,
}

impl ApiPage {
    fn of(query: &HttpQuery) -> Result<Self, RouteReply> {
        let limit = query.parsed::<u64>("limit").map_err(RouteReply::Wrong)?.unwrap_or(USUAL);
        let after = query.parsed::<u64>("after").map_err(RouteReply::Wrong)?.unwrap_or(0);
        // Bounded, because a page is built in memory.
        if !(1..=MOST).contains(&limit) {
            return Err(RouteReply::Wrong(format!("limit is a number from 1 to {MOST}")));
        }
        let place = |number| usize::try_from(number).unwrap_or(usize::MAX);
        Ok(Self { limit: place(limit), after: place(after) })
    }

    /// The part of some items, each with its place from 1, and the `after` of the next part.
    fn cut<T>(&self, items: impl Iterator<Item = T>) -> (Vec<T>, Option<usize>) {
        // One more than asked for, which tells whether there is a next page.
        let mut part: Vec<T> = items.skip(self.after).take(self.limit.saturating_add(1)).collect();
        let more = part.len() > self.limit;
        part.truncate(self.limit);
        (part, more.then(|| self.after.saturating_add(self.limit)))
    }
}

/// A page of a list of `total` items.
fn listed<T: Serialize>(
    schema: &str,
    site: &Site,
    total: usize,
    items: &[T],
    next: Option<usize>,
) -> anyhow::Result<RouteReply> {
    RouteReply::json(&views::PageView { as_of: site.as_of, items, next, schema, total })
}

/// A whole list, on one page.
fn whole<T: Serialize>(schema: &str, site: &Site, items: &[T]) -> anyhow::Result<RouteReply> {
    listed(schema, site, items.len(), items, None)
}

/// The severity below which nothing is asked for.
fn least(query: &HttpQuery) -> Result<Severity, RouteReply> {
    let Some(word) = query.text("severity") else { return Ok(Severity::Info) };
    Severity::ALL
        .into_iter()
        .find(|severity| severity.as_str() == word)
        .ok_or_else(|| RouteReply::Wrong("severity is info, low, medium, high or critical".to_owned()))
}
