//! Hostile zip members.

use super::*;

fn refused(entry: Entry, subject: &str, reason: GapReason) {
    let unpacked = unzip(Zip::new().entry(entry).file("after", b"A"));
    assert_eq!(paths(&unpacked), vec!["after"]);
    assert_eq!(gaps(&unpacked), vec![(subject, reason)]);
}

#[test]
fn links_special_encrypted_and_unknown_members_are_refused() {
    let file = Entry::stored("m", b"x");
    refused(Entry { mode: 0o120_777, ..file.clone() }, "m", GapReason::LinkRefused);
    refused(Entry { mode: 0o010_644, ..file.clone() }, "m", GapReason::SpecialRefused);
    refused(Entry { mode: 0o060_644, ..file.clone() }, "m", GapReason::SpecialRefused);
    refused(Entry { flags: 0x801, ..file.clone() }, "m", GapReason::Unsupported);
    for method in [1, 6, 9, 12, 14, 93, 95, 4711] {
        refused(Entry { method, ..file.clone() }, "m", GapReason::Unsupported);
    }
}

#[test]
fn hostile_paths_are_refused() {
    for path in ["../x", "a/../../x", "a\0b", ""] {
        refused(Entry::stored(path, b"E"), path, GapReason::PathRefused);
    }
    refused(Entry::stored("../d/", b""), "../d", GapReason::PathRefused);
    refused(Entry::stored("d/", b"content"), "d/", GapReason::Malformed);
}

#[test]
fn a_path_that_installers_clean_up_is_read_under_theirs_and_recorded() {
    for (path, plain) in [("/x", "x"), ("a//b", "a/b"), ("a\\b", "a/b"), ("nul.txt", "nul.txt"), ("C:/x", "x")] {
        let unpacked = unzip(Zip::new().file(path, b"E").file("~", b"A"));
        assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec![plain, "~"], vec![(path, GapReason::PathRefused)]));
    }
    let odd = unzip(Zip::new().entry(Entry { name: b"\x80".to_vec(), flags: 0, ..Entry::stored("", b"E") }));
    assert_eq!((paths(&odd), gaps(&odd)), (vec!["\u{fffd}"], vec![("\u{fffd}", GapReason::PathRefused)]));
}

#[test]
fn links_to_what_was_read_are_aliases() {
    let unpacked = unzip(Zip::new().file("AGENTS.md", b"A").symlink("CLAUDE.md", "AGENTS.md").symlink("out", "../x"));
    assert_eq!(paths(&unpacked), ["AGENTS.md", "CLAUDE.md"]);
    assert_eq!(content(&unpacked, "CLAUDE.md"), b"A");
    assert_eq!(gaps(&unpacked), [("out", GapReason::LinkRefused)]);
}

#[test]
fn lies_about_sizes_and_checksums_are_recorded() {
    refused(Entry { size: 1, ..Entry::stored("m", b"xyz") }, "m", GapReason::Malformed);
    refused(Entry { crc: 0, ..Entry::stored("m", b"xyz") }, "m", GapReason::Malformed);
    refused(Entry { size: 9, ..Entry::deflated("m", b"", deflate_zeros(9)) }, "m", GapReason::Malformed);
    refused(Entry::deflated("m", b"xyz", b"\xff\xff".to_vec()), "m", GapReason::Malformed);
    let short = Entry { size: 9, ..Entry::deflated("m", b"xyz", deflate_stored(b"xyz")) };
    let unpacked = unzip(Zip::new().entry(short));
    assert_eq!(paths(&unpacked), vec!["m"]);
    assert_eq!(gaps(&unpacked), vec![("m", GapReason::Malformed)]);
}

#[test]
fn a_path_listed_twice_is_recorded() {
    let unpacked = unzip(Zip::new().file("a", b"1").file("b", b"B").file("a", b"2"));
    assert_eq!(paths(&unpacked), ["a", "a!/earlier-1/a", "b"]);
    assert_eq!((content(&unpacked, "a"), content(&unpacked, "a!/earlier-1/a")), (&b"2"[..], &b"1"[..]));
    assert_eq!(gaps(&unpacked), [(".", GapReason::DuplicatePath), ("a", GapReason::DuplicatePath)]);
}

#[test]
fn headers_that_disagree_are_recorded() {
    let other_name = Entry { local_name: Some(b"other".to_vec()), ..Entry::stored("a", b"A") };
    assert_eq!(gaps(&unzip(Zip::new().entry(other_name))), [(".", GapReason::Malformed)]);
    let unlisted = unzip(Zip::new().file("a", b"A").unlisted(Entry::stored("hidden", b"H")));
    assert_eq!(paths(&unlisted), vec!["a"]);
    assert_eq!(gaps(&unlisted), vec![(".", GapReason::Malformed)]);
}

#[test]
fn members_that_overlap_are_recorded() {
    let shared = Entry { shares: Some(0), ..Entry::stored("a", b"A") };
    let unpacked = unzip(Zip::new().file("a", b"A").entry(Entry { name: b"b".to_vec(), ..shared }));
    assert_eq!(gaps(&unpacked), [(".", GapReason::Malformed)]);
}

#[test]
fn bytes_before_the_first_member_are_recorded() {
    let bytes = [&b"#!/bin/sh\n"[..], &Zip::new().file("a", b"A").finish()].concat();
    let unpacked = unpack(&bytes, ArchiveFormat::Zip, &limits());
    assert_eq!(paths(&unpacked), vec!["a"]);
    assert_eq!(gaps(&unpacked), vec![(".", GapReason::Malformed)]);
}

#[test]
fn bytes_behind_the_end_are_recorded() {
    let bytes = [&Zip::new().file("a", b"A").finish()[..], b"#!/bin/sh\n"].concat();
    let unpacked = unpack(&bytes, ArchiveFormat::Zip, &limits());
    assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["a"], vec![(".", GapReason::Malformed)]));
}

#[test]
fn a_cut_archive_gives_what_was_read_before() {
    let text = b"some text";
    let bytes = Zip::new().file("a", b"A").entry(Entry::deflated("b", text, deflated(text))).finish();
    for cut in 0..bytes.len() {
        let unpacked = unpack(bytes.get(..cut).expect("in range"), ArchiveFormat::Zip, &limits());
        assert!(!unpacked.gaps.is_empty(), "cut at {cut}");
        if (33..74).contains(&cut) {
            let reasons: Vec<GapReason> = unpacked.gaps.iter().map(|gap| gap.reason).collect();
            assert_eq!(paths(&unpacked), vec!["a"], "cut at {cut}");
            assert_eq!(reasons, vec![GapReason::Truncated], "cut at {cut}");
        }
    }
}

#[test]
fn what_is_no_zip_is_malformed() {
    for bytes in [&b""[..], b"text", &[0; 100], b"PK\x05\x06"] {
        assert_eq!(gaps(&unpack(bytes, ArchiveFormat::Zip, &limits())), [(".", GapReason::Malformed)]);
    }
}
