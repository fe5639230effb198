//! Markdown, scripts and plain text: decoding, zones, lines, hidden characters, encoded runs.
//!
//! Holds for every input: zones cover the text in order and without a hole, and every offset has a place.
#![no_main]

use capdex_evidence::document::Document;
use libfuzzer_sys::fuzz_target;

const PATHS: [&str; 6] = ["SKILL.md", "rules/a.mdc", "scripts/a.sh", "docs/README.md", "a.yaml", "page.html"];

fuzz_target!(|input: (u8, &[u8])| {
    let (choice, bytes) = input;
    let path = PATHS.get(usize::from(choice) % PATHS.len()).copied().unwrap_or("SKILL.md");
    let document = Document::read(path, bytes, &mut Vec::new());
    let mut end = 0;
    for zone in &document.zones {
        let is_some = zone.end > zone.start || document.text.is_empty();
        assert!(zone.start == end, "a hole or an overlap at {end}");
        assert!(is_some, "a hole or an overlap at {end}");
        end = zone.end;
    }
    assert_eq!(end, document.text.len(), "the zones end before the text");
    for offset in [0, document.text.len() / 2, document.text.len()] {
        assert!(document.place(offset).line >= 1);
        let _ = (document.zone_at(offset), document.headings_at(offset).count());
    }
    let _ = (document.runs(), document.hidden());
});
