//! Fetches the archive that a forge makes of a repository's tree at one commit.
//!
//! Must not know which forge. Such archives are made anew for every request, so no digest of their bytes is published:
//! what vouches for them is the commit in the address.

use super::Fetched;
use super::artifact::{self, Unpublished};
use crate::http::Http;
use crate::{CrawlError, unpack};

/// Archives of commits are gzipped tar files under one top folder.
pub(super) async fn fetch(http: &Http, url: &str, limits: &unpack::Limits) -> Result<Fetched, CrawlError> {
    artifact::fetch(http, url, unpack::Format::TarGz, &[], Unpublished::IsUsual, limits).await
}
