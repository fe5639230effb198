//! Manifests: YAML front matter, JSON with and without comments, TOML.
//!
//! Holds for every input: it ends, within the budgets of the parsers, and what does not parse is a gap.
#![no_main]

use capdex_evidence::document::Document;
use capdex_evidence::manifest;
use capdex_evidence::recorded::ReadingReason;
use libfuzzer_sys::fuzz_target;

const PATHS: [&str; 6] =
    ["SKILL.md", "agents/a.agent.md", ".cursor/rules/a.mdc", "package.json", "pyproject.toml", "hooks/hooks.json"];

fuzz_target!(|input: (u8, &[u8])| {
    let (choice, bytes) = input;
    let path = PATHS.get(usize::from(choice) % PATHS.len()).copied().unwrap_or("SKILL.md");
    let mut gaps = Vec::new();
    let document = Document::read(path, bytes, &mut gaps);
    let _ = manifest::read(&document, ReadingReason::Found, &mut gaps);
});
