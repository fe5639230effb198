//! Seals an export anew, as somebody does who has changed it: with nothing but SHA-256.

use std::collections::BTreeMap;
use std::path::Path;

use capdex_dataset::export::manifest::{DatasetManifest, NAME};
use capdex_model::digest::Digest;

use crate::rows::bytes_of;

/// The Merkle root over the files beside the manifest, from what `sha256sum` prints.
pub(crate) fn merkle_root(files: &BTreeMap<String, Vec<u8>>) -> String {
    let lines = files.iter().filter(|(name, _)| *name != NAME);
    let leaves = lines.map(|(name, bytes)| format!("\0{}  {name}\n", Digest::of(bytes).hex()));
    let mut level: Vec<Digest> = leaves.map(|leaf| Digest::of(leaf.as_bytes())).collect();
    // Pairing from the left and carrying an odd one up gives the same tree as splitting at powers of two.
    while level.len() > 1 {
        let pair = |pair: &[Digest]| match pair {
            [left, right] => Digest::of(&[&[1], &left.as_bytes()[..], &right.as_bytes()[..]].concat()),
            rest => rest[0],
        };
        level = level.chunks(2).map(pair).collect();
    }
    level[0].hex()
}

/// Changes what a manifest says, takes away the files that it does not name any more, and fills in the digests of the
/// others, their root and its own.
pub(crate) fn seal(out: &Path, change: impl FnOnce(&mut DatasetManifest)) {
    let mut files = bytes_of(out);
    let mut manifest: DatasetManifest = serde_json::from_slice(&files[NAME]).expect("a manifest");
    change(&mut manifest);
    let is_named = |name: &String| manifest.files.iter().any(|file| file.path == *name);
    let gone: Vec<String> = files.keys().filter(|name| *name != NAME && !is_named(name)).cloned().collect();
    for name in gone {
        std::fs::remove_file(out.join(&name)).expect("removes");
        files.remove(&name);
    }
    for file in &mut manifest.files {
        let bytes = &files[&file.path];
        (file.sha256, file.bytes) = (Digest::of(bytes).hex(), bytes.len() as u64);
    }
    manifest.merkle_root = merkle_root(&files);
    manifest.manifest_sha256 = String::new();
    manifest.manifest_sha256 = Digest::of(text_of(&manifest).as_bytes()).hex();
    std::fs::write(out.join(NAME), text_of(&manifest)).expect("writes");
}

fn text_of(manifest: &DatasetManifest) -> String {
    serde_json::to_string_pretty(manifest).expect("JSON") + "\n"
}
