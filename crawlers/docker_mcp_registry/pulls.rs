//! What Docker Hub counts of the images of the registry: pulls, a hundred images a request.
//!
//! Source: Docker Hub's listing of the repositories of a namespace, as of 2026-09 (`pull_count`, paged, `next`).

use std::collections::{BTreeMap, BTreeSet};

use capdex_model::entity_signals::rounded_uses;
use capdex_model::listing::{Claim, Claims, Listing};
use capdex_model::source_role::Ecosystem;
use serde_json::Value;

use crate::collect::{Answers, CollectFuture, CollectRequest, Collected, Collector};
use crate::http::{HttpRequest, HttpResponse};
use crate::{CrawlError, forge, json, page};

/// Docker Hub, unless the schedule names another address of the counts.
pub(super) const HUB: &str = "https://hub.docker.com";
/// Images on a page, the most that the hub gives.
const PAGE_SIZE: &str = "100";
/// Pages of one namespace at most. Docker's own had three in 2026-09.
const MAX_PAGES: u32 = 20;
/// The most bytes of a page.
const MAX_PAGE_BYTES: u64 = 8 << 20;

/// The collector.
pub(super) const COLLECTOR: &dyn Collector = &PullCollector;

struct PullCollector;

impl Collector for PullCollector {
    fn step(&self) -> usize {
        // One walk of a namespace answers for all images in it.
        1_000
    }

    fn days(&self) -> i64 {
        7
    }

    fn is_of_version(&self) -> bool {
        // Pulls are of an image, whatever its pin.
        false
    }

    fn collect<'a>(&'a self, request: CollectRequest<'a>) -> CollectFuture<'a> {
        Box::pin(collect(request))
    }
}

async fn collect(request: CollectRequest<'_>) -> Result<Answers, CrawlError> {
    let namespaces: BTreeSet<&str> =
        request.listings.iter().filter_map(image).map(|(namespace, _)| namespace).collect();
    let mut pulls: BTreeMap<(&str, String), u64> = BTreeMap::new();
    for namespace in namespaces {
        match of_namespace(&request, namespace).await {
            Ok(counts) => pulls.extend(counts.into_iter().map(|(name, count)| ((namespace, name), count))),
            // The images of a namespace that is gone are asked for again when their answers are due.
            Err(CrawlError::Gone { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let answer = |listing: &Listing| {
        let count = image(listing).and_then(|(namespace, name)| pulls.get(&(namespace, name.to_owned())).copied());
        let mut claims = Claims::default();
        claims.repository_signals.installs = count.map_or(Claim::Unknown, |count| Claim::Known(rounded_uses(count)));
        (listing.key.clone(), Collected::Told(Box::new(claims)))
    };
    Ok(request.listings.iter().map(answer).collect())
}

/// Namespace and name of the image at the hub that a listing refers to.
fn image(listing: &Listing) -> Option<(&str, &str)> {
    let images = listing.references.iter().filter(|reference| reference.source == Ecosystem::Oci.as_str());
    images.filter_map(|reference| reference.name.strip_prefix("docker.io/")).find_map(|name| {
        // A tag or a digest is a version, which the hub does not count.
        let name = name.split(['@', ':']).next().unwrap_or(name);
        name.split_once('/').filter(|(_, name)| !name.contains('/'))
    })
}

/// The pulls of all images of a namespace, by name.
async fn of_namespace(request: &CollectRequest<'_>, namespace: &str) -> Result<BTreeMap<String, u64>, CrawlError> {
    let base_url = request.settings.downloads_url.as_deref().unwrap_or(HUB);
    let mut counts = BTreeMap::new();
    for number in 1..=MAX_PAGES {
        let number = number.to_string();
        let query = [("page_size", PAGE_SIZE), ("page", number.as_str())];
        // With its last slash, without which the hub sends elsewhere.
        let url = forge::address(base_url, ["v2", "repositories", namespace, ""], &query)?;
        let asked = HttpRequest { url: &url, max_bytes: MAX_PAGE_BYTES, ..HttpRequest::default() };
        let mut whole = match request.http.send(asked).await? {
            HttpResponse::Body { bytes, .. } => {
                json::parse(&bytes, |_, _| false).map_err(|error| CrawlError::bad_answer(&url, error))?
            }
            HttpResponse::NotModified => return Err(CrawlError::bad_answer(&url, "no body")),
        };
        let is_last = whole.get("next").is_none_or(Value::is_null);
        let images = page::objects(&mut whole, "results").map_err(|error| CrawlError::bad_answer(&url, &error))?;
        for image in &images {
            if let (Some(name), Some(count)) =
                (page::text(image, "name"), image.get("pull_count").and_then(Value::as_u64))
            {
                counts.insert(name.to_owned(), count);
            }
        }
        // An empty page with a next one would lead in a circle.
        if is_last || images.is_empty() {
            break;
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use capdex_model::ids::ListingKey;
    use capdex_model::time::{AsOf, Timestamp};
    use serde_json::json;

    use super::*;
    use crate::SourceSettings;
    use crate::http::testing::{Sent, Server, client, settings};

    fn server(name: &str, images: &[&str]) -> Listing {
        let references = images.iter().map(|image| ListingKey::new(Ecosystem::Oci.as_str(), *image)).collect();
        Listing {
            key: ListingKey::new("docker-mcp-registry", name),
            locators: vec![],
            claims: Claims::default(),
            references,
        }
    }

    #[tokio::test]
    async fn a_namespace_is_walked_once_for_all_its_images() {
        let hub = Server::start(|asked, _| {
            let one = |name: &str, pulls: u64| json!({"name": name, "namespace": "mcp", "pull_count": pulls, "star_count": 3, "is_private": false});
            match asked.path.as_str() {
                "/v2/repositories/mcp/?page_size=100&page=1" => {
                    let next = "https://hub.docker.com/v2/repositories/mcp/?page=2&page_size=100";
                    Sent::ok(
                        json!({"count": 3, "next": next, "previous": null,
                        "results": [one("fetch", 654_321), one("time", 7)]})
                        .to_string(),
                    )
                }
                "/v2/repositories/mcp/?page_size=100&page=2" => {
                    Sent::ok(json!({"count": 3, "next": null, "previous": "x", "results": [one("git", 0)]}).to_string())
                }
                _ => Sent::answer(404, &[], json!({"message": "object not found"}).to_string()),
            }
        });
        let (http, _) = client(settings(&[&hub.base_url]));
        let of_source = SourceSettings { downloads_url: Some(hub.base_url.clone()), ..SourceSettings::default() };
        let listings = [
            server("fetch", &["docker.io/mcp/fetch"]),
            server("time", &["docker.io/mcp/time:1.2"]),
            server("git", &["docker.io/mcp/git"]),
            server("new", &["docker.io/mcp/new"]),
            server("gone", &["docker.io/nobody/x"]),
            server("elsewhere", &["ghcr.io/acme/x"]),
            server("remote", &[]),
        ];
        let as_of = AsOf(Timestamp::from_unix_seconds(0));
        let id = "docker-mcp-registry";
        let request = CollectRequest { id, http: &http, settings: &of_source, listings: &listings, as_of };
        let answers = COLLECTOR.collect(request).await.expect("answers");
        let installs = |(_, answer): (ListingKey, Collected)| match answer {
            Collected::Told(claims) => claims.repository_signals.installs,
            other => panic!("{other:?}"),
        };
        let told: Vec<Claim<u64>> = answers.into_iter().map(installs).collect();
        let (known, unknown) = (Claim::Known, Claim::Unknown);
        let expected =
            vec![known(600_000), known(7), known(0), unknown.clone(), unknown.clone(), unknown.clone(), unknown];
        assert_eq!(told, expected);
        assert_eq!(hub.asked().len(), 3, "{:?}", hub.paths());
    }
}
