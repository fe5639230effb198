//! Hostile tar members.

use super::*;

/// Refused and recorded, and the reading goes on.
fn refused(tar: Tar, subject: &str, reason: GapReason) {
    let unpacked = untar(tar.file("after", b"A"));
    assert_eq!(paths(&unpacked), vec!["after"]);
    assert_eq!(gaps(&unpacked), vec![(subject, reason)]);
}

/// Contradictory: recorded, and nothing after it is believed.
fn stopped(tar: Tar, subject: &str) {
    let unpacked = untar(Tar::new().file("before", b"B").raw(&tar.unfinished()).file("after", b"A"));
    assert_eq!(paths(&unpacked), vec!["before"]);
    assert_eq!(gaps(&unpacked), vec![(subject, GapReason::Malformed)]);
}

#[test]
fn links_and_special_members_are_refused() {
    refused(Tar::new().link(b'2', "l", "/etc/passwd"), "l", GapReason::LinkRefused);
    refused(Tar::new().link(b'1', "l", "none"), "l", GapReason::LinkRefused);
    refused(Tar::new().link(b'2', "l", "l"), "l", GapReason::LinkRefused);
    refused(Tar::new().link(b'2', "l", "."), "l", GapReason::LinkRefused);
    refused(Tar::new().extension(b'K', b"../../x\0").link(b'2', "l", "cut"), "l", GapReason::LinkRefused);
    for kind in [b'3', b'4', b'6', b'V', b'D'] {
        refused(Tar::new().member(&Member::bare(b"s", kind)), "s", GapReason::SpecialRefused);
    }
    refused(Tar::new().member(&Member { kind: b'S', ..Member::file(b"s", b"x") }), "s", GapReason::SpecialRefused);
    refused(Tar::new().pax(&[("GNU.sparse.major", "1")]).file("s", b"x"), "s", GapReason::SpecialRefused);
}

#[test]
fn hostile_paths_are_refused_in_every_header() {
    for path in ["../x", "a/../../x", ".."] {
        refused(Tar::new().file(path, b"E"), path, GapReason::PathRefused);
        refused(Tar::new().pax(&[("path", path)]).file("good", b"E"), path, GapReason::PathRefused);
        refused(Tar::new().long_name(path).file("good", b"E"), path, GapReason::PathRefused);
    }
    refused(Tar::new().pax(&[("path", "a\0b")]).file("good", b"E"), "a\0b", GapReason::PathRefused);
    refused(Tar::new().pax(&[("path", "")]).file("good", b"E"), "", GapReason::PathRefused);
    refused(Tar::new().directory("../d/"), "../d", GapReason::PathRefused);
}

#[test]
fn a_path_that_installers_clean_up_is_read_under_theirs_and_recorded() {
    for (path, plain) in [
        ("/x", "x"),
        ("C:/x", "x"),
        ("//h/s/x", "h/s/x"),
        ("a\\x", "a/x"),
        ("nul", "nul"),
        ("a.", "a."),
        ("a ", "a "),
        ("a//b", "a/b"),
        ("a/./b", "a/b"),
    ] {
        for tar in [Tar::new().file(path, b"E"), Tar::new().pax(&[("path", path)]).file("good", b"E")] {
            let unpacked = untar(tar.file("~", b"A"));
            assert_eq!(paths(&unpacked), [plain, "~"]);
            assert_eq!(gaps(&unpacked), [(path, GapReason::PathRefused)]);
        }
    }
    let odd = untar(Tar::new().member(&Member::file(b"\xff", b"E")));
    assert_eq!((paths(&odd), gaps(&odd)), (vec!["\u{fffd}"], vec![("\u{fffd}", GapReason::PathRefused)]));
}

#[test]
fn the_last_of_several_members_with_one_path_counts_and_all_are_read() {
    let unpacked = untar(Tar::new().file("d/a", b"1").file("d/b", b"B").file("./d/a", b"2").file("d//a", b"3"));
    assert_eq!(paths(&unpacked), ["d/a", "d/a!/earlier-1/a", "d/a!/earlier-2/a", "d/b"]);
    assert_eq!(content(&unpacked, "d/a"), b"3");
    assert_eq!(content(&unpacked, "d/a!/earlier-1/a"), b"1");
    assert_eq!(content(&unpacked, "d/a!/earlier-2/a"), b"2");
    assert_eq!(gaps(&unpacked), [("d//a", GapReason::PathRefused), ("d/a", GapReason::DuplicatePath)]);
}

#[test]
fn the_same_bytes_twice_mean_the_same_to_everybody() {
    let unpacked = untar(Tar::new().file("a", b"1").file("a", b"1"));
    assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["a"], vec![]));
}

#[test]
fn an_archive_under_a_path_of_several_is_opened_each_time() {
    let inner = |name: &str| Zip::new().file(name, b"X").finish();
    let unpacked = untar(Tar::new().file("a.zip", &inner("one")).file("a.zip", &inner("two")));
    let expected = ["a.zip", "a.zip!/earlier-1/a.zip", "a.zip!/earlier-1/a.zip!/one", "a.zip!/two"];
    assert_eq!(paths(&unpacked), expected);
}

#[test]
fn links_to_what_was_read_are_aliases() {
    let tar = Tar::new()
        .file("p/AGENTS.md", b"A")
        .link(b'2', "p/CLAUDE.md", "AGENTS.md")
        .link(b'1', "p/hard", "p/AGENTS.md")
        .link(b'2', "p/sub/GEMINI.md", "../CLAUDE.md")
        .file("p/.agents/skills/n/SKILL.md", b"S")
        .file("p/.agents/skills/n/run.sh", b"R")
        .file("p/.agents/skills/read.me", b"M")
        .link(b'2', "p/.claude/skills", "../.agents/skills");
    let unpacked = untar(tar);
    let alias = |path: &str, target: &str| Alias { path: path.into(), target: target.into() };
    let expected = [
        alias("p/.claude/skills", "p/.agents/skills"),
        alias("p/CLAUDE.md", "p/AGENTS.md"),
        alias("p/hard", "p/AGENTS.md"),
        alias("p/sub/GEMINI.md", "p/AGENTS.md"),
    ];
    assert_eq!(unpacked.aliases, expected);
    assert_eq!(gaps(&unpacked), []);
    // A file stands under each of its names; a skill is one under any number of names.
    for path in ["p/CLAUDE.md", "p/hard", "p/sub/GEMINI.md", "p/.claude/skills/read.me"] {
        assert!(unpacked.files.contains_key(path), "{path}");
    }
    assert!(!unpacked.files.contains_key("p/.claude/skills/n/SKILL.md"));
    let stripped = strip_common_root(unpacked);
    assert_eq!(stripped.aliases.first(), Some(&alias(".claude/skills", ".agents/skills")));
    assert!(stripped.files.contains_key("CLAUDE.md"));
}

#[test]
fn links_out_in_circles_to_nothing_and_through_others_stay_gaps() {
    for (path, target) in [("a/l", "../../x"), ("l", "/etc/passwd"), ("l", "gone"), ("a/l", ".."), ("a/l", ".")] {
        let unpacked = untar(Tar::new().file("a/x", b"X").link(b'2', path, target));
        assert_eq!(
            (paths(&unpacked), gaps(&unpacked)),
            (vec!["a/x"], vec![(path, GapReason::LinkRefused)]),
            "{target}"
        );
    }
    let circle = untar(Tar::new().file("x", b"X").link(b'2', "a", "b").link(b'2', "b", "a"));
    assert_eq!(gaps(&circle), [("a", GapReason::LinkRefused), ("b", GapReason::LinkRefused)]);
    let through = untar(Tar::new().file("d/x", b"X").link(b'2', "l", "d").file("l/y", b"Y"));
    assert_eq!(gaps(&through), [("l", GapReason::LinkRefused)]);
    let beside = strip_common_root(untar(Tar::new().file("p/a", b"A").link(b'2', "a", "p/a")));
    assert_eq!((paths(&beside), gaps(&beside)), (vec!["a"], vec![("a", GapReason::LinkRefused)]));
}

#[test]
fn links_to_links_cost_no_more_than_files() {
    // Twenty folders, each of which links twice to the one before it, would be a million files.
    let mut tar = Tar::new().file("d0/x", b"X");
    for at in 1..20 {
        for name in ["l", "m"] {
            tar = tar.link(b'2', &format!("d{at}/{name}"), &format!("../d{}", at - 1));
        }
    }
    assert!(untar(tar).files.len() < 100);
}

#[test]
fn members_behind_one_block_of_zeros_are_read_and_recorded() {
    let bytes = Tar::new().file("a", b"A").raw(&[0; 512]).file("b", b"B").raw(&[0; 512]).file("c", b"C").finish();
    for (bytes, format) in [(bytes.clone(), ArchiveFormat::Tar), (gzip(&bytes), ArchiveFormat::TarGz)] {
        let unpacked = unpack(&bytes, format, &limits());
        assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["a", "b", "c"], vec![(".", GapReason::Malformed)]));
    }
    let two = Tar::new().file("a", b"A").raw(&[0; 1024]).file("b", b"B").finish();
    let unpacked = unpack(&two, ArchiveFormat::Tar, &limits());
    assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec!["a"], vec![(".", GapReason::Malformed)]));
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
    assert_eq!(paths(&unpacked), vec!["a"]);
    assert_eq!(gaps(&unpacked), vec![]);
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
    let unpacked = unpack(&[tar.as_slice(), &hidden].concat(), ArchiveFormat::Tar, &limits());
    assert_eq!(paths(&unpacked), vec!["a"]);
    assert_eq!(gaps(&unpacked), vec![(".", GapReason::Malformed)]);
    let after_gzip = unpack(&[gzip(&tar).as_slice(), b"tail"].concat(), ArchiveFormat::TarGz, &limits());
    assert_eq!(paths(&after_gzip), vec!["a"]);
    assert_eq!(gaps(&after_gzip), vec![(".", GapReason::Malformed)]);
    let padded = unpack(&[tar.as_slice(), &[0; 8192]].concat(), ArchiveFormat::Tar, &limits());
    assert_eq!(gaps(&padded), []);
}

#[test]
fn a_cut_archive_gives_what_was_read_before() {
    let tar = Tar::new().file("a", b"A").file("b", &[b'B'; 600]);
    let bytes = tar.clone().unfinished();
    for cut in 0..bytes.len() {
        let bytes = bytes.get(..cut).expect("in range");
        let unpacked = unpack(bytes, ArchiveFormat::Tar, &limits());
        let reasons: Vec<GapReason> = unpacked.gaps.iter().map(|gap| gap.reason).collect();
        assert_eq!(reasons, [GapReason::Truncated], "cut at {cut}");
        assert_eq!(unpacked.files.contains_key("a"), cut > 512, "cut at {cut}");
    }
    let whole = gzip(&tar.finish());
    for cut in 0..whole.len() {
        let unpacked = unpack(whole.get(..cut).expect("in range"), ArchiveFormat::TarGz, &limits());
        assert!(unpacked.gaps.iter().any(|gap| gap.reason == GapReason::Truncated), "cut at {cut}");
    }
}

#[test]
fn only_a_bare_tar_needs_an_end_mark() {
    let bytes = Tar::new().file("a", b"A").unfinished();
    assert_eq!(gaps(&unpack(&bytes, ArchiveFormat::Tar, &limits())), [(".", GapReason::Truncated)]);
    assert_eq!(gaps(&unpack(&gzip(&bytes), ArchiveFormat::TarGz, &limits())), []);
}

#[test]
fn a_size_beyond_everything_is_no_reason_to_allocate() {
    let huge = Member { size: u64::MAX / 2, ..Member::file(b"a", b"x") };
    let unpacked = untar(Tar::new().member(&huge));
    assert!(unpacked.files.is_empty());
    assert!(!unpacked.gaps.is_empty());
}
