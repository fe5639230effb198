//! Whole archives in, files and gaps out: every cap below, at and above; every hostile member; any bytes at all.

mod anything;
mod caps;
mod formats;
mod nested;
mod roots;
mod tar_members;
mod zip_members;

use std::io::Write;

use capdex_model::snapshot::GapReason;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use proptest::prelude::*;

use super::archives::{Entry, Member, Tar, Zip, bomb, crc32, deflate_stored, deflate_zeros, gzip, gzip_named};
use super::*;

fn limits() -> UnpackLimits {
    UnpackLimits::default()
}

fn untar(tar: Tar) -> Unpacked {
    unpack(&tar.finish(), ArchiveFormat::Tar, &limits())
}

fn unzip(zip: Zip) -> Unpacked {
    unpack(&zip.finish(), ArchiveFormat::Zip, &limits())
}

fn paths(unpacked: &Unpacked) -> Vec<&str> {
    unpacked.files.keys().map(String::as_str).collect()
}

fn gaps(unpacked: &Unpacked) -> Vec<(&str, GapReason)> {
    unpacked.gaps.iter().map(|gap| (gap.subject.as_str(), gap.reason)).collect()
}

fn content<'a>(unpacked: &'a Unpacked, path: &str) -> &'a [u8] {
    &unpacked.files.get(path).expect("the file is there").bytes
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}
