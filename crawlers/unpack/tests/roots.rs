//! The common top folder.

use super::*;

#[test]
fn the_one_top_folder_is_dropped_from_files_and_gaps() {
    let tar = Tar::new().file("package/a", b"A").file("package/b/c", b"C").link(b'2', "package/l", "/etc/passwd");
    let unpacked = strip_common_root(untar(tar));
    assert_eq!(paths(&unpacked), vec!["a", "b/c"]);
    assert_eq!(gaps(&unpacked), vec![("l", GapReason::LinkRefused)]);
}

#[test]
fn two_top_folders_or_a_file_beside_stay() {
    let two = strip_common_root(untar(Tar::new().file("a/x", b"").file("b/x", b"")));
    assert_eq!(paths(&two), ["a/x", "b/x"]);
    let beside = strip_common_root(untar(Tar::new().file("a", b"").file("b/x", b"")));
    assert_eq!(paths(&beside), ["a", "b/x"]);
    let prefix = strip_common_root(untar(Tar::new().file("a/x", b"").file("ab/x", b"")));
    assert_eq!(paths(&prefix), ["a/x", "ab/x"]);
}

#[test]
fn a_nested_archive_at_the_top_is_no_folder() {
    let unpacked = strip_common_root(untar(Tar::new().file("a.zip", &Zip::new().file("x", b"").finish())));
    assert_eq!(paths(&unpacked), ["a.zip", "a.zip!/x"]);
}
