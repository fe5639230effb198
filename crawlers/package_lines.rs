//! A walk over packages and what is asked for of each: one answer of a registry tells of a package and of all its release lines.
//!
//! How a registry is asked, and which version a line leads to, is its source's own business.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;

use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Listing, Validators};
use capdex_model::release_line;
use capdex_model::snapshot::{Gap, GapReason};

use crate::walk::{self, NameWindow};
use crate::walked_names::PackageList;
use crate::{CrawlError, ListPage, ListRequest, ListedEntry, NextPage, WalkCursor};

/// Names of one package's lines that are followed, whoever names them: strangers say how many there are.
pub(crate) const MAX_NAMED: usize = 64;

/// The lines that are asked for, by package.
pub(crate) type LinesByPackage = BTreeMap<String, BTreeSet<String>>;

/// What a package is visited for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// The package's name.
    pub(crate) name: String,
    /// The lines of it that somebody names.
    pub(crate) lines: BTreeSet<String>,
    /// Further lines that are looked at, at most.
    pub(crate) budget: usize,
}

/// The listings that one answer makes.
#[derive(Debug)]
pub(crate) struct PackageListings {
    /// The package at the version that it lists.
    pub(crate) package: Listing,
    /// Its release lines.
    pub(crate) lines: Vec<Listing>,
    /// The lines that somebody names and that lead to nothing published.
    pub(crate) missing: Vec<String>,
    /// The lines that somebody names beyond the bound of one package.
    pub(crate) beyond: Vec<String>,
    /// The digest of the answer's canonical form.
    pub(crate) digest: Digest,
}

/// What became of a visit: none where nothing changed.
pub(crate) type VisitResult = Result<Option<(PackageListings, Validators)>, CrawlError>;

/// Names by their packages. A line of a package asks for the package too.
pub(crate) fn by_package<'a>(names: impl IntoIterator<Item = &'a String>) -> LinesByPackage {
    let mut packages = LinesByPackage::new();
    for name in names {
        let lines = packages.entry(release_line::package_of(name).to_owned()).or_default();
        lines.extend(release_line::of_name(name).map(|(_, line)| line.to_owned()));
    }
    packages
}

/// Takes one step over packages.
///
/// # Errors
/// The error of a registry that is not there: nothing answers at all for any name of the first step.
pub(crate) async fn step<V, F>(
    request: &ListRequest<'_>,
    packages: &PackageList,
    visit: V,
) -> Result<ListPage, CrawlError>
where
    V: Fn(Wanted) -> F,
    F: Future<Output = VisitResult> + Send + 'static,
{
    let window = NameWindow::of(&packages.list, request.cursor.map(|cursor| cursor.0.as_str()));
    let results = visit_at_once(request, window.names, &packages.lines, &visit).await;
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
pub(crate) async fn all<V, F>(request: &ListRequest<'_>, packages: &LinesByPackage, visit: V) -> Vec<ListedEntry>
where
    V: Fn(Wanted) -> F,
    F: Future<Output = VisitResult> + Send + 'static,
{
    let names: Vec<String> = packages.keys().cloned().collect();
    let mut listed = Vec::new();
    for names in names.chunks(walk::STEP) {
        let results = visit_at_once(request, names, packages, &visit).await;
        listed.extend(results.into_iter().flat_map(|(wanted, result)| entries(request, &wanted, result)));
    }
    listed
}

/// Visits `names` at the same time; the results in their order.
async fn visit_at_once<V, F>(
    request: &ListRequest<'_>,
    names: &[String],
    packages: &LinesByPackage,
    visit: &V,
) -> Vec<(Wanted, VisitResult)>
where
    V: Fn(Wanted) -> F,
    F: Future<Output = VisitResult> + Send + 'static,
{
    let wanted: Vec<Wanted> = names
        .iter()
        .map(|name| Wanted {
            name: name.clone(),
            lines: packages.get(name).cloned().unwrap_or_default(),
            budget: request.settings.release_lines,
        })
        .collect();
    let visited = walk::concurrently(wanted.iter().map(|wanted| visit(wanted.clone()))).await;
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

/// The validators that the last visit left. None where a line is wanted that nobody has asked for before: only a whole answer
/// tells of it.
pub(crate) fn known(request: &ListRequest<'_>, wanted: &Wanted) -> Option<Validators> {
    let is_known = |line: &String| request.known.validators(&line_key(request, &wanted.name, line)).is_some();
    request.known.validators(&request.key(&wanted.name)).filter(|_| wanted.lines.iter().all(is_known))
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
    let changed = |listing: Listing| {
        // The schedule, not the answer, says by what name the source goes.
        let listing = Box::new(Listing { key: request.key(&listing.key.name), ..listing });
        ListedEntry::Changed { listing, validators: validators.clone() }
    };
    let mut all: Vec<ListedEntry> = lines.into_iter().chain([package]).map(changed).collect();
    all.extend(missing.iter().map(|line| ListedEntry::Gone(of_line(line))));
    let refused = |line: &String| {
        let detail = format!("more than {MAX_NAMED} lines of one package are named");
        let key = of_line(line);
        let gap = Gap::new(key.to_string(), GapReason::BudgetExhausted, detail);
        ListedEntry::Failed { key, gap, transient: false }
    };
    all.extend(beyond.iter().map(refused));
    all
}
