//! Downloads from a server on loopback.

use std::io::Write as _;

use capdex_model::digest::Digest;
use capdex_model::listing::{Distribution, Integrity};

use super::*;
use crate::http::testing::{Sent, Server, client, settings};
use crate::http::{Credential, Secret};
use crate::unpack::archives::{Tar, Zip, gzip};

/// A gzipped tar archive with one file, `package/a.txt`.
fn tarball() -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_ustar();
    header.set_size(5);
    header.set_mode(0o644);
    header.set_cksum();
    archive.append_data(&mut header, "package/a.txt", &b"hello"[..]).expect("memory takes everything");
    let archive = archive.into_inner().expect("memory takes everything");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&archive).expect("memory takes everything");
    gzip.finish().expect("memory takes everything")
}

fn npm(server: &Server, integrity: Vec<Integrity>) -> Locator {
    let url = format!("{}/a/-/a-1.tgz?token=canary", server.base_url);
    Locator::NpmPackage { registry: None, name: "a".into(), version: "1".into(), url, integrity }
}

async fn fetch_from(server: &Server, locator: &Locator, limits: unpack::UnpackLimits) -> Result<Fetched, CrawlError> {
    let (http, _) = client(settings(&[&server.base_url]));
    fetch(&http, locator, &limits).await
}

#[tokio::test]
async fn bytes_with_their_published_digest_have_no_gap() {
    let server = Server::start(|_, _| Sent::ok(tarball()));
    let integrity = vec![Integrity::Sha256(Digest::of(&tarball()).hex())];
    let fetched =
        fetch_from(&server, &npm(&server, integrity), unpack::UnpackLimits::default()).await.expect("fetched");
    assert_eq!(fetched.gaps, Vec::new());
    assert_eq!(fetched.bytes, tarball().len() as u64);
    assert_eq!(fetched.files.len(), 1);
    assert!(fetched.files.keys().all(|path| !path.starts_with("package/")));
}

#[tokio::test]
async fn bytes_without_a_published_digest_have_a_gap() {
    let server = Server::start(|_, _| Sent::ok(tarball()));
    let fetched = fetch_from(&server, &npm(&server, vec![]), unpack::UnpackLimits::default()).await.expect("fetched");
    assert!(matches!(fetched.gaps.as_slice(), [gap] if gap.detail.starts_with("no published digest")));
    assert!(fetched.gaps.iter().all(|gap| !gap.to_string().contains("canary")));
}

#[tokio::test]
async fn bytes_with_another_digest_are_refused_whole() {
    let server = Server::start(|_, _| Sent::ok(tarball()));
    let right = Integrity::Sha256(Digest::of(&tarball()).hex());
    let wrong = Integrity::Sha1("00".repeat(20));
    let error = fetch_from(&server, &npm(&server, vec![right, wrong]), unpack::UnpackLimits::default()).await;
    let error = error.expect_err("one digest does not fit");
    assert!(matches!(error, CrawlError::Malformed { reason: GapReason::DigestMismatch, .. }));
    assert!(!error.to_string().contains("canary"));
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn the_cap_for_compressed_bytes_holds() {
    let server = Server::start(|_, _| Sent::ok(tarball()));
    for (cap, fits) in [(tarball().len() as u64, true), (tarball().len() as u64 - 1, false)] {
        let limits = unpack::UnpackLimits { compressed_bytes: cap, ..unpack::UnpackLimits::default() };
        let fetched = fetch_from(&server, &npm(&server, vec![]), limits).await;
        assert_eq!(fetched.is_ok(), fits);
        assert!(fits || matches!(fetched, Err(CrawlError::TooLarge { .. })));
    }
}

#[tokio::test]
async fn the_name_of_a_python_file_decides_its_format() {
    let server = Server::start(|_, _| Sent::ok(tarball()));
    let locator = |filename: &str| Locator::PypiPackage {
        registry: None,
        name: "a".into(),
        version: "1".into(),
        url: format!("{}/{filename}", server.base_url),
        filename: filename.into(),
        integrity: vec![Integrity::Sha256(Digest::of(&tarball()).hex())],
        others: None,
    };
    let fetched = fetch_from(&server, &locator("a-1.tar.gz"), unpack::UnpackLimits::default()).await.expect("fetched");
    assert_eq!(fetched.files.len(), 1);
    assert_eq!(fetched.gaps.len(), 0);
    let error = fetch_from(&server, &locator("a-1.exe"), unpack::UnpackLimits::default()).await;
    assert!(matches!(error, Err(CrawlError::Malformed { reason: GapReason::Unsupported, .. })));
    assert_eq!(server.paths(), ["/a-1.tar.gz"]);
}

/// A version with an sdist and a wheel whose bytes are announced as they are.
fn project(server: &Server, wheel: &[u8]) -> Locator {
    let sha256 = |bytes: &[u8]| vec![Integrity::Sha256(Digest::of(bytes).hex())];
    let url = |filename: &str| format!("{}/{filename}", server.base_url);
    Locator::PypiPackage {
        registry: None,
        name: "a".into(),
        version: "1".into(),
        url: url("a-1.tar.gz"),
        filename: "a-1.tar.gz".into(),
        integrity: sha256(&tarball()),
        others: Some(vec![Distribution {
            filename: "a-1-py3-none-any.whl".into(),
            url: url("a-1-py3-none-any.whl"),
            integrity: sha256(wheel),
        }]),
    }
}

#[tokio::test]
async fn a_wheel_is_read_beside_the_source_distribution_and_a_failure_that_may_pass_is_one_of_the_version() {
    let wheel = Zip::new().file("a.txt", b"hello").file("a/b.py", b"x = 1").file("a-1.dist-info/RECORD", b"").finish();
    let sent = wheel.clone();
    let answer = |status: u16, body: Vec<u8>| {
        Server::start(move |asked, _| match asked.path.as_str() {
            "/a-1.tar.gz" => Sent::ok(tarball()),
            _ => Sent::answer(status, &[], body.clone()),
        })
    };
    let server = answer(200, sent);
    let limits = unpack::UnpackLimits::default();
    let fetched = fetch_from(&server, &project(&server, &wheel), limits).await.expect("fetched");
    assert_eq!(fetched.files.keys().collect::<Vec<_>>(), ["a-py3-none-any.whl!/a/b.py", "a.txt"]);
    assert_eq!(fetched.gaps, []);
    assert_eq!(fetched.bytes, (tarball().len() + wheel.len()) as u64);
    let mismatch = fetch_from(&server, &project(&server, b"other"), limits).await;
    assert!(matches!(mismatch, Err(CrawlError::Malformed { reason: GapReason::DigestMismatch, .. })), "{mismatch:?}");
    let server = answer(404, Vec::new());
    let fetched = fetch_from(&server, &project(&server, &wheel), limits).await.expect("the rest is read");
    let told: Vec<_> = fetched.gaps.iter().map(|gap| (gap.subject.as_str(), gap.reason)).collect();
    assert_eq!(told, [(".", GapReason::NotFound)], "what was not read may hold anything");
    let server = answer(503, Vec::new());
    let failed = fetch_from(&server, &project(&server, &wheel), limits).await.expect_err("it may pass");
    assert!(failed.is_transient(), "{failed:?}");
}

#[tokio::test]
async fn a_tarball_at_a_forbidden_address_is_refused() {
    let server = Server::start(|_, _| Sent::ok(tarball()));
    let url = "http://169.254.169.254/a-1.tgz".to_owned();
    let locator = Locator::NpmPackage { registry: None, name: "a".into(), version: "1".into(), url, integrity: vec![] };
    let error = fetch_from(&server, &locator, unpack::UnpackLimits::default()).await;
    assert!(matches!(error, Err(CrawlError::Refused { .. })));
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_an_error() {
    let (http, _) = client(settings(&[]));
    let path = tempfile::tempdir().expect("a folder").path().join("missing");
    let locator = Locator::Folder { source: None, path: path.to_string_lossy().into_owned(), name: "missing".into() };
    assert!(fetch(&http, &locator, &unpack::UnpackLimits::default()).await.is_err());
    assert_eq!(http.usage().requests, 0);
}

/// The archive of a commit as git makes it, marked with the commit.
fn archive_of(commit: &str) -> Vec<u8> {
    let marked = Tar::new().global_pax(&[("comment", commit)]);
    gzip(&marked.file("octo-name-0123abc/SKILL.md", b"hello").finish())
}

#[tokio::test]
async fn an_archive_is_of_the_commit_that_was_asked_for() {
    let (commit, other) = ("0".repeat(40), "1".repeat(40));
    let made = commit.clone();
    let codeload = Server::start(move |_, _| Sent::ok(archive_of(&made)));
    let location = format!("{}/octo/name/legacy.tar.gz/x", codeload.base_url);
    let api = Server::start(move |_, _| Sent::answer(302, &[("location", location.as_str())], ""));
    let mut settings = settings(&[&api.base_url, &codeload.base_url]);
    settings.credentials = vec![Credential::authorization(&api.base_url, Secret::new("Bearer canary"))];
    let (http, _) = client(settings);
    let url = format!("{}/repos/octo/name/tarball/{commit}", api.base_url);
    let locator = |commit: &str| Locator::GitArchive {
        repository: "github:octo/name".into(),
        commit: commit.to_owned(),
        url: url.clone(),
    };
    let fetched = fetch(&http, &locator(&commit), &unpack::UnpackLimits::default()).await.expect("fetched");
    assert_eq!(fetched.files.keys().collect::<Vec<_>>(), ["SKILL.md"]);
    assert_eq!(fetched.gaps, []);
    let error = fetch(&http, &locator(&other), &unpack::UnpackLimits::default()).await;
    assert!(matches!(error, Err(CrawlError::Malformed { reason: GapReason::DigestMismatch, .. })), "{error:?}");
    assert!(api.asked().iter().all(|asked| asked.header("authorization") == Some("Bearer canary")));
    assert!(codeload.asked().iter().all(|asked| asked.header("authorization").is_none()));
    assert_eq!(api.asked().len(), 2);
    assert_eq!(codeload.asked().len(), 2);
}
