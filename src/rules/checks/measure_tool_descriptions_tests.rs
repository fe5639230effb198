//! The signals of tool descriptions, against the results of the public engine.

use super::super::measure_fixtures::Scene;
use super::*;
use capdex_evidence::tools::ToolOrigin;
use capdex_model::capability::Kind;

const FLAGS: [&str; 6] = ["action_verb", "scenario", "parameters", "returns", "examples", "errors"];

fn flags(text: &str) -> String {
    let value = signals("tool", text, &text.to_lowercase(), None);
    FLAGS.map(|flag| if value[flag] == true { '1' } else { '0' }).iter().collect()
}

#[test]
fn signals_agree_with_the_reference_vectors() {
    let full = concat!(
        "Fetch the current weather for a city. Use when planning outdoor work. Accepts `city` (e.g. Oslo). ",
        "Returns temperature; fails if the city is unknown."
    );
    let flagged =
        "Processes invoices like the ones stored under --folder and returns totals in euros for each supplier";
    let vectors = [
        ("", 0, "000000"),
        ("Fetches weather", 15, "100000"),
        ("Weather lookup tool for any city on the planet, fast and reliable.", 66, "000000"),
        (full, 148, "111111"),
        ("Returns rows", 12, "100100"),
        (flagged, 100, "001110"),
    ];
    for (text, length, expected) in vectors {
        assert_eq!(text.chars().count(), length, "{text}");
        assert_eq!(flags(text).as_str(), expected, "{text}");
    }
}

#[test]
fn a_verb_is_recognised_by_its_stem_and_punctuation_belongs_to_the_word() {
    for text in ["Creates x", "configures x", "Creating x", "listing x", "cherry-pick x"] {
        assert!(begins_with_verb(text), "{text}");
    }
    for text in ["Get, x", "summarize x", "The x", " ", ""] {
        assert!(!begins_with_verb(text), "{text}");
    }
}

#[test]
fn a_flag_needs_a_letter_after_its_dashes() {
    assert!(has_flag("use --all"));
    assert!(has_flag("a---b"));
    assert!(!has_flag("a -- b"));
    assert!(!has_flag("--"));
    assert!(!has_flag("-a"));
}

#[test]
fn errors_are_only_sought_on_one_line() {
    assert_eq!(flags("Sorts; if rows are empty it says not found"), "000001");
    assert_eq!(flags("Sorts; if rows\nare not found"), "000000");
    assert_eq!(flags("Raises ValueError"), "000001");
}

#[test]
fn density_counts_words_with_content() {
    assert_eq!(density("two words"), None);
    assert_eq!(density("use when example a rows"), Some((1, 4, 5, 5)));
    assert_eq!(density("read read read read"), Some((1, 1, 1, 4)));
    assert_eq!(density("9lives \u{e9}tat x"), Some((2, 2, 3, 3)));
}

#[test]
fn overlap_is_the_largest_share_of_the_smaller_set() {
    let texts = [
        "remove stored invoice pages",
        "remove stored invoice rows",
        "weather forecast",
        "",
        "other text",
        "more words",
    ];
    let (overlaps, compared) = overlaps(&texts.map(str::to_owned));
    assert!(compared);
    assert_eq!(overlaps, [Some((3, 4)), Some((3, 4)), Some((0, 2)), None, Some((0, 2)), Some((0, 2))]);
}

#[test]
fn words_of_most_tools_do_not_count() {
    let texts = ["query the ledger alpha", "query the ledger beta", "query the ledger gamma"];
    let (overlaps, _) = overlaps(&texts.map(str::to_owned));
    assert_eq!(overlaps, [Some((0, 1)); 3]);
}

#[test]
fn the_comparison_stops_at_its_budget_and_says_so() {
    let words = |first: usize| (first..first + 300).map(|word| format!("word{word}")).collect::<Vec<_>>().join(" ");
    let texts: Vec<String> = (0..200).map(|tool| words(tool * 300)).collect();
    assert!(!overlaps(&texts).1);
    assert!(overlaps(texts.get(..100).unwrap_or_default()).1);
}

proptest::proptest! {
    #[test]
    fn ascii_says_the_same_in_lower_case(
        text in "(?:(?i:if|when|fails?|error|raises?|common|issue|use|this|returns|result is|params?|like|e\\.g\\.) ?[:.]?|[ -~]| |\n){0,12}",
    ) {
        for words in [&SCENARIO, &EXAMPLES, &PARAMETERS, &RETURNS, &ERRORS] {
            let any_case = words.any_case.is_match(&text);
            proptest::prop_assert_eq!(words.stand_in(&text, &text.to_lowercase()), any_case);
        }
    }
}

#[test]
fn a_tool_stands_once_and_a_tools_list_before_source() {
    let mut scene = Scene::of(Kind::McpServer, &[]).with_tools(&[("a", "From source."), ("a", "From a list.")]);
    if let Some(first) = scene.evidence.tools.first_mut() {
        first.origin = ToolOrigin::Source;
    }
    let value = scene.value("measure-tool-descriptions");
    assert_eq!(value["tools"].as_array().map(Vec::len), Some(1));
    assert_eq!(value["tools"][0]["length"], 12);
}

#[test]
fn tools_stand_in_the_order_of_their_list() {
    let mut scene = Scene::of(Kind::McpServer, &[]).with_tools(&[("a", "Second."), ("b", "First of them.")]);
    for (tool, column) in scene.evidence.tools.iter_mut().zip([90, 10]) {
        tool.place.column = column;
    }
    assert_eq!(scene.value("measure-tool-descriptions")["tools"][0]["name"], "b");
}

#[test]
fn a_description_that_is_no_literal_is_left_out() {
    let mut scene = Scene::of(Kind::McpServer, &[]).with_tools(&[("a", "")]);
    let tool = scene.evidence.tools.first_mut().expect("one tool");
    tool.description = None;
    assert_eq!(scene.value("measure-tool-descriptions")["tools"][0]["length"], 0);
    scene.evidence.tools.first_mut().expect("one tool").origin = ToolOrigin::Source;
    assert_eq!(scene.value("measure-tool-descriptions"), Value::Null);
}

#[test]
fn word_lists_are_sorted() {
    assert!(ACTION_VERBS.is_sorted());
    assert!(TRIGGER_WORDS.is_sorted());
}

proptest::proptest! {
    #[test]
    fn any_texts_are_measured_within_bounds(texts in proptest::collection::vec(".{0,60}", 1..6)) {
        let tools: Vec<(&str, &str)> = texts.iter().map(|text| ("tool", text.as_str())).collect();
        let value = signals_of(&tools);
        for tool in value["tools"].as_array().expect("a list") {
            if let Some([common, of]) = tool["overlap"].as_array().map(Vec::as_slice) {
                proptest::prop_assert!(common.as_u64() <= of.as_u64());
            }
            if let Some([content, long, unique, words]) = tool["density"].as_array().map(Vec::as_slice) {
                let counts = [content, long, unique, words].map(|count| count.as_u64());
                proptest::prop_assert!(counts.is_sorted());
            }
        }
    }
}
