//! `Bundle`: a snapshot with its bytes in a sorted map, the only thing that analysis sees.
//!
//! Beyond the locator's identity and the listing's claims, analysis does not learn where the bytes came from.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::digest::Digest;
use crate::listing::Claims;
use crate::snapshot::Gap;

/// The bytes of one input, sorted by path, with what is known and not known about them.
#[derive(Clone, Debug)]
pub struct Bundle {
    /// The locator's identity (`npm:@scope/pkg`), from which capability ids are derived.
    pub identity: String,
    /// The files by path: relative, `/` between components, `outer!/inner` inside a nested archive.
    pub files: BTreeMap<String, BundleFile>,
    /// The things that could not be read or were refused on the way in, sorted.
    pub gaps: Vec<Gap>,
    /// The claims of the listing; all `Unknown` for local input.
    pub claims: Claims,
    /// The path of the one file that the input is, where its user named that file itself.
    pub named: Option<String>,
}

/// One file's bytes with their digest, so that nothing is hashed twice.
#[derive(Clone, Debug)]
pub struct BundleFile {
    /// The bytes.
    pub bytes: Arc<[u8]>,
    /// Their digest.
    pub digest: Digest,
}

impl BundleFile {
    /// Takes bytes and hashes them.
    pub fn new(bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        let digest = Digest::of(&bytes);
        Self { bytes, digest }
    }
}

impl Bundle {
    /// A bundle of files with no listing behind it and no gaps.
    pub fn local(identity: impl Into<String>, files: BTreeMap<String, BundleFile>) -> Self {
        Self { identity: identity.into(), files, gaps: Vec::new(), claims: Claims::default(), named: None }
    }

    /// The number of bytes that its files hold.
    pub fn size(&self) -> u64 {
        self.files.values().map(|file| file.bytes.len() as u64).sum()
    }

    /// The digest over all files in the order of their paths.
    pub fn tree(&self) -> Digest {
        Digest::of_tree(self.files.iter().map(|(path, file)| (path.as_str(), file.digest)))
    }
}
