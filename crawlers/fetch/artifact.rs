//! One archive at an address: downloaded within a cap, checked against its published digests, unpacked.
//!
//! Every kind of locator but local folders and inline texts goes through here.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use capdex_model::digest::bytes_of_hex;
use capdex_model::listing::Integrity;
use capdex_model::snapshot::{Gap, GapReason};
use sha2::Digest as _;

use super::Fetched;
use crate::http::{Http, HttpRequest, HttpResponse, redact};
use crate::unpack::Unpacked;
use crate::{CrawlError, unpack};

/// Downloads, checks and unpacks one archive of a registry that publishes digests. Nothing is unpacked that fails a
/// check, and bytes without a published digest have a gap that says so.
pub(super) async fn fetch(
    http: &Http,
    url: &str,
    format: unpack::ArchiveFormat,
    integrity: &[Integrity],
    limits: &unpack::UnpackLimits,
) -> Result<Fetched, CrawlError> {
    let bytes = download(http, url, integrity, limits).await?;
    let limits = *limits;
    let mut fetched =
        take(url, bytes, move |bytes| Ok(unpack::strip_common_root(unpack::unpack(&bytes, format, &limits)))).await?;
    if integrity.is_empty() {
        let detail = "no published digest: the bytes could not be checked";
        fetched.gaps.push(Gap::new(redact(url), GapReason::BadAnswer, detail));
    }
    Ok(fetched)
}

/// Downloads one file within the cap for compressed bytes and checks every digest that was published for it.
pub(super) async fn download(
    http: &Http,
    url: &str,
    integrity: &[Integrity],
    limits: &unpack::UnpackLimits,
) -> Result<Vec<u8>, CrawlError> {
    let request = HttpRequest { url, max_bytes: limits.compressed_bytes, ..HttpRequest::default() };
    let HttpResponse::Body { bytes, .. } = http.send(request).await? else {
        return Err(malformed(url, GapReason::BadAnswer, "no body, though nothing was known of it".to_owned()));
    };
    let integrity = integrity.to_vec();
    // Hashing up to 128 MiB takes too long for a thread of the runtime.
    let check = move || (first_mismatch(&bytes, &integrity).cloned(), bytes);
    let checked = tokio::task::spawn_blocking(check).await;
    match checked.map_err(|error| malformed(url, GapReason::Malformed, error.to_string()))? {
        (None, bytes) => Ok(bytes),
        (Some(mismatch), _) => {
            let detail = format!("the bytes do not have the published digest {mismatch}");
            Err(malformed(url, GapReason::DigestMismatch, detail))
        }
    }
}

/// Makes files of downloaded bytes, off the runtime's own threads.
pub(super) async fn take(
    url: &str,
    bytes: Vec<u8>,
    unpack: impl FnOnce(Vec<u8>) -> Result<Unpacked, String> + Send + 'static,
) -> Result<Fetched, CrawlError> {
    let size_bytes = bytes.len() as u64;
    let work = tokio::task::spawn_blocking(move || unpack(bytes)).await;
    let unpacked = work.map_err(|error| malformed(url, GapReason::Malformed, error.to_string()))?;
    let unpacked = unpacked.map_err(|detail| malformed(url, GapReason::BadAnswer, detail))?;
    Ok(Fetched { files: unpacked.files, gaps: unpacked.gaps, bytes: size_bytes })
}

fn malformed(url: &str, reason: GapReason, detail: String) -> CrawlError {
    CrawlError::Malformed { subject: redact(url), reason, detail }
}

/// The first of the published digests that `bytes` do not have. A digest that does not even parse fits no bytes.
fn first_mismatch<'a>(bytes: &[u8], integrity: &'a [Integrity]) -> Option<&'a Integrity> {
    // Every published digest must fit, not the strongest alone: where two disagree, one is of other bytes.
    integrity.iter().find(|published| match published {
        Integrity::Sha512(base64) => {
            STANDARD.decode(base64).ok().as_deref() != Some(sha2::Sha512::digest(bytes).as_slice())
        }
        // Compared as bytes, because the hex of a digest comes in either case.
        Integrity::Sha256(hex) => bytes_of_hex(hex).as_deref() != Some(sha2::Sha256::digest(bytes).as_slice()),
        // SHA-1 holds against second preimages: only its publisher can make a second tarball for it.
        Integrity::Sha1(hex) => bytes_of_hex(hex).as_deref() != Some(sha1::Sha1::digest(bytes).as_slice()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_digest_must_fit() {
        let sha512 = Integrity::Sha512(
            "3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==".into(),
        );
        let sha256 = Integrity::Sha256("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD".into());
        let sha1 = Integrity::Sha1("a9993e364706816aba3e25717850c26c9cd0d89d".into());
        let all = [sha512, sha256, sha1];
        assert_eq!(first_mismatch(b"abc", &all), None);
        assert_eq!(first_mismatch(b"abc", &[]), None);
        for published in &all {
            assert_eq!(first_mismatch(b"abd", std::slice::from_ref(published)), Some(published));
        }
        let damaged = [
            Integrity::Sha512(String::new()),
            Integrity::Sha512("!".into()),
            Integrity::Sha256("ba78".into()),
            Integrity::Sha1("x".into()),
        ];
        for published in damaged {
            let mut with = all.to_vec();
            with.push(published.clone());
            assert_eq!(first_mismatch(b"abc", &with), Some(&published));
        }
    }
}
