//! Fetching: from a locator to files, each published digest checked and every refusal recorded.
//!
//! One file for each kind of locator.

mod artifact;
mod file_list;
mod git_archive;
mod http_file;
mod npm;
mod pypi;
mod version_files;

use std::collections::BTreeMap;
use std::path::PathBuf;

use capdex_model::bundle::BundleFile;
use capdex_model::listing::Locator;
use capdex_model::snapshot::{Gap, GapReason};

use crate::http::Http;
use crate::{CrawlError, folder, unpack};

/// The files and gaps that a locator led to.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The files by path, without the one top folder that archives of registries have.
    pub files: BTreeMap<String, BundleFile>,
    /// Everything that could not be read, was refused, or could not be checked.
    pub gaps: Vec<Gap>,
    /// Size in bytes of the artifact as it was sent; for a folder, the bytes that were read.
    pub bytes: u64,
}

/// Fetches what a locator names. A folder is read and not fetched.
///
/// # Errors
/// Any [`CrawlError`]. `TooLarge` stands for an artifact above the cap for compressed bytes. `Malformed` with
/// `DigestMismatch` stands for bytes that do not have every digest that was published for them. `Malformed` with
/// `Unsupported` stands for a kind of archive that is not read. A damaged archive is no error: it gives what could be
/// read, and gaps.
pub async fn fetch(http: &Http, locator: &Locator, limits: &unpack::UnpackLimits) -> Result<Fetched, CrawlError> {
    match locator {
        Locator::NpmPackage { url, integrity, .. } => npm::fetch(http, url, integrity, limits).await,
        Locator::PypiPackage { url, filename, integrity, others, .. } => {
            let main = pypi::MainFile { url, filename, integrity };
            pypi::fetch(http, main, others.as_deref().unwrap_or_default(), limits).await
        }
        Locator::GitArchive { url, commit, .. } => git_archive::fetch(http, url, commit, limits).await,
        Locator::HttpFile { url, filename, integrity, .. } => {
            http_file::fetch(http, url, filename, integrity, limits).await
        }
        Locator::FileList { url, .. } => file_list::fetch(http, url, limits).await,
        Locator::Inline { files, .. } => Ok(inline(files)),
        Locator::Folder { path, .. } => read_folder(path, *limits).await,
    }
}

/// The texts that the listing itself carries: nothing is sent.
fn inline(files: &BTreeMap<String, String>) -> Fetched {
    let bytes = files.values().map(|text| text.len() as u64).sum();
    let files = files.iter().map(|(path, text)| (path.clone(), BundleFile::new(text.clone().into_bytes()))).collect();
    Fetched { files, gaps: Vec::new(), bytes }
}

async fn read_folder(path: &str, limits: unpack::UnpackLimits) -> Result<Fetched, CrawlError> {
    let read_path = PathBuf::from(path);
    // Reading a tree blocks on the disk, which must not hold up the runtime's threads.
    let read = tokio::task::spawn_blocking(move || folder::read(&read_path, &limits)).await;
    let input = read.map_err(|error| CrawlError::Malformed {
        subject: path.to_owned(),
        reason: GapReason::Unreadable,
        detail: error.to_string(),
    })??;
    let bytes = input.files.values().map(|file| file.bytes.len() as u64).sum();
    Ok(Fetched { files: input.files, gaps: input.gaps, bytes })
}

#[cfg(test)]
mod tests;
