//! Visits: one packument for each package, however many of its release lines are asked for.

use std::sync::Arc;

use capdex_model::listing::Validators;

use super::listing;
use super::{MAX_PACKUMENT_BYTES, address};
use crate::http::{Http, HttpRequest, HttpResponse};
use crate::package_lines::{self, LinesByPackage, VisitResult, Wanted};
use crate::walked_names::PackageList;
use crate::{CrawlError, ListPage, ListRequest, ListedEntry};

/// Takes one step over the packages of the watchlist.
///
/// # Errors
/// The error of a registry that is not there: nothing answers at all for any name of the first step.
pub(super) async fn step(request: &ListRequest<'_>) -> Result<ListPage, CrawlError> {
    let packages = watched(request);
    package_lines::step(request, &packages, |wanted| visit(request, wanted)).await
}

/// The packages of the watchlist.
pub(super) fn watched(request: &ListRequest<'_>) -> Arc<PackageList> {
    request.settings.walked.packages(|| package_lines::by_package(&request.settings.watchlist))
}

/// Visits every one of `packages`, as many at the same time as a step has.
pub(super) async fn all(request: &ListRequest<'_>, packages: &LinesByPackage) -> Vec<ListedEntry> {
    package_lines::all(request, packages, |wanted| visit(request, wanted)).await
}

/// Visits one package, at the registry of its scope.
fn visit(request: &ListRequest<'_>, wanted: Wanted) -> impl Future<Output = VisitResult> + Send + use<> {
    let scope = wanted.name.split_once('/').map_or("", |(scope, _)| scope);
    // Asked at another registry, the name of a private package would be told to strangers.
    let base_url = request.settings.scopes.get(scope).unwrap_or(&request.settings.base_url).clone();
    let known = package_lines::known(request, &wanted);
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
