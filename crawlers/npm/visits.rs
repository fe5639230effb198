//! Visits: one packument for each package, however many of its release lines are asked for.

use std::collections::{BTreeMap, BTreeSet};

use capdex_model::ids::ListingKey;
use capdex_model::listing::Validators;
use capdex_model::release_line;
use capdex_model::snapshot::{Gap, GapReason};

use super::listing::{self, PackageListings, Wanted};
use super::{MAX_PACKUMENT_BYTES, address};
use crate::http::{Http, HttpRequest, HttpResponse};
use crate::walk::{self, NameWindow};
use crate::{CrawlError, ListPage, ListRequest, ListedEntry, NextPage, WalkCursor};

/// The lines that are asked for, by package.
pub(super) type LinesByPackage = BTreeMap<String, BTreeSet<String>>;

/// The names of a watchlist by their packages. A line of a package asks for the package too.
pub(super) fn by_package<'a>(names: impl IntoIterator<Item = &'a String>) -> LinesByPackage {
    let mut packages = LinesByPackage::new();
    for name in names {
        let lines = packages.entry(release_line::package_of(name).to_owned()).or_default();
        lines.extend(release_line::of_name(name).map(|(_, line)| line.to_owned()));
    }
    packages
}

/// Takes one step over the packages of the watchlist.
///
/// # Errors
/// The error of a registry that is not there: nothing answers at all for any name of the first step.
pub(super) async fn step(request: &ListRequest<'_>) -> Result<ListPage, CrawlError> {
    let packages = by_package(&request.settings.watchlist);
    let names: Vec<String> = packages.keys().cloned().collect();
    let window = NameWindow::of(&names, request.cursor.map(|cursor| cursor.0.as_str()));
    let results = visit_at_once(request, window.names, &packages).await;
    if window.begin == 0
        && let Some(error) = walk::unreachable(results.iter().map(|(_, result)| result.as_ref().err()))
    {
        return Err(error);
    }
    let listed = results.into_iter().flat_map(|(wanted, result)| entries(request, &wanted, result)).collect();
    let next = window.next().map_or(NextPage::END, |cursor| NextPage::More(WalkCursor(cursor)));
    Ok(ListPage { listed, next })
}

/// Visits every one of `packages`, as many at the same time as a step has.
pub(super) async fn all(request: &ListRequest<'_>, packages: &LinesByPackage) -> Vec<ListedEntry> {
    let names: Vec<String> = packages.keys().cloned().collect();
    let mut listed = Vec::new();
    for names in names.chunks(walk::STEP) {
        let results = visit_at_once(request, names, packages).await;
        listed.extend(results.into_iter().flat_map(|(wanted, result)| entries(request, &wanted, result)));
    }
    listed
}

/// What became of a visit: none where nothing changed.
type VisitResult = Result<Option<(PackageListings, Validators)>, CrawlError>;

/// Visits `names` at the same time; the results in their order.
async fn visit_at_once(
    request: &ListRequest<'_>,
    names: &[String],
    packages: &LinesByPackage,
) -> Vec<(Wanted, VisitResult)> {
    let wanted: Vec<Wanted> = names
        .iter()
        .map(|name| Wanted {
            name: name.clone(),
            lines: packages.get(name).cloned().unwrap_or_default(),
            budget: request.settings.release_lines,
        })
        .collect();
    let visited = walk::concurrently(wanted.iter().map(|wanted| visit(request, wanted.clone()))).await;
    let broken = |wanted: &Wanted| Err(walk::broken(&request.key(&wanted.name)));
    wanted
        .into_iter()
        .zip(visited)
        .map(|(wanted, result)| {
            let result = result.unwrap_or_else(|| broken(&wanted));
            (wanted, result)
        })
        .collect()
}

/// Visits one package, at the registry of its scope.
fn visit(request: &ListRequest<'_>, wanted: Wanted) -> impl Future<Output = VisitResult> + Send + use<> {
    let scope = wanted.name.split_once('/').map_or("", |(scope, _)| scope);
    // Asked at another registry, the name of a private package would be told to strangers.
    let base_url = request.settings.scopes.get(scope).unwrap_or(&request.settings.base_url).clone();
    let known = request.known.validators(&request.key(&wanted.name));
    // A line that nobody has asked for before is told by the whole packument alone.
    let is_known = |line: &String| request.known.validators(&line_key(request, &wanted.name, line)).is_some();
    let known = known.filter(|_| wanted.lines.iter().all(is_known));
    packument_of(request.http.clone(), base_url, wanted, known)
}

async fn packument_of(http: Http, base_url: String, wanted: Wanted, known: Option<Validators>) -> VisitResult {
    let url = address(&base_url, &wanted.name)?;
    // The abbreviated form is smaller, but says nothing of repository, licence, maintainers and times.
    let request = HttpRequest {
        url: &url,
        accept: Some("application/json"),
        validators: known.as_ref(),
        max_bytes: MAX_PACKUMENT_BYTES,
        ..HttpRequest::default()
    };
    let HttpResponse::Body { bytes, validators, .. } = http.send(request).await? else { return Ok(None) };
    let subject = crate::http::redact(&url);
    // Packuments have up to 40 MB, too much to parse on a thread of the runtime.
    let read = tokio::task::spawn_blocking(move || listing::read(&wanted, &subject, &bytes));
    let listings = read.await.map_err(|error| CrawlError::bad_answer(&url, error.to_string()))??;
    // Proxies answer 200 with the same content, so only the digest tells.
    if known.and_then(|known| known.digest) == Some(listings.digest) {
        return Ok(None);
    }
    let validators = Validators { digest: Some(listings.digest), ..validators };
    Ok(Some((listings, validators)))
}

fn line_key(request: &ListRequest<'_>, package: &str, line: &str) -> ListingKey {
    request.key(format!("{package}@{line}"))
}

/// The entries of a package and of its lines. The lines come before the package: the store knows where a line that parts
/// from the package led to as long as the package is what it was.
fn entries(request: &ListRequest<'_>, wanted: &Wanted, result: VisitResult) -> Vec<ListedEntry> {
    let key = request.key(&wanted.name);
    let of_line = |line: &String| line_key(request, &wanted.name, line);
    let (listings, validators) = match result {
        Ok(Some(listed)) => listed,
        Ok(None) => {
            let all = wanted.lines.iter().map(|line| ListedEntry::Unchanged(of_line(line)));
            return [ListedEntry::Unchanged(key)].into_iter().chain(all).collect();
        }
        // What is said of the package is said of each line of it that was asked for.
        Err(error) => {
            let all = [key].into_iter().chain(wanted.lines.iter().map(of_line));
            return all.map(|key| walk::listed(key, Err(error.clone()))).collect();
        }
    };
    let PackageListings { package, lines, missing, beyond, .. } = listings;
    let changed = |listing: capdex_model::listing::Listing| {
        // The schedule, not the packument, says by what name the source goes.
        let listing = Box::new(capdex_model::listing::Listing { key: request.key(&listing.key.name), ..listing });
        ListedEntry::Changed { listing, validators: validators.clone() }
    };
    let mut all: Vec<ListedEntry> = lines.into_iter().chain([package]).map(changed).collect();
    all.extend(missing.iter().map(|line| ListedEntry::Gone(of_line(line))));
    let refused = |line: &String| {
        let detail = format!("more than {} lines of one package are named", super::lines::MAX_NAMED);
        let key = of_line(line);
        let gap = Gap::new(key.to_string(), GapReason::BudgetExhausted, detail);
        ListedEntry::Failed { key, gap, transient: false }
    };
    all.extend(beyond.iter().map(refused));
    all
}
