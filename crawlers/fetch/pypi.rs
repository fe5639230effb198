//! Fetches a source distribution or a wheel of a Python package index.
//!
//! The index publishes digests, so bytes without one have a gap.

use capdex_model::listing::Integrity;
use capdex_model::snapshot::GapReason;

use super::Fetched;
use super::artifact;
use crate::http::Http;
use crate::{CrawlError, unpack};

/// The file's name decides the kind of archive, as it does for installers.
pub(super) async fn fetch(
    http: &Http,
    url: &str,
    filename: &str,
    integrity: &[Integrity],
    limits: &unpack::UnpackLimits,
) -> Result<Fetched, CrawlError> {
    let format = unpack::ArchiveFormat::of_filename(filename).ok_or_else(|| CrawlError::Malformed {
        subject: filename.to_owned(),
        reason: GapReason::Unsupported,
        detail: "this kind of archive is not read".to_owned(),
    })?;
    artifact::fetch(http, url, format, integrity, limits).await
}
