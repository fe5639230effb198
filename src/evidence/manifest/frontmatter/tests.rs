//! Front matter as clients read it: strictly, leniently, and what neither takes.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// The value, the line at which strict YAML refused, and the details of the gaps.
fn of(yaml: &str) -> (Value, Option<u32>, Vec<String>) {
    of_file("skills/a/SKILL.md", &format!("---\n{yaml}\n---\nBody\n"))
}

fn of_file(path: &str, text: &str) -> (Value, Option<u32>, Vec<String>) {
    let mut gaps = Vec::new();
    let manifest = read(&Document::read(path, text.as_bytes(), &mut Vec::new()), &mut gaps);
    let line = manifest.as_ref().and_then(|manifest| manifest.strict_refusal.as_ref()).map(|refusal| refusal.line);
    let value = manifest.map_or(Value::Null, |manifest| (*manifest.value).clone());
    (value, line, gaps.into_iter().map(|gap| gap.detail).collect())
}

#[test]
fn values_that_are_no_yaml_are_the_text_that_was_written() {
    for written in [
        "Use when: the user asks",
        "Ends with a colon:",
        "[-y] [file]",
        "[--force] <name>",
        "* is for everybody",
        "*.ts,*.tsx",
        "@someone writes",
        "`code` first",
        "%d of them",
        "\"Quoted\" and more: of it",
        "{a} {b}",
        "it's: \"both\" marks",
    ] {
        let (value, line, gaps) = of(&format!("name: a\ndescription: {written}\nmodel: m"));
        assert_eq!(value, json!({"name": "a", "description": written, "model": "m"}), "{written}");
        assert_eq!((line.is_some(), gaps.len()), (true, 0), "{written}");
    }
}

#[test]
fn what_strict_yaml_takes_has_no_mark() {
    for (yaml, expected) in [
        ("name: a\ndescription: \"Use when: asked\"", json!({"name": "a", "description": "Use when: asked"})),
        ("name: a # a comment\nlist: [x, y]", json!({"name": "a", "list": ["x", "y"]})),
        ("a: &x 1\nb: *x", json!({"a": 1, "b": 1})),
        ("", json!({})),
    ] {
        assert_eq!(of(yaml), (expected, None, vec![]), "{yaml}");
    }
}

#[test]
fn a_text_stays_as_it_was_written() {
    for written in
        ["n", "y", "on", "no", "true", "False", "007", "12", "1e3", "0x1f", "2024-01-01", "1.10", ".5", "1_000"]
    {
        for rest in ["", "\nargument-hint: [-y] [file]"] {
            let (value, line, gaps) =
                of(&format!("name: {written}\ndescription: {written} # a comment\nversion: {written}{rest}"));
            for key in TEXT_KEYS {
                assert_eq!(value.get(key), Some(&json!(written)), "{key}: {written}{rest}");
            }
            assert_eq!((line.is_some(), gaps.len()), (!rest.is_empty(), 0));
        }
    }
    let (value, ..) = of("metadata:\n  name: 1\nname: 2\ncount: 3");
    assert_eq!(value, json!({"metadata": {"name": 1}, "name": "2", "count": 3}));
}

#[test]
fn nested_blocks_keep_their_structure_beside_a_broken_line() {
    let hooks =
        "hooks:\n  PreToolUse:\n    - matcher: Bash\n      hooks:\n        - type: command\n          command: ./a.sh";
    let expected = json!({"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./a.sh"}]}]});
    let tabbed = hooks.replace("  ", "\t");
    let colon = hooks.replace("./a.sh", "echo a: b");
    let (strict, line, _) = of(hooks);
    assert_eq!((&strict["hooks"], line), (&expected, None));
    for (block, command) in [(hooks.to_owned(), "./a.sh"), (tabbed, "./a.sh"), (colon, "echo a: b")] {
        let (value, line, gaps) = of(&format!("description: Use when: asked\n{block}\nallowed-tools: [Bash, Read]"));
        assert_eq!(value["hooks"]["PreToolUse"][0]["hooks"][0]["command"], command);
        assert_eq!(value["hooks"]["PreToolUse"][0]["matcher"], "Bash");
        assert_eq!(value["allowed-tools"], json!(["Bash", "Read"]));
        assert_eq!((line, gaps), (Some(2), vec![]), "{block}");
    }
}

#[test]
fn lists_and_folded_texts_are_read_beside_a_broken_line() {
    let (value, line, gaps) = of(
        "description: Use when: a colon stands here\n  and the line: goes on\ntags:\n- one: of\n- *two\nglobs: [*.ts, *.js]\nmore: >\n\tfirst: a\n\tsecond",
    );
    let expected = json!({
        "description": "Use when: a colon stands here and the line: goes on",
        // An item with a colon is an object, in either reading.
        "tags": [{"one": "of"}, "*two"], "globs": ["*.ts", "*.js"], "more": "first: a second\n"
    });
    assert_eq!(value, expected);
    assert_eq!((line, gaps), (Some(2), vec![]));
}

#[test]
fn form_changes_nothing() {
    let plain = "---\nname: a\ndescription: Use when: asked\n---\nBody\n";
    let expected = of_file("SKILL.md", plain);
    assert_eq!(expected, (json!({"name": "a", "description": "Use when: asked"}), Some(3), vec![]));
    for text in [
        plain.replace('\n', "\r\n"),
        format!("\u{feff}{plain}"),
        plain.replace("---", "--- \t"),
        plain.replace(": ", ":\t").replace("when:\t", "when: "),
    ] {
        assert_eq!(of_file("SKILL.md", &text), expected, "{text:?}");
    }
    assert_eq!(of_file("SKILL.md", &format!("\n\n{plain}")).1, Some(5), "lines count from the head of the file");
}

#[test]
fn what_neither_reading_takes_is_a_gap_and_has_no_mark() {
    for yaml in [
        "description: a: b\nJust words.",
        "Just words: with a colon: and more",
        "name: a\nname: b",
        "description: a: b\ndescription: c",
        "description: a: b\nhooks:\n  Stop: &x [a]\n  More: [*y",
        "description: a: b\nhooks:\n  Stop:\n - a\n   - b: c: d\n  x",
        "base: &b [1]\nhooks:\n  Stop: *c",
        "- a\n- b",
        "<<: *a\nname: b: c",
        "  name: a: b",
    ] {
        let (_, line, gaps) = of(yaml);
        assert_eq!((line, gaps.len()), (None, 1), "{yaml}");
    }
}

#[test]
fn only_files_that_agents_load_are_told_of() {
    let text = "---\ndescription: a: b\n---\n";
    assert_eq!(of_file("docs/a.md", text), (json!({"description": "a: b"}), None, vec![]));
    assert_eq!(of_file("rules/a.mdc", text), (json!({"description": "a: b"}), None, vec![]));
    assert_eq!(of_file("commands/a.md", text), (json!({"description": "a: b"}), Some(2), vec![]));
}

#[test]
fn keys_of_the_second_reading_are_bounded() {
    for (keys, gaps) in [(lenient::MAX_KEYS - 1, 0), (lenient::MAX_KEYS, 0), (lenient::MAX_KEYS + 1, 1)] {
        let yaml = (0..keys).fold(String::new(), |mut yaml, key| {
            let _ = writeln!(yaml, "a{key}: b: c");
            yaml
        });
        assert_eq!(of(yaml.trim_end()).2.len(), gaps, "{keys}");
    }
}

/// Aliases that grow, one bomb a key: each alone is within the budget of a whole text.
#[test]
fn many_small_bombs_yield_no_more_than_they_have_bytes() {
    let bomb = "[&a [x,x,x,x,x,x,x,x], &b [*a,*a,*a,*a,*a,*a,*a,*a], *b,*b,*b,*b,*b,*b,*b,*b]";
    let yaml = (0..lenient::MAX_KEYS).fold(String::from("d: a: b"), |yaml, key| format!("{yaml}\na{key}: {bomb}"));
    let (value, line, gaps) = of(&yaml);
    assert_eq!((line, gaps.len()), (None, 1));
    assert!(value.to_string().len() < 4 * yaml.len());
}

proptest! {
    /// A value in quotation marks and the same one without them are one value to a client.
    #[test]
    fn quotation_marks_change_no_text(text in r#"[a-z*@%`\[{][a-z:#,*&!|>\[\]{}%@` ]{0,24}[a-z:\]]"#) {
        prop_assume!(!text.contains(" #"));
        let (quoted, ..) = of(&format!("description: \"{text}\"\nhint: [-y] [file]"));
        let (plain, line, gaps) = of(&format!("description: {text}\nhint: [-y] [file]"));
        prop_assert_eq!((line.is_some(), gaps), (true, vec![]));
        prop_assert_eq!(&quoted["description"], &json!(text));
        // A list, an object or an anchor alone is what YAML says.
        if plain["description"].is_string() && !text.starts_with(['&', '!', '|', '>']) {
            prop_assert_eq!(&plain["description"], &json!(text));
        }
    }

    #[test]
    fn no_text_breaks_the_second_reading(yaml in "([a-z\"']{1,3}:[ \t]?[-\\[\\]{}&*'\"|>#!%@` a-z:]{0,12}\n|[ \t]{0,4}- ?[a-z:&* ]{0,6}\n|[ \t]{1,4}[a-z: |>\"']{0,9}\n|\u{feff}?.{0,9}\r\n){0,12}") {
        let reading = lenient::read(&yaml);
        prop_assert!(Value::Object(reading.object).to_string().len() <= 16 * (yaml.len() + 16));
    }
}
