//! Archives: tar, gzip and zip, also inside one another, under tight limits.
//!
//! Holds for every input: no limit is passed, no path leaves the input, and what is missing is a gap.
#![no_main]

use capdex_crawlers::unpack::{ArchiveFormat, UnpackLimits, strip_common_root, unpack};
use libfuzzer_sys::fuzz_target;

const FORMATS: [ArchiveFormat; 4] = [ArchiveFormat::TarGz, ArchiveFormat::Zip, ArchiveFormat::Tar, ArchiveFormat::Gzip];
const LIMITS: UnpackLimits = UnpackLimits {
    compressed_bytes: 1 << 20,
    expanded_bytes: 4 << 20,
    file_bytes: 1 << 20,
    members: 2_000,
    ratio: 100,
    depth: 2,
    path_bytes: 512,
    path_components: 32,
};

fuzz_target!(|input: (u8, &[u8])| {
    let (choice, bytes) = input;
    let sniffed = ArchiveFormat::sniff(bytes);
    let chosen = FORMATS.get(usize::from(choice) % FORMATS.len()).copied().unwrap_or(ArchiveFormat::Zip);
    let unpacked = unpack(bytes, sniffed.unwrap_or(chosen), &LIMITS);
    let total: usize = unpacked.files.values().map(|file| file.bytes.len()).sum();
    assert!(total as u64 <= LIMITS.expanded_bytes);
    assert!(unpacked.files.len() <= LIMITS.members);
    for path in unpacked.files.keys() {
        assert!(path.len() <= LIMITS.path_bytes, "{path:?} is too long");
        let leaves = path.starts_with('/') || path.contains('\\') || path.contains('\0');
        assert!(!leaves, "{path:?} leaves the input");
        assert!(path.split('/').all(|part| !matches!(part, "" | "." | "..")), "{path:?} leaves the input");
    }
    let _ = strip_common_root(unpacked);
});
