//! The source `oci`: container images by reference. The manifest and the image's configuration with its labels are
//! read, never a layer; the image's own words are both its listing and its bytes.
//!
//! Sources: the OCI distribution specification 1.1 (pull), the OCI image specification 1.1, and the token protocol of
//! its reference implementation (anonymous pulls).

mod manifest;
mod reference;
mod token;

use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Claim, Claims, Listing, Locator, Validators};
use capdex_model::source_role::{Ecosystem, NameProof, SourceRole, Speaker};
use serde_json::Value;

use crate::http::{Http, RateLimit};
use crate::walk::{self, Visited};
use crate::{CrawlError, ListFuture, ListRequest, Source, SourceMeta, WalkKind, references};

use reference::Reference;

/// The source.
pub const SOURCE: &dyn Source = &Oci;

struct Oci;

const META: SourceMeta = SourceMeta {
    id: "oci",
    title: "container images",
    about: "\
Lists images by reference (`ghcr.io/owner/name:1.2`): those of the watchlist, and those that registry rows name. Read are the
manifest, of an index the one for linux/amd64 or the first, and the configuration with labels, entry point, environment
names and exposed ports, and where the index has an attestation of that image, which kinds it is of. Layers are never
fetched, so the image's files are a gap that says so. An index without attestations leaves provenance unknown: signatures
and attestations may stand elsewhere.

An image is unchanged where the digest of its manifest is the one of the last visit: one request.",
    endpoints: "`GET /v2/<name>/manifests/<reference>`, `GET /v2/<name>/blobs/<digest>` for the configuration, and where the \
                registry asks for it one anonymous token from the address in `WWW-Authenticate`.",
    limits: "Docker Hub counts manifests: 100 in six hours without an account. capdex asks a host 15 times a minute at most.",
    stored: "Digest, labels, entry point, command, user, exposed ports, names of environment variables.",
    terms: "Those of each registry; anonymous pulls only.",
    base_url: None,
    rate_limits: &[],
    keys: &[],
    walk: WalkKind::Names,
    role: SourceRole {
        speaker: Speaker::Artifact(Ecosystem::Oci),
        proof: NameProof::ImageAccount,
        precedence: 4,
        ..SourceRole::UNKNOWN
    },
};

/// The rate limit for one registry.
const RATE_LIMIT: RateLimit = RateLimit { per_minute: 15, burst: 10, in_flight: 2 };

impl Source for Oci {
    fn meta(&self) -> &'static SourceMeta {
        &META
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a> {
        Box::pin(async move {
            let names = request.settings.walked.names(|| request.settings.watchlist.clone());
            walk::step(&request, &names, |name, known| visit(request.http.clone(), request.key(name), known)).await
        })
    }
}

async fn visit(http: Http, key: ListingKey, known: Option<Validators>) -> Result<Visited, CrawlError> {
    let reference = Reference::parse(&key.name)?;
    let http = http.visiting(&key.name, &reference.base_url());
    let mut registry = token::OciRegistry::new(&http, &reference);
    let manifest = manifest::read(&mut registry, &reference).await?;
    let digest = Digest::of(manifest.digest.as_bytes());
    // The manifest names the configuration by its digest, so an equal manifest has an equal configuration.
    if known.and_then(|known| known.digest) == Some(digest) {
        return Ok(Visited::Unchanged);
    }
    let image = manifest::configuration(&mut registry, &manifest).await?;
    let provenance = manifest::provenance(&mut registry, &manifest).await?;
    let validators = Validators { digest: Some(digest), ..Validators::default() };
    Ok(Visited::Changed(Box::new(listing(key, &reference, &manifest.digest, &image, provenance)), validators))
}

fn listing(key: ListingKey, reference: &Reference, digest: &str, image: &Value, provenance: Claim<bool>) -> Listing {
    let label = |name: &str| {
        let text = image.pointer("/labels").and_then(|labels| labels.get(name)).and_then(Value::as_str);
        text.map_or(Claim::Absent, crate::claims::of_text)
    };
    let claims = Claims {
        description: label("org.opencontainers.image.description"),
        license: label("org.opencontainers.image.licenses"),
        repository: label("org.opencontainers.image.source"),
        provenance,
        ..Claims::default()
    };
    let registry_name = image.pointer("/labels/io.modelcontextprotocol.server.name");
    let references =
        references::sorted([references::repository(&claims.repository), references::registry_name(registry_name)]);
    let files = [("image.json".to_owned(), format!("{image:#}\n"))].into();
    let locator = Locator::Inline { identity: reference.identity.clone(), version: Some(digest.to_owned()), files };
    Listing { key, locators: vec![locator], claims, references }
}

#[cfg(test)]
mod tests;
