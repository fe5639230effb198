//! What npm is asked beside a packument: downloads, 128 names at once, and the attestation of the listed version.
//!
//! Sources: the registry's documentation of its download counts (`download-counts.md`) and of provenance; SLSA provenance
//! 1.0, in-toto statement 1.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use capdex_model::entity_signals::rounded;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims, Listing, Locator};
use capdex_model::registries;
use serde::Deserialize;
use serde_json::Value;

use super::{address, ask};
use crate::collect::{Answers, CollectFuture, CollectRequest, Collected, Collector};
use crate::{CrawlError, SourceSettings, claims, references};

/// Names in one request for downloads, as documented. Names with a scope go one by one.
const NAMES: usize = 128;
/// The most bytes of an answer with counts.
const MAX_COUNTS_BYTES: u64 = 1 << 20;
/// The most bytes of the attestations of one version.
const MAX_ATTESTATIONS_BYTES: u64 = 8 << 20;

/// The collector.
pub(super) const COLLECTOR: &dyn Collector = &NpmCollector;

struct NpmCollector;

impl Collector for NpmCollector {
    fn step(&self) -> usize {
        NAMES
    }

    fn days(&self) -> i64 {
        7
    }

    fn is_of_version(&self) -> bool {
        true
    }

    fn collect<'a>(&'a self, request: CollectRequest<'a>) -> CollectFuture<'a> {
        Box::pin(collect(request))
    }
}

async fn collect(request: CollectRequest<'_>) -> Result<Answers, CrawlError> {
    let downloads = downloads(&request).await?;
    let mut answers = Answers::new();
    for listing in request.listings {
        let mut answered = Claims::default();
        if let Some(count) = downloads.get(&listing.key.name) {
            answered.downloads_monthly = Claim::Known(rounded(*count));
        }
        let answer = match attested(&request, listing).await {
            Ok(attested) => {
                answered.attested = attested;
                Collected::Told(Box::new(answered))
            }
            // A failure that passes concerns the registry as a whole; a refusal concerns this package.
            Err(error) if error.is_transient() => return Err(error),
            Err(error) => Collected::failed(&listing.key, &error),
        };
        answers.push((listing.key.clone(), answer));
    }
    Ok(answers)
}

/// A count of one package. Both forms of the answer have it: alone, and by name.
#[derive(Deserialize)]
struct Count {
    downloads: u64,
}

/// The address of the counts: the one that is set, else that of the registry where its own packuments are asked for. Who asks a
/// registry of his own tells nobody else which packages he has.
fn counts(settings: &SourceSettings) -> Option<String> {
    let own = || registries::is_own("npm", &settings.base_url).then(registries::npm_downloads);
    settings.downloads_url.clone().or_else(own)
}

/// The downloads of the last month, by name. Nothing is asked without the address of the counts.
async fn downloads(request: &CollectRequest<'_>) -> Result<BTreeMap<String, u64>, CrawlError> {
    let mut counts = BTreeMap::new();
    let Some(base_url) = self::counts(request.settings) else { return Ok(counts) };
    let below = |names: &str| format!("{}/downloads/point/last-month/{names}", base_url.trim_end_matches('/'));
    // Packages of a scope's own registry are nobody's business here.
    let is_public = |listing: &&Listing| is_public(listing, request);
    let names = request.listings.iter().filter(is_public).map(|listing| listing.key.name.as_str());
    let (scoped, plain): (Vec<&str>, Vec<&str>) = names.partition(|name| name.starts_with('@'));
    // One name alone is answered in the other form, without its name.
    let (bulk, alone) = if plain.len() > 1 { (plain, scoped) } else { (Vec::new(), [plain, scoped].concat()) };
    if !bulk.is_empty() {
        let url = below(&bulk.join(","));
        let answered: BTreeMap<String, Option<Count>> = ask(request.http, &url, MAX_COUNTS_BYTES).await?;
        counts.extend(answered.into_iter().filter_map(|(name, count)| Some((name, count?.downloads))));
    }
    for name in alone {
        match ask::<Count>(request.http, &below(name), MAX_COUNTS_BYTES).await {
            Ok(count) => counts.extend([(name.to_owned(), count.downloads)]),
            Err(error) if error.is_transient() => return Err(error),
            // A name that nobody ever downloaded is not found there.
            Err(_) => {}
        }
    }
    Ok(counts)
}

/// True where the package is of the registry that the source asks, and not of one of a scope.
fn is_public(listing: &Listing, request: &CollectRequest<'_>) -> bool {
    let scope = listing.key.name.split_once('/').map_or("", |(scope, _)| scope);
    let is_whole = matches!(listing.locators.first(), Some(Locator::NpmPackage { registry: None, .. }));
    is_whole && !request.settings.scopes.contains_key(scope)
}

/// The repository that the attestation of the listed version names; absent where it names none, unknown without one.
async fn attested(request: &CollectRequest<'_>, listing: &Listing) -> Result<Claim<ListingKey>, CrawlError> {
    if listing.claims.provenance != Claim::Known(true) {
        return Ok(Claim::Unknown);
    }
    let Some(Locator::NpmPackage { version, .. }) = listing.locators.first() else { return Ok(Claim::Unknown) };
    // A stranger's word that becomes a part of an address.
    if !version.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(&byte)) {
        return Ok(Claim::Unknown);
    }
    let scope = listing.key.name.split_once('/').map_or("", |(scope, _)| scope);
    let base_url = request.settings.scopes.get(scope).unwrap_or(&request.settings.base_url);
    // Checked as every name is that becomes a part of an address.
    let package = address("", &listing.key.name)?;
    let url = format!("{}/-/npm/v1/attestations{package}@{version}", base_url.trim_end_matches('/'));
    let answer: Value = match ask(request.http, &url, MAX_ATTESTATIONS_BYTES).await {
        Ok(answer) => answer,
        // Registries that only keep packages have no such page.
        Err(CrawlError::Gone { .. }) => return Ok(Claim::Unknown),
        Err(error) => return Err(error),
    };
    Ok(repository_of(&answer, &listing.key, version))
}

/// The repository in the provenance of an answer, where that is about this version.
fn repository_of(answer: &Value, key: &ListingKey, version: &str) -> Claim<ListingKey> {
    let attestations = answer.get("attestations").and_then(Value::as_array).into_iter().flatten();
    let payloads = attestations.filter_map(|one| one.pointer("/bundle/dsseEnvelope/payload")?.as_str());
    let statements = payloads.filter_map(|text| serde_json::from_slice::<Value>(&STANDARD.decode(text).ok()?).ok());
    // A package URL encodes the scope's sign.
    let subject = format!("pkg:npm/{}@{version}", key.name.replace('@', "%40"));
    let is_of_version = |statement: &Value| {
        let mut subjects = statement.get("subject").and_then(Value::as_array).into_iter().flatten();
        subjects.any(|one| one.get("name").and_then(Value::as_str) == Some(subject.as_str()))
    };
    let repository = |statement: Value| {
        let workflow = statement.pointer("/predicate/buildDefinition/externalParameters/workflow/repository")?;
        references::repository(&claims::of_text(workflow.as_str()?))
    };
    Claim::known_or_absent(statements.filter(is_of_version).find_map(repository))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::testing::{Sent, Server, client, settings};
    use capdex_model::time::{AsOf, Timestamp};
    use serde_json::json;

    fn package(name: &str, provenance: Claim<bool>) -> Listing {
        let locator = Locator::NpmPackage {
            registry: None,
            name: name.into(),
            version: "1.2.3".into(),
            url: String::new(),
            integrity: vec![],
        };
        let claims = Claims { provenance, ..Claims::default() };
        Listing { key: ListingKey::new("npm", name), locators: vec![locator], claims, references: vec![] }
    }

    fn envelope(subject: &str, repository: &str) -> Value {
        let statement = json!({
            "_type": "https://in-toto.io/Statement/v1", "subject": [{"name": subject, "digest": {"sha512": "00"}}],
            "predicateType": "https://slsa.dev/provenance/v1",
            "predicate": {"buildDefinition": {"externalParameters": {"workflow": {"repository": repository}}}},
        });
        let payload = STANDARD.encode(statement.to_string());
        json!({"predicateType": "https://slsa.dev/provenance/v1", "bundle": {"dsseEnvelope": {"payload": payload}}})
    }

    async fn collected(server: &Server, listings: &[Listing]) -> Result<BTreeMap<String, Collected>, CrawlError> {
        let (http, _) = client(settings(&[&server.base_url]));
        let of_source = SourceSettings {
            base_url: server.base_url.clone(),
            downloads_url: Some(server.base_url.clone()),
            ..SourceSettings::default()
        };
        let as_of = AsOf(Timestamp::from_unix_seconds(0));
        let request = CollectRequest { id: "npm", http: &http, settings: &of_source, listings, as_of };
        let answers = COLLECTOR.collect(request).await?;
        Ok(answers.into_iter().map(|(key, answer)| (key.name, answer)).collect())
    }

    fn told(answer: &Collected) -> &Claims {
        match answer {
            Collected::Told(claims) => claims,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn plain_names_are_asked_for_at_once_and_scoped_ones_one_by_one() {
        let server = Server::start(|asked, _| match asked.path.as_str() {
            "/downloads/point/last-month/a,b,c" => Sent::ok(
                json!({"a": {"downloads": 12_345, "package": "a"}, "b": {"downloads": 0}, "c": null}).to_string(),
            ),
            "/downloads/point/last-month/@acme/x" => {
                Sent::ok(json!({"downloads": 7, "package": "@acme/x"}).to_string())
            }
            _ => Sent::answer(404, &[], json!({"error": "package @acme/y not found"}).to_string()),
        });
        let names = ["@acme/x", "@acme/y", "a", "b", "c"];
        let listings: Vec<_> = names.iter().map(|name| package(name, Claim::Known(false))).collect();
        let answers = collected(&server, &listings).await.expect("answers");
        let counts = names.map(|name| told(&answers[name]).downloads_monthly.clone());
        let known = Claim::Known;
        assert_eq!(counts, [known(7), Claim::Unknown, known(12_000), known(0), Claim::Unknown]);
        assert_eq!(server.asked().len(), 3, "{:?}", server.paths());
    }

    #[tokio::test]
    async fn a_registry_of_ones_own_tells_nobody_what_it_holds() {
        let server = Server::start(|_, _| Sent::ok(json!({}).to_string()));
        let (http, _) = client(settings(&[&server.base_url]));
        let private = SourceSettings { base_url: server.base_url.clone(), ..SourceSettings::default() };
        let listings = [package("a", Claim::Known(false)), package("b", Claim::Known(false))];
        let as_of = AsOf(Timestamp::from_unix_seconds(0));
        let request = CollectRequest { id: "npm", http: &http, settings: &private, listings: &listings, as_of };
        let answers = COLLECTOR.collect(request).await.expect("answers");
        let unknown = |(_, answer): &(ListingKey, Collected)| told(answer).downloads_monthly.is_unknown();
        assert!(answers.len() == 2 && answers.iter().all(unknown), "{answers:?}");
        assert_eq!(server.paths(), Vec::<String>::new());

        assert_eq!(counts(&private), None);
        let public = SourceSettings { base_url: format!("{}/", registries::npm()), ..SourceSettings::default() };
        assert_eq!(counts(&public), Some(registries::npm_downloads()));
        let named = SourceSettings { downloads_url: Some("https://counts.example".into()), ..private };
        assert_eq!(counts(&named).as_deref(), Some("https://counts.example"));
    }

    #[tokio::test]
    async fn the_attestation_of_the_listed_version_names_its_repository() {
        let server = Server::start(|asked, _| match asked.path.as_str() {
            "/-/npm/v1/attestations/@acme%2Fx@1.2.3" => {
                let (other, own) = ("pkg:npm/%40acme/x@1.2.2", "pkg:npm/%40acme/x@1.2.3");
                let all = [envelope(other, "https://github.com/acme/old"), envelope(own, "https://github.com/acme/x")];
                Sent::ok(json!({"attestations": all}).to_string())
            }
            "/-/npm/v1/attestations/y@1.2.3" => {
                Sent::ok(json!({"attestations": [{"predicateType": "publish", "bundle": {}}]}).to_string())
            }
            _ => Sent::ok(json!({}).to_string()),
        });
        let yes = Claim::Known(true);
        let listings = [
            package("@acme/x", yes.clone()),
            package("y", yes),
            package("z", Claim::Known(false)),
            package("w", Claim::Unknown),
        ];
        let answers = collected(&server, &listings).await.expect("answers");
        let attested = |name: &str| told(&answers[name]).attested.clone();
        assert_eq!(attested("@acme/x"), Claim::Known(ListingKey::new("github", "acme/x")));
        assert_eq!(attested("y"), Claim::Absent);
        assert_eq!((attested("z"), attested("w")), (Claim::Unknown, Claim::Unknown));
        let asked = server.paths().iter().filter(|path| path.contains("attestations")).count();
        assert_eq!(asked, 2, "who has none is not asked for one");
    }

    #[tokio::test]
    async fn a_registry_that_is_busy_is_left_alone() {
        let server = Server::start(|_, _| Sent::answer(429, &[("retry-after", "3600")], ""));
        let error = collected(&server, &[package("a", Claim::Known(false)), package("b", Claim::Unknown)]).await;
        assert!(error.is_err_and(|error| error.is_transient()));
    }
}
