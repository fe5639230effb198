//! Source: JavaScript, TypeScript, Python and the other languages that are read, hooks and scripts included.
//!
//! Holds for every input: the parsers end, at any depth of nesting, and give the same again.
#![no_main]

use std::collections::BTreeMap;

use capdex_evidence::Evidence;
use capdex_model::bundle::{Bundle, BundleFile};
use libfuzzer_sys::fuzz_target;

const PATHS: [&str; 13] = [
    "a.js",
    "a.ts",
    "a.tsx",
    "a.jsx",
    "a.py",
    "a.mjs",
    "a.sh",
    "main.go",
    "src/main.rs",
    "a.ipynb",
    "a.ps1",
    "a.bat",
    "Taskfile.yml",
];

fuzz_target!(|input: (u8, &str)| {
    let (choice, text) = input;
    let path = PATHS.get(usize::from(choice) % PATHS.len()).copied().unwrap_or("a.js");
    // One of the words that make a file worth reading.
    let text = format!("{text}\n// exec tool\n");
    let text = if path == "a.ipynb" { notebook(&text) } else { text };
    let files = BTreeMap::from([(path.to_owned(), BundleFile::new(text.into_bytes()))]);
    let bundle = Bundle::local("folder:fuzz", files);
    let (once, again) = (Evidence::gather(&bundle), Evidence::gather(&bundle));
    assert_eq!(once.sources, again.sources, "the same input gave another view");
    assert_eq!(once.tools, again.tools, "the same input gave other tools");
});

/// A notebook of one cell.
fn notebook(source: &str) -> String {
    serde_json::json!({"cells": [{"cell_type": "code", "source": source}]}).to_string()
}
