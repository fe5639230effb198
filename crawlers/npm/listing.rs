//! A packument as a listing, and the digest of its canonical form.
//!
//! The bytes come from a registry or from anything that answers like one.

use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::listing::{Listing, Locator};
use capdex_model::snapshot::GapReason;
use serde_json::{Map, Value};

use super::packument::{Packument, listed_version};
use super::{claims, integrity, lines, status};
use crate::package_lines::{PackageListings, Wanted};
use crate::{CrawlError, json, references};

/// Reads a packument.
///
/// # Errors
/// `Gone` where no version is left, `TakenDown` where the registry put a placeholder in its place, `Malformed` for what is not
/// the packument of the name that is wanted.
pub(super) fn read(wanted: &Wanted, subject: &str, bytes: &[u8]) -> Result<PackageListings, CrawlError> {
    let malformed = |detail: &str| CrawlError::Malformed {
        subject: subject.to_owned(),
        reason: GapReason::BadAnswer,
        detail: detail.to_owned(),
    };
    let value = json::parse(bytes, is_left_out).map_err(|error| malformed(&error))?;
    let whole = value.as_object().ok_or_else(|| malformed("not an object"))?;
    let name = wanted.name.as_str();
    // A cache that answers for another package would list that one's bytes under this name.
    if whole.get("name").and_then(Value::as_str) != Some(name) {
        return Err(malformed("the name in it is not the one asked for"));
    }
    let is_unpublished = whole.get("time").and_then(|time| time.get("unpublished")).is_some();
    let versions = match whole.get("versions") {
        Some(Value::Object(versions)) if !versions.is_empty() => versions,
        Some(Value::Object(_)) => return Err(CrawlError::Gone { subject: subject.to_owned() }),
        None if is_unpublished => return Err(CrawlError::Gone { subject: subject.to_owned() }),
        _ => return Err(malformed("it has no object of versions")),
    };
    let version = listed_version(whole, versions).ok_or_else(|| malformed("no version in it is an object"))?;
    let manifest = versions.get(version).and_then(Value::as_object).ok_or_else(|| malformed("no manifest"))?;
    status::refuse_placeholder(whole, manifest, version, subject)?;
    let packument = Packument { whole, version, manifest };
    let mut package = listing_of(&packument, name, name.to_owned()).map_err(malformed)?;
    let found = lines::of(&packument, &wanted.lines, wanted.budget);
    package.claims.release_lines = found.stated;
    let (mut listed, mut missing) = (Vec::new(), found.missing);
    for line in found.listed {
        let kept_as = line.kept_as.map_or_else(|| name.to_owned(), |kept_as| format!("{name}@{kept_as}"));
        // A version without an archive is none that anybody can install.
        let at = packument.at(line.version).and_then(|packument| listing_of(&packument, name, kept_as).ok());
        match at {
            Some(at) => {
                let key = ListingKey::new("npm", format!("{name}@{}", line.line));
                listed.push(Listing { key, ..at });
            }
            None => missing.push(line.line),
        }
    }
    Ok(PackageListings { package, lines: listed, missing, beyond: found.beyond, digest: canonical_digest(value) })
}

/// The listing of one version, with its bytes kept under the name `kept_as`.
///
/// # Errors
/// The member that the version lacks.
fn listing_of(packument: &Packument<'_>, name: &str, kept_as: String) -> Result<Listing, &'static str> {
    let manifest = packument.manifest;
    let dist = manifest.get("dist").ok_or("the version has no dist")?;
    let url = dist.get("tarball").and_then(Value::as_str).ok_or("the version has no tarball")?;
    let locator = Locator::NpmPackage {
        registry: None,
        name: kept_as,
        version: packument.version.to_owned(),
        url: url.to_owned(),
        integrity: integrity::of_dist(dist),
    };
    let claims = claims::of(packument);
    let references = references::sorted([
        references::repository(&claims.repository),
        references::registry_name(manifest.get("mcpName")),
    ]);
    Ok(Listing { key: ListingKey::new("npm", name), locators: vec![locator], claims, references })
}

/// Who published a version. A listing says it, and "unchanged" does not depend on it: proxies leave it out or fill it anew.
pub(super) const PUBLISHED_BY: &str = "_npmUser";

/// Members on which neither a listing nor "unchanged" depends. These are readmes (the tarball has them), who starred
/// it, and everything that registries and proxies keep for themselves.
fn is_left_out(depth: usize, key: &str) -> bool {
    let is_private = key.starts_with('_') || key.starts_with("readme");
    match depth {
        0 => is_private || key == "users",
        2 => is_private && key != PUBLISHED_BY,
        _ => false,
    }
}

/// The digest of what does not differ between a registry and its proxies. It leaves out `time` and `modified`, which
/// some proxies fill with the moment when they took the package in. It also leaves out the host of tarballs, which they
/// rewrite. All else counts, a change of nothing but maintainers too.
fn canonical_digest(mut value: Value) -> Digest {
    if let Some(whole) = value.as_object_mut() {
        whole.remove("time");
        whole.remove("modified");
    }
    let versions = value.get_mut("versions").and_then(Value::as_object_mut);
    for manifest in versions.into_iter().flat_map(Map::values_mut) {
        if let Some(manifest) = manifest.as_object_mut() {
            manifest.remove(PUBLISHED_BY);
        }
        let Some(dist) = manifest.get_mut("dist") else { continue };
        if let Some(Value::String(tarball)) = dist.get_mut("tarball") {
            *tarball = tarball.rsplit('/').next().unwrap_or_default().to_owned();
        }
        if let Some(dist) = dist.as_object_mut() {
            dist.retain(|key, _| !key.starts_with('_'));
        }
    }
    Digest::of(value.to_string().as_bytes())
}
