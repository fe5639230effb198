//! Manifests and configurations: from a reference to what an image says of itself.
//!
//! Layers are never fetched. Digests are checked: a registry that gives other bytes than a digest names is refused.

use capdex_model::digest::Digest;
use capdex_model::listing::Claim;
use capdex_model::snapshot::GapReason;
use serde_json::{Value, json};

use super::reference::Reference;
use super::token::OciRegistry;
use crate::{CrawlError, json as bounded};

const ACCEPT: &str = "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json, \
                      application/vnd.docker.distribution.manifest.list.v2+json, \
                      application/vnd.docker.distribution.manifest.v2+json";
/// The most bytes of a manifest (what registries take) and of a configuration.
const MAX_BYTES: u64 = 4 << 20;

/// The manifest that a reference led to.
pub(super) struct OciManifest {
    /// The digest of the outermost manifest: `sha256:<hex>`.
    pub digest: String,
    /// The outermost manifest.
    document: Value,
}

/// Reads the manifest of a reference.
///
/// # Errors
/// Any error of the client; `Malformed` for what is no manifest, and where a digest does not fit.
pub(super) async fn read(registry: &mut OciRegistry<'_>, reference: &Reference) -> Result<OciManifest, CrawlError> {
    let (digest, document) = fetch(registry, &format!("manifests/{}", reference.what)).await?;
    // A pin is worth nothing if the registry may answer with other bytes.
    if reference.what.starts_with("sha256:") && reference.what != digest {
        return Err(mismatch(&reference.what));
    }
    let is_manifest = ["manifests", "config"].iter().any(|key| document.get(key).is_some());
    if !is_manifest {
        return Err(malformed("neither an index nor a manifest"));
    }
    Ok(OciManifest { digest, document })
}

/// The configuration in a form of our own: labels, entry point, command, user, ports, and the names of the
/// environment's variables. Their values may be secrets.
///
/// # Errors
/// The errors of [`read`].
pub(super) async fn configuration(registry: &mut OciRegistry<'_>, manifest: &OciManifest) -> Result<Value, CrawlError> {
    let mut document = manifest.document.clone();
    if let Some(Value::Array(all)) = document.get("manifests") {
        let digest = digest_of_platform(all).ok_or_else(|| malformed("an index without manifests"))?;
        document = checked(registry, &format!("manifests/{digest}"), &digest).await?;
    }
    let digest = document.pointer("/config/digest").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !is_digest(&digest) {
        return Err(malformed("a manifest without a configuration"));
    }
    let configuration = checked(registry, &format!("blobs/{digest}"), &digest).await?;
    let config = configuration.get("config").cloned().unwrap_or(Value::Null);
    let part = |name: &str| config.get(name).cloned().unwrap_or(Value::Null);
    let names: Vec<&str> = config
        .get("Env")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|variable| variable.as_str()?.split('=').next())
        .collect();
    Ok(json!({
        "digest": manifest.digest,
        "labels": part("Labels"),
        "entrypoint": part("Entrypoint"),
        "command": part("Cmd"),
        "user": part("User"),
        "exposedPorts": part("ExposedPorts"),
        "environmentVariables": names,
    }))
}

/// Whether the image that is read has a provenance attestation beside it, as build tools put it into the index. Unknown where
/// the index has no attestation of it at all. The attestation is not verified.
///
/// Sources: the build tool's documentation of its attestation storage; SLSA provenance.
///
/// # Errors
/// The errors of [`read`].
pub(super) async fn provenance(
    registry: &mut OciRegistry<'_>,
    manifest: &OciManifest,
) -> Result<Claim<bool>, CrawlError> {
    let Some(Value::Array(all)) = manifest.document.get("manifests") else { return Ok(Claim::Unknown) };
    let Some(digest) = digest_of_platform(all) else { return Ok(Claim::Unknown) };
    let annotation = |entry: &Value, name: &str| {
        let annotations = entry.get("annotations")?.as_object()?;
        annotations.get(name)?.as_str().map(str::to_owned)
    };
    let is_of_it = |entry: &&Value| {
        annotation(entry, "vnd.docker.reference.type").as_deref() == Some("attestation-manifest")
            && annotation(entry, "vnd.docker.reference.digest").as_deref() == Some(digest.as_str())
    };
    let found = all.iter().find(is_of_it).and_then(|entry| entry.get("digest")?.as_str());
    let Some(found) = found.filter(|digest| is_digest(digest)) else { return Ok(Claim::Unknown) };
    let document = checked(registry, &format!("manifests/{found}"), found).await?;
    let layers = document.get("layers").and_then(Value::as_array).into_iter().flatten();
    let mut types = layers.filter_map(|layer| annotation(layer, "in-toto.io/predicate-type"));
    Ok(Claim::Known(types.any(|kind| kind.starts_with("https://slsa.dev/provenance/"))))
}

/// The manifest for linux/amd64, else the first one.
fn digest_of_platform(all: &[Value]) -> Option<String> {
    let is_usual = |entry: &&Value| {
        entry.pointer("/platform/os").and_then(Value::as_str) == Some("linux")
            && entry.pointer("/platform/architecture").and_then(Value::as_str) == Some("amd64")
    };
    let entry = all.iter().find(is_usual).or(all.first())?;
    entry.get("digest")?.as_str().filter(|digest| is_digest(digest)).map(str::to_owned)
}

async fn checked(registry: &mut OciRegistry<'_>, path: &str, digest: &str) -> Result<Value, CrawlError> {
    let (found, document) = fetch(registry, path).await?;
    if found == digest { Ok(document) } else { Err(mismatch(digest)) }
}

async fn fetch(registry: &mut OciRegistry<'_>, path: &str) -> Result<(String, Value), CrawlError> {
    let (bytes, _) = registry.get(path, ACCEPT, MAX_BYTES).await?;
    let document = bounded::parse(&bytes, |_, _| false).map_err(|error| malformed(&error))?;
    // The digest is taken of the bytes that came; a header could say anything.
    Ok((format!("sha256:{}", Digest::of(&bytes).hex()), document))
}

fn is_digest(text: &str) -> bool {
    text.strip_prefix("sha256:").is_some_and(|hex| hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn malformed(detail: &str) -> CrawlError {
    CrawlError::Malformed { subject: "the image".to_owned(), reason: GapReason::BadAnswer, detail: detail.to_owned() }
}

fn mismatch(digest: &str) -> CrawlError {
    CrawlError::Malformed {
        subject: "the image".to_owned(),
        reason: GapReason::DigestMismatch,
        detail: format!("the bytes are not those of {digest}"),
    }
}
