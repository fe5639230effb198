//! Files of clients: every row of `formats.toml`, its reader, and what the file makes or belongs to.
//!
//! Holds for every input: it ends, a second reading gives the same, the file belongs to exactly one capability, and each
//! surface stands in the file.
#![no_main]

use std::collections::BTreeMap;

use capdex_evidence::decompose::decompose;
use capdex_evidence::manifest::{launches, named_sources};
use capdex_evidence::{Evidence, formats};
use capdex_model::bundle::{Bundle, BundleFile};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u8, &[u8])| {
    let (choice, bytes) = input;
    let rows = formats::all();
    let Some(row) = rows.get(usize::from(choice) % rows.len()) else { return };
    let path = row.path.replace("**/", "").replace('*', "x");
    let bundle = Bundle::local("folder:fuzz", BTreeMap::from([(path.clone(), BundleFile::new(bytes))]));
    let (first, second) = (Evidence::gather(&bundle), Evidence::gather(&bundle));
    assert_eq!(first.gaps, second.gaps, "the same input gave other gaps");
    let capabilities = decompose(&bundle, &first);
    assert_eq!(capabilities, decompose(&bundle, &second), "the same input gave other capabilities");
    let holders = capabilities.iter().filter(|capability| capability.files.contains(&path)).count();
    assert!(holders == 1 || !first.documents.contains_key(&path), "{path} belongs to {holders} capabilities");
    for manifest in first.manifests.values() {
        let _ = (launches(manifest).len(), named_sources(manifest).len());
    }
    let lines = first.documents.values().map(|document| document.text.lines().count()).max().unwrap_or_default();
    for surface in first.surfaces() {
        assert!(surface.place.line as usize <= lines.max(1), "{:?} lies behind the file", surface.place);
    }
});
