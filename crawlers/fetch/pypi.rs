//! Fetches a version of a project of a Python package index: its main file, and what its other files have besides.
//!
//! An installer chooses one of the files, and which one depends on the machine; so all of them are looked at. The index
//! publishes digests, so bytes without one have a gap. How files are told to be the same stands in `version_files`.

use capdex_model::listing::{Distribution, Integrity};
use capdex_model::snapshot::{Gap, GapReason};

use super::Fetched;
use super::artifact;
use super::version_files::VersionFiles;
use crate::http::Http;
use crate::{CrawlError, unpack};

/// Further files of one version that are fetched at most. Three versions of Python on eight platforms need as many; what
/// has more is compiled, and a reader of source learns little from another build.
pub(crate) const MAX_OTHERS: usize = 24;

/// Compressed bytes of the further files of one version at most: as many as one artifact may have by itself, so that a
/// version costs at most twice what a package of another registry costs.
const MAX_OTHER_BYTES: u64 = 128 << 20;

/// Names of files that a gap repeats.
const NAMED: usize = 3;

/// The file that stands for the version.
pub(super) struct MainFile<'a> {
    pub(super) url: &'a str,
    pub(super) filename: &'a str,
    pub(super) integrity: &'a [Integrity],
}

/// The name of a file decides the kind of archive, as it does for installers.
///
/// # Errors
/// Those of the main file. Of the others: an error that may pass by itself, after which the version is fetched again
/// whole, and a digest that does not fit. Any other is a gap.
pub(super) async fn fetch(
    http: &Http,
    main: MainFile<'_>,
    others: &[Distribution],
    limits: &unpack::UnpackLimits,
) -> Result<Fetched, CrawlError> {
    let format = format_of(main.filename)?;
    let fetched = artifact::fetch(http, main.url, format, main.integrity, limits).await?;
    let mut version = VersionFiles::of(fetched);
    let mut room = MAX_OTHER_BYTES;
    for (at, other) in others.iter().enumerate() {
        if at >= MAX_OTHERS {
            version.gap(unread(others, at));
            break;
        }
        let allowed = unpack::UnpackLimits { compressed_bytes: limits.compressed_bytes.min(room), ..*limits };
        match add(http, other, &mut version, &allowed).await {
            Ok(bytes) => room = room.saturating_sub(bytes),
            // Its own size would have been allowed: what is spent is the budget of the version.
            Err(CrawlError::TooLarge { .. }) if allowed.compressed_bytes < limits.compressed_bytes => {
                version.gap(unread(others, at));
                break;
            }
            Err(error) if error.is_transient() || is_mismatch(&error) => return Err(error),
            Err(error) => version.gap(whole(&other.filename, error.to_gap())),
        }
    }
    Ok(version.finish())
}

/// Fetches and adds one further file; gives its compressed bytes.
async fn add(
    http: &Http,
    other: &Distribution,
    version: &mut VersionFiles,
    limits: &unpack::UnpackLimits,
) -> Result<u64, CrawlError> {
    let format = format_of(&other.filename)?;
    let folder = version.folder(&other.filename).ok_or_else(|| CrawlError::Malformed {
        subject: other.filename.clone(),
        reason: GapReason::PathRefused,
        detail: "this is no name for a file of a project".to_owned(),
    })?;
    let bytes = artifact::download(http, &other.url, &other.integrity, limits).await?;
    // What is held already counts, so that a version takes no more memory than one artifact may.
    let limits = version.limits_left(limits);
    let is_wheel = folder.ends_with(".whl");
    let read = artifact::take(&other.url, bytes, move |bytes| {
        let unpacked = unpack::unpack(&bytes, format, &limits);
        // The folders of a wheel are what is installed; a source distribution has all below one.
        Ok(if is_wheel { unpacked } else { unpack::strip_common_root(unpacked) })
    });
    let read = read.await?;
    let bytes = read.bytes;
    if other.integrity.is_empty() {
        let detail = "no published digest: the bytes could not be checked".to_owned();
        version.gap(Gap::new(other.filename.clone(), GapReason::BadAnswer, detail));
    }
    version.add(&other.filename, &folder, read);
    Ok(bytes)
}

fn format_of(filename: &str) -> Result<unpack::ArchiveFormat, CrawlError> {
    unpack::ArchiveFormat::of_filename(filename).ok_or_else(|| CrawlError::Malformed {
        subject: filename.to_owned(),
        reason: GapReason::Unsupported,
        detail: "this kind of archive is not read".to_owned(),
    })
}

/// True where a file was refused because it is not what the index announced.
const fn is_mismatch(error: &CrawlError) -> bool {
    matches!(error, CrawlError::Malformed { reason: GapReason::DigestMismatch, .. })
}

/// A gap of a file that was not read at all: it may hold anything, so it concerns the version as a whole.
pub(super) fn whole(filename: &str, gap: Gap) -> Gap {
    Gap::new(".", gap.reason, format!("{filename}: {}", gap.detail))
}

/// The gap of the files from one on, which are beyond the budget.
fn unread(others: &[Distribution], from: usize) -> Gap {
    let rest = others.get(from..).unwrap_or_default();
    let named: Vec<&str> = rest.iter().take(NAMED).map(|other| other.filename.as_str()).collect();
    let more = if rest.len() > NAMED { ", …" } else { "" };
    let detail = format!(
        "{} of {} files of this version were not looked at ({}{more}): at most {MAX_OTHERS} and {MAX_OTHER_BYTES} bytes are fetched beside the main one",
        rest.len(),
        others.len() + 1,
        named.join(", "),
    );
    Gap::new(".", GapReason::BudgetExhausted, detail)
}
