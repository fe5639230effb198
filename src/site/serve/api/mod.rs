//! The functions of the API, and the pages in which lists are given.
//!
//! They say what the commands say with `--format json`, in the same words.

use super::query::HttpQuery;
use super::reply::RouteReply;
use crate::report::site::Site;
use capdex_dataset::program::{Program, program};
use capdex_dataset::views;
use capdex_model::digest::Digest;
use capdex_model::fact::Severity;
use serde::Serialize;
use serde_json::{Map, Value, json};

pub(super) mod capabilities;
pub(super) mod catalogue;
pub(super) mod lists;
pub(super) mod packages;

/// Items of a page where nothing else is asked for, and at most.
const USUAL: u64 = 50;
const MOST: u64 = 500;

/// Hex digits by which a cursor knows an item again.
const CURSOR_DIGITS: usize = 16;

/// The part of a list that is asked for.
struct ApiPage {
    limit: usize,
    after: ApiCursor,
}

/// The place in a list behind which a page begins: so many items, and the last of them, which may have moved since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ApiCursor {
    offset: usize,
    last: Option<String>,
}

impl ApiCursor {
    /// Reads a number, or what [`ApiCursor::text`] wrote.
    fn read(text: &str) -> Option<Self> {
        let (offset, last) = text.split_once('-').map_or((text, None), |(offset, last)| (offset, Some(last)));
        let is_digits = last.is_none_or(|last| last.len() == CURSOR_DIGITS);
        // Numbers that fit into no list lie behind its end.
        let offset = offset.parse::<u64>().ok().filter(|_| is_digits)?;
        Some(Self { offset: usize::try_from(offset).unwrap_or(usize::MAX), last: last.map(str::to_owned) })
    }

    fn text(offset: usize, key: &str) -> String {
        format!("{offset}-{}", mark_of(key))
    }
}

/// Some digits that stand for the key of an item.
fn mark_of(key: &str) -> String {
    Digest::of(key.as_bytes()).hex().chars().take(CURSOR_DIGITS).collect()
}

impl ApiPage {
    fn of(query: &HttpQuery) -> Result<Self, RouteReply> {
        let limit = query.parsed::<u64>("limit").map_err(RouteReply::Wrong)?.unwrap_or(USUAL);
        let after = query.text("after").map_or_else(|| Some(ApiCursor::default()), ApiCursor::read);
        let Some(after) = after else {
            return Err(RouteReply::Wrong("after is the `next` of the page before, or a number of items".to_owned()));
        };
        // Bounded, because a page is built in memory.
        if !(1..=MOST).contains(&limit) {
            return Err(RouteReply::Wrong(format!("limit is a number from 1 to {MOST}")));
        }
        Ok(Self { limit: usize::try_from(limit).unwrap_or(usize::MAX), after })
    }

    /// The part of some items, and the `after` of the next part. `key` tells items apart, over nights too: where the last one
    /// of the page before has moved, the page begins behind it, and where it is gone, at its old place.
    fn cut<T>(&self, items: impl Iterator<Item = T> + Clone, key: impl Fn(&T) -> String) -> (Vec<T>, Option<String>) {
        let start = self.after.last.as_ref().map_or(self.after.offset, |last| {
            let is_last = |item: &T| mark_of(&key(item)) == *last;
            let before = self.after.offset.checked_sub(1);
            // Nearly always nothing has moved.
            if before.and_then(|at| items.clone().nth(at)).is_some_and(|item| is_last(&item)) {
                return self.after.offset;
            }
            items.clone().position(|item| is_last(&item)).map_or(self.after.offset, |at| at + 1)
        });
        // One more than asked for, which tells whether there is a next page.
        let mut part: Vec<T> = items.skip(start).take(self.limit.saturating_add(1)).collect();
        let more = part.len() > self.limit;
        part.truncate(self.limit);
        let next = part.last().filter(|_| more).map(|last| ApiCursor::text(start + self.limit, &key(last)));
        (part, next)
    }
}

/// A page of a list of `total` items.
fn listed<T: Serialize>(
    schema: &str,
    site: &Site,
    total: usize,
    items: &[T],
    next: &Option<String>,
) -> anyhow::Result<RouteReply> {
    let Program { engine_version, program_sha256 } = program();
    RouteReply::json(&views::PageView {
        as_of: site.as_of,
        engine_version,
        items,
        next: next.as_deref(),
        program_sha256: program_sha256.as_deref(),
        schema,
        total,
    })
}

/// Adds what an object says of the program that answers.
fn name_program(object: &mut Map<String, Value>) {
    let Program { engine_version, program_sha256 } = program();
    object.insert("engine_version".to_owned(), json!(engine_version));
    object.insert("program_sha256".to_owned(), json!(program_sha256));
}

/// A whole list, on one page.
fn whole<T: Serialize>(schema: &str, site: &Site, items: &[T]) -> anyhow::Result<RouteReply> {
    listed(schema, site, items.len(), items, &None)
}

/// The severity below which nothing is asked for.
fn least(query: &HttpQuery) -> Result<Severity, RouteReply> {
    let word = one_of(query, "severity", Severity::ALL.iter().map(|severity| severity.as_str()))?;
    Ok(Severity::ALL.into_iter().find(|severity| Some(severity.as_str()) == word).unwrap_or(Severity::Info))
}

/// A parameter that is one of a few words. Any other is said to be none of them: a misspelt filter would give nothing, and look
/// like an answer.
fn one_of<'a>(
    query: &'a HttpQuery,
    name: &str,
    words: impl Iterator<Item = &'a str>,
) -> Result<Option<&'a str>, RouteReply> {
    let Some(word) = query.text(name) else { return Ok(None) };
    let words: Vec<&str> = words.collect();
    if words.contains(&word) {
        Ok(Some(word))
    } else {
        Err(RouteReply::Wrong(format!("{name} is one of: {}", words.join(", "))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(after: &str, limit: usize) -> ApiPage {
        ApiPage { limit, after: ApiCursor::read(after).expect("a cursor") }
    }

    #[test]
    fn pages_go_on_behind_their_last_item_wherever_it_is_now() {
        let key = |item: &&str| (*item).to_owned();
        let items = ["a", "b", "c", "d", "e"];
        let (first, next) = page("0", 2).cut(items.into_iter(), key);
        assert_eq!(first, ["a", "b"]);
        let next = next.expect("more");
        assert_eq!(page(&next, 2).cut(items.into_iter(), key).0, ["c", "d"]);
        // One came before it, and one went.
        assert_eq!(page(&next, 2).cut(["new", "a", "b", "c", "d"].into_iter(), key).0, ["c", "d"]);
        assert_eq!(page(&next, 2).cut(["b", "c", "d"].into_iter(), key).0, ["c", "d"]);
        // It is gone: its place counts.
        assert_eq!(page(&next, 2).cut(["a", "x", "c"].into_iter(), key).0, ["c"]);
        assert_eq!(page("2", 2).cut(items.into_iter(), key).0, ["c", "d"]);
        assert_eq!(page("3", 2).cut(items.into_iter(), key).1, None);
        assert_eq!(page("99999999999", 2).cut(items.into_iter(), key).0, Vec::<&str>::new());
        for wrong in ["", "-1", "x", "1-", "1-zz", "99999999999999999999"] {
            assert_eq!(ApiCursor::read(wrong), None, "{wrong}");
        }
    }
}
