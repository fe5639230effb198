//! The source `docker-mcp-registry`: the servers of Docker's MCP registry, out of the archive of its repository.
//!
//! Source: the repository docker/mcp-registry as of 2026-07.

mod entry;
mod pulls;

use std::collections::BTreeMap;

use crate::collect::Collector;
use crate::documents::{self, SourceDocument};
use crate::http::RateLimit;
use crate::unpack::{ArchiveFormat, UnpackLimits, strip_common_root, unpack};
use crate::{ListFuture, ListRequest, ListedEntry, Source, SourceMeta, WalkKind, names, page};
use capdex_model::bundle::BundleFile;
use capdex_model::digest::Digest;
use capdex_model::ids::ListingKey;
use capdex_model::listing::Validators;
use capdex_model::source_role::{FilledBy, SourceRole};

/// The source.
pub const SOURCE: &dyn Source = &DockerMcpRegistry;

/// The most bytes of the archive. The repository's text has a few.
const MAX_ARCHIVE_BYTES: u64 = 64 << 20;

struct DockerMcpRegistry;

const META: SourceMeta = SourceMeta {
    id: "docker-mcp-registry",
    title: "Docker's MCP registry",
    about: "\
The archive of the repository's main branch is read as one document: each folder in `servers/` with a `server.yaml` is a
listing under the folder's name. It carries that file as JSON, and `tools.json` where it is there (28 of 328 folders with
tools in 2026-07). Where the entry pins a commit of a repository at a known forge, the archive of that commit is located
too: a changed pin says that code changed, though `tools.json` rarely follows. It refers to the repository, the image and a
remote endpoint without places to fill in.

Full walks read the archive, others ask with its validators. A server is unchanged where the digest of its two files'
content is the one of the last visit. An archive of which a part of `servers/` could not be unpacked is an error.

With `signals` in the schedule so many servers a night are asked for the pulls of their image at Docker Hub, each once a week,
cut to one digit. A request has a hundred images of one namespace, so that all of Docker's own are three requests.",
    endpoints: "`GET /docker/mcp-registry/tar.gz/refs/heads/main` at codeload.github.com, or the archives in the watchlist; with \
                `signals` `GET /v2/repositories/<namespace>/?page_size=100&page=` at hub.docker.com, or at `downloads_url`.",
    limits: "An undocumented one for anonymous requests since 2025-05; one request a walk is far from it. Docker Hub states its own \
             in `x-ratelimit` headers; capdex asks it 30 times a minute at most.",
    stored: "`server.yaml` as JSON, `tools.json`, description, keywords, repository, pulls.",
    terms: "MIT, (c) 2025 Docker.",
    base_url: Some("https://codeload.github.com/docker/mcp-registry/tar.gz/refs/heads/main"),
    rate_limits: &[
        ("https://codeload.github.com", RateLimit { per_minute: 60, burst: 5, in_flight: 2 }),
        (pulls::HUB, RateLimit { per_minute: 30, burst: 3, in_flight: 1 }),
    ],
    keys: &[],
    walk: WalkKind::Directory { is_incremental: true },
    role: SourceRole { filled_by: FilledBy::Others, ..SourceRole::UNKNOWN },
};

impl Source for DockerMcpRegistry {
    fn meta(&self) -> &'static SourceMeta {
        &META
    }

    fn list<'a>(&'a self, request: ListRequest<'a>) -> ListFuture<'a> {
        Box::pin(async move { documents::step(&request, MAX_ARCHIVE_BYTES, read).await })
    }

    fn collector(&self) -> Option<&'static dyn Collector> {
        Some(pulls::COLLECTOR)
    }
}

fn read(document: &SourceDocument) -> Result<Vec<ListedEntry>, String> {
    let unpacked = strip_common_root(unpack(&document.bytes, ArchiveFormat::TarGz, &UnpackLimits::default()));
    // What is missing from the rest of the repository matters to nobody here.
    let is_missed = |subject: &str| subject.starts_with("servers/") || !subject.contains('/');
    if let Some(gap) = unpacked.gaps.iter().find(|gap| is_missed(&gap.subject)) {
        return Err(format!("the archive is not whole: {}: {}", gap.subject, gap.detail));
    }
    let folders: Vec<&str> = unpacked.files.keys().filter_map(|path| folder(path)).collect();
    // Read as an empty list, an archive of another layout would mark every known server as gone.
    if folders.is_empty() {
        return Err("an archive without servers".to_owned());
    }
    Ok(folders.into_iter().map(|folder| listed(document, folder, &unpacked.files)).collect())
}

/// The folder that a `server.yaml` describes.
fn folder(path: &str) -> Option<&str> {
    let folder = path.strip_prefix("servers/")?.strip_suffix("/server.yaml")?;
    // A deeper `server.yaml` is a file of some server, and no server of its own.
    (!folder.contains('/')).then_some(folder)
}

fn listed(document: &SourceDocument, folder: &str, files: &BTreeMap<String, BundleFile>) -> ListedEntry {
    let key = ListingKey::new(&document.id, folder);
    if !names::is_usable(folder) {
        return page::failed(key, "this is no name of a server");
    }
    let bytes = |file: &str| files.get(&format!("servers/{folder}/{file}")).map(|file| &*file.bytes);
    match entry::read(&key, bytes("server.yaml").unwrap_or_default(), bytes("tools.json")) {
        Ok((listing, canonical)) => {
            let validators = Validators { digest: Some(Digest::of_json(&canonical)), ..Validators::default() };
            ListedEntry::Changed { listing: Box::new(listing), validators }
        }
        Err(detail) => page::failed(key, detail),
    }
}

#[cfg(test)]
mod tests;
