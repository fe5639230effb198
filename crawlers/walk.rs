//! A walk over a list of names, in steps, with the names of a step visited at the same time.
//!
//! The cursor is the index of the next name and a digest of the list. A list that was changed in the middle of a walk
//! is walked from its beginning.

use std::future::Future;

use capdex_model::ids::ListingKey;
use capdex_model::listing::{Listing, Validators};
use capdex_model::snapshot::{Gap, GapReason};
use tokio::task::JoinSet;

use crate::walked_names::NameList;
use crate::{CrawlError, ListPage, ListRequest, ListedEntry, NextPage, WalkCursor};

/// Names in one step.
pub(crate) const STEP: usize = 16;

/// The result of a visit.
#[derive(Debug)]
pub(crate) enum Visited {
    /// Nothing changed.
    Unchanged,
    /// New or different.
    Changed(Box<Listing>, Validators),
    /// It has another name now, under which it is this.
    Moved(String, Box<Listing>, Validators),
}

/// Takes one step over `names`. `visit` is given a name and what the last visit left of it.
///
/// A visit that fails is listed as `Gone`, `TakenDown` or `Failed`, and the others go on.
///
/// # Errors
/// The error of a source that is not there: nothing answers at all for any name of the first step. To say it once is
/// better than once for every name.
pub(crate) async fn step<V, F>(request: &ListRequest<'_>, names: &NameList, visit: V) -> Result<ListPage, CrawlError>
where
    V: Fn(String, Option<Validators>) -> F,
    F: Future<Output = Result<Visited, CrawlError>> + Send + 'static,
{
    let window = NameWindow::of(names, request.cursor.map(|cursor| cursor.0.as_str()));
    let keys: Vec<_> = window.names.iter().map(|name| request.key(name)).collect();
    let results = visit_at_once(request, &keys, &visit).await;
    // Where every name is a host of its own, as endpoints are, silence of some says nothing of the others.
    let is_one_host = !request.settings.base_url.is_empty();
    if is_one_host
        && window.begin == 0
        && let Some(error) = unreachable(results.iter().map(|result| result.as_ref().err()))
    {
        return Err(error);
    }
    let mut rows = Vec::new();
    for (key, result) in keys.into_iter().zip(results) {
        let Ok(Visited::Moved(to, listing, validators)) = result else {
            rows.push(listed(key, result));
            continue;
        };
        rows.push(ListedEntry::Moved { key, to: to.clone() });
        let new = request.key(&to);
        let is_listed = |row: &ListedEntry| matches!(row, ListedEntry::Changed { listing, .. } if listing.key == new);
        // A new name that is among the names is walked by itself.
        if !names.names.contains(&to) && !rows.iter().any(is_listed) {
            rows.push(listed(new, Ok(Visited::Changed(listing, validators))));
        }
    }
    Ok(ListPage {
        listed: rows,
        next: window.next().map_or(NextPage::END, |cursor| NextPage::More(WalkCursor(cursor))),
    })
}

/// The error of a source that is not there: the first of some visits that all found nobody. None of no visits.
pub(crate) fn unreachable<'a>(errors: impl IntoIterator<Item = Option<&'a CrawlError>>) -> Option<CrawlError> {
    let mut first = None;
    for error in errors {
        let error = error.filter(|error| matches!(error, CrawlError::Unreachable { .. }))?;
        first.get_or_insert_with(|| error.clone());
    }
    first
}

/// The error in place of a page of a feed of changes none of whose names could be read. A watermark must not move past
/// changes that nobody saw.
pub(crate) fn unless_all_failed(
    listed: Vec<ListedEntry>,
    request: &ListRequest<'_>,
) -> Result<Vec<ListedEntry>, CrawlError> {
    let is_lost = |listed: &ListedEntry| matches!(listed, ListedEntry::Failed { transient: true, .. });
    if !listed.is_empty() && listed.iter().all(is_lost) {
        let detail = format!("none of {} changed names could be read", listed.len());
        return Err(CrawlError::Transient { subject: request.id.to_owned(), detail });
    }
    Ok(listed)
}

/// Visits `keys` at the same time; the results in their order.
async fn visit_at_once<V, F>(
    request: &ListRequest<'_>,
    keys: &[ListingKey],
    visit: &V,
) -> Vec<Result<Visited, CrawlError>>
where
    V: Fn(String, Option<Validators>) -> F,
    F: Future<Output = Result<Visited, CrawlError>> + Send + 'static,
{
    let visits = keys.iter().map(|key| visit(key.name.clone(), request.known.validators(key)));
    // A visit that panicked is broken, and no other one is.
    let visited = concurrently(visits).await.into_iter().zip(keys);
    visited.map(|(visited, key)| visited.unwrap_or_else(|| Err(broken(key)))).collect()
}

/// The names of one step.
pub(crate) struct NameWindow<'a> {
    /// The names.
    pub(crate) names: &'a [String],
    /// The index of the first one.
    pub(crate) begin: usize,
    all: &'a NameList,
}

impl<'a> NameWindow<'a> {
    /// The step of a walk over `names` that stands at `cursor`.
    pub(crate) fn of(all: &'a NameList, cursor: Option<&str>) -> Self {
        let names = &all.names;
        let begin = cursor.and_then(|cursor| index_of(cursor, &all.digest)).unwrap_or(0).min(names.len());
        let end = begin.saturating_add(STEP).min(names.len());
        Self { names: names.get(begin..end).unwrap_or_default(), begin, all }
    }

    /// The place of the walk after this step; none at its end.
    pub(crate) fn next(&self) -> Option<String> {
        let end = self.begin + self.names.len();
        (end < self.all.names.len()).then(|| format!("{end}@{}", self.all.digest))
    }
}

/// Lets all run at the same time and gives what each gave, in order; none for one that panicked.
pub(crate) async fn concurrently<T, F>(visits: impl IntoIterator<Item = F>) -> Vec<Option<T>>
where
    T: Send + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let mut running = JoinSet::new();
    let mut places = std::collections::BTreeMap::new();
    for (place, visit) in visits.into_iter().enumerate() {
        // Tasks end in any order; their ids lead back to their places.
        places.insert(running.spawn(visit).id(), place);
    }
    let mut results: Vec<Option<T>> = places.iter().map(|_| None).collect();
    while let Some(finished) = running.join_next_with_id().await {
        if let Ok((id, result)) = finished
            && let Some(slot) = places.get(&id).and_then(|place| results.get_mut(*place))
        {
            *slot = Some(result);
        }
    }
    results
}

/// The row for a key that a visit was for. A moved one is listed as what it is.
pub(crate) fn listed(key: ListingKey, result: Result<Visited, CrawlError>) -> ListedEntry {
    match result {
        Ok(Visited::Unchanged) => ListedEntry::Unchanged(key),
        // The schedule, not the visit, says by what name the source goes.
        Ok(Visited::Changed(listing, validators) | Visited::Moved(_, listing, validators)) => {
            ListedEntry::Changed { listing: Box::new(Listing { key, ..*listing }), validators }
        }
        Err(CrawlError::Gone { .. }) => ListedEntry::Gone(key),
        Err(CrawlError::TakenDown { detail, .. }) => ListedEntry::TakenDown { key, detail },
        Err(error) => ListedEntry::Failed {
            gap: Gap { subject: key.to_string(), ..error.to_gap() },
            transient: error.is_transient(),
            key,
        },
    }
}

/// The error of a visit that gave nothing at all.
pub(crate) fn broken(key: &ListingKey) -> CrawlError {
    CrawlError::Malformed {
        subject: key.to_string(),
        reason: GapReason::BadAnswer,
        detail: "reading the answer failed".to_owned(),
    }
}

fn index_of(cursor: &str, digest: &str) -> Option<usize> {
    let (index, of) = cursor.split_once('@')?;
    // A cursor of another list would skip names of this one.
    if of == digest { index.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use capdex_model::time::{AsOf, Timestamp};

    use super::*;
    use crate::http::testing::{client, settings};
    use crate::{SourceSettings, WalkScope};

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("name-{number:03}")).collect()
    }

    async fn walk(names: &[String], cursor: Option<WalkCursor>) -> Result<ListPage, CrawlError> {
        let (http, _) = client(settings(&[]));
        let base_url = "http://registry.test".to_owned();
        let (settings, known) = (SourceSettings { base_url, ..SourceSettings::default() }, BTreeMap::new());
        let request = ListRequest {
            id: "test",
            http: &http,
            settings: &settings,
            walk: WalkScope::Full,
            cursor: cursor.as_ref(),
            known: &known,
            as_of: AsOf(Timestamp::from_unix_seconds(0)),
        };
        step(&request, &NameList::of(names.to_vec()), |name, _| async move {
            let subject = name.clone();
            match name.as_str() {
                "name-001" => Err(CrawlError::Gone { subject }),
                "name-002" => panic!("on purpose"),
                "name-003" => Err(CrawlError::Transient { subject, detail: String::new() }),
                "unreachable" => Err(CrawlError::Unreachable { subject, detail: String::new() }),
                _ => Ok(Visited::Unchanged),
            }
        })
        .await
    }

    #[tokio::test]
    async fn a_walk_ends_at_the_end_of_the_list() {
        for (count, steps) in [(0, 1), (1, 1), (16, 1), (17, 2), (33, 3)] {
            let names = names(count);
            let (mut cursor, mut listed, mut taken) = (None, 0, 0);
            loop {
                let page = walk(&names, cursor).await.expect("a page");
                listed += page.listed.len();
                taken += 1;
                match page.next {
                    NextPage::More(next) => cursor = Some(next),
                    NextPage::Complete { .. } => break,
                }
            }
            assert_eq!(listed, count);
            assert_eq!(taken, steps);
        }
    }

    #[tokio::test]
    async fn what_fails_is_listed_in_order_and_the_rest_goes_on() {
        let page = walk(&names(5), None).await.expect("a page");
        let [zero, one, two, three, four] = page.listed.as_slice() else { panic!("five") };
        let key = |name: &str| ListingKey::new("test", name);
        assert_eq!(zero, &ListedEntry::Unchanged(key("name-000")));
        assert_eq!(four, &ListedEntry::Unchanged(key("name-004")));
        assert_eq!(one, &ListedEntry::Gone(key("name-001")));
        assert!(matches!(two, ListedEntry::Failed { transient: false, .. }));
        assert!(matches!(three, ListedEntry::Failed { transient: true, gap, .. } if gap.subject == "test:name-003"));
    }

    #[tokio::test]
    async fn a_changed_list_is_walked_from_its_beginning() {
        let NextPage::More(cursor) = walk(&names(40), None).await.expect("a page").next else { panic!("more") };
        let same = walk(&names(40), Some(cursor.clone())).await.expect("a page");
        assert_eq!(same.listed.first(), Some(&ListedEntry::Unchanged(ListingKey::new("test", "name-016"))));
        for cursor in [cursor, WalkCursor("9999999@".into()), WalkCursor("nonsense".into())] {
            let other = walk(&names(41), Some(cursor)).await.expect("a page");
            assert_eq!(other.listed.first(), Some(&ListedEntry::Unchanged(ListingKey::new("test", "name-000"))));
        }
    }

    #[tokio::test]
    async fn a_source_that_is_not_there_is_an_error_of_the_step() {
        let there_is_none = vec!["unreachable".to_owned(); 2];
        assert!(matches!(walk(&there_is_none, None).await, Err(CrawlError::Unreachable { .. })));
        let one_answers = vec!["name-000".to_owned(), "unreachable".to_owned()];
        assert_eq!(walk(&one_answers, None).await.expect("a page").listed.len(), 2);
    }
}
