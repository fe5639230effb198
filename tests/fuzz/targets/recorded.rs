//! Recorded lists: messages in texts of every kind, the walk over their shapes, and the places of what they hold.
//!
//! Holds for every input: it ends, a second reading gives the same, and each surface stands in the file.
#![no_main]

use std::collections::BTreeMap;

use capdex_evidence::Evidence;
use capdex_model::bundle::{Bundle, BundleFile};
use libfuzzer_sys::fuzz_target;

const PATHS: [&str; 6] = ["a.json", "a.jsonl", "a.sse", "a.log", "prompts.json", "mcp.json"];

fuzz_target!(|input: (u8, bool, &[u8])| {
    let (choice, is_named, bytes) = input;
    let path = PATHS.get(usize::from(choice) % PATHS.len()).copied().unwrap_or("a.json");
    let files = BTreeMap::from([(path.to_owned(), BundleFile::new(bytes))]);
    let named = is_named.then(|| path.to_owned());
    let bundle = Bundle { named, ..Bundle::local("folder:fuzz", files) };
    let (first, second) = (Evidence::gather(&bundle), Evidence::gather(&bundle));
    assert_eq!(first.tools, second.tools, "the same input gave other tools");
    let lines = first.documents.values().map(|document| document.text.lines().count()).max().unwrap_or_default();
    for surface in first.surfaces() {
        assert!(surface.place.line as usize <= lines.max(1), "{:?} lies behind the file", surface.place);
    }
});
