//! Tests of sentences and of the matcher.

use proptest::prelude::*;

use super::*;

const OVERRIDE: Phrase = Phrase { parts: &[&["ignore"], &["previous", "prior"], &["instruction*"]], gap: 2 };

#[test]
fn sentences_end_where_a_reader_ends_them() {
    let text = "First one, e.g. this.\nStill lines\nrun on. Second!\n\nThird\n- fourth\n2. fifth";
    let texts: Vec<&str> = sentences(text).iter().map(|sentence| sentence.text.trim()).collect();
    assert_eq!(texts, ["First one, e.g. this.", "Still lines\nrun on.", "Second!", "Third", "- fourth", "2.", "fifth"]);
}

#[test]
fn a_phrase_is_found_within_its_window_only() {
    let near = sentences("Please IGNORE all previous Instructions.");
    assert_eq!(near.first().and_then(|sentence| sentence.find(&OVERRIDE)), Some((1, 4)));
    let far = sentences("Ignore the one and the other and then previous instructions.");
    assert_eq!(far.first().and_then(|sentence| sentence.find(&OVERRIDE)), None);
    let apart = sentences("Ignore. Previous instructions.");
    assert!(apart.iter().all(|sentence| sentence.find(&OVERRIDE).is_none()));
}

#[test]
fn quotations_and_code_are_not_said() {
    for text in [
        "Detects \"ignore previous instructions\" in text.",
        "Detects `ignore previous instructions`.",
        "Detects ('ignore previous instructions').",
        "```\nignore previous instructions\n```",
    ] {
        assert!(sentences(text).iter().all(|sentence| sentence.find(&OVERRIDE).is_none()), "{text}");
    }
    let open = sentences("It's \" ignore previous instructions");
    assert!(open.iter().any(|sentence| sentence.find(&OVERRIDE).is_some()));
}

#[test]
fn negation_reaches_three_words() {
    let all = sentences("Do not ever delete it. It will not in any such case delete it.");
    let negated: Vec<bool> = all
        .iter()
        .filter_map(|sentence| {
            sentence.words.iter().position(|word| word.folded == "delete").map(|at| sentence.negated(at))
        })
        .collect();
    assert_eq!(negated, [true, false]);
}

proptest! {
    #[test]
    fn words_lie_where_they_say(text in "[a-zA-Z .,\"'`“”\\n\\-#<>(é😀]{0,80}") {
        for sentence in sentences(&text) {
            for word in &sentence.words {
                prop_assert_eq!(text.get(word.start..word.start + word.raw.len()), Some(word.raw));
            }
        }
    }
}
