//! Every cap: below, at and above.

use super::*;

#[test]
fn compressed_bytes() {
    let bytes = Tar::new().file("a", b"A").gzipped();
    let read =
        |cap: usize| unpack(&bytes, ArchiveFormat::TarGz, &UnpackLimits { compressed_bytes: cap as u64, ..limits() });
    assert_eq!(gaps(&read(bytes.len() + 1)), []);
    assert_eq!(gaps(&read(bytes.len())), []);
    let above = read(bytes.len() - 1);
    assert_eq!((paths(&above), gaps(&above)), (vec![], vec![(".", GapReason::CompressedTooLarge)]));
}

#[test]
fn expanded_bytes() {
    let tar = Tar::new().file("a", b"A").file("b", b"B").finish();
    let read = |cap: usize| {
        unpack(&gzip(&tar), ArchiveFormat::TarGz, &UnpackLimits { expanded_bytes: cap as u64, ..limits() })
    };
    assert_eq!(gaps(&read(tar.len() + 1)), []);
    assert_eq!(gaps(&read(tar.len())), []);
    assert_eq!(gaps(&read(tar.len() - 1)), [(".", GapReason::ExpandedTooLarge)]);
    let early = read(1100);
    assert_eq!((paths(&early), gaps(&early)), (vec!["a"], vec![(".", GapReason::ExpandedTooLarge)]));
    let zip = Zip::new().file("a", b"12345").file("b", b"12345").finish();
    let read = |cap| unpack(&zip, ArchiveFormat::Zip, &UnpackLimits { expanded_bytes: cap, ..limits() });
    assert_eq!(gaps(&read(11)), []);
    assert_eq!(gaps(&read(10)), []);
    let above = read(9);
    assert_eq!((paths(&above), gaps(&above)), (vec!["a"], vec![(".", GapReason::ExpandedTooLarge)]));
}

#[test]
fn one_file() {
    let tar = Tar::new().file("a", b"12345").file("b", b"B").gzipped();
    let zip = Zip::new().file("a", b"12345").file("b", b"B").finish();
    for (bytes, format) in [(tar, ArchiveFormat::TarGz), (zip, ArchiveFormat::Zip)] {
        let read = |cap| unpack(&bytes, format, &UnpackLimits { file_bytes: cap, ..limits() });
        assert_eq!(gaps(&read(6)), []);
        assert_eq!(gaps(&read(5)), []);
        let above = read(4);
        assert_eq!((paths(&above), gaps(&above)), (vec!["b"], vec![("a", GapReason::FileTooLarge)]));
    }
    let read = |cap| unpack(&gzip(b"12345"), ArchiveFormat::Gzip, &UnpackLimits { file_bytes: cap, ..limits() });
    assert_eq!(gaps(&read(6)), []);
    assert_eq!(gaps(&read(5)), []);
    assert_eq!(gaps(&read(4)), [("content", GapReason::FileTooLarge)]);
}

#[test]
fn members_of_any_kind() {
    let tar = Tar::new().directory("d/").link(b'2', "l", "x").file("a", b"").file("b", b"").gzipped();
    let read = |cap| unpack(&tar, ArchiveFormat::TarGz, &UnpackLimits { members: cap, ..limits() });
    assert_eq!(paths(&read(5)), ["a", "b"]);
    assert_eq!(paths(&read(4)), ["a", "b"]);
    let above = read(3);
    assert_eq!(paths(&above), ["a"]);
    assert_eq!(gaps(&above), [(".", GapReason::TooManyMembers), ("l", GapReason::LinkRefused)]);
    let zip = Zip::new().file("d/", b"").file("a", b"").file("b", b"").finish();
    let read = |cap| unpack(&zip, ArchiveFormat::Zip, &UnpackLimits { members: cap, ..limits() });
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
    let read = |cap| unpack(&bytes, ArchiveFormat::Zip, &UnpackLimits { members: cap, ..limits() });
    assert_eq!(gaps(&read(49)), [(".", GapReason::TooManyMembers)]);
    assert!(!gaps(&read(50)).contains(&(".", GapReason::TooManyMembers)));
}

#[test]
fn the_ratio_of_a_bomb() {
    let floor = usize::try_from(UnpackLimits::RATIO_FLOOR_BYTES).expect("fits");
    let zeros = |length: usize| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&vec![0; length]).expect("memory takes it");
        encoder.finish().expect("memory takes it")
    };
    let read = |length| unpack(&zeros(length), ArchiveFormat::Gzip, &UnpackLimits { ratio: 20, ..limits() });
    assert_eq!(gaps(&read(floor - 1)), []);
    assert_eq!(gaps(&read(floor)), []);
    assert_eq!(gaps(&read(floor + 1)), [(".", GapReason::RatioTooHigh)]);
}

#[test]
fn a_bomb_ends_at_the_first_cap() {
    let unpacked = unpack(&bomb(1 << 30), ArchiveFormat::TarGz, &limits());
    assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec![], vec![(".", GapReason::RatioTooHigh)]));
    let size = 1 + 258 * 200_000;
    let bomb = Entry { size, ..Entry::deflated("zeros", b"", deflate_zeros(200_000)) };
    let unpacked =
        unpack(&Zip::new().entry(bomb).finish(), ArchiveFormat::Zip, &UnpackLimits { file_bytes: 1 << 30, ..limits() });
    assert_eq!((paths(&unpacked), gaps(&unpacked)), (vec![], vec![(".", GapReason::RatioTooHigh)]));
}

#[test]
fn depth() {
    let innermost = Zip::new().file("x", b"X").finish();
    let two = Tar::new().file("in.zip", &innermost).gzipped();
    let three = Zip::new().file("mid.tgz", &two).finish();
    let four = Tar::new().file("out.docx", &three).finish();
    let read = |depth| unpack(&four, ArchiveFormat::Tar, &UnpackLimits { depth, ..limits() });
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
        let caps = UnpackLimits { path_bytes: bytes, path_components: components, ..limits() };
        unpack(&tar, ArchiveFormat::Tar, &caps).gaps.first().map(|gap| gap.reason)
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
    let cap = |spare| UnpackLimits { expanded_bytes: outer.len() as u64 + spare, ..limits() };
    let enough = unpack(&outer, ArchiveFormat::Tar, &cap(1200));
    assert_eq!(gaps(&enough), []);
    let scarce = unpack(&outer, ArchiveFormat::Tar, &cap(1199));
    assert_eq!(paths(&scarce), ["a.zip", "a.zip!/x", "b.zip", "z"]);
    assert_eq!(gaps(&scarce), [("b.zip", GapReason::ExpandedTooLarge)]);
}
