//! One step of a walk: some of the names, or one page of a query, and the rows that they give.
//!
//! A page that says all that a listing has saves the visit of an unchanged repository.

use std::collections::BTreeSet;

use super::cursor_state::{At, GithubCursorState};
use super::interface::Interface;
use super::page;
use super::queries::{self, GithubQuery};
use super::visit::{GithubVisit, Visitor};
use crate::walk::{self, NameWindow};
use crate::{CrawlError, ListPage, ListRequest, ListedEntry};

/// The result of one visit.
type GithubVisitResult = Result<GithubVisit, CrawlError>;

/// Takes the step at which the request stands.
pub(super) async fn step(request: ListRequest<'_>) -> Result<ListPage, CrawlError> {
    let queries = queries::read(&request.settings.queries)?;
    let place = GithubCursorState::read(request.cursor, &queries, !request.settings.watchlist.is_empty());
    let visitor =
        Visitor { github: Interface::new(request.http, &request.settings.base_url), id: request.id.to_owned() };
    let (listed, at) = match place.at.query(&queries) {
        Some(query) => found(&request, &visitor, query, &place.at).await?,
        None => names(&request, &visitor, &place.at).await?,
    };
    Ok(ListPage { listed, next: place.next(at, &queries) })
}

/// A step over the names that are given.
async fn names(
    request: &ListRequest<'_>,
    visitor: &Visitor,
    at: &At,
) -> Result<(Vec<ListedEntry>, Option<At>), CrawlError> {
    let At::Names { at } = at else { return Ok((Vec::new(), None)) };
    let names = request.settings.walked.names(|| request.settings.watchlist.clone());
    let window = NameWindow::of(&names, at.as_deref());
    let visits = visit(request, visitor, window.names).await;
    let is_away = |(_, visit): &(String, GithubVisitResult)| matches!(visit, Err(CrawlError::Unreachable { .. }));
    // That the server is not there is better said once than for every name.
    if window.begin == 0 && visits.iter().all(is_away) {
        for (_, visit) in visits {
            visit?;
        }
        return Ok((Vec::new(), None));
    }
    let next = window.next().map(|at| At::Names { at: Some(at) });
    Ok((rows(request, visitor, visits).await, next))
}

/// A step over one page of a query.
async fn found(
    request: &ListRequest<'_>,
    visitor: &Visitor,
    query: &GithubQuery,
    at: &At,
) -> Result<(Vec<ListedEntry>, Option<At>), CrawlError> {
    let page = page::ask(&visitor.github, query, at, request.as_of).await?;
    let (mut listed, mut names) = (Vec::new(), Vec::new());
    for (name, read) in page.repositories {
        if is_given(request, &name) {
            continue;
        }
        let key = request.key(&name);
        // Where the page says what the last visit said, the request for the document is saved.
        let known = request.known.validators(&key).and_then(|known| known.digest);
        match (known, read.map(|read| read.digest())) {
            (Some(known), Some(now)) if known == now => listed.push(ListedEntry::Unchanged(key)),
            _ => names.push(name),
        }
    }
    let visits = visit(request, visitor, &names).await;
    listed.extend(rows(request, visitor, visits).await);
    Ok((listed, page.next))
}

/// Visits all names at the same time; the client keeps the rate limit.
async fn visit(request: &ListRequest<'_>, visitor: &Visitor, names: &[String]) -> Vec<(String, GithubVisitResult)> {
    let known = |name: &String| request.known.validators(&request.key(name));
    let visits = names.iter().map(|name| visitor.clone().visit(name.clone(), known(name)));
    let visited = walk::concurrently(visits).await;
    let or_broken = |(name, visit): (&String, Option<GithubVisitResult>)| {
        (name.clone(), visit.unwrap_or_else(|| Err(walk::broken(&request.key(name)))))
    };
    names.iter().zip(visited).map(or_broken).collect()
}

/// The rows that visits give. A repository with a new name is listed under that name too, unless the new name is walked
/// by itself.
async fn rows(
    request: &ListRequest<'_>,
    visitor: &Visitor,
    visits: Vec<(String, GithubVisitResult)>,
) -> Vec<ListedEntry> {
    // Two old names may lead to one repository, which is listed once.
    let mut walked: BTreeSet<String> = visits.iter().map(|(name, _)| name.clone()).collect();
    let mut rows = Vec::new();
    for (name, visit) in visits {
        let key = request.key(name);
        match visit {
            Ok(GithubVisit::Here(visited)) => rows.push(walk::listed(key, Ok(visited))),
            Err(error) => rows.push(walk::listed(key, Err(error))),
            Ok(GithubVisit::Moved(read, validators)) => {
                let to = read.name();
                rows.push(ListedEntry::Moved { key, to: to.clone() });
                if !is_given(request, &to) && walked.insert(to.clone()) {
                    let key = request.key(to);
                    let known = request.known.validators(&key);
                    let visited = visitor.clone().finish(*read, validators, known).await;
                    rows.push(walk::listed(key, visited));
                }
            }
        }
    }
    rows
}

/// True where the name is among those that are given, which are walked by themselves. They are sorted.
fn is_given(request: &ListRequest<'_>, name: &str) -> bool {
    request.settings.watchlist.binary_search_by(|given| given.as_str().cmp(name)).is_ok()
}
