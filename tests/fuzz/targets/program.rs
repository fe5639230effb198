//! Programs: the modules of a package, names and values that are followed across them, and what they register.
//!
//! Holds for every input: the reading ends within its budget, gives the same again, and each tool stands in its file.
#![no_main]

use std::collections::BTreeMap;

use capdex_evidence::Evidence;
use capdex_model::bundle::{Bundle, BundleFile};
use libfuzzer_sys::fuzz_target;

/// The line that begins the next file of an input, before its path.
const NEXT: &str = "\n=== ";

/// The paths of files without one.
const PATHS: [&str; 8] =
    ["a.js", "b.ts", "app/__init__.py", "app/a.py", "app/b.py", "c.json", "tools/d.mjs", "main.go"];

fuzz_target!(|input: &str| {
    let mut files = BTreeMap::new();
    for (at, part) in input.split(NEXT).take(PATHS.len()).enumerate() {
        let (first, rest) = part.split_once('\n').unwrap_or(("", part));
        let known = PATHS.iter().find(|path| **path == first.trim());
        let path = known.or(PATHS.get(at)).copied().unwrap_or("a.js");
        let text = if known.is_some() { rest } else { part };
        files.insert(path.to_owned(), BundleFile::new(text.as_bytes()));
    }
    // Without a word of a kit nothing is outlined.
    files.insert("kit.py".to_owned(), BundleFile::new(&b"from mcp import types\n"[..]));
    let bundle = Bundle::local("folder:fuzz", files);
    let (once, again) = (Evidence::gather(&bundle), Evidence::gather(&bundle));
    assert_eq!(once.tools, again.tools, "the same input gave other tools");
    assert_eq!(once.gaps, again.gaps, "the same input gave other gaps");
    for tool in &once.tools {
        let document = once.documents.get(&tool.place.file).expect("a tool stands in a file of the bundle");
        let lines = document.text.lines().count().max(1);
        assert!(tool.place.line as usize <= lines, "{:?} lies behind the file", tool.place);
    }
});
