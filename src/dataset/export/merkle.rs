//! The Merkle root over the files of a dataset, so that one digest vouches for all and a short proof for one.
//!
//! The tree is that of RFC 6962: a leaf is the line that `sha256sum` prints of a file, in the order of the files' names.

use capdex_model::digest::{Digest, Hashing};

use super::file::FileRow;

/// The root (hex) over files that are sorted by name.
pub(super) fn root(files: &[FileRow]) -> String {
    // Two spaces, as `sha256sum` prints them, so that anybody can check the root without capdex.
    let leaf = |file: &FileRow| hashed(0, &[format!("{}  {}\n", file.sha256, file.path).as_bytes()]);
    let leaves: Vec<Digest> = files.iter().map(leaf).collect();
    top(&leaves).hex()
}

/// For no leaves it is the digest of nothing.
fn top(leaves: &[Digest]) -> Digest {
    match leaves {
        [] => Digest::of(b""),
        [leaf] => *leaf,
        _ => {
            // The left side has the largest power of two below the number of leaves.
            let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
            // Leaves and nodes have different prefixes, or a node could be passed off as a leaf.
            hashed(1, &[top(left).as_bytes(), top(right).as_bytes()])
        }
    }
}

fn hashed(prefix: u8, parts: &[&[u8]]) -> Digest {
    let mut hashing = Hashing::default();
    hashing.add(&[prefix]);
    parts.iter().for_each(|part| hashing.add(part));
    hashing.digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> FileRow {
        FileRow { path: path.into(), sha256: Digest::of(path.as_bytes()).hex(), bytes: 1, rows: 0, as_of: None }
    }

    #[test]
    fn the_tree_is_split_as_the_standard_says() {
        let leaf = |path: &str| hashed(0, &[format!("{}  {path}\n", Digest::of(path.as_bytes()).hex()).as_bytes()]);
        let node = |left: Digest, right: Digest| hashed(1, &[left.as_bytes(), right.as_bytes()]);
        let files: Vec<FileRow> = ["a", "b", "c", "d", "e"].map(file).into();
        let left = node(node(leaf("a"), leaf("b")), node(leaf("c"), leaf("d")));
        assert_eq!(root(&files), node(left, leaf("e")).hex());
        assert_eq!(root(&files[..3]), node(node(leaf("a"), leaf("b")), leaf("c")).hex());
        assert_eq!(root(&files[..1]), leaf("a").hex());
        assert_ne!(root(&files[..4]), root(&files));
    }
}
