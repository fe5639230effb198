//! One page of a search or a list: the repositories on it, and whether there are more.
//!
//! A page that a link names is never asked for by that link: the next one has the next number.

use std::collections::BTreeMap;

use capdex_model::time::AsOf;
use octocrab::Page;
use octocrab::params::{repos, users};
use serde_json::Value;

use super::cursor_state::At;
use super::interface::{GithubResponse, Interface};
use super::queries::GithubQuery;
use super::repository::{Repository, name_of};
use crate::CrawlError;

/// Entries on a page.
const PER_PAGE: u8 = 100;

/// The last page of a search: what lies behind it is refused.
const LAST_PAGE_OF_SEARCH: u64 = 10;

/// The last page of a list that is asked for; no owner has so many repositories.
const LAST_PAGE_OF_LIST: u64 = 2_000;

/// The repositories on a page, and the way on.
pub(super) struct GithubRepositoryPage {
    /// The repositories by name, with what the page says of each where it says all that a listing has.
    pub(super) repositories: BTreeMap<String, Option<Repository>>,
    /// The place at which the walk of this query goes on; none at its end.
    pub(super) next: Option<At>,
}

/// Asks for the page at which a walk stands.
pub(super) async fn ask(
    github: &Interface,
    query: &GithubQuery,
    at: &At,
    as_of: AsOf,
) -> Result<GithubRepositoryPage, CrawlError> {
    let (page, url) = match fetch(github, query, at).await {
        Ok(told) => (told.document, told.asked),
        // An owner that is no more has no repositories.
        Err(CrawlError::Gone { subject }) if matches!(query, GithubQuery::Owner { .. }) => {
            tracing::warn!(url = subject, "what the schedule wants listed does not exist");
            return Ok(GithubRepositoryPage { repositories: BTreeMap::new(), next: None });
        }
        Err(error) => return Err(error),
    };
    match at {
        At::Search { index, shards, page: number } => searched(*index, shards, *number, query, &page, as_of)
            .ok_or_else(|| CrawlError::bad_answer(&url, "no results")),
        At::List { index, page: number } => {
            listed(*index, *number, &page).ok_or_else(|| CrawlError::bad_answer(&url, "no list"))
        }
        At::Ids { index, since } => {
            by_id(*index, *since, query, &page).ok_or_else(|| CrawlError::bad_answer(&url, "no list"))
        }
        At::Names { .. } => Ok(GithubRepositoryPage { repositories: BTreeMap::new(), next: None }),
    }
}

async fn fetch(github: &Interface, query: &GithubQuery, at: &At) -> Result<GithubResponse<Page<Value>>, CrawlError> {
    let calls = github.calls();
    match (query, at) {
        (GithubQuery::Repositories(text), At::Search { shards, page, .. }) => {
            let search = shards.last().map_or_else(|| text.clone(), |shard| shard.search(text));
            let (size, page) = (PER_PAGE.to_string(), page.to_string());
            // octocrab's own call has the same terms in another order, by which no recorded crawl would find its answer.
            let terms =
                [("q", search.as_str()), ("sort", "stars"), ("order", "desc"), ("per_page", &size), ("page", &page)];
            github.page(calls.get::<Value, _, _>("/search/repositories", Some(terms.as_slice()))).await
        }
        (GithubQuery::Code(text), At::Search { shards, page, .. }) => {
            let search = shards.last().map_or_else(|| text.clone(), |shard| shard.search(text));
            github.page(calls.search().code(&search).per_page(PER_PAGE).page(number(*page)).send()).await
        }
        (GithubQuery::Owner { kind: "orgs", name }, At::List { page, .. }) => {
            let owner = calls.orgs(name);
            let list = owner.list_repos().repo_type(repos::Type::Public).sort(repos::Sort::FullName);
            github.page(list.per_page(PER_PAGE).page(number(*page)).send()).await
        }
        (GithubQuery::Owner { name, .. }, At::List { page, .. }) => {
            let owner = calls.users(name);
            let list = owner.repos().r#type(users::repos::Type::Owner).sort(repos::Sort::FullName);
            github.page(list.per_page(PER_PAGE).page(number(*page)).send()).await
        }
        (GithubQuery::Ids { .. }, At::Ids { since, .. }) => {
            github.page(calls.all_repositories().since(*since).send()).await
        }
        _ => Err(github.malformed("the cursor and the query do not fit")),
    }
}

/// A page's number as octocrab has it. No walk comes near its end.
fn number(page: u64) -> u32 {
    u32::try_from(page).unwrap_or(u32::MAX)
}

/// A page of a search. A search that has more results than it gives, or did not come to its end, is split instead.
fn searched(
    index: usize,
    shards: &[super::shard::Shard],
    number: u64,
    query: &GithubQuery,
    page: &Page<Value>,
    as_of: AsOf,
) -> Option<GithubRepositoryPage> {
    // Without these members it is no page of a search; taken for an empty one, it would end the walk.
    let (total, is_incomplete, items) = (page.total_count?, page.incomplete_results?, &page.items);
    let (shard, others) = shards.split_last()?;
    let at = |shards: Vec<_>, page| At::Search { index, shards, page };
    // GitHub refuses what lies behind the thousandth result, so the search is split instead.
    if is_incomplete || total > u64::from(PER_PAGE) * LAST_PAGE_OF_SEARCH {
        // A day more than the night's instant, so that repositories made during the walk are in the last part.
        let now = u64::try_from(as_of.0.unix_seconds()).unwrap_or(0).saturating_add(86_400);
        let halves = match query {
            GithubQuery::Code(text) => shard.split_code(text),
            GithubQuery::Repositories(text) => shard.split_repositories(text, now),
            _ => None,
        };
        if let Some([low, high]) = halves {
            let shards = others.iter().cloned().chain([low, high]).collect();
            return Some(GithubRepositoryPage { repositories: BTreeMap::new(), next: Some(at(shards, 1)) });
        }
        tracing::warn!(total, is_incomplete, "a search cannot be split further: some of its results are not seen");
    }
    let is_last = number >= LAST_PAGE_OF_SEARCH || items.is_empty() || number * u64::from(PER_PAGE) >= total;
    let next = match is_last {
        false => Some(at(shards.to_vec(), number + 1)),
        true if others.is_empty() => None,
        true => Some(at(others.to_vec(), 1)),
    };
    let repositories = match query {
        // Results of a code search hold only a part of the repository's members.
        GithubQuery::Code(_) => items.iter().filter_map(|item| named(item.get("repository")?, false)).collect(),
        _ => items.iter().filter_map(|item| named(item, true)).collect(),
    };
    Some(GithubRepositoryPage { repositories, next })
}

fn listed(index: usize, number: u64, page: &Page<Value>) -> Option<GithubRepositoryPage> {
    let (items, is_more) = (&page.items, page.next.is_some());
    if items.is_empty() && (is_more || number > 1) {
        // The page before said that there is this one.
        return None;
    }
    let next = (is_more && number < LAST_PAGE_OF_LIST).then_some(At::List { index, page: number + 1 });
    Some(GithubRepositoryPage { repositories: items.iter().filter_map(|item| named(item, true)).collect(), next })
}

fn by_id(index: usize, since: u64, query: &GithubQuery, page: &Page<Value>) -> Option<GithubRepositoryPage> {
    let GithubQuery::Ids { to, .. } = query else { return None };
    let items = &page.items;
    let id = |item: &Value| item.get("id").and_then(Value::as_u64);
    let last = items.iter().filter_map(id).max();
    // The list goes on beyond the wanted range.
    let is_wanted = |item: &&Value| id(item).is_some_and(|id| id > since && id <= *to);
    let repositories = items.iter().filter(is_wanted).filter_map(|item| named(item, false)).collect();
    // What does not lead on is the end, and so is what leads beyond it.
    let next = last.filter(|last| *last > since && last < to).map(|since| At::Ids { index, since });
    Some(GithubRepositoryPage { repositories, next })
}

/// The name of an entry, and all that it says where `is_whole`; none for a private one and for what has no name.
fn named(item: &Value, is_whole: bool) -> Option<(String, Option<Repository>)> {
    let name = item.get("full_name")?.as_str()?;
    name_of(name)?;
    // A token may see private repositories, and a list must not name them.
    if item.get("private").and_then(Value::as_bool) == Some(true) {
        return None;
    }
    let read = if is_whole { Repository::read(item).ok() } else { None };
    Some((name.to_ascii_lowercase(), read))
}
