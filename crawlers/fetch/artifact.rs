//! One archive at an address: downloaded within a cap, checked against its published digests, unpacked.
//!
//! Must not know which registry it comes from.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use capdex_core::digest::bytes_of_hex;
use capdex_core::listing::Integrity;
use capdex_core::snapshot::{Gap, GapReason};
use sha2::Digest as _;

use super::Fetched;
use crate::http::{Answer, Http, Request, redact};
use crate::{CrawlError, unpack};

/// Downloads, checks and unpacks one archive. Nothing is unpacked that fails a check.
///
/// Bytes without any published digest are unpacked, and a gap says that they could not be checked.
pub(super) async fn fetch(
    http: &Http,
    url: &str,
    format: unpack::Format,
    integrity: &[Integrity],
    limits: &unpack::Limits,
) -> Result<Fetched, CrawlError> {
    let request = Request { url, accept: None, validators: None, max_bytes: limits.compressed_bytes };
    let malformed = |reason: GapReason, detail: String| CrawlError::Malformed { subject: redact(url), reason, detail };
    let Answer::Body { bytes, .. } = http.get(request).await? else {
        return Err(malformed(GapReason::BadAnswer, "no body, though nothing was known of it".to_owned()));
    };
    let (limits, integrity) = (*limits, integrity.to_vec());
    let size_bytes = bytes.len() as u64;
    let work = tokio::task::spawn_blocking(move || match first_mismatch(&bytes, &integrity) {
        Some(mismatch) => Err(format!("the bytes do not have the published digest {mismatch}")),
        None => Ok((unpack::strip_common_root(unpack::unpack(&bytes, format, &limits)), integrity.is_empty())),
    });
    let unpacked = work.await.map_err(|error| malformed(GapReason::Malformed, error.to_string()))?;
    let (unpacked, is_unchecked) = unpacked.map_err(|detail| malformed(GapReason::DigestMismatch, detail))?;
    let mut gaps = unpacked.gaps;
    if is_unchecked {
        gaps.push(Gap::new(redact(url), GapReason::BadAnswer, "no published digest: the bytes could not be checked"));
    }
    Ok(Fetched { files: unpacked.files, gaps, bytes: size_bytes })
}

/// The first of the published digests that `bytes` do not have. A digest that does not even parse fits no bytes.
fn first_mismatch<'a>(bytes: &[u8], integrity: &'a [Integrity]) -> Option<&'a Integrity> {
    integrity.iter().find(|published| match published {
        Integrity::Sha512(base64) => {
            STANDARD.decode(base64).ok().as_deref() != Some(sha2::Sha512::digest(bytes).as_slice())
        }
        Integrity::Sha256(hex) => bytes_of_hex(hex).as_deref() != Some(sha2::Sha256::digest(bytes).as_slice()),
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
