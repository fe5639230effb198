//! What PyPI is asked beside a project's JSON: whether the listed file is attested, and who built it from where.
//!
//! Sources: PEP 740, and the index's documentation of its integrity interface. The index itself publishes downloads only
//! through a service that is paid for by the query; the interface of a public service over it is asked where the operator
//! names one (`/api/packages/<name>/recent`).

use capdex_model::entity_signals::rounded;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims, Listing, Locator};
use serde_json::Value;

use super::{MAX_PAGE_BYTES, addresses, root, simple};
use crate::collect::{Answers, CollectFuture, CollectRequest, Collected, Collector};
use crate::http::{HttpRequest, HttpResponse};
use crate::{CrawlError, forge, json, references};

/// The most bytes of the attestations of one file.
const MAX_PROVENANCE_BYTES: u64 = 8 << 20;

/// The most bytes of an answer with counts.
const MAX_COUNTS_BYTES: u64 = 64 << 10;

/// The collector.
pub(super) const COLLECTOR: &dyn Collector = &PypiCollector;

struct PypiCollector;

impl Collector for PypiCollector {
    fn step(&self) -> usize {
        // The index asks for serial rather than parallel use.
        8
    }

    fn days(&self) -> i64 {
        // Files never change; who adds an attestation later is seen in time.
        28
    }

    fn is_of_version(&self) -> bool {
        true
    }

    fn collect<'a>(&'a self, request: CollectRequest<'a>) -> CollectFuture<'a> {
        Box::pin(collect(request))
    }
}

async fn collect(request: CollectRequest<'_>) -> Result<Answers, CrawlError> {
    let mut answers = Answers::new();
    for listing in request.listings {
        let answer = match of_listing(&request, listing).await {
            Ok(claims) => Collected::Told(Box::new(claims)),
            Err(error) if error.is_transient() => return Err(error),
            Err(error) => Collected::failed(&listing.key, &error),
        };
        answers.push((listing.key.clone(), answer));
    }
    Ok(answers)
}

async fn of_listing(request: &CollectRequest<'_>, listing: &Listing) -> Result<Claims, CrawlError> {
    let Some(Locator::PypiPackage { name, version, filename, .. }) = listing.locators.first() else {
        return Ok(Claims::default());
    };
    let base_url = request.settings.base_url.as_str();
    let provenance = match listing.claims.provenance {
        // The simple index alone was read, which says it of each file.
        Claim::Known(known) => Some(known),
        Claim::Absent | Claim::Unknown => stated(request, base_url, name, (version, filename)).await?,
    };
    let mut claims = Claims { provenance: provenance.map_or(Claim::Unknown, Claim::Known), ..Claims::default() };
    claims.downloads_monthly = downloads(request, name).await?;
    if provenance == Some(false) {
        // The index takes no other signature: a file without an attestation has none.
        claims.repository_signals.signed = Claim::Known(false);
    }
    if provenance == Some(true) {
        claims.attested = publisher(request, base_url, name, (version, filename)).await?;
    }
    Ok(claims)
}

/// The downloads of the last month, cut to two digits. Nothing is asked without the address of the counts.
async fn downloads(request: &CollectRequest<'_>, project: &str) -> Result<Claim<u64>, CrawlError> {
    let Some(base_url) = &request.settings.downloads_url else { return Ok(Claim::Unknown) };
    let url = forge::address(base_url, ["api", "packages", project, "recent"], &[])?;
    let asked = HttpRequest { url: &url, max_bytes: MAX_COUNTS_BYTES, ..HttpRequest::default() };
    let bytes = match request.http.send(asked).await {
        Ok(HttpResponse::Body { bytes, .. }) => bytes,
        // A project that nobody downloaded is not found there.
        Ok(HttpResponse::NotModified) | Err(CrawlError::Gone { .. }) => return Ok(Claim::Unknown),
        Err(error) => return Err(error),
    };
    let answer = json::parse(&bytes, |_, _| false).map_err(|error| CrawlError::bad_answer(&url, error))?;
    let count = answer.pointer("/data/last_month").and_then(Value::as_u64);
    Ok(count.map_or(Claim::Unknown, |count| Claim::Known(rounded(count))))
}

/// Whether the simple index has an attestation of a file; none where it says nothing of attestations, as mirrors do.
async fn stated(
    request: &CollectRequest<'_>,
    base_url: &str,
    project: &str,
    (version, filename): (&str, &str),
) -> Result<Option<bool>, CrawlError> {
    for url in addresses(base_url, project).simple {
        let asked = HttpRequest {
            url: &url,
            accept: Some(simple::ACCEPT),
            max_bytes: MAX_PAGE_BYTES,
            ..HttpRequest::default()
        };
        let (bytes, headers, page) = match request.http.send(asked).await {
            Ok(HttpResponse::Body { bytes, headers, url, .. }) => (bytes, headers, url),
            Ok(HttpResponse::NotModified) | Err(CrawlError::Gone { .. }) => continue,
            Err(error) => return Err(error),
        };
        let read = simple::read(project, &page, headers.content_type.as_deref(), &bytes)?;
        let files = read.files.get(version).into_iter().flatten();
        return Ok(files.filter(|file| file.filename == filename).find_map(|file| file.has_provenance));
    }
    Ok(None)
}

/// The repository of the publisher that a file's attestations name; absent where it is none of a forge.
async fn publisher(
    request: &CollectRequest<'_>,
    base_url: &str,
    project: &str,
    (version, filename): (&str, &str),
) -> Result<Claim<ListingKey>, CrawlError> {
    // Version and name are strangers' words, so each is encoded.
    let url = forge::address(root(base_url), ["integrity", project, version, filename, "provenance"], &[])?;
    let asked = HttpRequest {
        url: &url,
        accept: Some("application/vnd.pypi.integrity.v1+json"),
        max_bytes: MAX_PROVENANCE_BYTES,
        ..HttpRequest::default()
    };
    let bytes = match request.http.send(asked).await {
        Ok(HttpResponse::Body { bytes, .. }) => bytes,
        Ok(HttpResponse::NotModified) | Err(CrawlError::Gone { .. }) => return Ok(Claim::Unknown),
        Err(error) => return Err(error),
    };
    let answer = json::parse(&bytes, |_, _| false).map_err(|error| CrawlError::bad_answer(&url, error))?;
    let bundles = answer.get("attestation_bundles").and_then(Value::as_array).into_iter().flatten();
    let repository = |bundle: &Value| {
        let publisher = bundle.get("publisher")?;
        let name = publisher.get("repository")?.as_str()?;
        match publisher.get("kind")?.as_str()? {
            "GitHub" => references::repository(&Claim::Known(format!("https://github.com/{name}"))),
            "GitLab" => references::repository(&Claim::Known(format!("https://gitlab.com/{name}"))),
            _ => None,
        }
    };
    Ok(Claim::known_or_absent(bundles.filter_map(repository).next()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceSettings;
    use crate::http::testing::{Sent, Server, client, settings};
    use capdex_model::time::{AsOf, Timestamp};
    use serde_json::json;

    fn project(name: &str) -> Listing {
        let locator = Locator::PypiPackage {
            registry: None,
            name: name.into(),
            version: "1.0".into(),
            url: String::new(),
            filename: format!("{name}-1.0.tar.gz"),
            integrity: vec![],
            others: None,
        };
        let claims = Claims::default();
        Listing { key: ListingKey::new("pypi", name), locators: vec![locator], claims, references: vec![] }
    }

    fn page(name: &str, provenance: Option<Value>) -> String {
        let mut file = json!({"filename": format!("{name}-1.0.tar.gz"), "url": "x.tar.gz", "hashes": {}});
        if let Some(provenance) = provenance {
            file["provenance"] = provenance;
        }
        json!({"meta": {"api-version": "1.3"}, "name": name, "files": [file]}).to_string()
    }

    #[tokio::test]
    async fn attested_not_attested_and_nothing_said_are_told_apart() {
        let server = Server::start(|asked, _| {
            let json = [("content-type", "application/vnd.pypi.simple.v1+json")];
            match asked.path.as_str() {
                "/simple/yes/" => Sent::answer(200, &json, page("yes", Some(json!("https://x.test/provenance")))),
                "/simple/no/" => Sent::answer(200, &json, page("no", Some(Value::Null))),
                "/simple/mirror/" => Sent::answer(200, &json, page("mirror", None)),
                "/integrity/yes/1.0/yes-1.0.tar.gz/provenance" => {
                    let publisher = json!({"kind": "GitHub", "repository": "acme/yes", "workflow": "release.yml"});
                    Sent::ok(json!({"version": 1, "attestation_bundles": [{"publisher": publisher}]}).to_string())
                }
                "/api/packages/yes/recent" => Sent::ok(
                    json!({"data": {"last_day": 40, "last_week": 300, "last_month": 12_345}, "package": "yes", "type": "recent_downloads"})
                        .to_string(),
                ),
                _ => Sent::answer(404, &[], "{}"),
            }
        });
        let (http, _) = client(settings(&[&server.base_url]));
        let of_source = SourceSettings {
            base_url: server.base_url.clone(),
            downloads_url: Some(server.base_url.clone()),
            ..SourceSettings::default()
        };
        let listings = ["yes", "no", "mirror"].map(project);
        let as_of = AsOf(Timestamp::from_unix_seconds(0));
        let request = CollectRequest { id: "pypi", http: &http, settings: &of_source, listings: &listings, as_of };
        let answers = COLLECTOR.collect(request).await.expect("answers");
        let told: Vec<_> = answers
            .into_iter()
            .map(|(_, answer)| match answer {
                Collected::Told(claims) => {
                    (claims.provenance, claims.attested, claims.downloads_monthly, claims.repository_signals.signed)
                }
                other => panic!("{other:?}"),
            })
            .collect();
        let expected = [
            (
                Claim::Known(true),
                Claim::Known(ListingKey::new("github", "acme/yes")),
                Claim::Known(12_000),
                Claim::Unknown,
            ),
            (Claim::Known(false), Claim::Unknown, Claim::Unknown, Claim::Known(false)),
            (Claim::Unknown, Claim::Unknown, Claim::Unknown, Claim::Unknown),
        ];
        assert_eq!(told, expected);
        assert_eq!(server.asked().len(), 7, "{:?}", server.paths());
    }
}
