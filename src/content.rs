//! `LineNeutralContents`: the digests of an input's files as people compare them, with line ends and byte order marks of
//! texts left aside, as git does for a checkout.

use std::borrow::Cow;
use std::collections::BTreeMap;

use capdex_model::bundle::BundleFile;
use capdex_model::capability::Capability;
use capdex_model::digest::Digest;

use crate::formats::place::InputPlace;

/// The bytes in which git looks for a zero to tell a text from other data.
const TEXT_HEAD_BYTES: usize = 8000;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The digests of the files of one input, by the path inside it.
#[derive(Debug, Default)]
pub struct LineNeutralContents(BTreeMap<String, Digest>);

impl LineNeutralContents {
    /// Digests files.
    pub fn of(files: &BTreeMap<String, BundleFile>) -> Self {
        let digest = |file: &BundleFile| match plain(&file.bytes) {
            Cow::Borrowed(_) => file.digest,
            Cow::Owned(bytes) => Digest::of(&bytes),
        };
        Self(files.iter().map(|(path, file)| (path.clone(), digest(file))).collect())
    }

    /// The digest of one file; none where the input has no such file.
    pub fn file(&self, path: &str) -> Option<Digest> {
        self.0.get(path).copied()
    }

    /// The digest of a whole capability, over the paths that fingerprints are made of.
    pub fn capability(&self, capability: &Capability, place: &InputPlace) -> Digest {
        // Sorted by the new paths, so that the root of the scan does not matter.
        let files: BTreeMap<String, Digest> =
            capability.files.iter().filter_map(|path| Some((place.fingerprint_path(path), self.file(path)?))).collect();
        Digest::of_tree(files.iter().map(|(path, digest)| (path.as_str(), *digest)))
    }
}

/// A text without its byte order mark and with bare line feeds; other data as it is.
fn plain(bytes: &[u8]) -> Cow<'_, [u8]> {
    let head = bytes.get(..TEXT_HEAD_BYTES).unwrap_or(bytes);
    if head.contains(&0) {
        return Cow::Borrowed(bytes);
    }
    let text = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    if text.len() == bytes.len() && !bytes.contains(&b'\r') {
        return Cow::Borrowed(bytes);
    }
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        // A carriage return by itself is a letter like any other.
        if byte != b'\r' || rest.peek() != Some(&b'\n') {
            plain.push(byte);
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_form_of_texts_is_left_aside() {
        for (bytes, same) in [(&b"a\r\nb\r\n"[..], &b"a\nb\n"[..]), (b"\xef\xbb\xbfa\n", b"a\n"), (b"a\n", b"a\n")] {
            assert_eq!(plain(bytes).as_ref(), same);
        }
        for bytes in [&b"a\rb"[..], b"\0a\r\n", b"a \n", b""] {
            assert_eq!(plain(bytes).as_ref(), bytes);
        }
    }
}
