//! Any bytes at all stay within the budget.

use super::*;

const SMALL: UnpackLimits = UnpackLimits {
    compressed_bytes: 1 << 20,
    expanded_bytes: 6000,
    file_bytes: 1500,
    members: 7,
    ratio: 200,
    depth: 2,
    path_bytes: 40,
    path_components: 4,
};

fn format() -> impl Strategy<Value = ArchiveFormat> {
    prop_oneof![
        Just(ArchiveFormat::TarGz),
        Just(ArchiveFormat::Tar),
        Just(ArchiveFormat::Gzip),
        Just(ArchiveFormat::Zip)
    ]
}

fn within_budget(unpacked: &Unpacked) {
    let total: usize = unpacked.files.values().map(|file| file.bytes.len()).sum();
    assert!(total as u64 <= SMALL.expanded_bytes);
    assert!(unpacked.files.len() <= SMALL.members);
    assert!(!unpacked.files.is_empty() || !unpacked.gaps.is_empty());
    assert!(unpacked.gaps.is_sorted());
    for (path, file) in &unpacked.files {
        assert!(file.bytes.len() as u64 <= SMALL.file_bytes);
        assert!(path.len() <= SMALL.path_bytes);
        assert!(path.split('/').count() <= SMALL.path_components);
        assert!(path.split('/').all(|part| !matches!(part, "" | "." | "..")));
        assert!(!path.contains(['\\', '\0']));
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
        within_budget(&unpack(&tar.finish(), ArchiveFormat::Tar, &SMALL));
        let zip = names.iter().fold(Zip::new(), |zip, name| zip.file(name, b"X"));
        within_budget(&unpack(&zip.finish(), ArchiveFormat::Zip, &SMALL));
    }
}
