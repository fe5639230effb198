//! Fetches a tarball of an npm registry.
//!
//! The registry publishes digests, so bytes without one have a gap.

use capdex_model::listing::Integrity;

use super::Fetched;
use super::artifact;
use crate::http::Http;
use crate::{CrawlError, unpack};

/// npm packages are gzipped tar archives, whatever their address ends in.
pub(super) async fn fetch(
    http: &Http,
    url: &str,
    integrity: &[Integrity],
    limits: &unpack::UnpackLimits,
) -> Result<Fetched, CrawlError> {
    artifact::fetch(http, url, unpack::ArchiveFormat::TarGz, integrity, limits).await
}
