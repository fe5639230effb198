//! Honest archives of every format.

use super::*;

#[test]
fn every_format_gives_its_files_and_nothing_else() {
    let tar = Tar::new().directory("p/").file("p/a", b"A").file("p/b/c", b"").finish();
    let long = "d/".repeat(60) + "x";
    for (bytes, format) in [(tar.clone(), ArchiveFormat::Tar), (gzip(&tar), ArchiveFormat::TarGz)] {
        let unpacked = unpack(&bytes, format, &limits());
        assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["p/a", "p/b/c"], vec![]));
        assert_eq!(content(&unpacked, "p/a"), b"A");
    }
    let text = b"text ".repeat(100);
    let zip = Zip::new().file("p/", b"").file("p/a", b"A").entry(Entry::deflated("p/b", &text, deflated(&text)));
    let unpacked = unzip(zip);
    assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["p/a", "p/b"], vec![]));
    assert_eq!(content(&unpacked, "p/b"), text);
    let unpacked = untar(Tar::new().file(&long, b"x").long_name(&long.replace('d', "e")).file("cut", b"y"));
    assert_eq!((unpacked.files.len(), gaps(&unpacked)), (2, vec![]));
    assert_eq!(content(&unpacked, &long.replace('d', "e")), b"y");
}

#[test]
fn a_gzip_stream_has_the_name_in_its_header() {
    let unpacked = unpack(&gzip_named("notes.md", b"x"), ArchiveFormat::Gzip, &limits());
    assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["notes.md"], vec![]));
    assert_eq!(paths(&unpack(&gzip(b"x"), ArchiveFormat::Gzip, &limits())), ["content"]);
    let refused = unpack(&gzip_named("../evil", b"x"), ArchiveFormat::Gzip, &limits());
    assert_eq!((paths(&refused), gaps(&refused)), (vec!["content"], vec![("../evil", GapReason::PathRefused)]));
}

#[test]
fn all_members_of_a_gzip_file_are_one_tar() {
    let tar = Tar::new().file("a", b"A").file("b", b"B").finish();
    let (one, two) = tar.split_at(700);
    let unpacked = unpack(&[gzip(one), gzip(two)].concat(), ArchiveFormat::TarGz, &limits());
    assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["a", "b"], vec![]));
}

#[test]
fn the_old_dialect_marks_directories_by_a_slash() {
    let unpacked =
        untar(Tar::new().member(&Member::bare(b"old/", 0)).member(&Member { kind: 0, ..Member::file(b"old/a", b"A") }));
    assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["old/a"], vec![]));
}

#[test]
fn an_archive_without_files_is_recorded_as_empty() {
    for unpacked in
        [untar(Tar::new()), untar(Tar::new().directory("./")), unzip(Zip::new()), unzip(Zip::new().file("d/", b""))]
    {
        assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec![], vec![(".", GapReason::Empty)]));
    }
}

#[test]
fn wheels_sdists_and_npm_tarballs_are_read() {
    let files: &[(&str, &[u8])] = &[("a.py", b"x")];
    let sdist = strip_common_root(unpack(&archives::sdist("n", "1", files), ArchiveFormat::TarGz, &limits()));
    assert_eq!((paths(&sdist), gaps(&sdist)), (vec!["PKG-INFO", "a.py"], vec![]));
    let wheel = unpack(&archives::wheel("n", "1", files), ArchiveFormat::Zip, &limits());
    assert_eq!((wheel.files.len(), gaps(&wheel)), (4, vec![]));
    let npm = strip_common_root(unpack(&archives::npm_tarball("n", "1", files), ArchiveFormat::TarGz, &limits()));
    assert_eq!((paths(&npm), gaps(&npm)), (vec!["a.py", "package.json"], vec![]));
}
