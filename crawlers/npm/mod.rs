//! The source `npm`: the packages of a watchlist in an npm registry, or in anything that answers like one.
//!
//! Must not know what a tarball holds. Sources: the registry's own API documentation (`package-metadata.md`), and what
//! registry proxies (verdaccio 6.8) were seen to do.

mod claims;
mod integrity;
mod packument;
mod version;

use capdex_core::listing::Validators;
use capdex_core::snapshot::GapReason;

use crate::http::{Answer, Http, Request};
use crate::walk::{self, Visited};
use crate::{CrawlError, ListRequest, Source, SourceMeta, Step, WalkKind};

/// The most bytes that a packument may have. The largest known ones have about 40 MB.
const MAX_PACKUMENT_BYTES: u64 = 64 << 20;

/// The longest name that a registry takes.
const MAX_NAME_BYTES: usize = 214;

/// The source.
pub const SOURCE: &dyn Source = &Npm;

struct Npm;

const META: SourceMeta = SourceMeta {
    id: "npm",
    title: "npm registry",
    about: "\
Lists the packages of a watchlist, one packument each, in steps of 16. The version listed is the one that
`dist-tags.latest` names; where it names none that exists, the one published last that is no pre-release.

A package is unchanged where the registry says so (304), or, because proxies often answer 200 with the same content,
where the digest of the packument's canonical form is the one of the last visit. That form has sorted keys, no `time`,
`modified`, `users`, no key that begins with `_` or `readme` at the top or in a version, and tarball addresses without
all but their last component.

A package is gone where the registry says 404, and where no version of it is left. What a proxy leaves out is unknown,
never absent: the maintainers always, and everything else where `time` is missing or has no `created`, as in abbreviated
packuments and those that a proxy put together. The times of such a proxy are those of its own intake and not taken.",
    endpoints: "`GET /<name>`, the scope's slash encoded.",
    limits: "None published for packuments; the registry's terms ask for no more than is needed. capdex asks 10 times a \
             second at most, unless the schedule says otherwise.",
    stored: "The version listed with its published digests, description, licence, repository, keywords, names of the \
             maintainers (no addresses), times, install scripts, dependencies, deprecation.",
    terms: "The registry's terms of use allow copying of metadata and of tarballs for inspection.",
    base_url: None,
    paces: &[],
    keys: &[],
    walk: WalkKind::Names,
};

impl Source for Npm {
    fn meta(&self) -> &'static SourceMeta {
        &META
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> Step<'a> {
        Box::pin(async move {
            let settings = request.settings;
            walk::step(&request, &settings.watchlist, |name, known| {
                let scope = name.split_once('/').map_or("", |(scope, _)| scope);
                let base_url = settings.scopes.get(scope).unwrap_or(&settings.base_url).clone();
                visit(request.http.clone(), base_url, name, known)
            })
            .await
        })
    }
}

async fn visit(http: Http, base_url: String, name: String, known: Option<Validators>) -> Result<Visited, CrawlError> {
    let url = address(&base_url, &name)?;
    // The abbreviated form is smaller, but says nothing of repository, licence, maintainers and times.
    let request = Request {
        url: &url,
        accept: Some("application/json"),
        validators: known.as_ref(),
        max_bytes: MAX_PACKUMENT_BYTES,
        ..Request::default()
    };
    let Answer::Body { bytes, validators, .. } = http.get(request).await? else { return Ok(Visited::Unchanged) };
    let subject = crate::http::redact(&url);
    let read = tokio::task::spawn_blocking(move || packument::read(&name, &subject, &bytes));
    let (listing, digest) = read.await.map_err(|error| malformed(&url, &error.to_string()))??;
    if known.and_then(|known| known.digest) == Some(digest) {
        return Ok(Visited::Unchanged);
    }
    Ok(Visited::Changed(Box::new(listing), Validators { digest: Some(digest), ..validators }))
}

/// The address of a packument: the scope's slash is encoded, as the registry wants it.
///
/// # Errors
/// `Malformed` for a name that no registry would take; one with dots at its beginning could lead elsewhere.
fn address(base_url: &str, name: &str) -> Result<String, CrawlError> {
    let parts: Vec<&str> = match name.strip_prefix('@') {
        Some(scoped) => scoped.split('/').collect(),
        None => vec![name],
    };
    let is_part = |part: &&str| {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~!'()*".contains(&byte);
        !part.is_empty() && !part.starts_with('.') && part.bytes().all(is_letter)
    };
    let expected = if name.starts_with('@') { 2 } else { 1 };
    if name.len() > MAX_NAME_BYTES || parts.len() != expected || !parts.iter().all(is_part) {
        return Err(CrawlError::Malformed {
            subject: format!("npm:{name}"),
            reason: GapReason::Malformed,
            detail: "this is not a package name".to_owned(),
        });
    }
    Ok(format!("{}/{}", base_url.trim_end_matches('/'), name.replace('/', "%2F")))
}

fn malformed(subject: &str, detail: &str) -> CrawlError {
    let (subject, detail) = (crate::http::redact(subject), detail.to_owned());
    CrawlError::Malformed { subject, reason: GapReason::BadAnswer, detail }
}

#[cfg(test)]
mod tests;
