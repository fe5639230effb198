//! Behaviour of decoding, classifying and zoning.

use super::super::document::Document;
use super::super::file_role::FileRole;
use super::super::language::Language;
use super::*;

fn zones(path: &str, text: &str) -> Vec<(ZoneKind, String)> {
    let document = Document::read(path, text.as_bytes(), &mut Vec::new());
    let piece = |zone: &Zone| document.text.get(zone.start..zone.end).unwrap_or("").trim().to_owned();
    document.zones.iter().map(|zone| (zone.kind, piece(zone))).filter(|(_, text)| !text.is_empty()).collect()
}

fn kinds_of(path: &str, text: &str, needle: &str) -> ZoneKind {
    let document = Document::read(path, text.as_bytes(), &mut Vec::new());
    document.zone_at(document.text.find(needle).expect("the needle is in the text"))
}

#[test]
fn encodings_are_told_by_their_marks() {
    let wide = |text: &str, mark: [u8; 2], bytes: fn(u16) -> [u8; 2]| {
        let units = text.encode_utf16().flat_map(bytes);
        mark.into_iter().chain(units).collect::<Vec<u8>>()
    };
    let mut gaps = Vec::new();
    assert_eq!(decode_text("a.md", "\u{feff}é".as_bytes(), &mut gaps).as_deref(), Some("é"));
    let little = wide("é", [0xFF, 0xFE], u16::to_le_bytes);
    let big = wide("é", [0xFE, 0xFF], u16::to_be_bytes);
    assert_eq!(decode_text("a.md", &little, &mut gaps).as_deref(), Some("é"));
    assert_eq!(decode_text("a.md", &big, &mut gaps).as_deref(), Some("é"));
    assert_eq!(gaps, []);
}

#[test]
fn damaged_text_is_read_and_recorded_and_binary_is_not() {
    let mut gaps = Vec::new();
    assert_eq!(decode_text("logo.png", b"\x89PNG\x00\x01", &mut gaps), None);
    assert_eq!(decode_text("data.bin", b"\xFF\x01\x02", &mut gaps), None);
    assert_eq!(gaps, []);
    assert_eq!(decode_text("SKILL.md", b"run \xFF it", &mut gaps).as_deref(), Some("run \u{FFFD} it"));
    assert_eq!(decode_text("a.py", b"i\0mport", &mut gaps).as_deref(), Some("i\0mport"));
    assert_eq!(gaps.iter().map(|gap| gap.reason).collect::<Vec<_>>(), [GapReason::NotText, GapReason::NotText]);
}

#[test]
fn roles_and_languages_follow_names() {
    use {FileRole as R, Language as L};
    for (path, role, language) in [
        ("SKILL.md", R::Instruction, L::Markdown),
        ("tests/SKILL.md", R::Instruction, L::Markdown),
        ("a/commands/go.md", R::Instruction, L::Markdown),
        (".cursorrules", R::Instruction, L::Markdown),
        ("README.md", R::Docs, L::Markdown),
        ("docs/guide.md", R::Docs, L::Markdown),
        ("references/forms.md", R::Instruction, L::Markdown),
        ("LICENSE", R::Docs, L::Plain),
        ("src/a.test.ts", R::Test, L::TypeScript),
        ("tests/fixtures/a.json", R::Test, L::Json),
        ("package-lock.json", R::Lock, L::Json),
        ("package.json", R::Manifest, L::Json),
        ("data/points.json", R::Data, L::Json),
        ("dist/index.js", R::Source, L::JavaScript),
        ("hooks/on_start.py", R::Script, L::Python),
        ("setup.sh", R::Script, L::Shell),
        ("Dockerfile", R::Script, L::Shell),
        (".envrc", R::Script, L::Shell),
        ("build/rules.mk", R::Script, L::Shell),
        ("Rakefile", R::Script, L::Plain),
        ("kit.pth", R::Script, L::Plain),
        ("plot.R", R::Source, L::Plain),
    ] {
        assert_eq!(classify(path, Some("")), (role, language), "{path}");
    }
    assert_eq!(classify("run", Some("#!/usr/bin/env python3\n")), (R::Source, L::Python));
    assert_eq!(classify("x.png", None), (R::Binary, L::None));
}

#[test]
fn markdown_is_taken_apart() {
    let text = "\u{feff}---\nname: x\n---\n# T\n\nsay `code` <!-- hide\n\nme --> go\n\n> quoted\n\n```sh\nrun\n```\n\n| a |\n|---|\n| b |\n";
    assert_eq!(
        zones("SKILL.md", text),
        [
            (ZoneKind::Frontmatter, "---\nname: x\n---".into()),
            (ZoneKind::Prose, "# T\n\nsay".into()),
            (ZoneKind::InlineCode, "`code`".into()),
            (ZoneKind::Prose, "<!-- hide\n\nme --> go".into()),
            (ZoneKind::Quotation, "> quoted".into()),
            (ZoneKind::CodeBlock, "```sh\nrun\n```".into()),
            (ZoneKind::Table, "| a |\n|---|\n| b |".into()),
        ]
        .to_vec()
    );
}

#[test]
fn html_comments_are_comments() {
    let text = "a <!-- one --> b\n\n<!-- two\nlines -->\n\nc\n\n<!-- open\n\nto the end\n";
    for (needle, kind) in [
        ("one", ZoneKind::Comment),
        ("lines", ZoneKind::Comment),
        ("c\n", ZoneKind::Prose),
        ("to the", ZoneKind::Comment),
    ] {
        assert_eq!(kinds_of("README.md", text, needle), kind, "{needle}");
    }
}

#[test]
fn front_matter_that_never_closes_is_prose() {
    assert_eq!(kinds_of("SKILL.md", "---\nname: x\nbody", "name"), ZoneKind::Prose);
}

#[test]
fn quotes_in_a_regular_expression_open_no_literal() {
    for text in [
        "const a = /[`'\"]/g; // note\nrun();",
        "x.replace(/^`/, ''); // note\nrun();",
        "return /\\/`/.test(x); // note\nrun();",
        "const f = (x) => /`/.test(x); // note\nrun();",
    ] {
        assert_eq!(kinds_of("a.js", text, "note"), ZoneKind::Comment, "{text}");
        assert_eq!(kinds_of("a.js", text, "run"), ZoneKind::Code, "{text}");
    }
    // A slash that divides opens nothing.
    let text = "const a = b / c; const d = `one / two`; const e = f() / 2; // note\nrun();";
    assert_eq!(kinds_of("a.js", text, "one"), ZoneKind::Literal);
    assert_eq!(kinds_of("a.js", text, "note"), ZoneKind::Comment);
}

#[test]
fn source_is_told_apart() {
    let text = "let a = 'it\\'s'; // note's\n/* block\n\" */ const b = `x\n${y}`;\n";
    for (needle, kind) in [
        ("let", ZoneKind::Code),
        ("it", ZoneKind::Literal),
        ("note", ZoneKind::Comment),
        ("block", ZoneKind::Comment),
        ("const", ZoneKind::Code),
        ("${y}", ZoneKind::Literal),
    ] {
        assert_eq!(kinds_of("a.ts", text, needle), kind, "{needle}");
    }
    let python = "def f():\n    \"\"\"doc # no\n    more\"\"\"\n    return 'x' # yes\n";
    assert_eq!(kinds_of("a.py", python, "more"), ZoneKind::Literal);
    assert_eq!(kinds_of("a.py", python, "yes"), ZoneKind::Comment);
    assert_eq!(kinds_of("a.sh", "echo a#b \"c d\" # e\n", "b "), ZoneKind::Code);
    assert_eq!(kinds_of("a.json", "{\"k\": \"v\\\"w\", \"n\": 1}", "k\""), ZoneKind::Code);
    assert_eq!(kinds_of("a.json", "{\"k\": \"v\\\"w\", \"n\": 1}", "w"), ZoneKind::Literal);
    assert_eq!(kinds_of("a.yaml", "k: v # c\n", "v"), ZoneKind::Literal);
    assert_eq!(kinds_of("a.yaml", "k: v # c\n", "c\n"), ZoneKind::Comment);
}

#[test]
fn hostile_shapes_take_linear_time() {
    let sizes = 1 << 18;
    for (path, unit) in [
        ("a.md", "<!-- "),
        ("a.md", "> "),
        ("a.md", "[`"),
        ("a.md", "- "),
        ("a.js", "\"'`"),
        ("a.json", "\"\\"),
        ("a.yaml", "\"#: "),
        ("a.html", "<!--\n"),
    ] {
        let text = unit.repeat(sizes);
        let document = Document::read(path, text.as_bytes(), &mut Vec::new());
        assert_eq!(document.zones.last().map(|zone| zone.end), Some(text.len()), "{path} {unit}");
    }
}

proptest::proptest! {
    #[test]
    fn zones_always_cover_the_text(text in "[a-c#>`|\"'/*\\-: \\n<!é\\\\]{0,200}", file in 0..7_usize) {
        let path = ["a.md", "a.js", "a.py", "a.sh", "a.json", "a.yaml", "a.rs"].get(file).copied().unwrap_or("a.md");
        let document = Document::read(path, text.as_bytes(), &mut Vec::new());
        let mut end = 0;
        for zone in &document.zones {
            proptest::prop_assert_eq!(zone.start, end);
            proptest::prop_assert!(document.text.is_char_boundary(zone.end));
            end = zone.end;
        }
        proptest::prop_assert_eq!(end, document.text.len());
    }
}
