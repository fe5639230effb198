//! Fetches the archive that a forge makes of a repository's tree at one commit.
//!
//! Such archives are made anew for every request, so no digest of their bytes is published. Two things vouch for them:
//! the commit in the address, and git's own mark of the commit in the archive. Forges that leave the mark out are taken
//! at their word.

use capdex_model::snapshot::GapReason;

use super::Fetched;
use super::artifact;
use crate::http::{Http, redact};
use crate::{CrawlError, unpack};

/// Archives of commits are gzipped tar files under one top folder. One that is marked as made of another commit is
/// refused whole.
pub(super) async fn fetch(
    http: &Http,
    url: &str,
    commit: &str,
    limits: &unpack::UnpackLimits,
) -> Result<Fetched, CrawlError> {
    let bytes = artifact::download(http, url, &[], limits).await?;
    // Of the archive only its first header is read here.
    if let Some(marked) = unpack::comment::of_tar_gz(&bytes)
        && marked != commit.as_bytes()
    {
        // The mark is a stranger's text: uncut, an archive could carry pages of it into the gap.
        let marked: String = String::from_utf8_lossy(&marked).chars().take(64).collect();
        return Err(CrawlError::Malformed {
            subject: redact(url),
            reason: GapReason::DigestMismatch,
            detail: format!("the archive is of the commit {marked:?} and not of {commit}"),
        });
    }
    let limits = *limits;
    let format = unpack::ArchiveFormat::TarGz;
    artifact::take(url, bytes, move |bytes| Ok(unpack::strip_common_root(unpack::unpack(&bytes, format, &limits))))
        .await
}
