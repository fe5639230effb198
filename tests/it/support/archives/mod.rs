//! Builders of archives, honest and hostile, with the same bytes every time.
//!
//! They write every byte themselves and know only std: a library that makes archives refuses to make bad ones.

#![allow(dead_code, unused_imports, reason = "the unpacker's tests use these too, and each side only a part")]

mod deflate;
mod tar;
mod zip;

pub(crate) use deflate::{bomb, crc32, deflate_stored, deflate_zeros, gzip, gzip_named};
pub(crate) use tar::{Member, Tar};
pub(crate) use zip::{Entry, Zip};

/// A source distribution as Python tools make them: `name-version.tar.gz` with one top folder and `PKG-INFO`.
pub(crate) fn sdist(name: &str, version: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
    let root = format!("{name}-{version}");
    let mut tar = Tar::new().directory(&format!("{root}/"));
    if files.iter().all(|(path, _)| *path != "PKG-INFO") {
        tar = tar.file(&format!("{root}/PKG-INFO"), metadata(name, version).as_bytes());
    }
    gzip(&files.iter().fold(tar, |tar, (path, content)| tar.file(&format!("{root}/{path}"), content)).finish())
}

/// A wheel: a zip with the files as they are installed and a `.dist-info` folder.
pub(crate) fn wheel(name: &str, version: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
    let info = format!("{}-{version}.dist-info", name.replace('-', "_"));
    let tags = "Wheel-Version: 1.0\nGenerator: capdex-tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n";
    files
        .iter()
        .fold(Zip::new(), |zip, (path, content)| zip.file(path, content))
        .file(&format!("{info}/METADATA"), metadata(name, version).as_bytes())
        .file(&format!("{info}/WHEEL"), tags.as_bytes())
        .file(&format!("{info}/RECORD"), b"")
        .finish()
}

/// A tarball as npm makes them: everything under `package/`, with a `package.json` unless `files` brings one.
pub(crate) fn npm_tarball(name: &str, version: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = Tar::new();
    if files.iter().all(|(path, _)| *path != "package.json") {
        tar =
            tar.file("package/package.json", format!("{{\"name\":\"{name}\",\"version\":\"{version}\"}}\n").as_bytes());
    }
    gzip(&files.iter().fold(tar, |tar, (path, content)| tar.file(&format!("package/{path}"), content)).finish())
}

fn metadata(name: &str, version: &str) -> String {
    format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
}
