//! Fetches one file at an address: an archive, an MCP bundle or a text.
//!
//! A file without a published digest has no gap for it: few directories publish one.

use capdex_model::listing::Integrity;

use super::Fetched;
use super::artifact;
use crate::http::Http;
use crate::{CrawlError, unpack};

/// The name decides the kind of archive, then the first bytes; what is no archive is one file under that name.
pub(super) async fn fetch(
    http: &Http,
    url: &str,
    filename: &str,
    integrity: &[Integrity],
    limits: &unpack::UnpackLimits,
) -> Result<Fetched, CrawlError> {
    let bytes = artifact::download(http, url, integrity, limits).await?;
    let (limits, name) = (*limits, filename.to_owned());
    artifact::take(url, bytes, move |bytes| {
        // A name without an ending promises nothing; then the bytes decide.
        let format = unpack::ArchiveFormat::of_filename(&name).or_else(|| unpack::ArchiveFormat::sniff(&bytes));
        Ok(match format {
            Some(format) => unpack::strip_common_root(unpack::unpack(&bytes, format, &limits)),
            None => unpack::take_files(vec![(name, bytes)], &limits),
        })
    })
    .await
}
