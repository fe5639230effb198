//! Placeholder.

use std::collections::BTreeMap;

use capdex_core::bundle::BundleFile;
use capdex_core::snapshot::Gap;

/// Placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Placeholder.
    TarGz,
    /// Placeholder.
    Zip,
}

impl Format {
    /// Placeholder.
    pub fn of_filename(name: &str) -> Option<Format> {
        if name.ends_with(".tar.gz") || name.ends_with(".tgz") {
            return Some(Self::TarGz);
        }
        (name.ends_with(".zip") || name.ends_with(".whl")).then_some(Self::Zip)
    }
}

/// Placeholder.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Placeholder.
    pub compressed_bytes: u64,
    /// Placeholder.
    pub expanded_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { compressed_bytes: 1 << 20, expanded_bytes: 1 << 20 }
    }
}

/// Placeholder.
#[derive(Clone, Debug, Default)]
pub struct Unpacked {
    /// Placeholder.
    pub files: BTreeMap<String, BundleFile>,
    /// Placeholder.
    pub gaps: Vec<Gap>,
}

/// Placeholder: one file with the bytes as they are.
pub fn unpack(bytes: &[u8], format: Format, _limits: &Limits) -> Unpacked {
    let path = format!("package/{}", if format == Format::Zip { "zip" } else { "tar" });
    Unpacked { files: BTreeMap::from([(path, BundleFile::new(bytes))]), gaps: Vec::new() }
}

/// Placeholder.
pub fn strip_common_root(unpacked: Unpacked) -> Unpacked {
    let files = unpacked.files.into_iter();
    let files = files.map(|(path, file)| (path.trim_start_matches("package/").to_owned(), file)).collect();
    Unpacked { files, gaps: unpacked.gaps }
}
