//! Whole archives in, files and gaps out: every cap below, at and above; every hostile member; any bytes at all.

use std::io::Write;

use capdex_core::snapshot::GapReason;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use proptest::prelude::*;

use super::archives::{Entry, Member, Tar, Zip, bomb, crc32, deflate_stored, deflate_zeros, gzip, gzip_named};
use super::*;

fn limits() -> Limits {
    Limits::default()
}

fn untar(tar: Tar) -> Unpacked {
    unpack(&tar.finish(), Format::Tar, &limits())
}

fn unzip(zip: Zip) -> Unpacked {
    unpack(&zip.finish(), Format::Zip, &limits())
}

fn paths(unpacked: &Unpacked) -> Vec<&str> {
    unpacked.files.keys().map(String::as_str).collect()
}

fn gaps(unpacked: &Unpacked) -> Vec<(&str, GapReason)> {
    unpacked.gaps.iter().map(|gap| (gap.subject.as_str(), gap.reason)).collect()
}

fn content<'a>(unpacked: &'a Unpacked, path: &str) -> &'a [u8] {
    &unpacked.files.get(path).expect("the file is there").bytes
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

mod formats {
    use super::*;

    #[test]
    fn every_format_gives_its_files_and_nothing_else() {
        let tar = Tar::new().directory("p/").file("p/a", b"A").file("p/b/c", b"").finish();
        let long = "d/".repeat(60) + "x";
        for (bytes, format) in [(tar.clone(), Format::Tar), (gzip(&tar), Format::TarGz)] {
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
        let unpacked = unpack(&gzip_named("notes.md", b"x"), Format::Gzip, &limits());
        assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["notes.md"], vec![]));
        assert_eq!(paths(&unpack(&gzip(b"x"), Format::Gzip, &limits())), ["content"]);
        let refused = unpack(&gzip_named("../evil", b"x"), Format::Gzip, &limits());
        assert_eq!((paths(&refused), gaps(&refused)), (vec!["content"], vec![("../evil", GapReason::PathRefused)]));
    }

    #[test]
    fn all_members_of_a_gzip_file_are_one_tar() {
        let tar = Tar::new().file("a", b"A").file("b", b"B").finish();
        let (one, two) = tar.split_at(700);
        let unpacked = unpack(&[gzip(one), gzip(two)].concat(), Format::TarGz, &limits());
        assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["a", "b"], vec![]));
    }

    #[test]
    fn the_old_dialect_marks_directories_by_a_slash() {
        let unpacked = untar(
            Tar::new().member(&Member::bare(b"old/", 0)).member(&Member { kind: 0, ..Member::file(b"old/a", b"A") }),
        );
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
        let sdist = strip_common_root(unpack(&archives::sdist("n", "1", files), Format::TarGz, &limits()));
        assert_eq!((paths(&sdist), gaps(&sdist)), (vec!["PKG-INFO", "a.py"], vec![]));
        let wheel = unpack(&archives::wheel("n", "1", files), Format::Zip, &limits());
        assert_eq!((wheel.files.len(), gaps(&wheel)), (4, vec![]));
        let npm = strip_common_root(unpack(&archives::npm_tarball("n", "1", files), Format::TarGz, &limits()));
        assert_eq!((paths(&npm), gaps(&npm)), (vec!["a.py", "package.json"], vec![]));
    }
}

mod roots {
    use super::*;

    #[test]
    fn the_one_top_folder_is_dropped_from_files_and_gaps() {
        let tar = Tar::new().file("package/a", b"A").file("package/b/c", b"C").link(b'2', "package/l", "/etc/passwd");
        let unpacked = strip_common_root(untar(tar));
        assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["a", "b/c"], vec![("l", GapReason::LinkRefused)]));
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
}

mod caps {
    use super::*;

    #[test]
    fn compressed_bytes() {
        let bytes = Tar::new().file("a", b"A").gzipped();
        let read = |cap: usize| unpack(&bytes, Format::TarGz, &Limits { compressed_bytes: cap as u64, ..limits() });
        assert_eq!(gaps(&read(bytes.len() + 1)), []);
        assert_eq!(gaps(&read(bytes.len())), []);
        let above = read(bytes.len() - 1);
        assert_eq!((paths(&above), gaps(&above)), (vec![], vec![(".", GapReason::CompressedTooLarge)]));
    }

    #[test]
    fn expanded_bytes() {
        let tar = Tar::new().file("a", b"A").file("b", b"B").finish();
        let read = |cap: usize| unpack(&gzip(&tar), Format::TarGz, &Limits { expanded_bytes: cap as u64, ..limits() });
        assert_eq!(gaps(&read(tar.len() + 1)), []);
        assert_eq!(gaps(&read(tar.len())), []);
        assert_eq!(gaps(&read(tar.len() - 1)), [(".", GapReason::ExpandedTooLarge)]);
        let early = read(1100);
        assert_eq!((paths(&early), gaps(&early)), (vec!["a"], vec![(".", GapReason::ExpandedTooLarge)]));
        let zip = Zip::new().file("a", b"12345").file("b", b"12345").finish();
        let read = |cap| unpack(&zip, Format::Zip, &Limits { expanded_bytes: cap, ..limits() });
        assert_eq!(gaps(&read(11)), []);
        assert_eq!(gaps(&read(10)), []);
        let above = read(9);
        assert_eq!((paths(&above), gaps(&above)), (vec!["a"], vec![(".", GapReason::ExpandedTooLarge)]));
    }

    #[test]
    fn one_file() {
        let tar = Tar::new().file("a", b"12345").file("b", b"B").gzipped();
        let zip = Zip::new().file("a", b"12345").file("b", b"B").finish();
        for (bytes, format) in [(tar, Format::TarGz), (zip, Format::Zip)] {
            let read = |cap| unpack(&bytes, format, &Limits { file_bytes: cap, ..limits() });
            assert_eq!(gaps(&read(6)), []);
            assert_eq!(gaps(&read(5)), []);
            let above = read(4);
            assert_eq!((paths(&above), gaps(&above)), (vec!["b"], vec![("a", GapReason::FileTooLarge)]));
        }
        let read = |cap| unpack(&gzip(b"12345"), Format::Gzip, &Limits { file_bytes: cap, ..limits() });
        assert_eq!(gaps(&read(6)), []);
        assert_eq!(gaps(&read(5)), []);
        assert_eq!(gaps(&read(4)), [("content", GapReason::FileTooLarge)]);
    }

    #[test]
    fn members_of_any_kind() {
        let tar = Tar::new().directory("d/").link(b'2', "l", "x").file("a", b"").file("b", b"").gzipped();
        let read = |cap| unpack(&tar, Format::TarGz, &Limits { members: cap, ..limits() });
        assert_eq!(paths(&read(5)), ["a", "b"]);
        assert_eq!(paths(&read(4)), ["a", "b"]);
        let above = read(3);
        assert_eq!(paths(&above), ["a"]);
        assert_eq!(gaps(&above), [(".", GapReason::TooManyMembers), ("l", GapReason::LinkRefused)]);
        let zip = Zip::new().file("d/", b"").file("a", b"").file("b", b"").finish();
        let read = |cap| unpack(&zip, Format::Zip, &Limits { members: cap, ..limits() });
        assert_eq!(paths(&read(4)), ["a", "b"]);
        assert_eq!(paths(&read(3)), ["a", "b"]);
        let above = read(2);
        assert_eq!((paths(&above), gaps(&above)), (vec![], vec![(".", GapReason::TooManyMembers)]));
    }

    #[test]
    fn a_64_bit_directory_is_refused_by_what_it_announces() {
        let mut bytes = vec![0; 50 * 46];
        bytes.splice(..4, *b"PK\x03\x04");
        bytes.extend(b"PK\x06\x06");
        bytes.extend([0; 20]);
        bytes.extend(50u64.to_le_bytes());
        bytes.extend(50u64.to_le_bytes());
        bytes.extend([0; 16]);
        bytes.extend(b"PK\x06\x07");
        bytes.extend([0; 16]);
        bytes.extend(b"PK\x05\x06");
        bytes.extend([0; 18]);
        let read = |cap| unpack(&bytes, Format::Zip, &Limits { members: cap, ..limits() });
        assert_eq!(gaps(&read(49)), [(".", GapReason::TooManyMembers)]);
        assert!(!gaps(&read(50)).contains(&(".", GapReason::TooManyMembers)));
    }

    #[test]
    fn the_ratio_of_a_bomb() {
        let floor = usize::try_from(Limits::RATIO_FLOOR_BYTES).expect("fits");
        let zeros = |length: usize| {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(&vec![0; length]).expect("memory takes it");
            encoder.finish().expect("memory takes it")
        };
        let read = |length| unpack(&zeros(length), Format::Gzip, &Limits { ratio: 20, ..limits() });
        assert_eq!(gaps(&read(floor - 1)), []);
        assert_eq!(gaps(&read(floor)), []);
        assert_eq!(gaps(&read(floor + 1)), [(".", GapReason::RatioTooHigh)]);
    }

    #[test]
    fn a_bomb_ends_at_the_first_cap() {
        let unpacked = unpack(&bomb(1 << 30), Format::TarGz, &limits());
        assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec![], vec![(".", GapReason::RatioTooHigh)]));
        let size = 1 + 258 * 200_000;
        let bomb = Entry { size, ..Entry::deflated("zeros", b"", deflate_zeros(200_000)) };
        let unpacked =
            unpack(&Zip::new().entry(bomb).finish(), Format::Zip, &Limits { file_bytes: 1 << 30, ..limits() });
        assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec![], vec![(".", GapReason::RatioTooHigh)]));
    }

    #[test]
    fn depth() {
        let innermost = Zip::new().file("x", b"X").finish();
        let two = Tar::new().file("in.zip", &innermost).gzipped();
        let three = Zip::new().file("mid.tgz", &two).finish();
        let four = Tar::new().file("out.docx", &three).finish();
        let read = |depth| unpack(&four, Format::Tar, &Limits { depth, ..limits() });
        let deep = read(3);
        assert!(paths(&deep).contains(&"out.docx!/mid.tgz!/in.zip!/x"));
        assert_eq!(gaps(&deep), []);
        assert_eq!(gaps(&read(4)), []);
        let shallow = read(2);
        assert_eq!(paths(&shallow), ["out.docx", "out.docx!/mid.tgz", "out.docx!/mid.tgz!/in.zip"]);
        assert_eq!(gaps(&shallow), [("out.docx!/mid.tgz!/in.zip", GapReason::TooDeep)]);
    }

    #[test]
    fn paths_have_a_length_and_a_number_of_components() {
        let tar = Tar::new().file("a/b/c", b"").finish();
        let read = |bytes, components| {
            let caps = Limits { path_bytes: bytes, path_components: components, ..limits() };
            unpack(&tar, Format::Tar, &caps).gaps.first().map(|gap| gap.reason)
        };
        assert_eq!((read(6, 4), read(5, 3)), (None, None));
        assert_eq!((read(4, 3), read(5, 2)), (Some(GapReason::PathRefused), Some(GapReason::PathRefused)));
    }

    #[test]
    fn long_names_and_records_of_extension_headers() {
        let cap = 64 << 10;
        let read = |length: usize| {
            let unpacked = untar(Tar::new().extension(b'L', &vec![b'a'; length]).file("cut", b""));
            unpacked.gaps.first().map(|gap| gap.reason)
        };
        assert_eq!(read(cap - 1), Some(GapReason::PathRefused));
        assert_eq!(read(cap), Some(GapReason::PathRefused));
        assert_eq!(read(cap + 1), Some(GapReason::Malformed));
    }

    #[test]
    fn nested_archives_share_the_budget_and_cannot_starve_what_lies_beside() {
        let inner = Zip::new().file("x", &[b'x'; 600]).finish();
        let outer = Tar::new().file("a.zip", &inner).file("b.zip", &inner).file("z", b"Z").finish();
        let cap = |spare| Limits { expanded_bytes: outer.len() as u64 + spare, ..limits() };
        let enough = unpack(&outer, Format::Tar, &cap(1200));
        assert_eq!(gaps(&enough), []);
        let scarce = unpack(&outer, Format::Tar, &cap(1199));
        assert_eq!(paths(&scarce), ["a.zip", "a.zip!/x", "b.zip", "z"]);
        assert_eq!(gaps(&scarce), [("b.zip", GapReason::ExpandedTooLarge)]);
    }
}

mod tar_members {
    use super::*;

    /// Refused and recorded, and the reading goes on.
    fn refused(tar: Tar, subject: &str, reason: GapReason) {
        let unpacked = untar(tar.file("after", b"A"));
        assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["after"], vec![(subject, reason)]));
    }

    /// Contradictory: recorded, and nothing after it is believed.
    fn stopped(tar: Tar, subject: &str) {
        let unpacked = untar(Tar::new().file("before", b"B").raw(&tar.unfinished()).file("after", b"A"));
        assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["before"], vec![(subject, GapReason::Malformed)]));
    }

    #[test]
    fn links_and_special_members_are_refused() {
        refused(Tar::new().link(b'2', "l", "/etc/passwd"), "l", GapReason::LinkRefused);
        refused(Tar::new().link(b'1', "l", "after"), "l", GapReason::LinkRefused);
        refused(Tar::new().extension(b'K', b"../../x\0").link(b'2', "l", "cut"), "l", GapReason::LinkRefused);
        for kind in [b'3', b'4', b'6', b'V', b'D'] {
            refused(Tar::new().member(&Member::bare(b"s", kind)), "s", GapReason::SpecialRefused);
        }
        refused(Tar::new().member(&Member { kind: b'S', ..Member::file(b"s", b"x") }), "s", GapReason::SpecialRefused);
        refused(Tar::new().pax(&[("GNU.sparse.major", "1")]).file("s", b"x"), "s", GapReason::SpecialRefused);
    }

    #[test]
    fn hostile_paths_are_refused_in_every_header() {
        for path in ["../x", "/x", "a/../../x", "C:/x", "//h/s/x", "a\\x", "a\nb", "nul", "a.", "a ", "a//b"] {
            refused(Tar::new().file(path, b"E"), path, GapReason::PathRefused);
            refused(Tar::new().pax(&[("path", path)]).file("good", b"E"), path, GapReason::PathRefused);
            refused(Tar::new().long_name(path).file("good", b"E"), path, GapReason::PathRefused);
        }
        refused(Tar::new().pax(&[("path", "a\0b")]).file("good", b"E"), "a\0b", GapReason::PathRefused);
        refused(Tar::new().pax(&[("path", "")]).file("good", b"E"), "", GapReason::PathRefused);
        refused(Tar::new().directory("../d/"), "../d", GapReason::PathRefused);
        refused(Tar::new().member(&Member::file(b"\xff", b"E")), "\u{fffd}", GapReason::PathRefused);
    }

    #[test]
    fn the_first_of_two_members_with_one_path_stays() {
        let unpacked = untar(Tar::new().file("a", b"1").file("./a", b"2"));
        assert_eq!(content(&unpacked, "a"), b"1");
        assert_eq!(gaps(&unpacked), [("a", GapReason::DuplicatePath)]);
    }

    #[test]
    fn paths_that_fold_into_one_are_both_kept_and_recorded() {
        let unpacked = untar(
            Tar::new().file("README.md", b"1").file("readme.md", b"2").file("caf\u{e9}", b"").file("cafe\u{301}", b""),
        );
        assert_eq!(unpacked.files.len(), 4);
        assert_eq!(unpacked.gaps.len(), 4);
        assert!(unpacked.gaps.iter().all(|gap| gap.reason == GapReason::DuplicatePath));
    }

    #[test]
    fn a_contradiction_ends_the_reading() {
        let hidden = Tar::new().file("hidden", b"H").unfinished();
        stopped(Tar::new().pax(&[("size", "0")]).file("a", &hidden), "a");
        stopped(Tar::new().pax(&[("size", "1024")]).file("a", b""), "a");
        stopped(Tar::new().pax(&[("size", "1024")]).long_name("b").file("a", b""), "b");
        stopped(Tar::new().pax(&[("path", "one")]).long_name("two").file("a", b""), "one");
        stopped(Tar::new().pax(&[("path", "a")]).pax(&[("path", "b")]).file("a", b""), "././@extension");
        stopped(Tar::new().long_name("a").long_name("b").file("a", b""), "././@extension");
        stopped(Tar::new().pax(&[("path", "a"), ("path", "b")]).file("a", b""), "././@extension");
        stopped(Tar::new().global_pax(&[("path", "everything")]), "././@extension");
        stopped(Tar::new().extension(b'x', b"no record"), "././@extension");
        stopped(Tar::new().member(&Member { size: 1024, content: &hidden, ..Member::bare(b"d/", b'5') }), "d/");
        stopped(Tar::new().member(&Member { size: 1024, content: &hidden, ..Member::bare(b"l", b'2') }), "l");
        stopped(Tar::new().member(&Member { size: 1024, content: &hidden, ..Member::bare(b"old/", 0) }), "old/");
    }

    #[test]
    fn records_that_contradict_nothing_pass() {
        let tar = Tar::new()
            .global_pax(&[("comment", "0123abc")])
            .pax(&[("size", "1"), ("mtime", "1.5"), ("path", "a")])
            .file("a", b"A");
        let unpacked = untar(tar);
        assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["a"], vec![]));
    }

    #[test]
    fn a_header_with_a_wrong_checksum_ends_the_reading() {
        stopped(Tar::new().raw(&[b'x'; 512]), ".");
    }

    #[test]
    fn an_extension_header_at_the_end_is_recorded() {
        assert_eq!(gaps(&untar(Tar::new().file("a", b"").long_name("b"))), [(".", GapReason::Malformed)]);
    }

    #[test]
    fn data_after_the_end_is_recorded() {
        let tar = Tar::new().file("a", b"A").finish();
        let hidden = Tar::new().file("hidden", b"H").finish();
        let unpacked = unpack(&[tar.as_slice(), &hidden].concat(), Format::Tar, &limits());
        assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["a"], vec![(".", GapReason::Malformed)]));
        let after_gzip = unpack(&[gzip(&tar).as_slice(), b"tail"].concat(), Format::TarGz, &limits());
        assert_eq!((paths(&after_gzip), gaps(&after_gzip)), (vec!["a"], vec![(".", GapReason::Malformed)]));
        let padded = unpack(&[tar.as_slice(), &[0; 8192]].concat(), Format::Tar, &limits());
        assert_eq!(gaps(&padded), []);
    }

    #[test]
    fn a_cut_archive_gives_what_was_read_before() {
        let tar = Tar::new().file("a", b"A").file("b", &[b'B'; 600]);
        let bytes = tar.clone().unfinished();
        for cut in 0..bytes.len() {
            let bytes = bytes.get(..cut).expect("in range");
            let unpacked = unpack(bytes, Format::Tar, &limits());
            let reasons: Vec<GapReason> = unpacked.gaps.iter().map(|gap| gap.reason).collect();
            assert_eq!(reasons, [GapReason::Truncated], "cut at {cut}");
            assert_eq!(unpacked.files.contains_key("a"), cut > 512, "cut at {cut}");
        }
        let whole = gzip(&tar.finish());
        for cut in 0..whole.len() {
            let unpacked = unpack(whole.get(..cut).expect("in range"), Format::TarGz, &limits());
            assert!(unpacked.gaps.iter().any(|gap| gap.reason == GapReason::Truncated), "cut at {cut}");
        }
    }

    #[test]
    fn only_a_bare_tar_needs_an_end_mark() {
        let bytes = Tar::new().file("a", b"A").unfinished();
        assert_eq!(gaps(&unpack(&bytes, Format::Tar, &limits())), [(".", GapReason::Truncated)]);
        assert_eq!(gaps(&unpack(&gzip(&bytes), Format::TarGz, &limits())), []);
    }

    #[test]
    fn a_size_beyond_everything_is_no_reason_to_allocate() {
        let huge = Member { size: u64::MAX / 2, ..Member::file(b"a", b"x") };
        let unpacked = untar(Tar::new().member(&huge));
        assert!(unpacked.files.is_empty() && !unpacked.gaps.is_empty());
    }
}

mod zip_members {
    use super::*;

    fn refused(entry: Entry, subject: &str, reason: GapReason) {
        let unpacked = unzip(Zip::new().entry(entry).file("after", b"A"));
        assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["after"], vec![(subject, reason)]));
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
        for path in
            ["../x", "/x", "a/../../x", "C:/x", "//h/s/x", "a\\x", "a\nb", "a\0b", "nul.txt", "a.", "a ", "a//b", ""]
        {
            refused(Entry::stored(path, b"E"), path, GapReason::PathRefused);
        }
        refused(
            Entry { name: b"\x80".to_vec(), flags: 0, ..Entry::stored("", b"E") },
            "\u{fffd}",
            GapReason::PathRefused,
        );
        refused(Entry::stored("../d/", b""), "../d", GapReason::PathRefused);
        refused(Entry::stored("d/", b"content"), "d/", GapReason::Malformed);
    }

    #[test]
    fn lies_about_sizes_and_checksums_are_recorded() {
        refused(Entry { size: 1, ..Entry::stored("m", b"xyz") }, "m", GapReason::Malformed);
        refused(Entry { crc: 0, ..Entry::stored("m", b"xyz") }, "m", GapReason::Malformed);
        refused(Entry { size: 9, ..Entry::deflated("m", b"", deflate_zeros(9)) }, "m", GapReason::Malformed);
        refused(Entry::deflated("m", b"xyz", b"\xff\xff".to_vec()), "m", GapReason::Malformed);
        let short = Entry { size: 9, ..Entry::deflated("m", b"xyz", deflate_stored(b"xyz")) };
        let unpacked = unzip(Zip::new().entry(short));
        assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["m"], vec![("m", GapReason::Malformed)]));
    }

    #[test]
    fn a_path_listed_twice_is_recorded() {
        let unpacked = unzip(Zip::new().file("a", b"1").file("b", b"B").file("a", b"2"));
        assert_eq!(paths(&unpacked), ["a", "b"]);
        assert_eq!(gaps(&unpacked), [(".", GapReason::DuplicatePath), ("a", GapReason::DuplicatePath)]);
    }

    #[test]
    fn headers_that_disagree_are_recorded() {
        let other_name = Entry { local_name: Some(b"other".to_vec()), ..Entry::stored("a", b"A") };
        assert_eq!(gaps(&unzip(Zip::new().entry(other_name))), [(".", GapReason::Malformed)]);
        let unlisted = unzip(Zip::new().file("a", b"A").unlisted(Entry::stored("hidden", b"H")));
        assert_eq!((paths(&unlisted), gaps(&unlisted)), (vec!["a"], vec![(".", GapReason::Malformed)]));
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
        let unpacked = unpack(&bytes, Format::Zip, &limits());
        assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["a"], vec![(".", GapReason::Malformed)]));
    }

    #[test]
    fn a_cut_archive_gives_what_was_read_before() {
        let text = b"some text";
        let bytes = Zip::new().file("a", b"A").entry(Entry::deflated("b", text, deflated(text))).finish();
        for cut in 0..bytes.len() {
            let unpacked = unpack(bytes.get(..cut).expect("in range"), Format::Zip, &limits());
            assert!(!unpacked.gaps.is_empty(), "cut at {cut}");
            if (33..74).contains(&cut) {
                let reasons: Vec<GapReason> = unpacked.gaps.iter().map(|gap| gap.reason).collect();
                assert_eq!((paths(&unpacked), reasons), (vec!["a"], vec![GapReason::Truncated]), "cut at {cut}");
            }
        }
    }

    #[test]
    fn what_is_no_zip_is_malformed() {
        for bytes in [&b""[..], b"text", &[0; 100], b"PK\x05\x06"] {
            assert_eq!(gaps(&unpack(bytes, Format::Zip, &limits())), [(".", GapReason::Malformed)]);
        }
    }
}

mod nested {
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
        let expected = [
            "a.docx",
            "a.docx!/word/x.xml",
            "data.bin",
            "data.bin!/t",
            "no.zip",
            "notes.md.gz",
            "notes.md.gz!/notes.md",
        ];
        assert_eq!((paths(&unpacked), gaps(&unpacked)), (expected.to_vec(), vec![]));
    }

    #[test]
    fn a_zip_behind_a_script_is_opened() {
        let polyglot = [&b"#!/bin/sh\n"[..], &Zip::new().file("x", b"X").finish()].concat();
        let unpacked = untar(Tar::new().file("run.sh", &polyglot));
        assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["run.sh", "run.sh!/x"], vec![]));
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
        let unpacked =
            untar(Tar::new().file("a.zip!/x", b"fake").file("a.zip", &Zip::new().file("x", b"true").finish()));
        assert_eq!(content(&unpacked, "a.zip!/x"), b"true");
        assert_eq!(gaps(&unpacked), [("a.zip!/x", GapReason::PathRefused)]);
    }

    #[test]
    fn containers_that_are_not_read_are_recorded() {
        assert_eq!(
            gaps(&untar(Tar::new().file("a.7z", b"7z\xbc\xaf\x27\x1c\0\0"))),
            [("a.7z", GapReason::Unsupported)]
        );
    }
}

mod anything {
    use super::*;

    const SMALL: Limits = Limits {
        compressed_bytes: 1 << 20,
        expanded_bytes: 6000,
        file_bytes: 1500,
        members: 7,
        ratio: 200,
        depth: 2,
        path_bytes: 40,
        path_components: 4,
    };

    fn format() -> impl Strategy<Value = Format> {
        prop_oneof![Just(Format::TarGz), Just(Format::Tar), Just(Format::Gzip), Just(Format::Zip)]
    }

    fn within_budget(unpacked: &Unpacked) {
        let total: usize = unpacked.files.values().map(|file| file.bytes.len()).sum();
        assert!(total as u64 <= SMALL.expanded_bytes);
        assert!(unpacked.files.len() <= SMALL.members);
        assert!(!unpacked.files.is_empty() || !unpacked.gaps.is_empty());
        assert!(unpacked.gaps.is_sorted());
        for (path, file) in &unpacked.files {
            assert!(file.bytes.len() as u64 <= SMALL.file_bytes);
            assert!(path.len() <= SMALL.path_bytes && path.split('/').count() <= SMALL.path_components);
            assert!(path.split('/').all(|part| !matches!(part, "" | "." | "..")) && !path.contains(['\\', '\0']));
        }
    }

    fn specimens() -> Vec<Vec<u8>> {
        let text = b"text ".repeat(30);
        let zip =
            Zip::new().file("d/", b"").entry(Entry::deflated("d/a", &text, deflated(&text))).symlink("l", "x").finish();
        let tar = Tar::new().pax(&[("path", "d/p"), ("size", "1")]).file("p", b"P").long_name("d/long").file("x", b"X");
        let tar = tar.file("in.zip", &zip).link(b'2', "l", "x").finish();
        let polyglot = Zip::new().file("in.tgz", &gzip(&tar)).finish();
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        vec![gzip(&tar), tar, zip, polyglot]
    }

    proptest! {
        #[test]
        fn any_bytes_stay_within_the_budget(bytes in proptest::collection::vec(any::<u8>(), 0..2000), format in format()) {
            within_budget(&unpack(&bytes, format, &SMALL));
        }

        #[test]
        fn any_damage_stays_within_the_budget(
            which in 0usize..4,
            format in format(),
            flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut bytes = specimens().swap_remove(which);
            for (index, byte) in &flips {
                let index = index.index(bytes.len());
                bytes[index] = *byte;
            }
            within_budget(&unpack(&bytes, format, &SMALL));
            bytes.truncate(cut.index(bytes.len()));
            within_budget(&unpack(&bytes, format, &SMALL));
            let _ = gunzip(&bytes, 100);
        }

        #[test]
        fn any_names_keep_to_the_rules(names in proptest::collection::vec(".{0,50}", 0..9)) {
            let tar = names.iter().fold(Tar::new(), |tar, name| tar.pax(&[("path", name)]).file("x", b"X"));
            within_budget(&unpack(&tar.finish(), Format::Tar, &SMALL));
            let zip = names.iter().fold(Zip::new(), |zip, name| zip.file(name, b"X"));
            within_budget(&unpack(&zip.finish(), Format::Zip, &SMALL));
        }
    }
}
